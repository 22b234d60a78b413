// Command speed measures operations that should be as fast as the machine allows, each against a baseline that does only the necessary work, both in one
// run, and prints a table: docs/speed.md is its output. With -window it also measures the window, on DISPLAY.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// row is a row of the table.
type row struct {
	what, against, was, wanted string
	measure                    func(*lab) (string, error)
}

var rows = []row{
	{"find: wildcards", "`bytes.Index`, the same memory", "0.03", "≥ 0.5", ratio("./model", "Query", "wildcards", "plain")},
	{"find: either case", "`bytes.Index`, the same memory", "0.05", "≥ 0.3", ratio("./model", "Query", "case", "plain")},
	{"find: regular expression", "`bytes.Index`, the same memory", "none", "≥ 0.1", ratio("./model", "Query", "regexp", "plain")},
	{"row checks of TARIDX", "a plain loop", "0.63", "≥ 0.85", ratio("./parsers/taridx", "TaridxRows", "checks", "plain")},
	{"places of TARIDX", "a plain loop", "0.8", "≥ 0.85", ratio("./parsers/taridx", "TaridxRows", "places", "plain")},
	{"SCDL deep, long rows, one core", "a plain loop", "0.8", "≥ 0.85", ratio("./parsers/scdl", "ScdlDeep", "check/1000", "loop/1000")},
	{"SCDL deep, short rows, one core", "a plain loop", "0.65", "≥ 0.85", ratio("./parsers/scdl", "ScdlDeep", "check/50", "loop/50")},
	{"deep check of IDV on two cores", "one core", "1.98", "≥ 1.8", cores("./parsers/idv", "IDVDeep", "")},
	{"deep check of TileDB on two cores", "one core", "1.0", "≥ 1.8", cores("./parsers/tiledb", "TDBDeepMany", "")},
	{"deep check of SameDiff on two cores", "one core", "1.0", "≥ 1.8", cores("./parsers/samediff", "SameDiffDeep", "")},
	{"deep check of TARIDX on two cores", "one core", "1.0", "≥ 1.8", cores("./parsers/taridx", "TaridxDeep", "")},
	{"deep check of SCDL on two cores", "one core", "1.0", "≥ 1.8", cores("./parsers/scdl", "ScdlDeep", "check/1000")},
	{"an edit that moves 3.2 GB", "`cp` and `sync`", "0.64", "≥ 0.9", metric("./parsers/taridx", "TaridxRename", "ratio")},
	{"deep check of a tar in a store", "a download by 8 connections", "0.15", "≥ 0.8", metric("./ui/headless", "RemoteDeep", "ratio")},
	{"10,000 fragments checked deep", "–", "17 to 20 s", "≤ 6 s", seconds("./parsers/tiledb", "TDBDeepMany")},
	{"`fix` of 1,332 problems in 43 KB", "–", "24 s", "< 1 s", fixMany},
	{"diagnosis of 16 MiB", "–", "none", "< 2 s", diagnose},
	{"`check --deep` of 10,000 small files on two cores", "one core", "1.0", "≥ 1.8", manyFiles},
	{"headless binary, stripped", "–", "58 MB", "≤ 35 MB", binarySize},
	{"start of `version`", "a Go hello world", "–", "≤ 3", startOfVersion},
}

var windowRows = []row{
	{"start to window", "an empty Fyne window", "1.6", "≤ 1.2", startToWindow},
	{"start to window with a small file", "an empty Fyne window", "1.8", "≤ 1.3", startWithFile},
	{"anonymous memory with a small file", "the empty window's", "85 MB", "≤ 65 MB", windowMemory},
}

func main() {
	window := flag.Bool("window", false, "measure the window too, on DISPLAY")
	only := flag.String("only", "", "only rows whose name contains this")
	flag.Parse()
	l, err := newLab()
	if err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
	defer os.RemoveAll(l.dir)
	list := slices.Clone(rows)
	if *window {
		list = append(list, windowRows...)
	}
	fmt.Printf("%d cores, %s, %s; load %s when it began.\n\n", runtime.NumCPU(), runtime.Version(), time.Now().UTC().Format(time.DateOnly), load())
	fmt.Println("| What | Against | Was | Wanted | Measured |")
	fmt.Println("|---|---|---|---|---|")
	failed := false
	for _, r := range list {
		if !strings.Contains(r.what, *only) {
			continue
		}
		got, err := r.measure(l)
		if err != nil {
			got, failed = "not measured: "+err.Error(), true
		}
		fmt.Printf("| %s | %s | %s | %s | %s |\n", r.what, r.against, r.was, r.wanted, got)
	}
	if failed {
		os.Exit(1)
	}
}

// load is the load average of the machine over the last minute.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(b))[0]
}

// Command figures measures the structure of the code with the type checker: dependencies in the wrong direction, and sizes. `make figures` prints a line per
// figure with its target; `-v` also lists the places, and `-v name` only those of figures whose name contains it.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// figure is a line of output: a measurement and its target.
type figure struct {
	name   string
	was    string // at the beginning; measured differently for packages that did not exist then
	wanted string
	got    string
	places []string
}

func main() {
	verbose := flag.Bool("v", false, "list the places; an argument says of which figures")
	ratchet := flag.Bool("ratchet", false, "print only which figures are worse than they were, and fail if any is")
	flag.Parse()
	h, err := load("migrated_fynedo,ci")
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
	list := measure(h)
	if *ratchet {
		bad := worse(list)
		for _, s := range bad {
			fmt.Fprintln(os.Stderr, "figures:", s)
		}
		if len(bad) > 0 {
			os.Exit(1)
		}
		return
	}
	for _, f := range list {
		fmt.Printf("%-58s %8s  %3s  was %s, wanted %s\n", f.name, f.got, f.mark(), f.was, f.wanted)
		if *verbose && (flag.NArg() == 0 || strings.Contains(f.name, flag.Arg(0))) {
			for _, p := range f.places {
				fmt.Println("\t" + p)
			}
		}
	}
}

const bareRules = "rules that no transcript of damaged documents speaks of"

// measure computes all figures.
func measure(h *house) []figure {
	var arrows, nameless, unchecked, literals, contexts, long, wide, bare []string
	knots := map[string][]string{}
	ruleCount := 0
	for _, r := range h.rooms {
		uses := h.uses(r)
		knots[r.path] = knot(uses)
		if r.parsers() {
			a, n := back(uses)
			if r.path != "parsers" && strings.Count(r.path, "/") == 1 {
				arrows, nameless = append(arrows, in(r, a)...), append(nameless, in(r, n)...)
			}
			unchecked, literals = append(unchecked, h.unchecked(r)...), append(literals, h.findings(r)...)
		}
		if r.path != "" && r.path != "parsers/internal/suite" {
			contexts = append(contexts, h.contexts(r)...)
		}
		l, w := h.size(r)
		long, wide = append(long, l...), append(wide, w...)
	}
	for _, f := range formats() {
		all, missing := rules(f)
		ruleCount, bare = ruleCount+all, append(bare, missing...)
	}
	out := []figure{
		{"arrows inside a format that run back up", "73", "0", fmt.Sprint(len(arrows)), arrows},
		{"files of a format whose names say no layer", "-", "0", fmt.Sprint(len(nameless)), nameless},
		{"floors: packages that stand on each other", "13", "≤ 7", fmt.Sprint(h.floors()), nil},
		{"links that are Unchecked", "60", "≤ 10", fmt.Sprint(len(unchecked)), unchecked},
		{"literals of findings in formats", "257", "≤ 40", fmt.Sprint(len(literals)), literals},
		{"contexts that nothing cancels, outside main and tests", "86", "≤ 5", fmt.Sprint(len(contexts)), contexts},
		{"functions over 60 lines", "20", "0", fmt.Sprint(len(long)), long},
		{"types over 30 methods (Cursor, Tree, Document may)", "8", "3", fmt.Sprint(len(wide)), wide},
	}
	for _, k := range []struct{ room, was, wanted string }{{"parsers/idv", "30", "≤ 12"}, {"parsers/samediff", "48", "≤ 20"}, {"parsers/tiledb", "37", "≤ 20"},
		{"parsers/scdl", "12", "≤ 20"}, {"parsers/taridx", "8", "≤ 20"}, {"ui", "46", "≤ 20"}} {
		out = append(out, figure{"largest knot of files in " + k.room, k.was, k.wanted, fmt.Sprint(len(knots[k.room])), knots[k.room]})
	}
	out = append(out, h.shape()...)
	return append(out, figure{bareRules, "81 of 536", "0", fmt.Sprintf("%d of %d", len(bare), ruleCount), bare})
}

// in prefixes each entry with the path of its package.
func in(r *room, list []string) (out []string) {
	for _, s := range list {
		out = append(out, r.path+": "+s)
	}
	return out
}

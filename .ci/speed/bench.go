package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// lab runs the measurements: it has a temporary folder, and the results of the benchmarks run so far.
type lab struct {
	dir      string
	results  map[string][]result // by package, benchmark and number of cores
	programs map[string]string   // paths of built programs, by name
}

// result is a benchmark without the number of cores in its name, and its figures by unit. The lowest of repeated measurements is kept.
type result struct {
	name    string
	cores   int
	figures map[string]float64
}

func newLab() (*lab, error) {
	dir, err := os.MkdirTemp("", "spandrel-speed-")
	return &lab{dir, map[string][]result{}, map[string]string{}}, err
}

// run runs a package's benchmark three times on cpu cores. Both sides alternate, so that other load on the machine affects both. The cores are set by
// GOMAXPROCS, because with -cpu the first run would have all of them.
func (l *lab) run(pkg, bench, cpu string) ([]result, error) {
	key := pkg + " " + bench + " " + cpu
	if r := l.results[key]; r != nil {
		return r, nil
	}
	var list []result
	for range 3 {
		c := exec.Command("go", "test", "-tags", "migrated_fynedo,ci", "-run", "^$", "-bench", "^Benchmark"+bench+"$", "-count", "1", "-timeout", "40m", pkg)
		c.Env = append(os.Environ(), "GOMAXPROCS="+cpu)
		out, err := c.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%v: %s", err, bytes.TrimSpace(out))
		}
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
			list = add(list, lines.Text())
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no benchmark %s in %s", bench, pkg)
	}
	l.results[key] = list
	return list, nil
}

// add adds a line of benchmark output to the results.
func add(list []result, line string) []result {
	f := strings.Fields(line)
	if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
		return list
	}
	name, cores := f[0], 1
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		if n, err := strconv.Atoi(name[at+1:]); err == nil {
			name, cores = name[:at], n
		}
	}
	var r *result
	for i := range list {
		if list[i].name == name && list[i].cores == cores {
			r = &list[i]
		}
	}
	if r == nil {
		list = append(list, result{name, cores, map[string]float64{}})
		r = &list[len(list)-1]
	}
	for i := 2; i+1 < len(f); i += 2 {
		if v, err := strconv.ParseFloat(f[i], 64); err == nil {
			if old, ok := r.figures[f[i+1]]; !ok || v < old {
				r.figures[f[i+1]] = v
			}
		}
	}
	return list
}

// find returns a figure of a benchmark, or of one of its parts; an error if it was not measured.
func find(list []result, bench, part string, cores int, unit string) (float64, error) {
	name := "Benchmark" + bench
	if part != "" {
		name += "/" + part
	}
	for _, r := range list {
		if v, ok := r.figures[unit]; ok && r.name == name && r.cores == cores && v > 0 {
			return v, nil
		}
	}
	return 0, fmt.Errorf("no %s of %s on %d cores", unit, name, cores)
}

// figure runs a benchmark on a number of cores and returns a figure of it, or of one of its parts.
func (l *lab) figure(pkg, bench, part string, cores int, unit string) (float64, error) {
	list, err := l.run(pkg, bench, strconv.Itoa(cores))
	if err != nil {
		return 0, err
	}
	return find(list, bench, part, cores, unit)
}

// ratio is the speed of one part of a benchmark relative to another, on one core.
func ratio(pkg, bench, part, plain string) func(*lab) (string, error) {
	return func(l *lab) (string, error) {
		a, err := l.figure(pkg, bench, part, 1, "ns/op")
		b, failed := l.figure(pkg, bench, plain, 1, "ns/op")
		return fmt.Sprintf("%.2f", b/a), errors.Join(err, failed)
	}
}

// cores is the speedup of a benchmark on two cores.
func cores(pkg, bench, part string) func(*lab) (string, error) {
	return func(l *lab) (string, error) {
		one, err := l.figure(pkg, bench, part, 1, "ns/op")
		two, failed := l.figure(pkg, bench, part, 2, "ns/op")
		return fmt.Sprintf("%.2f", one/two), errors.Join(err, failed)
	}
}

// metric is a custom figure that a benchmark reports, on two cores.
func metric(pkg, bench, unit string) func(*lab) (string, error) {
	return func(l *lab) (string, error) {
		v, err := l.figure(pkg, bench, "", 2, unit)
		return fmt.Sprintf("%.2f", v), err
	}
}

// seconds is the time of a benchmark on two cores, and the memory in use afterwards in MB if it reports that.
func seconds(pkg, bench string) func(*lab) (string, error) {
	return func(l *lab) (string, error) {
		v, err := l.figure(pkg, bench, "", 2, "ns/op")
		text := fmt.Sprintf("%.2f s", v/1e9)
		if mb, none := l.figure(pkg, bench, "", 2, "MB-in-use/op"); none == nil {
			text += fmt.Sprintf(", %.0f MB", mb)
		}
		return text, err
	}
}

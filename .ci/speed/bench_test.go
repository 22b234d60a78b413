package main

import "testing"

// Of repeated runs the least figure is kept, for each number of cores.
func TestAdd(t *testing.T) {
	var list []result
	for _, line := range []string{"BenchmarkA/b \t 1\t 30 ns/op", "BenchmarkA/b-2 \t 1\t 20 ns/op\t 3.5 MB", "BenchmarkA/b-2 \t 1\t 18 ns/op\t 4 MB", "ok"} {
		list = add(list, line)
	}
	for cores, want := range map[int]float64{1: 30, 2: 18} {
		if got, err := find(list, "A", "b", cores, "ns/op"); got != want || err != nil {
			t.Errorf("%v on %d cores, %v", got, cores, err)
		}
	}
	if _, err := find(list, "A", "b", 1, "MB"); err == nil {
		t.Error("a figure that was not printed is found")
	}
}

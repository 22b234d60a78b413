package parsers

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestSameRepairsEachTime: the same bytes lead to the same repairs under the same numbers, on however many cores: a number is a name only then. Where
// time ran out it is not one, and fix asks for the ID.
func TestSameRepairsEachTime(t *testing.T) {
	var samples []string
	for _, f := range All() {
		list, err := os.ReadDir("../testdata/" + f.Name + "/bad")
		if err != nil {
			t.Fatal(err)
		}
		for i := 2; i < len(list) && len(samples) < 40; i += max(1, len(list)/4) {
			samples = append(samples, filepath.Join("../testdata", f.Name, "bad", list[i].Name()))
		}
	}
	runs, repairs := 20, 0
	if testing.Short() {
		runs, samples = 3, samples[:len(samples)/3]
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, sample := range samples {
		first := ""
		for run := range runs {
			runtime.GOMAXPROCS([]int{1, 4}[run%2])
			d, err := model.Open(t.Context(), sample, All(), nil)
			if err != nil {
				break // a folder that no format takes
			}
			g, err := cause.Find(t.Context(), d, cause.Options{Formats: All()})
			if err != nil {
				t.Fatal(err)
			}
			list := ""
			for _, c := range g.Causes {
				for _, r := range c.Repairs {
					list += fmt.Sprintf("%d %s %s\n", r.Number, r.ID, r.Label)
				}
			}
			d.Close()
			if g.Cut {
				break // it says nothing, and takes longest
			}
			if first == "" {
				first = list
				repairs += len(list)
			}
			if list != first {
				t.Errorf("%s, run %d:\n%sand before\n%s", sample, run, list, first)
				break
			}
		}
	}
	if repairs == 0 {
		t.Error("no sample has a repair")
	}
}

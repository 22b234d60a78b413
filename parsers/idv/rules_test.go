package idv

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/parsers/internal/suite"
)

// TestIDVFindings compares everything that is found in the bad samples, with severity, place and repairs, with
// testdata/idv/rules.txt. -update writes it.
func TestIDVFindings(t *testing.T) {
	var out strings.Builder
	all := allBad()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d := open(t, name, all[name])
		rulesOf(t, d)
		found, _ := d.Tree.Findings()
		lines := make([]string, 0, len(found))
		for i := range found {
			f := &found[i]
			line := fmt.Sprintf("  %s %s at %s %d+%d", f.Rule.ID, f.Grade(), f.Path(), f.Where().Off, f.Where().Len)
			if f.Found != "" {
				line += ", found " + f.Found
			}
			if f.Expected != "" {
				line += ", expected " + f.Expected
			}
			for _, fix := range f.Fixes {
				line += "\n    " + map[bool]string{true: "always", false: "on request"}[fix.Safe] + ": " + fix.Label
			}
			lines = append(lines, line)
		}
		slices.Sort(lines) // parallel checks report in any order
		fmt.Fprintf(&out, "%s\n%s\n", name, strings.Join(lines, "\n"))
	}
	golden := filepath.Join("..", "..", "testdata", "idv", "rules.txt")
	if *suite.Update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, old := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(old)) {
		if i >= len(got) || i >= len(old) || got[i] != old[i] {
			t.Fatalf("line %d: %q, want %q", i+1, got[min(i, len(got)-1)], old[min(i, len(old)-1)])
		}
	}
}

package scdl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// Of files that no archive has a use for the first ones are shown, and what is not shown is said; what the archive needs is shown beside any number.
func TestStrangers(t *testing.T) {
	for _, more := range []int{0, 1} {
		dir := t.TempDir()
		files := good()
		for i := range mostStrangers + more {
			files[fmt.Sprintf("0_%05d", i)] = nil
		}
		for name, b := range files {
			at := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d, err := model.Open(t.Context(), dir, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		said := slices.ContainsFunc(found, func(f model.Finding) bool {
			return f.Rule == model.RuleCap && strings.Contains(f.Text(), "4,097 unused files")
		})
		if said != (more > 0) {
			t.Errorf("%d strangers: %v", mostStrangers+more, found)
		}
		for _, path := range []string{"data.npy", "0_00000", "0_04095"} {
			if _, err := d.Tree.Find(t.Context(), path); err != nil {
				t.Errorf("%d strangers: %v", mostStrangers+more, err)
			}
		}
		d.Close()
	}
}

package ui

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/problems"
)

// A fix that is offered twice is one button; one that costs something else is another.
func TestFixesAreOfferedOnce(t *testing.T) {
	list := doc.DistinctFixes([]model.Fix{{Label: "a"}, {Label: "b"}, {Label: "a"}, {Label: "a", Loses: "a row"}})
	if len(list) != 3 || list[0].Label != "a" || list[1].Label != "b" || list[2].Loses == "" {
		t.Errorf("%+v", list)
	}
}

// All proven repairs are those that spandrel fix makes, also where what the rules offer leaves an error: in one step, which says what was made
// and what is left, and one undo takes them back. Where they are cancelled nothing was made.
func TestAllProvenRepairs(t *testing.T) {
	for _, c := range []struct {
		sample, file string
		at           []int
	}{
		{"taridx/good/three-shards", "train.taridx", []int{1, 0x18}}, // no format knows it
		{"idv/good", "stored.idv", []int{32}},                        // the offset of the end mark
	} {
		t.Run(fmt.Sprint(c.file, c.at), func(t *testing.T) {
			dir := bench.CopySample(t, c.sample)
			good, err := os.ReadFile(filepath.Join(dir, c.file))
			if err != nil {
				t.Fatal(err)
			}
			bad := slices.Clone(good)
			for _, at := range c.at {
				bad[at] ^= 4
			}
			if err := os.WriteFile(filepath.Join(dir, c.file), bad, 0o600); err != nil {
				t.Fatal(err)
			}
			allProven(t, filepath.Join(dir, c.file), good)
		})
	}
}

func allProven(t *testing.T, path string, good []byte) {
	b := emptyBench(t)
	b.causeTime = doc.CauseTime
	d := b.open(t, path)
	before := d.Found.Counts()
	b.menus.run("fix-all")
	b.menus.run("fix-all") // the second one stops it
	b.settle(t)
	if undo, _ := d.Model.History(); len(undo) != 0 || b.Line.Said != problems.CancelledSaid {
		t.Errorf("cancelled: %d steps, said %q", len(undo), b.Line.Said)
	}
	b.menus.run("fix-all")
	b.settle(t)
	var now bytes.Buffer
	if err := d.Model.WriteTo(context.Background(), &now); err != nil || !bytes.Equal(now.Bytes(), good) {
		t.Errorf("the repaired file is not what it was: %v, %v", d.Found.Counts(), err)
	}
	if said := b.Line.Said; !strings.HasPrefix(said, doc.FixesSaid) || !strings.Contains(said, "no problems found now") {
		t.Errorf("said %q", said)
	}
	if undo, _ := d.Model.History(); len(undo) != 1 {
		t.Errorf("%d steps", len(undo))
	}
	b.menus.run("fix-all")
	b.settle(t)
	if said := b.Line.Said; !strings.Contains(strings.ToLower(said), "nothing to repair") {
		t.Errorf("of a whole file it says %q", said)
	}
	d.Editor.Undo()
	b.settle(t)
	if n := d.Found.Counts(); n != before {
		t.Errorf("undone: %v, want %v", n, before)
	}
}

package ui

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
)

// What the format can do with a document is offered wherever one is in it: of a part also what can be done with what it lies in, up to
// the whole file, once each, the nearest first.
func TestActionsOfWhatLiesAround(t *testing.T) {
	_, d := sampleBench(t, "idv/good/deflated.idv")
	root := d.Tree().Root
	whole := actionsAt(d, root)
	if len(whole) == 0 {
		t.Fatal("the format offers nothing for the whole file")
	}
	list := actionsAt(d, root.Get("blocks").Child(0).Child(0))
	seen := map[string]int{}
	for _, o := range list {
		seen[o.Name]++
	}
	for _, o := range whole {
		if seen[o.Name] != 1 {
			t.Errorf("%s is offered %d times of a block", o.Label, seen[o.Name])
		}
	}
	if at := list[len(list)-1].span; at != root || titleOf(d, at) != "deflated.idv" {
		t.Errorf("the last is of %q", titleOf(d, at))
	}
}

// What removes rows is asked about the selected ones at first.
func TestSelectedRowsAreProposed(t *testing.T) {
	for sample, want := range map[string]string{"idv/good/stored.idv": "2 3", "taridx/good/three-shards/train.taridx": "2 4"} {
		b, d := sampleBench(t, sample)
		d.table.Choose(2, 1)
		b.settle(t)
		for range 2 {
			d.table.Key(fyne.KeyDown, fyne.KeyModifierShift)
		}
		b.settle(t)
		said := ""
		for _, a := range d.Model.Format.Actions {
			for i := range a.Params {
				if a.Name == "drop-rows" {
					said += " " + proposed(d, &a.Params[i])
				}
			}
		}
		if strings.TrimSpace(said) != want {
			t.Errorf("%s: %q is proposed", sample, said)
		}
	}
}

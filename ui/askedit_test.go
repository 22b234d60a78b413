package ui

import "testing"

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

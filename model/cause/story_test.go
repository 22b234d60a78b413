package cause

import (
	"testing"

	"spandrel/model"
	"spandrel/model/evidence"
)

// TestExplained: much that stays wrong keeps a story from being proven, more than it explains from being likely, and very much from being told. A warning
// that no writer is known to cause counts.
func TestExplained(t *testing.T) {
	fails := func(bits ...evidence.Bits) (out []evidence.Check) {
		for _, b := range bits {
			out = append(out, evidence.Check{Rule: "X-1", Strength: b, Times: 1})
		}
		return out
	}
	absent := evidence.Check{Rule: "X-2", Strength: 40, Times: 1, Absent: true}
	minor := evidence.Check{Rule: "X-3", Strength: 32, Times: 1, Minor: true}
	event := []evidence.Event{{Kind: evidence.Overwritten, Place: 4, Value: 3}}
	for _, k := range []struct {
		name       string
		null, is   []evidence.Check
		summed     bool
		gone, left evidence.Bits
	}{
		{"alone", fails(40), nil, false, 40, 0},
		{"little stays", fails(40, 16), fails(16), false, 40, 16},
		{"much stays", fails(40, 24), fails(24), false, 40, 24},
		{"much stays beside a checksum", fails(40, 24), fails(24), true, 0, 0},
		{"a file is not here, before and after", append(fails(40), absent), []evidence.Check{absent}, false, 40, 0},
		{"a warning of weight stays", append(fails(24), minor), []evidence.Check{minor}, false, 24, 32},
	} {
		s := &evidence.Story{Text: "this", Leads: "this", Events: event, Failed: k.is}
		null := &evidence.Story{Text: "nothing happened", Leads: asItIs, Events: []evidence.Event{{Kind: evidence.Odd}}, Failed: k.null}
		if gone, left := explained(evidence.Weigh([]*evidence.Story{null, s}), s, k.summed, true); gone != k.gone || left != k.left {
			t.Errorf("%s: explains %.0f bits and leaves %.0f, want %.0f and %.0f", k.name, gone, left, k.gone, k.left)
		}
	}
}

// Zeros over rows of which some were zero anyway are one event, and so is nothing else.
func TestBlanksAreOneEvent(t *testing.T) {
	was := append(append([]byte("head"), make([]byte, 40)...), "tail"...)
	snap := new(model.Snapshot).With("x", model.NewContent(model.Memory(was)))
	zeros := func(off, n int64) Change { return Change{"x", off, make([]byte, n), []byte("nnnnnnnn")[:n], n, n} }
	if got := blanks(snap, []Change{zeros(6, 4), zeros(20, 8), zeros(40, 4)}); len(got) != 1 || got[0].Off != 6 || got[0].Del != 38 || got[0].Grown != 38 {
		t.Errorf("three runs of one blank are %v", got)
	}
	head := Change{"x", 0, []byte("hh"), []byte("xx"), 2, 2}
	if got := blanks(snap, []Change{head, zeros(6, 4)}); len(got) != 2 {
		t.Errorf("what is not zero is joined: %v", got)
	}
	snap = new(model.Snapshot).With("x", model.NewContent(model.Memory(append(append(make([]byte, 10), 1), make([]byte, 10)...))))
	if got := blanks(snap, []Change{zeros(2, 4), zeros(14, 4)}); len(got) != 2 {
		t.Errorf("zeros around a byte of data are joined: %v", got)
	}
}

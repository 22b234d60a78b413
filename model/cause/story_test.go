package cause

import (
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/evidence"
)

// TestUnsound: much that stays wrong keeps a story from being proven.
func TestUnsound(t *testing.T) {
	fails := func(bits ...evidence.Bits) (out []evidence.Check) {
		for _, b := range bits {
			out = append(out, evidence.Check{Rule: "X-1", Strength: b, Times: 1})
		}
		return out
	}
	absent := evidence.Check{Rule: "X-2", Strength: 40, Times: 1, Absent: true}
	event := []evidence.Event{{Kind: evidence.Overwritten, Place: 4, Value: 3}}
	for _, k := range []struct {
		name       string
		null, left []evidence.Check
		summed     bool
		why        string
	}{
		{"alone", fails(40), nil, false, ""},
		{"little stays", fails(40, 16), fails(16), false, ""},
		{"much stays", fails(40, 24), fails(24), false, "many errors would remain"},
		{"much stays beside a checksum", fails(40, 24), fails(24), true, ""},
		{"a file is not here, before and after", append(fails(40), absent), []evidence.Check{absent}, false, ""},
	} {
		s := &evidence.Story{Text: "this", Leads: "this", Events: event, Failed: k.left}
		null := &evidence.Story{Text: "nothing happened", Leads: asItIs, Events: []evidence.Event{{Kind: evidence.Odd}}, Failed: k.null}
		if why := unsound(evidence.Weigh([]*evidence.Story{null, s}), s, k.summed); k.why == "" && why != "" || !strings.HasPrefix(why, k.why) {
			t.Errorf("%s: %q, want %q", k.name, why, k.why)
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

package cause

import (
	"strings"
	"testing"

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

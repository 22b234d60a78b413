package cause

import (
	"strings"
	"testing"

	"spandrel/model/evidence"
)

// TestOutweighed: much that stays wrong, and another story that costs about as much, keep a story from being proven.
func TestOutweighed(t *testing.T) {
	fails := func(bits ...evidence.Bits) (out []evidence.Check) {
		for _, b := range bits {
			out = append(out, evidence.Check{Rule: "X-1", Strength: b, Times: 1})
		}
		return out
	}
	event := []evidence.Event{{Kind: evidence.Overwritten, Place: 4, Value: 3}}
	for _, k := range []struct {
		name       string
		null, left []evidence.Check
		rival      evidence.Bits
		summed     bool
		why        string
	}{
		{"alone", fails(40), nil, 60, false, ""},
		{"another of about its cost", fails(40), nil, 15, false, "as likely: another"},
		{"little stays", fails(40, 16), fails(16), 90, false, ""},
		{"much stays", fails(40, 24), fails(24), 90, false, "much stays wrong"},
		{"much stays beside a checksum", fails(40, 24), fails(24), 90, true, ""},
	} {
		s := &evidence.Story{Text: "this", Leads: "this", Events: event, Failed: k.left}
		null := &evidence.Story{Text: "nothing happened", Leads: asItIs, Events: []evidence.Event{{Kind: evidence.Odd}}, Failed: k.null}
		rival := &evidence.Story{Text: "another", Leads: "another", Events: []evidence.Event{{Kind: evidence.Added, Value: k.rival - evidence.Added.Rarity}}}
		if why := outweighed(evidence.Weigh([]*evidence.Story{null, s, rival}), s, k.summed); k.why == "" && why != "" || !strings.HasPrefix(why, k.why) {
			t.Errorf("%s: %q, want %q", k.name, why, k.why)
		}
	}
}

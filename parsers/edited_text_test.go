package parsers

import (
	"bytes"
	"strings"
	"testing"

	"spandrel/model/cause"
)

// A name that was made longer in the file itself stays as it is, and its length is updated: which of its bytes are new is unknown. Removing any is a guess.
func TestEditedText(t *testing.T) {
	for _, x := range []struct{ sample, file, was, is string }{
		{"idv/good/stored.idv", "", "\x04Zone", "\x04myZone"},
		{"idv/good/deflated.idv", "", "\x06Vector", "\x06old-Vector"},
		{"tar/good/ustar.tar", "", strings.Repeat("x", 600), strings.Repeat("x", 300) + "yyyyyyyy" + strings.Repeat("x", 300)}, // zeros fill it up
	} {
		name, keep := strings.TrimLeft(x.is, "\x04\x06"), "keep the text"
		if strings.HasPrefix(x.sample, "tar/") {
			name, keep = "members[0]/payload is now 8 bytes longer", "keep the content"
		}
		g := causesOf(t, x.sample, x.file, func(b []byte) []byte {
			if bytes.Count(b, []byte(x.was)) == 0 {
				t.Fatalf("%s: no %q", x.sample, x.was)
			}
			return bytes.Replace(b, []byte(x.was), []byte(x.is), 1)
		})
		if len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%s: no repair", x.sample)
			continue
		}
		c := g.Causes[0]
		if c.Grade == cause.Proven || !strings.Contains(c.Text, name) || c.Repairs[0].Guess || !strings.Contains(c.Repairs[0].Label, keep) {
			t.Errorf("%s: %s: %s; %s", x.sample, c.Grade, c.Text, c.Repairs[0].Label)
		}
		for _, r := range c.Repairs[1:] {
			if strings.HasPrefix(r.Label, "remove") && !r.Guess {
				t.Errorf("%s: %s is called no guess", x.sample, r.Label)
			}
		}
	}
}

package model

import (
	"strings"
	"testing"
)

// A finding about a value of megabytes does not hold it.
func TestFindingsAreShort(t *testing.T) {
	d := openToy(t, toyFile("one"))
	long := strings.Repeat("ä", 1<<20)
	d.Tree.Report(Finding{Rule: RuleValue, Span: d.Tree.Root, Found: long, Expected: long, Message: long})
	found, _ := d.Tree.Findings()
	last := found[len(found)-1]
	for _, s := range []string{last.Found, last.Expected, last.Message, SetTo(d.Tree.Root, S(long)).Label} {
		if len(s) > maxText+len("…") || !strings.HasSuffix(s, "ä…") {
			t.Errorf("%d bytes, ending with %q", len(s), s[len(s)-4:])
		}
	}
}

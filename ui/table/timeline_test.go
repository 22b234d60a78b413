package table

import (
	"strings"
	"testing"
)

// An array is shown as it was at another time; its cells cannot be edited there. Another table stays as it is, and comes back so.
func TestTimeline(t *testing.T) {
	b, _, p := sample(t, "tiledb/good/consolidated-v22")
	now := grid(p)
	if !p.Past.Object.Visible() || len(p.Past.times) != 3 || p.Past.slider.Value != 2 || !strings.Contains(p.Past.line.Text, "3 changes") {
		t.Fatalf("%v, at %v: %q", p.Past.times, p.Past.slider.Value, p.Past.line.Text)
	}
	p.Past.slider.SetValue(0)
	b.Settle(t)
	then, rows := grid(p), p.Count()
	if then == now || p.Table.Set != nil || p.Past.line.Text != "as of 2023-11-14 22:13:20.000 UTC, change 1 of 3" {
		t.Errorf("%q: %q", p.Past.line.Text, then)
	}
	p.openNamed("stored")
	b.Settle(t)
	if p.Past.Object.Visible() {
		t.Error("the stored cells have no history")
	}
	p.openNamed("cells")
	b.Settle(t)
	if p.Past.slider.Value != 0 || p.Count() != rows {
		t.Errorf("%d rows at %v, there were %d", p.Count(), p.Past.slider.Value, rows)
	}
	p.Past.slider.SetValue(2)
	b.Settle(t)
	if got := grid(p); got != now || p.Table.Set == nil {
		t.Errorf("now again: %q, was %q", got, now)
	}
}

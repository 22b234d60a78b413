package table

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
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
	if then == now || p.Table.Set != nil || p.Past.line.Text != "as of start of fragment · 2023-11-14 22:13:20.000 UTC" {
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
	p.Past.marks.Resize(fyne.NewSize(200, 20))
	img, n := p.Past.draw(200, 20), 0
	for i, m := range p.Past.times {
		if _, _, _, a := img.At(int(p.Past.slider.At(i, 200)), 10).RGBA(); m.Write != (a > 0) {
			t.Errorf("the mark of %+v is wrong", m)
		} else if m.Write {
			n++
		}
	}
	if n == 0 {
		t.Error("no writes are marked")
	}
}

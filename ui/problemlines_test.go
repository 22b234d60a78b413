package ui

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/ui/kit"
)

// A number that stands for an entry of a list of the file is chosen by the name of that.
func TestIndexIsChosenByName(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards", "train.taridx")
	d.Editor.SetLocked(false)
	d.Sel.Path("rows[1]/extid", nil)
	b.settle(t)
	e := d.info.Value
	if e.Choice.Hidden || strings.Join(e.Choice.Options, " ") != "jpg cls" || e.Choice.Selected != "cls" {
		t.Fatalf("hidden %v, %v, %q", e.Choice.Hidden, e.Choice.Options, e.Choice.Selected)
	}
	e.Choice.SetSelected("jpg")
	b.settle(t)
	if v, err := d.Tree().Value(t.Context(), d.Sel.Now.Span); err != nil || v.Uint() != 0 || d.Sel.Now.Span.Path() != "rows[1]/extid" {
		t.Errorf("%v, %v", v, err)
	}
	d.Sel.Path("rows[1]/size", nil)
	b.settle(t)
	if !e.Choice.Hidden {
		t.Error("a size is chosen by name")
	}
}

// In a window of little room, as on a small screen at twice the size, two problems are in sight.
func TestProblemsAreSeenInASmallWindow(t *testing.T) {
	b, d := newTaridxBench(t, "bad/022-n-rows")
	b.win.Resize(fyne.NewSize(800, 500))
	b.settle(t)
	if n := d.problem.View.Page(); d.Lower.Bottom.SelectedIndex() != kit.TabProblems || n < 2 {
		t.Errorf("%d rows of problems are seen", n)
	}
	if h := b.win.Content().MinSize().Height; h > 384 { // 768 at twice the size
		t.Errorf("the window is at least %v high", h)
	}
}

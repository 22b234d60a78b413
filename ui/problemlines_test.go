package ui

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// Many findings of one rule are a row that opens; F8 goes through all of them; a filter lists those that say something; all rows can be
// copied.
func TestManyProblemsOfARule(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	list := d.Tree().Root.Get("rows")
	for i := range int64(30) {
		d.Tree().Report(model.Finding{Rule: toyRule, Span: list.Child(i + 1), Found: fmt.Sprint("no ", i)})
	}
	d.found.refresh()
	b.settle(t)
	p := d.problem
	if p.Count() != 1 || p.items[0].cells[0].Text != "an id repeats (31 times)" {
		t.Fatalf("%d rows: %+v", p.Count(), p.items[0].cells[0])
	}
	p.Grid.Current = -1
	seen := map[string]bool{}
	for range 31 {
		p.step(1)
		b.settle(t)
		seen[d.sel.now.Span.Path()] = true
	}
	if len(seen) != 31 {
		t.Errorf("F8 goes to %d places", len(seen))
	}
	p.Key(fyne.KeyHome, 0)
	p.Key(fyne.KeyLeft, 0)
	if p.Count() != 1 {
		t.Error("the row does not close")
	}
	p.narrow.SetText("NO 17")
	if p.Count() != 1 || p.lines[0].found.Found != "no 17" {
		t.Errorf("the filter lists %d rows", p.Count())
	}
	for _, item := range p.Menu(0, 0).Items {
		if strings.HasPrefix(item.Label, "Copy all") {
			item.Action()
		}
	}
	if got := b.app.Clipboard().Content(); !strings.Contains(got, "no 17") {
		t.Errorf("copied: %q", got)
	}
	p.narrow.other(fyne.KeyEscape)
	if p.narrow.Text != "" || p.Count() != 1 {
		t.Error("Esc does not show all")
	}
}

// A problem of the document as a whole selects no bytes: it is about none of them.
func TestProblemOfTheDocument(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.Tree().Report(model.Finding{Rule: toyRule, Span: d.Tree().Root, Message: "it is late"})
	d.found.refresh()
	b.settle(t)
	for i, l := range d.problem.lines {
		if l.found.Message != "" {
			d.problem.choose(int64(i))
		}
	}
	b.settle(t)
	if n := d.sel.now.Range.Len; n != 0 || d.sel.now.Span != d.Tree().Root {
		t.Errorf("%d bytes of %s are selected", n, d.sel.now.Span.Path())
	}
}

// A number that stands for an entry of a list of the file is chosen by the name of that.
func TestIndexIsChosenByName(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards", "train.taridx")
	d.editor.setLocked(false)
	d.sel.path("rows[1]/extid", nil)
	b.settle(t)
	e := d.info.value
	if e.choice.Hidden || strings.Join(e.choice.Options, " ") != "jpg cls" || e.choice.Selected != "cls" {
		t.Fatalf("hidden %v, %v, %q", e.choice.Hidden, e.choice.Options, e.choice.Selected)
	}
	e.choice.SetSelected("jpg")
	b.settle(t)
	if v, err := d.Tree().Value(t.Context(), d.sel.now.Span); err != nil || v.Uint() != 0 || d.sel.now.Span.Path() != "rows[1]/extid" {
		t.Errorf("%v, %v", v, err)
	}
	d.sel.path("rows[1]/size", nil)
	b.settle(t)
	if !e.choice.Hidden {
		t.Error("a size is chosen by name")
	}
}

// In a window of little room, as on a small screen at twice the size, two problems are in sight.
func TestProblemsAreSeenInASmallWindow(t *testing.T) {
	b, d := newTaridxBench(t, "bad/022-n-rows")
	b.win.Resize(fyne.NewSize(800, 500))
	b.settle(t)
	if n := d.problem.View.Page(); d.lower.bottom.SelectedIndex() != tabProblems || n < 2 {
		t.Errorf("%d rows of problems are seen", n)
	}
	if h := b.win.Content().MinSize().Height; h > 384 { // 768 at twice the size
		t.Errorf("the window is at least %v high", h)
	}
}

package problems

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
)

// open shows the pane alone, of a file.
func open(t testing.TB, path string) (*bench.Bench, *doc.Document, *Pane) {
	t.Helper()
	return shown(t, bench.Open(t, path))
}

func shown(t testing.TB, b *bench.Bench) (*bench.Bench, *doc.Document, *Pane) {
	t.Helper()
	head := NewHeadline(b.Doc)
	p := New(b.Doc, head)
	b.Doc.Panes = append(b.Doc.Panes, head)
	b.Show(t, p, p.Object)
	return b, b.Doc, p
}

// The headline says how large a document is in words.
func TestShapeText(t *testing.T) {
	columns := model.Columns("a u8, b u8")
	for want, tables := range map[string][]model.Table{
		"1,350 rows × 2 columns in 3 shards": {{Name: "rows", Rows: 1350, Columns: columns}, {Name: "shards", Rows: 3, Aside: true}},
		"6 operations, 4 variables":          {{Name: "variables", Rows: 4, Columns: columns}, {Name: "nodes", Rows: 6}},
		"4 variables":                        {{Name: "variables", Rows: 4, Columns: columns}, {Name: "metadata", Rows: 1}},
		"6 cells × 5 genes":                  {{Name: "matrix", Rows: 6, Columns: columns}, {Name: "genes", Rows: 5}},
		"6 cells in 2 archives":              {{Name: "a/matrix", Rows: 4, Columns: columns}, {Name: "a/genes", Rows: 5}, {Name: "b/matrix", Rows: 2, Columns: columns}},
		"1 cell × 2 columns":                 {{Name: "cells", Rows: 1, Columns: columns}, {Name: "dimensions", Rows: 1, Aside: true}},
		"1,234,567 rows × 2 columns":         {{Name: "features", Rows: 1234567, Columns: columns}},
	} {
		if got := model.ShapeOf(tables); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// While a document is being read, its headline says what is known: its name, and where it is.
func TestHeadlineFromTheStart(t *testing.T) {
	path := bench.ToyFile(t, 1)
	if h := NewHeadline(bench.Open(t, path).Doc); h.name.Text != filepath.Base(path) || !strings.HasSuffix(h.What.Text, filepath.Base(filepath.Dir(path))) {
		t.Errorf("%q, %q", h.name.Text, h.What.Text)
	}
}

// Many findings of one rule are a row that opens; F8 goes through all of them; a filter lists those that say something; all rows can be
// copied.
func TestManyProblemsOfARule(t *testing.T) {
	b, d, p := open(t, bench.ToyFile(t, 100))
	list := d.Tree().Root.Get("rows")
	for i := range int64(30) {
		d.Tree().Report(model.Finding{Rule: bench.ToyRule, Span: list.Child(i + 1), Found: fmt.Sprint("no ", i)})
	}
	d.Found.Refresh()
	b.Settle(t)
	if p.Count() != 1 || p.Items[0].Cells[0].Text != "An id repeats (31 times)" {
		t.Fatalf("%d rows: %+v", p.Count(), p.Items[0].Cells[0])
	}
	p.Grid.Current = -1
	seen := map[string]bool{}
	for range 31 {
		p.Step(1)
		b.Settle(t)
		seen[d.Sel.Now.Span.Path()] = true
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
	if p.Count() != 1 || p.Items[0].Found.Found != "no 17" {
		t.Errorf("the filter lists %d rows", p.Count())
	}
	for _, item := range p.Menu(0, 0).Items {
		if strings.HasPrefix(item.Label, "Copy all") {
			item.Action()
		}
	}
	if got := b.App.Clipboard().Content(); !strings.Contains(got, "no 17") {
		t.Errorf("copied: %q", got)
	}
	p.narrow.Other(fyne.KeyEscape)
	if p.narrow.Text != "" || p.Count() != 1 {
		t.Error("Esc does not show all")
	}
}

// A problem of the document as a whole selects no bytes: it is about none of them.
func TestProblemOfTheDocument(t *testing.T) {
	b, d, p := open(t, bench.ToyFile(t, 100))
	d.Tree().Report(model.Finding{Rule: bench.ToyRule, Span: d.Tree().Root, Message: "it is late"})
	d.Found.Refresh()
	b.Settle(t)
	for i, l := range p.Items {
		if l.Found.Message != "" {
			p.Choose(int64(i))
		}
	}
	b.Settle(t)
	if n := d.Sel.Now.Range.Len; n != 0 || d.Sel.Now.Span != d.Tree().Root {
		t.Errorf("%d bytes of %s are selected", n, d.Sel.Now.Span.Path())
	}
}

// A repair that was offered before the search for the cause began is withdrawn: it may be wrong.
func TestRepairsWaitForTheSearch(t *testing.T) {
	b, d, p := shown(t, bench.Sample(t, "taridx/bad/022-n-rows", "train.taridx"))
	p.Choose(0)
	b.Settle(t)
	if len(p.Fixes.Offers) == 0 || d.Causes.Pending() {
		t.Fatal("nothing is offered before a search")
	}
	d.CauseTime = doc.CauseTime
	d.Causes.Follow()
	if !d.Causes.Pending() {
		t.Fatal("nothing is looked for")
	}
	if len(p.Fixes.Offers) > 0 {
		t.Errorf("%q is offered while the cause is looked for", p.Fixes.Offers[0].Text)
	}
	b.Settle(t)
}

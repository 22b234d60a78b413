package ui

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/facts"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
	"spandrel/ui/table"
)

// Enter after an edit goes down in every pane: what is marked in the table is what the others show and what the next edit changes.
func TestEnterAfterAnEditGoesDownInEveryPane(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	d.table.Choose(4, 2)
	b.settle(t)
	d.table.Key(fyne.KeyF2, 0)
	b.settle(t)
	d.table.Editor.Entry.SetText("77")
	d.table.Editor.Submit(d.table.Editor.Entry.Text, 1, 0)
	b.settle(t)
	if d.table.Current != 5 || d.table.SelColumn != 2 {
		t.Fatalf("the table is at row %d, column %d", d.table.Current, d.table.SelColumn)
	}
	bench.WantPath(t, d.Document, "rows[5]/size", 8+8*5+4, 4)
	if !slices.ContainsFunc(d.info.Facts, func(f facts.Fact) bool { return f.Label == "path" && f.Text == "rows[5]/size" }) {
		t.Error("the details show something else")
	}
}

// reader is a pane that reads what is selected at once, as one does that shows decoded bytes.
type reader struct {
	doc.Pane
	d *tab
}

func (r reader) Selected(s doc.Selection) { _ = r.d.Tree().Open(context.Background(), s.Span) }
func (reader) Hovered(model.Range)        {}
func (reader) Changed()                   {}

// The field at a byte is selected also when a pane reads what lies around it while the search for the field begins.
func TestDeepestFieldIsSelected(t *testing.T) {
	b, d := newBench(t, toyFile(t, 3))
	d.Model.Tree = model.Parse(context.Background(), d.Tree().Snapshot, toy)
	inner, err := d.Tree().Find(context.Background(), "inner")
	if err != nil || inner == nil || inner.Ready() {
		t.Fatalf("%v, %v: it is not to be read yet", inner, err)
	}
	d.Panes = []doc.Pane{reader{d: d}}
	d.Sel.Reach(doc.Selection{Range: model.Range{Space: inner.Range.Space, Off: 0, Len: 2}})
	b.settle(t)
	if p := d.Sel.Now.Span.Path(); p != "inner/text" {
		t.Errorf("selected is %s, not the field inside", p)
	}
}

// Columns of the tree are fitted to what is first seen of it, and not again when an edit makes another tree.
func TestTreeColumnsKeepTheirWidth(t *testing.T) {
	b, d := newBench(t, toyFile(t, 100))
	d.tree.Columns[1].Width = 177
	d.Editor.SetLocked(false)
	d.Editor.SetValue(d.Tree().Root.Get("rows").Child(2).Child(1), model.U(13), nil)
	b.settle(t)
	if w := d.tree.Columns[1].Width; w != 177 {
		t.Errorf("the column is %v wide", w)
	}
}

// No column of the tree is cut at the edge of the pane, whatever its width.
func TestTreeColumnsAreWhole(t *testing.T) {
	for _, sample := range [][]string{{"taridx/bad/022-n-rows", "train.taridx"}, {"idv/bad/012-tail-in-header.idv"}, {"tiledb/bad/163-array"}, {"samediff/bad/127-count.fb"}} {
		b, d := sampleBench(t, sample[0], sample[1:]...)
		for _, width := range []float32{1600, 1100, 1900} {
			b.win.Resize(fyne.NewSize(width, 1000))
			b.win.Canvas().Capture()
			b.settle(t)
			edge := d.tree.View.Size().Width - rows.BarSize
			for i := range d.tree.Columns[:4] {
				if from, to := d.tree.ColumnX(i), d.tree.ColumnX(i+1); from < edge-2 && to > edge+1 {
					t.Errorf("%s at %v: column %q goes from %v to %v, the pane to %v", sample[0], width, d.tree.Columns[i].Title, from, to, edge)
				}
			}
		}
	}
}

// What a repair changes is named and said in values, although it names bytes.
func TestRepairsOfBytesAreReadable(t *testing.T) {
	b, d := newBench(t, toyFile(t, 10))
	r := d.Tree().Root.Get("rows").Child(2).Child(1).Range
	var lines string
	d.Editor.Preview("repair", []model.Edit{model.Splice{Range: r, With: model.Memory([]byte{13, 0, 0, 0}), Loose: true}}, func(p *model.Plan, err error) {
		for i := range p.Patches {
			p.Patches[i].Path = ""
		}
		lines = trialText(context.Background(), &doc.Preview{Plan: p, Before: d.Tree(), After: d.Tree()})
	})
	b.settle(t)
	if !strings.Contains(lines, "rows[2]/size from 20 to 13") {
		t.Error(lines)
	}
}

// A long text that most rows repeat takes no room that the columns need that differ, and what they leave.
func TestRepeatedColumnIsNarrow(t *testing.T) {
	was := toy.Tables
	defer func() { toy.Tables = was }()
	long := strings.Repeat("fragment", 8)
	for columns, narrow := range map[string]bool{"a utf8, b utf8, c utf8": true, "a utf8, b utf8": false} {
		of := model.Columns(columns)
		toy.Tables = func(context.Context, *model.Tree) []model.Table {
			return []model.Table{{Name: "cells", Rows: 12, Columns: of, Read: func(_ context.Context, first, n int64) (out []model.Row, err error) {
				for i := first; i < min(first+n, 12); i++ {
					out = append(out, model.Row{{Value: model.S(long[i/6:])}, {Value: model.S(long[i:])}, {Value: model.S(long[i:])}}[:len(of)])
				}
				return out, nil
			}}}
		}
		_, d := newBench(t, toyFile(t, 3))
		if a, b := d.table.Columns[1].Width, d.table.Columns[2].Width; (a <= table.RepeatedColumn) != narrow || b < a {
			t.Errorf("%s: the column that repeats is %v wide, the next %v", columns, a, b)
		}
	}
}

// A column is wide enough for the word that says that a value is missing. A cell that nothing in the file is about has a dash.
func TestMissingFits(t *testing.T) {
	was := toy.Tables
	defer func() { toy.Tables = was }()
	toy.Tables = func(context.Context, *model.Tree) []model.Table {
		return []model.Table{{Name: "cells", Rows: 3, Columns: model.Columns("n i32"), Read: func(context.Context, int64, int64) ([]model.Row, error) {
			return []model.Row{{{Value: model.I(1)}}, {{Range: model.Range{Len: 4}}}, {{}}}, nil
		}}}
	}
	_, d := newBench(t, toyFile(t, 3))
	cells, _ := d.table.Row(1)
	if need := kit.ColumnFor("missing"); cells[1].Text != "missing" || d.table.Columns[1].Width < need {
		t.Errorf("%q stands in %v of %v", cells[1].Text, d.table.Columns[1].Width, need)
	}
	if cells, _ = d.table.Row(2); cells[1].Text != "–" {
		t.Errorf("%q stands where there is nothing", cells[1].Text)
	}
}

// In a window of 1024 units, rows of sixteen bytes fit between the tree and the details.
func TestSixteenBytesFitIntoASmallWindow(t *testing.T) {
	b := emptyBench(t)
	b.win.Resize(fyne.NewSize(1024, 700))
	d := b.open(t, bench.CopySample(t, "idv/good/deflated.idv"))
	b.win.Canvas().Capture()
	b.settle(t)
	if d.hex.PerRow != 16 {
		t.Errorf("%d bytes a row", d.hex.PerRow)
	}
}

// So they do in a window that was made small, and at the next start; a splitter that someone moved stays.
func TestSplittersFollowTheWindow(t *testing.T) {
	b := emptyBench(t)
	b.win.Resize(fyne.NewSize(1600, 1000))
	d := b.open(t, bench.CopySample(t, "idv/good/deflated.idv"))
	small := func() {
		b.win.Resize(fyne.NewSize(1024, 700))
		b.win.Canvas().Capture()
		b.settle(t)
	}
	if small(); d.frame.splits[1].Offset != placesIn(1024, d.frame.show)[1] {
		t.Errorf("the details begin at %v", d.frame.splits[1].Offset)
	}
	if b.prefs.keepOpen(); b.App.Preferences().Float("split1") != 0 {
		t.Error("a splitter that no one moved is kept")
	}
	b.win.Resize(fyne.NewSize(1600, 1000))
	d.frame.splits[1].SetOffset(0.5)
	if small(); d.frame.splits[1].Offset != 0.5 {
		t.Errorf("a splitter that was moved is at %v", d.frame.splits[1].Offset)
	}
}

// What is said of a field fits into the details, however narrow the window: they scroll down, and not sideways.
func TestDetailsFitIntoANarrowWindow(t *testing.T) {
	for _, sample := range [][]string{{"taridx/bad/022-n-rows", "train.taridx"}, {"idv/good/deflated.idv"}} {
		b, d := sampleBench(t, sample[0], sample[1:]...)
		for _, width := range []float32{1100, 800, 683, 640, 560} { // 683: a notebook's screen at 200 %
			b.win.Resize(fyne.NewSize(width, 600))
			b.win.Canvas().Capture()
			b.settle(t)
			if got, room := d.info.Width(), d.info.View.Size().Width-rows.BarSize; got > room+1 {
				t.Errorf("%s at %v: the details are %v wide, and have room for %v", sample[0], width, got, room)
			}
		}
	}
}

package tree

import (
	"context"
	"fmt"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
)

// open shows the two trees of a file.
func open(t testing.TB, path string) (*bench.Bench, *doc.Document, *Pane, *Left) {
	t.Helper()
	b := bench.Open(t, path)
	p := New(b.Doc)
	l := NewLeft(b.Doc, p)
	b.Doc.Panes = append(b.Doc.Panes, p)
	b.Show(t, l, l.Object)
	return b, b.Doc, p, l
}

func TestTreeFilter(t *testing.T) {
	b, d, p, _ := open(t, bench.ToyFile(t, 100))
	all := p.Count()
	for text, want := range map[string][]string{
		"size >= 980": {"rows[98]/size", "rows[99]/size"}, "name ~ magic": {"magic"}, "id = 42": {"rows[42]/id"}, "cou": {"count"}, "nothing like it": nil,
	} {
		p.filter.entry.SetText(text)
		b.Settle(t)
		var got []string
		for row := range p.Count() {
			r, _ := p.at(row)
			got = append(got, r.Span.Path())
		}
		if len(got) != len(want) || len(want) > 0 && (got[0] != want[0] || got[len(got)-1] != want[len(want)-1]) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		if len(want) == 0 && p.Blank() == "" {
			t.Error("an empty list says nothing")
		}
	}
	p.filter.entry.SetText("size >")
	b.Settle(t)
	if p.Count() != 0 || p.Blank() == "" {
		t.Error("half a condition:", p.Blank())
	}
	p.filter.entry.SetText("size >= 980")
	b.Settle(t)
	p.filter.enter()
	b.Settle(t)
	bench.WantPath(t, d, "rows[98]/size", 8+8*98+4, 4)
	p.Key(fyne.KeyDown, 0)
	b.Settle(t)
	bench.WantPath(t, d, "rows[99]/size", 8+8*99+4, 4)
	if cells, ok := p.row(1); !ok || cells[0].Text != "rows[99]/size" || cells[1].Text != "990" {
		t.Errorf("%+v", cells)
	}
	p.Key(fyne.KeyReturn, 0) // to its place
	b.Settle(t)
	if r, ok := p.at(p.Current); p.Count() <= all || !ok || r.Span.Path() != "rows[99]/size" || p.filter.on {
		t.Errorf("%d rows of %d, at %v", p.Count(), all, r.Span)
	}
}

// Of two nodes about the same bytes the one that has the span is marked, not one that only speaks of it.
func TestOutlineMarksTheOwner(t *testing.T) {
	_, d, _, l := open(t, bench.ToyFile(t, 2))
	row := d.Tree().Root.Get("rows").Child(1)
	owner := &OutlineNode{Label: "the operation", Span: row}
	speaks := &OutlineNode{Label: "its reader", kids: []*OutlineNode{{Label: "input", At: row.Child(0).Range}}}
	o := l.Logical
	o.roots = []*OutlineNode{speaks, owner}
	if n := o.holding(doc.Selection{Span: row.Child(0), Range: row.Child(0).Range}); n != owner {
		t.Errorf("%+v is marked", n)
	}
	again := model.Parse(context.Background(), d.Tree().Snapshot, bench.Toy).Root.Get("rows").Child(1)
	if n := o.holding(doc.Selection{Span: again, Range: again.Range}); n != owner {
		t.Errorf("of what was read a second time %+v is marked", n)
	}
}

// What no one has looked into is read when its branch is opened; an edit shows it again.
func TestOutlineReadsWhenOpened(t *testing.T) {
	was, reads := bench.Toy.Outline, 0
	defer func() { bench.Toy.Outline = was }()
	many := func(_ context.Context, i int64) model.Meaning {
		reads++
		return model.Meaning{Label: fmt.Sprint("thing ", i)}
	}
	bench.Toy.Outline = func(context.Context, *model.Tree) ([]model.Meaning, error) {
		return []model.Meaning{{Label: "things", More: model.Paged("things", 2_000_000, many)}}, nil
	}
	graph := bench.Toy.Graph
	bench.Toy.Graph = nil
	defer func() { bench.Toy.Graph = graph }()
	wait := LookTime
	LookTime = -1
	defer func() { LookTime = wait }()
	b, _, _, l := open(t, bench.ToyFile(t, 3))
	o := l.Logical
	if o.Count() != 1 || reads != 0 {
		t.Fatalf("%d rows, read %d times", o.Count(), reads)
	}
	for range 3 {
		o.Toggle(o.Count() - 1)
		b.Settle(t)
	}
	last := o.Lines[o.Count()-1]
	if last.Label != "thing 1999999" || reads != 500 { // of the last page
		t.Errorf("%s, %d were read", last.Label, reads)
	}
}

package ui

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// toyDeep is a format of the tests whose last eight bytes must be zeros, which only the check of everything sees.
func toyDeep() *model.Format {
	f := *toy
	rule := &model.Rule{ID: "toy.tail", Title: "the last bytes are not zeros", Severity: model.Error}
	f.Deep = func(ctx context.Context, t *model.Tree, p *model.Probe) error {
		for i := range int64(2) {
			r := model.Range{Space: t.Root.Range.Space, Off: t.Root.Range.Len - 8 + 4*i, Len: 4}
			b, err := t.Bytes(ctx, r)
			if err != nil {
				return err
			}
			if string(b) != "\x00\x00\x00\x00" {
				p.Wrong(rule, model.Spot{Span: t.Root, Range: r}, nil, nil, model.About(i))
			}
		}
		return ctx.Err()
	}
	f.Repairs = map[*model.Rule]model.Repairer{rule: func(_ context.Context, _ *model.Tree, x *model.Finding) []model.Fix {
		return []model.Fix{{Label: fmt.Sprintf("clear %d", x.About), Safe: true,
			Edits: []model.Edit{model.Splice{Range: x.Range, With: model.Fill(0, 4)}}}}
	}}
	return &f
}

// A small file is checked to its end when it is opened, and its worst problem is selected.
func TestSmallFilesAreCheckedAtOnce(t *testing.T) {
	b, _ := newBench(t, toyFile(t, 3))
	b.formats = []*model.Format{toyDeep()}
	b.files.show(toyFile(t, 10))
	b.settle(t)
	d := b.current
	if n := d.Found.Counts(); n[model.Error] != 2 || !d.Check.Done {
		t.Fatalf("%v found, checked: %v", n, d.Check.Done)
	}
	if d.Sel.Now.Range.Off != d.hex.Size-8 || d.Lower.Bottom.SelectedIndex() != kit.TabProblems {
		t.Errorf("selected 0x%x, pane %d", d.Sel.Now.Range.Off, d.Lower.Bottom.SelectedIndex())
	}
	d.Check.All() // once more: nothing is listed twice
	b.settle(t)
	if n := d.Found.Counts(); n[model.Error] != 2 {
		t.Errorf("%v after another check", n)
	}
	d.Editor.SetLocked(false)
	d.Sel.Path("count", nil)
	b.settle(t)
	d.Editor.SetValue(d.Sel.Now.Span, model.U(9), nil)
	b.settle(t)
	bench.WantPath(t, d.Document, "count", 4, 4) // an edit leaves the selection where it is
}

// Of a large file it is not said that it has no problems before it was checked.
func TestLargeFilesAreCheckedWhenAsked(t *testing.T) {
	b, d := newBench(t, toyFile(t, doc.CheckSize/8))
	d.Found.All = nil
	b.changed()
	if text := b.status.problem.Text; text != "No problems so far" {
		t.Errorf("unchecked: %q", text)
	}
	d.Check.All()
	b.settle(t)
	d.Found.All = nil
	b.changed()
	if text := b.status.problem.Text; text != "No problems found" {
		t.Errorf("checked: %q", text)
	}
}

// Bytes keep their colour when more is read of what they are, and blocks that lie beside each other differ.
func TestColoursStayWhenMoreIsRead(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	shown := slices.Clone(d.hex.Page.Kind)
	d.hex.Reread()
	b.settle(t)
	if !slices.Equal(shown, d.hex.Page.Kind) {
		t.Error("the bytes are coloured otherwise when they are read again")
	}
	blocks := d.Tree().Root.Get("blocks")
	for i := range int64(5) {
		this, next := blocks.Child(i).Range.Off, blocks.Child(i+1).Range.Off
		if k := d.hex.Page.Kind; k[this].Hue == k[next].Hue {
			t.Errorf("blocks %d and %d have one colour", i, i+1)
		}
	}
}

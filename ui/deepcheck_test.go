package ui

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"spandrel/model"
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
	if n := d.found.counts(); n[model.Error] != 2 || !d.check.done {
		t.Fatalf("%v found, checked: %v", n, d.check.done)
	}
	if d.sel.now.Range.Off != d.hex.size-8 || d.lower.bottom.SelectedIndex() != tabProblems {
		t.Errorf("selected 0x%x, pane %d", d.sel.now.Range.Off, d.lower.bottom.SelectedIndex())
	}
	d.check.all() // once more: nothing is listed twice
	b.settle(t)
	if n := d.found.counts(); n[model.Error] != 2 {
		t.Errorf("%v after another check", n)
	}
	d.editor.setLocked(false)
	d.sel.path("count", nil)
	b.settle(t)
	d.editor.setValue(d.sel.now.Span, model.U(9), nil)
	b.settle(t)
	wantPath(t, d, "count", 4, 4) // an edit leaves the selection where it is
}

// Of a large file it is not said that it has no problems before it was checked.
func TestLargeFilesAreCheckedWhenAsked(t *testing.T) {
	b, d := newBench(t, toyFile(t, checkSize/8))
	d.found.all = nil
	b.changed()
	if text := b.status.problem.Text; text != "no problems so far" {
		t.Errorf("unchecked: %q", text)
	}
	d.check.all()
	b.settle(t)
	d.found.all = nil
	b.changed()
	if text := b.status.problem.Text; text != "no problems found" {
		t.Errorf("checked: %q", text)
	}
}

// Bytes keep their colour when more is read of what they are, and blocks that lie beside each other differ.
func TestColoursStayWhenMoreIsRead(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	shown := slices.Clone(d.hex.page.kind)
	d.hex.reread()
	b.settle(t)
	if !slices.Equal(shown, d.hex.page.kind) {
		t.Error("the bytes are coloured otherwise when they are read again")
	}
	blocks := d.Tree().Root.Get("blocks")
	for i := range int64(5) {
		this, next := blocks.Child(i).Range.Off, blocks.Child(i+1).Range.Off
		if k := d.hex.page.kind; k[this].hue == k[next].hue {
			t.Errorf("blocks %d and %d have one colour", i, i+1)
		}
	}
}

package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/ui/align"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// StepDifference goes to the next difference after the selection, or with back to the one before it: of a comparison if the
// find pane lists one, otherwise of the bytes changed since the document was opened or saved.
func (p *Find) StepDifference(back bool) {
	d := p.Doc
	if p.differences() > 0 {
		p.step(back)
		return
	}
	list := d.Editor.Unsaved(d.Shown().Space)
	if len(list) == 0 {
		d.Window.Say("no unsaved differences; Tools › Compare lists how two files differ")
		return
	}
	at := 0 // the first follows the last
	if back {
		at = len(list) - 1
	}
	from := d.Sel.Now.Range.Off
	for i := range list {
		if k := len(list) - 1 - i; !back && list[k].Off > from {
			at = k
		}
		if back && list[i].Off < from {
			at = i
		}
	}
	c := list[at]
	d.Sel.Bytes(model.Range{Space: d.Shown().Space, Off: min(c.Off, max(0, d.Shown().Size-1)), Len: max(1, c.New)}, nil)
	d.Window.Say(model.Words("difference %d of %d: %d bytes, before %d", at+1, len(list), c.New, c.Old))
}

// errEnough ends a comparison that has found as much as is listed.
var errEnough = errors.New("enough")

// Compare lists how another document differs from this one: rows and fields by name if both have the
// same format, byte by byte otherwise, or on request. The bytes of both are shown side by side.
func (p *Find) Compare(o *doc.Document, byNames bool) {
	p.Kind.SetSelected(findDifferences)
	p.sideBySide(o)
	p.Doc.Lower.Show(kit.TabFind)
	a, b, format := p.Doc.Tree(), o.Tree(), p.Doc.Model.Format
	known, same := byNames && format != nil && o.Model.Format != nil, format == o.Model.Format
	beside := p.beside(o, known && same)
	_, name := doc.NamesOf(p.Doc, o)
	p.list("comparing", "difference", " from "+name, func(ctx context.Context, progress kit.Progress) ([]doc.Place, error) {
		release, open := o.Window.Hold() // the other document may be closed meanwhile
		if !open {
			return nil, context.Canceled
		}
		defer release()
		if !known || !same && !commonTables(ctx, a, b) {
			return differingFiles(ctx, a, b, beside, progress)
		}
		items, compared, err := differingTables(ctx, a, b)
		switch {
		case !same && !compared:
			return differingFiles(ctx, a, b, beside, progress)
		case err != nil || !same:
			return items, err
		}
		told := toldFields{}
		if compared {
			told.tables(ctx, a)
			told.tables(ctx, b)
		}
		nodes := differingGraphs(ctx, format, a, b, told)
		fields, err := differingFields(ctx, a, b, told)
		return slices.Concat(items, nodes, fields), err // meaning first, then location
	})
}

// sideBySide adds a column for the values of each document.
func (p *Find) sideBySide(o *doc.Document) {
	here, there := doc.NamesOf(p.Doc, o)
	p.Columns = []rows.Column{{Title: "where", Width: 200}, {Title: "what", Width: 120}, {Title: here, Width: 200}, {Title: there, Width: 200}}
	p.Fits = true
}

// differingFiles lists how the bytes of the files of a differ from those of b: the main file from the main file, any other
// from the one of the same name.
func differingFiles(ctx context.Context, a, b *model.Tree, beside *align.Alignment, progress func(done, total int64)) (items []doc.Place, err error) {
	for _, sp := range a.Spaces() {
		if sp.Derived() {
			continue
		}
		x, y := model.Range{Space: sp.ID}, model.Range{Space: align.FileLike(a, b, sp)}
		if y.Space == model.NoSpace {
			items = append(items, differing(sp.File, "file", "is here", "not there", nil))
			continue
		}
		if x.Len, err = a.Size(ctx, x.Space); err == nil {
			y.Len, err = b.Size(ctx, y.Space)
		}
		if err != nil {
			return items, err
		}
		more, err := differingBytes(ctx, a, b, x, y, beside, progress)
		if items = append(items, more...); err != nil || len(items) >= doc.FindMost {
			return items[:min(len(items), doc.FindMost)], err
		}
	}
	for _, sp := range b.Spaces() {
		if !sp.Derived() && align.FileLike(b, a, sp) == model.NoSpace {
			items = append(items, differing(sp.File, "file", "not here", "is there", nil))
		}
	}
	return items, ctx.Err()
}

// differingBytes lists the differing runs of x of a and y of b, and notes the alignment.
func differingBytes(ctx context.Context, a, b *model.Tree, x, y model.Range, beside *align.Alignment, progress func(done, total int64)) (items []doc.Place, err error) {
	w := align.Aligner{A: align.SideOf(a, x), B: align.SideOf(b, y)}
	err = w.Runs(ctx, progress, func(c model.Changed) bool {
		beside.Note(x.Space, c)
		p, _ := a.Bytes(ctx, model.Range{Space: x.Space, Off: c.Off, Len: min(c.New, 12)})
		q, _ := b.Bytes(ctx, model.Range{Space: y.Space, Off: c.OldOff, Len: min(c.Old, 12)})
		where := fmt.Sprintf("0x%x", c.Off)
		if c.OldOff != c.Off {
			where += fmt.Sprintf(", there 0x%x", c.OldOff)
		}
		if sp := a.Space(x.Space); sp != nil && x.Space != a.Root.Range.Space {
			where += "  " + sp.File
		}
		var take doc.Making
		if whole, err := b.Bytes(ctx, model.Range{Space: y.Space, Off: c.OldOff, Len: min(c.Old, mostTaken)}); err == nil && c.Old <= mostTaken && len(items) < 200 {
			take = takeBytes(model.Range{Space: x.Space, Off: c.Off, Len: c.New}, bytes.Clone(whole))
		}
		items = append(items, doc.Place{Take: take, At: model.Range{Space: x.Space, Off: c.Off, Len: c.New},
			Cells: []rows.Cell{{Text: where, Mono: true}, {Text: runText(c)}, {Text: fmt.Sprintf("% x", p), Mono: true}, {Text: fmt.Sprintf("% x", q), Mono: true}}})
		return len(items) < doc.FindMost
	})
	return items, err
}

// runText says how many bytes differ.
func runText(c model.Changed) string {
	switch {
	case c.New == c.Old:
		return show.Counted(c.New, "byte")
	case c.Old == 0:
		return show.Counted(c.New, "byte") + " only here"
	case c.New == 0:
		return show.Counted(c.Old, "byte") + " only there"
	}
	return fmt.Sprintf("%s, there %d", show.Counted(c.New, "byte"), c.Old)
}

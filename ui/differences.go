package ui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"spandrel/model"
	"spandrel/ui/rows"
)

// StepDifference goes to the next difference behind the selection, or with back to the one before it: of a comparison when the
// find pane lists one, otherwise of the bytes that were changed since the document was opened or saved.
func (d *Document) StepDifference(back bool) {
	if d.find.differences() > 0 {
		d.find.step(back)
		return
	}
	list := d.editor.unsaved(d.hex.shown().space)
	if len(list) == 0 {
		d.wb.status.say("nothing here differs from what is saved; Tools › Compare lists how two files differ")
		return
	}
	at := 0 // behind the last comes the first
	if back {
		at = len(list) - 1
	}
	from := d.sel.now.Range.Off
	for i := range list {
		if k := len(list) - 1 - i; !back && list[k].Off > from {
			at = k
		}
		if back && list[i].Off < from {
			at = i
		}
	}
	c := list[at]
	d.sel.bytes(model.Range{Space: d.hex.shown().space, Off: min(c.Off, max(0, d.hex.shown().size-1)), Len: max(1, c.New)}, nil)
	d.wb.status.say(model.Words("difference %d of %d: %d bytes, before %d", at+1, len(list), c.New, c.Old))
}

// askCompare asks for another open document and lists how it differs: by names, where both have some, or byte by byte.
func (wb *Workbench) askCompare(d *Document, byNames bool) {
	var names []string
	var others []*Document
	for _, o := range wb.docs {
		if o != d {
			names, others = append(names, o.Model.Path), append(others, o)
		}
	}
	if len(others) == 0 {
		wb.status.say("open the other file first: two documents are compared")
		return
	}
	wb.talk.pick("Compare "+filepath.Base(d.Model.Path)+" with", names, func(i int) { d.find.compare(others[i], byNames) })
}

// errEnough ends a comparison that has found as much as is listed.
var errEnough = errors.New("enough")

// compare lists how another document differs from this one: rows by what they are called and fields by their names when both have the
// same format, byte by byte otherwise, and when that is asked for. The bytes of both are shown side by side.
func (p *findPane) compare(o *Document, byNames bool) {
	p.kind.SetSelected(findDifferences)
	p.sideBySide(o)
	p.d.frame.show(tabFind)
	a, b, format := p.d.Tree(), o.Tree(), p.d.Model.Format
	known, same := byNames && format != nil && o.Model.Format != nil, format == o.Model.Format
	align := p.d.hex.beside(o, known && same)
	_, name := namesOf(p.d, o)
	p.list("comparing", "difference", " from "+name, func(ctx context.Context, progress func(done, total int64)) (any, error) {
		o.wb.use.RLock() // the other document may be closed meanwhile
		defer o.wb.use.RUnlock()
		if o.wb.closed {
			return nil, context.Canceled
		}
		if !known || !same && !commonTables(ctx, a, b) {
			return differingFiles(ctx, a, b, align, progress)
		}
		items, err := differingRows(ctx, a, b, progress)
		if err != nil || !same {
			return items, err
		}
		told := shownInTables(ctx, a)
		maps.Copy(told, shownInTables(ctx, b))
		nodes := differingGraphs(ctx, format, a, b, told)
		fields, err := differingFields(ctx, a, b, told)
		return slices.Concat(items, nodes, fields), err // what it means first, then where it lies
	})
}

// sideBySide gives the values of both documents a column each.
func (p *findPane) sideBySide(o *Document) {
	here, there := namesOf(p.d, o)
	p.Columns = []rows.Column{{Title: "where", Width: 200}, {Title: "what", Width: 120}, {Title: here, Width: 200}, {Title: there, Width: 200}}
	p.Fits = true
}

// differingFiles lists how the bytes of the files of a differ from those of b: of its main file from the main file of b, of any other
// from the one of the same name.
func differingFiles(ctx context.Context, a, b *model.Tree, align *alignment, progress func(done, total int64)) (items []place, err error) {
	for _, sp := range a.Spaces() {
		if sp.Derived() {
			continue
		}
		x, y := model.Range{Space: sp.ID}, model.Range{Space: fileLike(a, b, sp)}
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
		more, err := differingBytes(ctx, a, b, x, y, align, progress)
		if items = append(items, more...); err != nil || len(items) >= findMost {
			return items[:min(len(items), findMost)], err
		}
	}
	for _, sp := range b.Spaces() {
		if !sp.Derived() && fileLike(b, a, sp) == model.NoSpace {
			items = append(items, differing(sp.File, "file", "not here", "is there", nil))
		}
	}
	return items, ctx.Err()
}

// fileLike returns the file of b that has the place of a file of a: the main one of the main one, or the one of the same name.
func fileLike(a, b *model.Tree, sp *model.Space) model.SpaceID {
	if sp.ID == a.Root.Range.Space {
		return b.Root.Range.Space
	}
	for _, s := range b.Spaces() {
		if s.File == sp.File && !s.Derived() && s.ID != b.Root.Range.Space {
			return s.ID
		}
	}
	return model.NoSpace
}

// differingBytes lists the runs of bytes x of a that differ from those of y of b in their place, and notes how they stand beside each other.
func differingBytes(ctx context.Context, a, b *model.Tree, x, y model.Range, align *alignment, progress func(done, total int64)) (items []place, err error) {
	w := aligner{a: sideOf(a, x), b: sideOf(b, y)}
	err = w.runs(ctx, progress, func(c model.Changed) bool {
		align.note(x.Space, c)
		p, _ := a.Bytes(ctx, model.Range{Space: x.Space, Off: c.Off, Len: min(c.New, 12)})
		q, _ := b.Bytes(ctx, model.Range{Space: y.Space, Off: c.OldOff, Len: min(c.Old, 12)})
		where := fmt.Sprintf("0x%x", c.Off)
		if c.OldOff != c.Off {
			where += fmt.Sprintf(", there 0x%x", c.OldOff)
		}
		if sp := a.Space(x.Space); sp != nil && x.Space != a.Root.Range.Space {
			where += "  " + sp.File
		}
		items = append(items, place{at: model.Range{Space: x.Space, Off: c.Off, Len: c.New},
			cells: []rows.Cell{{Text: where, Mono: true}, {Text: runText(c)}, {Text: fmt.Sprintf("% x", p), Mono: true}, {Text: fmt.Sprintf("% x", q), Mono: true}}})
		return len(items) < findMost
	})
	return items, err
}

// runText says how many bytes differ.
func runText(c model.Changed) string {
	switch {
	case c.New == c.Old:
		return counted(c.New, "byte")
	case c.Old == 0:
		return counted(c.New, "byte") + " only here"
	case c.New == 0:
		return counted(c.Old, "byte") + " only there"
	}
	return fmt.Sprintf("%s, there %d", counted(c.New, "byte"), c.Old)
}

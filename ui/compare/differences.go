package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

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
	n, from := len(list), d.Sel.Now.Range.Off
	at := sort.Search(n, func(i int) bool { return list[i].Off > from }) % n // the first follows the last
	if back {
		at = (sort.Search(n, func(i int) bool { return list[i].Off >= from }) + n - 1) % n
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
	p.other = o
	here, there := doc.NamesOf(p.Doc, o)
	p.Columns, p.Fits = differenceColumns(here, there), true
	p.Doc.Lower.Show(kit.TabFind)
	a, b, format := p.Doc.Tree(), o.Tree(), p.Doc.Model.Format
	known, same := byNames && format != nil && o.Model.Format != nil, format == o.Model.Format
	beside := p.beside(o, known && same)
	from := " from " + there
	p.list("comparing", "difference", func() string { return from }, func(ctx context.Context, progress kit.Progress) ([]doc.Place, error) {
		release, open := o.Window.Hold() // the other document may be closed meanwhile
		if !open {
			return nil, context.Canceled
		}
		defer release()
		docs := both{a, b, side{p.Doc, a.Snapshot}, side{o, b.Snapshot}, beside, progress}
		if !known || !same && !commonTables(ctx, a, b) {
			return docs.differ(ctx)
		}
		items, apart, compared, err := differingTables(ctx, a, b)
		switch {
		case !same && !compared:
			return docs.differ(ctx)
		case err != nil || !same:
			return items, err
		}
		nodes, fields, err := docs.differByName(ctx, compared)
		content, stored := byMeaning(fields, apart)
		if items = slices.Concat(items, nodes, content); len(stored) > 0 {
			from += fmt.Sprintf(": %d in content, %d in how it is stored (grey)", len(items), len(stored))
		}
		return append(items, stored...), err // meaning first, then location
	})
}

// byMeaning separates the differences of fields with these paths, which are content, from those in how the content is stored, which become grey. Without
// paths all may be content.
func byMeaning(fields []doc.Place, paths map[string]bool) (content, stored []doc.Place) {
	for _, x := range fields {
		if paths == nil || x.In != nil && paths[x.In.Path] || paths[x.Cells[0].Text] {
			content = append(content, x)
			continue
		}
		for i := range x.Cells {
			x.Cells[i].Dim = true
		}
		stored = append(stored, x)
	}
	return content, stored
}

// differenceColumns have one for the values of each document.
func differenceColumns(here, there string) []rows.Column {
	return []rows.Column{{Title: "where", Width: 190}, {Title: "what", Width: 150}, {Title: here, Width: 200}, {Title: there, Width: 200}}
}

// both is two documents that are compared. Byte by byte, files are compared with files: the main file with the main file, any other with the one of the same name.
type both struct {
	a, b     *model.Tree
	here     side
	there    side
	beside   *align.Alignment // is noted
	progress kit.Progress
}

// differ lists how the files differ.
func (f *both) differ(ctx context.Context) (items []doc.Place, err error) {
	for _, sp := range f.a.Spaces() {
		if sp.Derived() {
			continue
		}
		more, err := f.file(ctx, sp)
		if items = append(items, more...); err != nil || len(items) >= doc.FindMost {
			return items[:min(len(items), doc.FindMost)], err
		}
	}
	for _, sp := range f.b.Spaces() {
		if !sp.Derived() && align.FileLike(f.b, f.a, sp) == model.NoSpace {
			items = append(items, oneFile(f.there, sp.File, absent, present))
		}
	}
	return items, ctx.Err()
}

// differByName lists the differences of two documents of the same format beside those of their tables, which may have been compared: in their graphs,
// and in their fields.
func (f *both) differByName(ctx context.Context, compared bool) (nodes, fields []doc.Place, err error) {
	told := toldFields{}
	if compared {
		told.tables(ctx, f.a)
		told.tables(ctx, f.b)
	}
	nodes = differingGraphs(ctx, f.a.Format, f.a, f.b, told)
	fields, err = differingFields(ctx, f.a, f.b, told)
	if err == nil {
		fields, err = withFiles(fields, f.here, f.there)
	}
	return nodes, fields, err
}

// file lists how a file differs from that of the other document.
func (f *both) file(ctx context.Context, sp *model.Space) (items []doc.Place, err error) {
	x, y := model.Range{Space: sp.ID}, model.Range{Space: align.FileLike(f.a, f.b, sp)}
	if y.Space == model.NoSpace {
		return []doc.Place{oneFile(f.here, sp.File, present, absent)}, nil
	}
	if x.Len, err = f.a.Size(ctx, x.Space); err == nil {
		y.Len, err = f.b.Size(ctx, y.Space)
	}
	if err != nil {
		return nil, err
	}
	w := align.Aligner{A: align.SideOf(f.a, x), B: align.SideOf(f.b, y)}
	err = w.Runs(ctx, f.progress, func(c model.Changed) bool {
		f.beside.Note(x.Space, c)
		here, there := model.Range{Space: x.Space, Off: c.Off, Len: c.New}, model.Range{Space: y.Space, Off: c.OldOff, Len: c.Old}
		place := f.run(ctx, here, there)
		if len(items) < takenRuns && there.Len <= mostTaken {
			if b, err := f.b.Bytes(ctx, there); err == nil {
				place.Take = takeBytes(here, bytes.Clone(b))
			}
			if b, err := f.a.Bytes(ctx, here); err == nil && here.Len <= mostTaken {
				place.Give = takeBytes(there, bytes.Clone(b))
			}
		}
		items = append(items, place)
		return len(items) < doc.FindMost
	})
	return items, err
}

// run is a line about a run of bytes that differs from one of the other document.
func (f *both) run(ctx context.Context, here, there model.Range) doc.Place {
	where := fmt.Sprintf("0x%x", here.Off)
	if there.Off != here.Off {
		where += fmt.Sprintf(", there 0x%x", there.Off)
	}
	if sp := f.a.Space(here.Space); sp != nil && here.Space != f.a.Root.Range.Space {
		where += "  " + sp.File
	}
	front := func(t *model.Tree, r model.Range) string {
		r.Len = min(r.Len, 12)
		b, _ := t.Bytes(ctx, r)
		return fmt.Sprintf("% x", b)
	}
	return doc.Place{At: here, Cells: []rows.Cell{{Text: where, Mono: true}, {Text: runText(here.Len, there.Len)}, {Text: front(f.a, here), Mono: true},
		{Text: front(f.b, there), Mono: true}}}
}

// runText says how many bytes differ.
func runText(here, there int64) string {
	switch {
	case here == there:
		return show.Counted(here, "byte")
	case there == 0:
		return show.Counted(here, "byte") + " only here"
	case here == 0:
		return show.Counted(there, "byte") + " only there"
	}
	return fmt.Sprintf("%s, there %d", show.Counted(here, "byte"), there)
}

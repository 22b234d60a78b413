package compare

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/align"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// Changes lists the edits since the document was opened, the latest first, and below them how it differs from the files on
// disk. An edit is one line; below it, folded, is what it changed: the place, the old and new value, and why: edited, or derived from an edit.
type Changes struct {
	doc.List
	steps  map[string]model.Change // the edits that were made, by the folds of their rows
	State  *widget.Label
	load   kit.Loader[changeList]
	Object fyne.CanvasObject
}

// changeList is a worker's result for the pane.
type changeList struct {
	steps  [][]doc.Place // what each edit changed
	disk   []doc.Place   // what differs from the disk
	ranges int           // how many of them
}

// maxPatches is how many patches of one step are listed.
const maxPatches = 200

// NewChanges makes the list of changes since the document was opened or saved.
func NewChanges(d *doc.Document) *Changes {
	p := &Changes{List: doc.NewList(d, rows.Column{Title: "change", Width: 300}, rows.Column{Title: "offset", Width: 100, Right: true},
		rows.Column{Title: "was", Width: 150}, rows.Column{Title: "is", Width: 150},
		rows.Column{Title: "bytes", Width: 150}, rows.Column{Title: "why", Width: 200})}
	p.Bind(p)
	p.State = kit.NewLine("")
	undo, redo := kit.NewButton(d.Window.Host, "Undo", d.Editor.Undo), kit.NewButton(d.Window.Host, "Redo", d.Editor.Redo)
	undo.Importance, redo.Importance = widget.LowImportance, widget.LowImportance
	p.Object = container.NewBorder(container.NewBorder(nil, nil, nil, container.NewHBox(undo, redo), p.State), nil, nil, nil, p.View)
	return p
}

func (p *Changes) Selected(doc.Selection) {}
func (p *Changes) Blank() string          { return "No changes" }

func (p *Changes) Changed() {
	if p.Doc.Editor.Saving {
		return // it is called again when that is done
	}
	undo, redo := p.Doc.Model.History()
	t, disk, dirty := p.Doc.Tree(), p.Doc.Model.OnDisk(), p.Doc.Editor.Dirty
	if x := p.Doc.Preview; x != nil {
		p.tried(x)
		return
	}
	p.load.Load(p.Doc.Window, func(ctx context.Context) (list changeList, err error) {
		for i := range undo {
			list.steps = append(list.steps, stepRows(ctx, t, &undo[i]))
		}
		if dirty {
			list.disk, list.ranges = diskRows(ctx, t, disk)
		}
		return list, ctx.Err()
	}, func(list changeList, err error) {
		if err != nil {
			return
		}
		p.show(undo, list)
		state := "No differences from the disk"
		if dirty {
			state = show.Counted(int64(list.ranges), "byte range") + " not saved"
		}
		state += "; " + show.Counted(int64(len(undo)), "edit") + " since it was opened"
		if len(undo) > 0 {
			state += ", the last: " + kit.InWidget(undo[len(undo)-1].Label)
		}
		if len(redo) > 0 {
			state += fmt.Sprintf(", %d to redo", len(redo))
		}
		p.State.SetText(state)
		p.Doc.Lower.Count(kit.TabChanges, "Changes", unsavedSteps(undo, disk, list.ranges))
	})
}

// show lists the edits, the latest first, and the differences from the disk.
func (p *Changes) show(undo []model.Change, list changeList) {
	var items []doc.Place
	p.steps = map[string]model.Change{}
	for i, c := range slices.Backward(undo) {
		name := c.At.Format("150405.000000") + c.Label
		p.steps[name] = c
		items = append(items, heading(name, c.At.Format("15:04:05")+"  "+c.Label, list.steps[i]))
	}
	if list.ranges > 0 {
		items = append(items, heading("disk", "Unsaved: differences from the disk", list.disk))
	}
	p.Set(items)
}

// unsavedSteps is the number of edits that are not on disk; after undoing past a save, the number of ranges that differ.
func unsavedSteps(undo []model.Change, disk *model.Snapshot, ranges int) int {
	if ranges == 0 {
		return 0
	}
	for i, c := range undo {
		if c.Before == disk {
			return len(undo) - i
		}
	}
	return ranges
}

// tried lists what a previewed change would change.
func (p *Changes) tried(x *doc.Preview) {
	t := x.Shown()
	p.load.Load(p.Doc.Window, func(ctx context.Context) (changeList, error) {
		step := model.Change{Label: x.Plan.Label, Patches: x.Plan.Patches, Before: x.Plan.From, After: x.Plan.To}
		return changeList{[][]doc.Place{stepRows(ctx, t, &step)}, nil, len(step.Patches)}, ctx.Err()
	}, func(list changeList, err error) {
		if err == nil {
			p.steps, p.Open["tried"] = nil, true
			p.Set([]doc.Place{heading("tried", "Would change: "+x.Plan.Label, list.steps[0])})
			p.State.SetText(show.Counted(int64(list.ranges), "byte range") + " would change; not applied yet")
			p.Doc.Lower.Count(kit.TabChanges, "Changes", list.ranges)
		}
	})
}

// heading is a row that describes the rows below it.
func heading(fold, text string, below []doc.Place) doc.Place {
	p := doc.Place{Fold: fold, Cells: []rows.Cell{{Text: text, Color: paint.Look().Caret, Wide: true}}}
	if len(below) > 0 {
		p.At, p.Span, p.Below = below[0].At, below[0].Span, func() []doc.Place { return below }
		p.Cells[0].Text += "  (" + show.Counted(int64(len(below)), "byte range") + ")"
	}
	return p
}

// moreRow is a row that says how many more there are.
func moreRow(n int) doc.Place {
	return doc.Place{Cells: []rows.Cell{{Text: fmt.Sprintf("    and %d more", n), Dim: true}}}
}

// diskRows lists how the files of a tree differ from their state on disk, as rows that lead there, and counts the differences.
func diskRows(ctx context.Context, t *model.Tree, disk *model.Snapshot) (items []doc.Place, n int) {
	files := append(t.Snapshot.Edited(), disk.Edited()...)
	slices.Sort(files)
	for _, name := range slices.Compact(files) {
		now, err := t.Snapshot.Content(name)
		was, wasErr := disk.Content(name)
		switch {
		case err != nil && wasErr != nil:
		case err != nil:
			items, n = append(items, doc.Place{Cells: []rows.Cell{{Text: "    " + name}, {}, {Text: "a file"}, {Text: "removed"}}}), n+1
		case wasErr != nil:
			items, n = append(items, doc.Place{Cells: []rows.Cell{{Text: "    " + name}, {}, {Text: "nothing"}, {Text: "a new file"}}}), n+1
		default:
			x := states{t, spaceOf(t, name), now, was}
			for c := range x.differences(ctx) {
				if n++; n <= maxPatches {
					items = append(items, x.row(c))
				}
			}
		}
	}
	if n > maxPatches {
		items = append(items, moreRow(n-maxPatches))
	}
	return items, n
}

// spaceOf returns the space of a file of a tree; nil if no one has looked into it.
func spaceOf(t *model.Tree, file string) *model.Space {
	for _, sp := range t.Spaces() {
		if !sp.Derived() && sp.File == file {
			return sp
		}
	}
	return nil
}

// states are two states of a file, and its space in the tree of the newer one; nil if that is unknown.
type states struct {
	t        *model.Tree
	space    *model.Space
	now, was *model.Content
}

// row is a run of bytes that differs, described by its field if it is inside one.
func (s *states) row(c model.Changed) doc.Place {
	x := doc.PatchText{Was: doc.SomeHex(doc.Front(s.was, c.OldOff, c.Old), c.Old), Is: doc.SomeHex(doc.Front(s.now, c.Off, c.New), c.New)}
	row := doc.Place{}
	if s.space != nil {
		x.Name = s.space.File
		row.At = model.Range{Space: s.space.ID, Off: c.Off, Len: max(1, c.New)}
		if f := s.t.At(s.space.ID, c.Off); f != nil {
			x.Name = f.Path()
			r := model.Changed{Off: f.Range.Off, New: f.Range.Len, OldOff: c.OldOff - (c.Off - f.Range.Off), Old: f.Range.Len - c.New + c.Old}
			if f.Shape == model.Leaf && f.Field.Codec != nil && f.Range.Contains(row.At) && r.New <= doc.PatchWords && r.Old >= 0 && r.Old <= doc.PatchWords && r.OldOff >= 0 {
				x.Values(f.Field, doc.Front(s.was, r.OldOff, r.Old), doc.Front(s.now, r.Off, r.New))
			}
		}
	}
	row.Cells = []rows.Cell{{Text: "    " + x.Name}, {Text: fmt.Sprintf("0x%x", c.Off), Mono: true, Right: true}, {Text: x.Was}, {Text: x.Is}, {Text: x.Bytes, Mono: true, Dim: true}}
	return row
}

// stepRows are the patches of an edit as rows that lead to their fields; requested changes come first.
func stepRows(ctx context.Context, t *model.Tree, c *model.Change) (out []doc.Place) {
	patches := Joined(c)
	for k := range patches {
		if k == maxPatches || ctx.Err() != nil {
			out = append(out, moreRow(len(patches)-k))
			break
		}
		out = append(out, patchRows(ctx, t, c, &patches[k])...)
	}
	slices.SortStableFunc(out, func(a, b doc.Place) int { return followed(a) - followed(b) })
	return out
}

// followed is 0 for a requested change, and 1 for a derived one.
func followed(p doc.Place) int {
	if n := len(p.Cells); n > 0 && p.Cells[n-1].Text == "edited" {
		return 0
	}
	return 1
}

// patchRows lists what a patch of a step changes.
func patchRows(ctx context.Context, t *model.Tree, c *model.Change, q *model.Patch) []doc.Place {
	if rows := rewrittenRows(ctx, t, c, q); len(rows) > 0 {
		return rows
	}
	x := doc.Describe(ctx, t, c.Before, q)
	if x.Was == x.Is && q.With != nil && q.With.Len() == q.Del {
		return nil // a digit that was there already
	}
	row := doc.Place{Cells: []rows.Cell{{Text: "    " + x.Name}, {Text: fmt.Sprintf("0x%x", q.Off), Mono: true, Right: true}, {Text: x.Was}, {Text: x.Is},
		{Text: x.Bytes, Mono: true, Dim: true}, {Text: x.Why, Dim: true}}}
	if t.FileName(t.Root.Range) == q.File && q.With != nil {
		row.At = model.Range{Space: t.Root.Range.Space, Off: q.Off, Len: max(1, q.With.Len())}
	}
	return []doc.Place{row}
}

// Joined are the patches of a step. If a step only overwrites and inserts a few bytes, consecutive patches of a field are joined, as for
// typed digits.
func Joined(c *model.Change) (out []model.Patch) {
	after := func(q model.Patch) *model.Content { // nil: it does more than that
		if q.With == nil || q.Del != 0 && q.With.Len() != q.Del || q.With.Len() > doc.PatchWords || c.After == nil {
			return nil
		}
		now, _ := c.After.Content(q.File)
		return now
	}
	for _, q := range c.Patches {
		now := after(q)
		if now == nil {
			return c.Patches
		}
		if k := len(out) - 1; k < 0 || !join(&out[k], q, now) {
			out = append(out, q)
		}
	}
	return out
}

// join makes a patch include the next one, if that goes on in its field; now is the content after both.
func join(last *model.Patch, q model.Patch, now *model.Content) bool {
	end := last.Off + last.With.Len()
	if q.File != last.File || q.Path != last.Path || q.Off < last.Off || q.Off > end {
		return false
	}
	n, del := last.With.Len()+q.With.Len(), last.Del
	if q.Del > 0 { // over bytes, of which the last one may have written some
		more := max(0, q.Off+q.Del-end)
		n, del = last.With.Len()+more, last.Del+more
	}
	if n > doc.PatchWords {
		return false
	}
	last.Del, last.With = del, model.Memory(doc.Front(now, last.Off, n))
	return true
}

// differences are the runs of bytes that differ.
func (s *states) differences(ctx context.Context) iter.Seq[model.Changed] {
	return func(yield func(model.Changed) bool) {
		for _, run := range s.now.Diff(s.was) {
			for _, c := range s.narrowed(ctx, run) {
				if ctx.Err() != nil || !yield(c) {
					return
				}
			}
		}
	}
}

// narrowed is what differs in a run much of which was rewritten; a short run is a field, or typed. Differences over several fields are split
// at their boundaries, if these are known.
func (s *states) narrowed(ctx context.Context, c model.Changed) (out []model.Changed) {
	runs := []model.Changed{c}
	if c.New > doc.PatchWords && c.Old > doc.PatchWords {
		runs = align.Exactly(ctx, s.now, s.was, runs)
	}
	add := func(c model.Changed) {
		if !c.Same(s.now, s.was) {
			out = append(out, c)
		}
	}
	for _, c := range runs {
		for s.space != nil && c.New == c.Old && len(out) < maxPatches {
			f := s.t.At(s.space.ID, c.Off)
			if f == nil || f.Shape != model.Leaf || f.Range.End() >= c.Off+c.New {
				break
			}
			n := f.Range.End() - c.Off
			add(model.Changed{Off: c.Off, New: n, OldOff: c.OldOff, Old: n})
			c = model.Changed{Off: c.Off + n, New: c.New - n, OldOff: c.OldOff + n, Old: c.Old - n}
		}
		add(c)
	}
	return out
}

// rewrittenRows lists the real differences of a patch that rewrites much of a file; none if it writes little.
func rewrittenRows(ctx context.Context, t *model.Tree, c *model.Change, q *model.Patch) (items []doc.Place) {
	if q.With == nil || q.Del <= doc.PatchWords || q.With.Len() <= doc.PatchWords || c.After == nil {
		return nil
	}
	now, err := c.After.Content(q.File)
	was, wasErr := c.Before.Content(q.File)
	if err != nil || wasErr != nil {
		return nil
	}
	at := q.Off
	for _, p := range c.Patches { // earlier changes moved it
		if p.With != nil && p.File == q.File && p.Off < q.Off {
			at += p.With.Len() - p.Del
		}
	}
	x := states{t: t, now: now, was: was}
	if c.After == t.Snapshot {
		x.space = spaceOf(t, q.File)
	}
	runs := x.narrowed(ctx, model.Changed{Off: at, New: q.With.Len(), OldOff: q.Off, Old: q.Del})
	for i, r := range runs {
		if i == maxPatches {
			return append(items, moreRow(len(runs)-i))
		}
		row := x.row(r)
		if x.space == nil { // its fields are those of another state
			row.Cells[0].Text = "    " + q.File
		}
		row.Cells = append(row.Cells, rows.Cell{Text: q.Why, Dim: true})
		items = append(items, row)
	}
	return items
}

package ui

import (
	"context"
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// changesPane lists how the document differs from what the disk holds, and below that the steps that were made since it was opened,
// the latest first: where, what it was, what it is, and why: edited, or what it follows from.
type changesPane struct {
	listPane
	state  *widget.Label
	load   loader[changeList]
	object fyne.CanvasObject
}

// changeList is what a worker found out for the pane.
type changeList struct {
	items  []place
	ranges int // that differ from the disk
}

// maxPatches is how many patches of one step are listed.
const maxPatches = 200

func newChangesPane(d *Document) *changesPane {
	p := &changesPane{listPane: newListPane(d, rows.Column{Title: "change", Width: 300}, rows.Column{Title: "offset", Width: 100, Right: true},
		rows.Column{Title: "was", Width: 150}, rows.Column{Title: "is", Width: 150},
		rows.Column{Title: "bytes", Width: 150}, rows.Column{Title: "why", Width: 200})}
	p.bind(p)
	p.state = widget.NewLabel("")
	p.state.Truncation = fyne.TextTruncateEllipsis // what it says must not widen the pane
	undo, redo := newKeyButton(d.wb.Host, "Undo", d.editor.undo), newKeyButton(d.wb.Host, "Redo", d.editor.redo)
	undo.Importance, redo.Importance = widget.LowImportance, widget.LowImportance
	p.object = container.NewBorder(container.NewBorder(nil, nil, nil, container.NewHBox(undo, redo), p.state), nil, nil, nil, p.View)
	return p
}

func (p *changesPane) selected(Selection) {}
func (p *changesPane) Blank() string      { return "nothing was changed" }

func (p *changesPane) changed() {
	if p.d.editor.saving {
		return // it is called again when that is done
	}
	undo, redo := p.d.Model.History()
	t, disk, dirty := p.d.Tree(), p.d.Model.OnDisk(), p.d.editor.dirty
	if x := p.d.trial; x != nil {
		p.tried(x)
		return
	}
	p.load.load(p.d.wb, func(ctx context.Context) (list changeList, err error) {
		if dirty {
			list.items, list.ranges = diskRows(ctx, t, disk)
		}
		list.items = append(list.items, changeRows(ctx, t, undo)...)
		return list, ctx.Err()
	}, func(list changeList, err error) {
		if err != nil {
			return
		}
		p.set(list.items)
		state := "nothing differs from the disk"
		if dirty {
			state = counted(int64(list.ranges), "range") + " not saved"
		}
		state += "; " + counted(int64(len(undo)), "step") + " since it was opened"
		if len(undo) > 0 {
			state += ", the last: " + inWidget(undo[len(undo)-1].Label)
		}
		if len(redo) > 0 {
			state += fmt.Sprintf(", %d to redo", len(redo))
		}
		p.state.SetText(state)
		p.d.lower.count(tabChanges, "Changes", list.ranges)
	})
}

// tried lists what a change would change that is being looked at.
func (p *changesPane) tried(x *trial) {
	t := x.shown()
	p.load.load(p.d.wb, func(ctx context.Context) (list changeList, err error) {
		step := model.Change{Label: x.plan.Label, Patches: x.plan.Patches, Before: x.plan.From, After: x.plan.To}
		list.items, list.ranges = changeRows(ctx, t, []model.Change{step}), len(step.Patches)
		list.items[0] = heading("would change: " + step.Label)
		return list, ctx.Err()
	}, func(list changeList, err error) {
		if err == nil {
			p.set(list.items)
			p.state.SetText(counted(int64(list.ranges), "byte range") + " would change; nothing is changed yet")
			p.d.lower.count(tabChanges, "Changes", list.ranges)
		}
	})
}

// heading is a row that says what the rows below it are.
func heading(text string) place {
	return place{cells: []rows.Cell{{Text: text, Color: paint.Look().Caret, Wide: true}}}
}

// diskRows lists how the files of a tree differ from a state of the disk, as rows that lead there, and counts the differences.
func diskRows(ctx context.Context, t *model.Tree, disk *model.Snapshot) (items []place, n int) {
	files := append(t.Snapshot.Edited(), disk.Edited()...)
	slices.Sort(files)
	for _, name := range slices.Compact(files) {
		now, err := t.Snapshot.Content(name)
		was, wasErr := disk.Content(name)
		switch {
		case err != nil && wasErr != nil:
		case err != nil:
			items, n = append(items, place{cells: []rows.Cell{{Text: "    " + name}, {}, {Text: "a file"}, {Text: "removed"}}}), n+1
		case wasErr != nil:
			items, n = append(items, place{cells: []rows.Cell{{Text: "    " + name}, {}, {Text: "nothing"}, {Text: "a new file"}}}), n+1
		default:
			space := spaceOf(t, name)
			for _, run := range now.Diff(was) {
				for _, c := range narrowed(ctx, t, space, now, was, run) {
					if ctx.Err() != nil {
						continue
					}
					if n++; n <= maxPatches {
						items = append(items, diskRow(ctx, t, space, now, was, c))
					}
				}
			}
		}
	}
	if n > maxPatches {
		items = append(items, place{cells: []rows.Cell{{Text: fmt.Sprintf("    and %d more", n-maxPatches), Dim: true}}})
	}
	if n == 0 {
		return nil, 0
	}
	return append([]place{heading("not saved: how this differs from the disk")}, items...), n
}

// spaceOf returns the space of a file of a tree; nil where nobody looked into it.
func spaceOf(t *model.Tree, file string) *model.Space {
	for _, sp := range t.Spaces() {
		if !sp.Derived() && sp.File == file {
			return sp
		}
	}
	return nil
}

// diskRow is a run of bytes that differs from the disk, in the words of its field where it lies in one.
func diskRow(ctx context.Context, t *model.Tree, space *model.Space, now, was *model.Content, c model.Changed) place {
	x := patchText{was: someHex(front(was, c.OldOff, c.Old), c.Old), is: someHex(front(now, c.Off, c.New), c.New)}
	row := place{}
	if space != nil {
		x.name = space.File
		row.at = model.Range{Space: space.ID, Off: c.Off, Len: max(1, c.New)}
		if s := t.At(space.ID, c.Off); s != nil {
			x.name = s.Path()
			r := model.Changed{Off: s.Range.Off, New: s.Range.Len, OldOff: c.OldOff - (c.Off - s.Range.Off), Old: s.Range.Len - c.New + c.Old}
			if s.Shape == model.Leaf && s.Field.Codec != nil && s.Range.Contains(row.at) && r.New <= patchWords && r.Old >= 0 && r.Old <= patchWords && r.OldOff >= 0 {
				x.values(s.Field, front(was, r.OldOff, r.Old), front(now, r.Off, r.New))
			}
		}
	}
	row.cells = []rows.Cell{{Text: "    " + x.name}, {Text: fmt.Sprintf("0x%x", c.Off), Mono: true, Right: true}, {Text: x.was}, {Text: x.is}, {Text: x.bytes, Mono: true, Dim: true}}
	return row
}

// changeRows lists the patches of each step, the latest first, as rows that lead to their fields.
func changeRows(ctx context.Context, t *model.Tree, steps []model.Change) (items []place) {
	main := t.FileName(t.Root.Range)
	for i := len(steps) - 1; i >= 0 && ctx.Err() == nil; i-- {
		c := &steps[i]
		items = append(items, heading(c.At.Format("15:04:05")+"  "+c.Label))
		patches := joined(c)
		for k := range patches {
			if k == maxPatches {
				items = append(items, place{cells: []rows.Cell{{Text: fmt.Sprintf("and %d more", len(patches)-k), Dim: true}}})
				break
			}
			q := &patches[k]
			if anew := anewRows(ctx, t, c, q); len(anew) > 0 {
				items = append(items, anew...)
				continue
			}
			x := describe(ctx, t, c.Before, q)
			if x.was == x.is && q.With != nil && q.With.Len() == q.Del {
				continue // a digit that was there already
			}
			row := place{cells: []rows.Cell{{Text: "    " + x.name}, {Text: fmt.Sprintf("0x%x", q.Off), Mono: true, Right: true}, {Text: x.was}, {Text: x.is},
				{Text: x.bytes, Mono: true, Dim: true}, {Text: x.why, Dim: true}}}
			if main == q.File && q.With != nil {
				row.at = model.Range{Space: t.Root.Range.Space, Off: q.Off, Len: max(1, q.With.Len())}
			}
			items = append(items, row)
		}
	}
	return items
}

// joined are the patches of a step. In one that only overwrites and inserts a few bytes, those of a field that follow each other are one, as
// digits that were typed.
func joined(c *model.Change) (out []model.Patch) {
	after := func(q model.Patch) *model.Content { // nil: it does more than that
		if q.With == nil || q.Del != 0 && q.With.Len() != q.Del || q.With.Len() > patchWords || c.After == nil {
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
		if k := len(out) - 1; k >= 0 && q.File == out[k].File && q.Path == out[k].Path && q.Off >= out[k].Off && q.Off <= out[k].Off+out[k].With.Len() {
			last := &out[k]
			n, del := last.With.Len()+q.With.Len(), last.Del
			if q.Del > 0 { // over bytes, of which the last one may have written some
				more := max(0, q.Off+q.Del-last.Off-last.With.Len())
				n, del = last.With.Len()+more, last.Del+more
			}
			if n <= patchWords {
				last.Del, last.With = del, model.Memory(front(now, last.Off, n))
				continue
			}
		}
		out = append(out, q)
	}
	return out
}

// narrowed is what differs in a run of which much was written anew; a short one is a field, or typed. What differs of several fields is cut
// at their ends, where they are known.
func narrowed(ctx context.Context, t *model.Tree, space *model.Space, now, was *model.Content, c model.Changed) (out []model.Changed) {
	runs := []model.Changed{c}
	if c.New > patchWords && c.Old > patchWords {
		runs = exactly(ctx, now, was, runs)
	}
	add := func(c model.Changed) {
		if !c.Same(now, was) {
			out = append(out, c)
		}
	}
	for _, c := range runs {
		for space != nil && c.New == c.Old && len(out) < maxPatches {
			s := t.At(space.ID, c.Off)
			if s == nil || s.Shape != model.Leaf || s.Range.End() >= c.Off+c.New {
				break
			}
			n := s.Range.End() - c.Off
			add(model.Changed{Off: c.Off, New: n, OldOff: c.OldOff, Old: n})
			c = model.Changed{Off: c.Off + n, New: c.New - n, OldOff: c.OldOff + n, Old: c.Old - n}
		}
		add(c)
	}
	return out
}

// anewRows lists what a patch really changes that writes much of a file anew; none where it writes little.
func anewRows(ctx context.Context, t *model.Tree, c *model.Change, q *model.Patch) (items []place) {
	if q.With == nil || q.Del <= patchWords || q.With.Len() <= patchWords || c.After == nil {
		return nil
	}
	now, err := c.After.Content(q.File)
	was, wasErr := c.Before.Content(q.File)
	if err != nil || wasErr != nil {
		return nil
	}
	at := q.Off
	for _, p := range c.Patches { // those in front of it moved it
		if p.With != nil && p.File == q.File && p.Off < q.Off {
			at += p.With.Len() - p.Del
		}
	}
	var space *model.Space
	if c.After == t.Snapshot {
		space = spaceOf(t, q.File)
	}
	runs := narrowed(ctx, t, space, now, was, model.Changed{Off: at, New: q.With.Len(), OldOff: q.Off, Old: q.Del})
	for i, r := range runs {
		if i == maxPatches {
			return append(items, place{cells: []rows.Cell{{Text: fmt.Sprintf("    and %d more", len(runs)-i), Dim: true}}})
		}
		row := diskRow(ctx, t, space, now, was, r)
		if space == nil { // its fields are those of another state
			row.cells[0].Text = "    " + q.File
		}
		row.cells = append(row.cells, rows.Cell{Text: q.Why, Dim: true})
		items = append(items, row)
	}
	return items
}

package ui

import (
	"context"
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// changesPane lists every byte range that was changed since the document was opened, the latest step first: where, what it
// was, what it is, and why: edited, or what it follows from.
type changesPane struct {
	listPane
	state  *widget.Label
	load   loader[[]place]
	object fyne.CanvasObject
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
	undo, redo := newKeyButton(d.wb.Workbench, "Undo", d.editor.undo), newKeyButton(d.wb.Workbench, "Redo", d.editor.redo)
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
	n := 0
	for i := range undo {
		n += len(undo[i].Patches)
	}
	t := p.d.Tree()
	p.load.load(p.d.wb, func(ctx context.Context) ([]place, error) { return changeRows(ctx, t, undo), ctx.Err() }, func(items []place, err error) {
		if err == nil {
			p.set(items)
		}
	})
	state := counted(int64(len(undo)), "step") + " since it was opened, " + counted(int64(n), "changed range")
	if state += fmt.Sprintf(", %d to redo", len(redo)); !p.d.editor.dirty {
		state += "; what is here is what the disk holds"
	}
	p.state.SetText(state)
	p.d.frame.count(tabChanges, "Changes", n)
}

// changeRows lists the patches of each step, the latest first, as rows that lead to their fields.
func changeRows(ctx context.Context, t *model.Tree, steps []model.Change) (items []place) {
	main := t.FileName(t.Root.Range)
	for i := len(steps) - 1; i >= 0 && ctx.Err() == nil; i-- {
		c := &steps[i]
		items = append(items, place{cells: []rows.Cell{{Text: c.At.Format("15:04:05") + "  " + c.Label, Color: paint.Look().Caret, Wide: true}}})
		for k := range c.Patches {
			if k == maxPatches {
				items = append(items, place{cells: []rows.Cell{{Text: fmt.Sprintf("and %d more", len(c.Patches)-k), Dim: true}}})
				break
			}
			q := &c.Patches[k]
			x := describe(ctx, t, c.Before, q)
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

// showPlan shows what a plan would change before it is made. One of apply and drop is called.
func (k *talk) showPlan(d *Document, plan *model.Plan, apply, drop func()) {
	t := d.Tree()
	d.wb.submit(model.Job{Title: plan.Label, Priority: model.Edited,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			return planLines(ctx, t, plan), ctx.Err()
		},
		Done: func(v any, _ error) { k.showLines(d, plan, fmt.Sprint(v), apply, drop) }})
}

// planLines says patch by patch what a plan changes.
func planLines(ctx context.Context, t *model.Tree, plan *model.Plan) string {
	var lines []string
	for i := range plan.Patches {
		if i == maxPatches {
			lines = append(lines, fmt.Sprintf("and %d more", len(plan.Patches)-i))
			break
		}
		q := &plan.Patches[i]
		x := describe(ctx, t, plan.From, q)
		line := fmt.Sprintf("0x%08x  %s\n            %s → %s", q.Off, x.name, x.was, x.is)
		if x.bytes != "" {
			line += "   (" + x.bytes + ")"
		}
		lines = append(lines, line+"   "+x.why)
	}
	return strings.Join(lines, "\n")
}

func (k *talk) showLines(d *Document, plan *model.Plan, lines string, apply, drop func()) {
	head := fmt.Sprintf("%s: %s.", plan.Label, map[bool]string{true: "one byte range changes", false: fmt.Sprintf("%d byte ranges change", len(plan.Patches))}[len(plan.Patches) == 1])
	if plan.Empty() {
		head = plan.Label + ": nothing changes."
	}
	for _, w := range plan.Warnings {
		head += "\n▲ " + w
	}
	text := widget.NewLabelWithStyle(lines, fyne.TextAlignLeading, fyne.TextStyle{Monospace: true})
	text.Selectable = true
	ok := "Apply"
	if d.editor.locked {
		ok = "Unlock and apply"
	}
	body := container.NewBorder(textOf(head), nil, nil, nil, container.NewScroll(text))
	k.wb.shell.box("Preview", body, fyne.NewSize(760, min(460, 180+text.MinSize().Height)), "Close", drop, ok, func() {
		if plan.Empty() {
			drop()
			return
		}
		if d.editor.locked {
			d.editor.setLocked(false)
		}
		apply()
	})
}

package ui

import (
	"encoding/hex"
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
	object fyne.CanvasObject
}

// maxPatches is how many patches of one step are listed.
const maxPatches = 200

func newChangesPane(d *Document) *changesPane {
	p := &changesPane{listPane: newListPane(d, rows.Column{Title: "change", Width: 300}, rows.Column{Title: "offset", Width: 100, Right: true},
		rows.Column{Title: "was", Width: 200}, rows.Column{Title: "is", Width: 200}, rows.Column{Title: "why", Width: 200})}
	p.bind(p)
	p.state = widget.NewLabel("")
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
	var items []place
	n := 0
	for i := len(undo) - 1; i >= 0; i-- {
		c := &undo[i]
		items = append(items, place{cells: []rows.Cell{{Text: c.At.Format("15:04:05") + "  " + c.Label, Color: paint.Look().Caret, Wide: true}}})
		n += len(c.Patches)
		for k := range c.Patches {
			if k == maxPatches {
				items = append(items, place{cells: []rows.Cell{{Text: fmt.Sprintf("and %d more", len(c.Patches)-k), Dim: true}}})
				break
			}
			items = append(items, p.d.patchRow(c.Before, &c.Patches[k]))
		}
	}
	p.set(items)
	p.state.SetText(fmt.Sprintf("%s, %s, %d to redo", counted(int64(len(undo)), "step"), counted(int64(n), "changed range"), len(redo)))
	p.d.frame.count(tabChanges, "Changes", n)
}

// patchRow is a patch as a row that leads to the field.
func (d *Document) patchRow(before *model.Snapshot, q *model.Patch) place {
	was, is := patchBytes(before, q)
	name := q.Path
	if name == "" {
		name = q.File
	}
	row := place{cells: []rows.Cell{{Text: "    " + name}, {Text: fmt.Sprintf("0x%X", q.Off), Mono: true, Right: true}, {Text: was, Mono: true}, {Text: is, Mono: true}, {Text: q.Why, Dim: true}}}
	if d.Tree().FileName(d.Tree().Root.Range) == q.File && q.With != nil {
		row.at = model.Range{Space: d.Tree().Root.Range.Space, Off: q.Off, Len: max(1, q.With.Len())}
	}
	return row
}

// patchBytes prints what a patch replaces, and with what.
func patchBytes(before *model.Snapshot, q *model.Patch) (was, is string) {
	was, is = "nothing", "nothing"
	if c, err := before.Content(q.File); err == nil && q.Del > 0 {
		was = someHex(c.ReadAt, q.Off, q.Del)
	}
	if q.With != nil && q.With.Len() > 0 {
		is = someHex(q.With.ReadAt, 0, q.With.Len())
	}
	return was, is
}

func someHex(read func([]byte, int64) (int, error), off, n int64) string {
	b := make([]byte, min(n, 12))
	k, _ := read(b, off)
	if s := hex.EncodeToString(b[:k]); n <= 12 {
		return s
	} else {
		return fmt.Sprintf("%s… %d bytes", s, n)
	}
}

// showPlan shows what a plan would change before it is made. One of apply and drop is called.
func (k *talk) showPlan(d *Document, plan *model.Plan, apply, drop func()) {
	var lines []string
	for i := range plan.Patches {
		if i == maxPatches {
			lines = append(lines, fmt.Sprintf("and %d more", len(plan.Patches)-i))
			break
		}
		q := &plan.Patches[i]
		was, is := patchBytes(plan.From, q)
		lines = append(lines, fmt.Sprintf("0x%08X  %s\n            %s → %s   (%s)", q.Off, q.Path, was, is, q.Why))
	}
	head := fmt.Sprintf("%s: %d byte ranges change.", plan.Label, len(plan.Patches))
	if len(plan.Patches) == 1 {
		head = plan.Label + ": one byte range changes."
	}
	if plan.Empty() {
		head = plan.Label + ": nothing changes."
	}
	for _, w := range plan.Warnings {
		head += "\n▲ " + w
	}
	text := widget.NewLabelWithStyle(strings.Join(lines, "\n"), fyne.TextAlignLeading, fyne.TextStyle{Monospace: true})
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

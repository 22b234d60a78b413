package ui

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/paint"
)

// fixBar offers the repairs of the problem that is chosen, and all safe ones at once.
type fixBar struct {
	d      *Document
	found  *model.Finding  // whose fixes are on offer
	box    *fyne.Container // of the chosen problem
	all    *keyButton
	object fyne.CanvasObject
}

func newFixBar(d *Document) *fixBar {
	f := &fixBar{d: d, box: container.NewHBox()}
	f.all = newKeyButton(d.wb.Workbench, "", func() { f.applyAll() })
	f.object = container.NewBorder(nil, nil, nil, f.all, container.NewHScroll(f.box))
	return f
}

// show offers the fixes of a finding; nil for none.
func (f *fixBar) show(found *model.Finding) {
	f.box.RemoveAll()
	f.found = found
	if found != nil {
		safe := f.d.Tree().SafeFix(found)
		for i, fix := range found.Fixes {
			b := newKeyButton(f.d.wb.Workbench, "Preview: "+paint.Shorten(fix.Label, 80), func() { f.preview(fix) })
			if safe == &found.Fixes[i] {
				b.Importance = widget.HighImportance
			}
			f.box.Add(b)
		}
		if s := found.Needs; s != nil {
			f.box.Add(newKeyButton(f.d.wb.Workbench, s.Label, func() { f.d.wb.askSecret(s) }))
		} else if len(found.Fixes) == 0 {
			f.box.Add(widget.NewLabel("No repair follows from this problem alone."))
		}
	}
	f.box.Refresh()
}

// count shows how many problems have one possible repair.
func (f *fixBar) count(found []model.Finding) {
	n := 0
	for i := range found {
		if f.d.Tree().SafeFix(&found[i]) != nil {
			n++
		}
	}
	f.all.SetText(fmt.Sprintf("Apply all safe fixes (%d)", n))
	if f.all.Hidden = n == 0; !f.all.Hidden {
		f.all.Enable()
	}
	f.object.Refresh()
}

// previewFirst previews the first fix on offer.
func (f *fixBar) previewFirst() {
	if f.found != nil && len(f.found.Fixes) > 0 {
		f.preview(f.found.Fixes[0])
	}
}

func (f *fixBar) preview(fix model.Fix) {
	f.d.Preview(fix, func(plan *model.Plan, err error) {
		if err != nil {
			f.d.wb.fail(fix.Label, err)
			return
		}
		if f.d.wb.win != nil {
			f.d.wb.showPlan(f.d, plan, func() { f.d.Fix(fix, nil) }, func() {})
		}
	})
}

func (f *fixBar) applyAll() {
	if f.d.locked {
		f.d.SetLocked(false)
	}
	f.all.Disable()
	f.d.FixAll(func(run *model.Repair) {
		f.all.Enable()
		f.d.wb.status.say(fmt.Sprintf("fixes applied: %d; save to keep them", run.Made))
		if err := run.Failed(); err != nil {
			f.d.wb.fail("Not repaired", err)
		}
	})
}

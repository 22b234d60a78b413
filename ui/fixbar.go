package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/ui/guard"
)

// fixBar offers the repairs of the problem that is chosen, and all proven ones at once. Repairs are asked for in workers, as a format
// may read for them.
type fixBar struct {
	d      *Document
	head   *headline
	fixes  []model.Fix     // on offer
	cause  *cause.Cause    // whose repairs are on offer instead
	box    *fyne.Container // of the chosen problem
	offers []*keyButton    // those that preview its repairs
	all    *keyButton
	proven func() int // how many problems the proven ones are for
	cancel func()     // not nil while all are being made
	object *fyne.Container
	pane   fyne.CanvasObject // that the bar is in
	load   loader[[]model.Fix]
}

func newFixBar(d *Document, head *headline) *fixBar {
	f := &fixBar{d: d, head: head, box: container.NewHBox()}
	f.all = newKeyButton(d.wb.Host, "", func() { f.applyAll() })
	f.all.Hide()
	f.object = container.New(guard.Layout(f), container.NewHScroll(f.box), f.all)
	return f
}

// below tells whether the button for all repairs needs a line of its own: in a narrow pane it must not cover the others.
func (f *fixBar) below() bool {
	return !f.all.Hidden && f.pane != nil && len(f.box.Objects) > 0 && f.box.Objects[0].MinSize().Width+theme.Padding()+f.all.MinSize().Width > f.pane.Size().Width
}

// MinSize is that of the bar's layout.
func (f *fixBar) MinSize(line []fyne.CanvasObject) fyne.Size {
	size := line[0].MinSize()
	if all := f.all.MinSize(); f.below() {
		size.Height += theme.Padding() + all.Height
	} else if !f.all.Hidden {
		size.Height = max(size.Height, all.Height)
	}
	return size
}

// Layout places the repairs on the left, and the button for all of them on the right, or below.
func (f *fixBar) Layout(line []fyne.CanvasObject, size fyne.Size) {
	all, rest := f.all.MinSize(), size
	if f.below() {
		rest.Height -= all.Height + theme.Padding()
	} else if !f.all.Hidden {
		rest.Width -= all.Width + theme.Padding()
	}
	line[0].Move(fyne.Position{})
	line[0].Resize(rest)
	f.all.Move(fyne.NewPos(max(0, size.Width-all.Width), size.Height-all.Height))
	f.all.Resize(all)
}

// show offers the fixes of a finding; nil for none.
func (f *fixBar) show(found *model.Finding) {
	f.load.stop()
	f.fixes, f.cause, f.offers = nil, nil, nil
	f.box.RemoveAll()
	f.box.Refresh()
	if found == nil || f.d.trial != nil {
		return
	}
	t := f.d.Tree()
	f.load.load(f.d.wb, func(ctx context.Context) ([]model.Fix, error) { return t.Fixes(ctx, found), ctx.Err() },
		func(fixes []model.Fix, err error) {
			if err == nil {
				f.offer(found, fixes)
			}
		})
}

// showCause offers the repairs of a cause.
func (f *fixBar) showCause(x *cause.Cause) {
	f.load.stop()
	f.fixes, f.cause, f.offers = nil, x, nil
	f.box.RemoveAll()
	if f.d.trial != nil {
		f.box.Refresh()
		return
	}
	for _, a := range f.d.causes.advice(x) {
		b := newKeyButton(f.d.wb.Host, a.label, a.do)
		if a.proven {
			b.Importance = widget.HighImportance
		}
		f.offers = append(f.offers, b)
	}
	f.fold()
	f.box.Refresh()
}

// offer shows a button for each fix of a finding.
func (f *fixBar) offer(found *model.Finding, fixes []model.Fix) {
	if f.fixes = distinct(fixes); f.d.causes.pending() {
		f.box.Add(widget.NewLabel("The cause is being looked for: repairs are offered then."))
		f.box.Refresh()
		return
	}
	for _, a := range f.d.causes.guessed(f.fixes) {
		f.offers = append(f.offers, newKeyButton(f.d.wb.Host, a.label, a.do))
	}
	if s := found.Needs; s != nil {
		f.offers = append(f.offers, newKeyButton(f.d.wb.Host, s.Label, func() { f.d.askSecret(s) }))
	}
	if f.fold(); found.Needs == nil && len(fixes) == 0 {
		f.box.Add(widget.NewLabel("No repair follows from this problem alone."))
	}
	f.box.Refresh()
}

// count offers all proven repairs, and says how many of the problems they are for. Where no cause was looked for, the button looks.
func (f *fixBar) count() {
	n := f.proven()
	large := f.d.Tree().Root.Range.Len > checkSize && f.d.found.counts()[model.Error] > 0
	switch {
	case f.cancel != nil:
		f.all.SetText("Cancel the repairs")
	case n > 0:
		f.all.SetText("Make proven repairs (" + counted(int64(n), "problem") + ")")
	default:
		f.all.SetText("Make proven repairs")
	}
	f.all.Hidden = f.cancel == nil && (f.d.trial != nil || n == 0 && !large)
	f.fold()
	if f.pane != nil {
		f.pane.Refresh() // the bar may have another height
	}
}

// fold shows the repairs on offer: all that there is room for, or the first one and a list of the others.
func (f *fixBar) fold() {
	if len(f.offers) == 0 {
		return
	}
	f.box.RemoveAll()
	for _, b := range f.offers {
		f.box.Add(b)
	}
	room := f.object.Size().Width
	if !f.all.Hidden && !f.below() {
		room -= f.all.MinSize().Width + theme.Padding()
	}
	if len(f.offers) == 1 || room <= 0 || f.box.MinSize().Width <= room {
		return
	}
	others := f.offers[1:]
	var labels []string
	for _, b := range others {
		labels = append(labels, b.Text)
	}
	f.box.Objects = []fyne.CanvasObject{f.offers[0], newKeyButton(f.d.wb.Host, fmt.Sprintf("%d more…", len(others)), func() {
		f.d.wb.pick("Repairs", labels, func(i int) { others[i].OnTapped() })
	})}
	f.box.Refresh()
}

// previewFirst follows the first advice on offer.
func (f *fixBar) previewFirst() {
	switch {
	case f.d.trial != nil: // asked for twice: it was looked at
		f.d.trial.decide(f.d, true)
	case f.d.causes.waits():
	case len(f.offers) > 0:
		f.offers[0].OnTapped()
	default:
		f.head.press()
	}
}

const cancelledSaid = "cancelled: nothing was repaired"

// applyAll makes all proven repairs, or stops looking for them.
func (f *fixBar) applyAll() {
	d := f.d
	over := func() {
		f.cancel = nil
		f.count()
	}
	switch {
	case f.cancel != nil:
		f.cancel()
		over()
		d.wb.say(cancelledSaid)
		return
	case d.trial != nil:
		d.wb.say(errTrial.Error())
		return
	}
	before := d.found.counts()
	f.cancel = d.editor.repairAll(func(x repaired, err error) {
		over()
		switch {
		case errors.Is(err, context.Canceled):
			d.wb.say(cancelledSaid)
		case errors.Is(err, errMeanwhile):
			d.wb.say(err.Error())
		case err != nil:
			d.wb.fail("Not repaired", err)
		default:
			d.wb.say(repairedText(&x, before))
		}
	})
	f.count()
}

// repairedText tells what was made, and what is left: some repairs take several problems away, and what they show may be new.
func repairedText(x *repaired, before [4]int) string {
	after := gradesOf(x.left.Findings)
	left := problemCounts(after, x.left.Deep)
	switch {
	case len(x.made) > 0 && before == [4]int{}: // no format knew it
		return fixesSaid + madeText(x.made) + "; " + left + " now; save to keep that"
	case len(x.made) > 0:
		return fixesSaid + madeText(x.made) + "; " + problemCounts(before, true) + " before, " + left + " now; save to keep that"
	case after[model.Error] == 0:
		return left + ": there is nothing to repair"
	case slices.ContainsFunc(x.left.Causes, func(c *cause.Cause) bool { return len(c.Repairs) > 0 }):
		return "nothing was repaired: no repair is proven and loses nothing; the causes in the list have others to look at"
	}
	return "nothing was repaired: no repair is known; " + salvageText + " saves what can still be read, where anything can"
}

package problems

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
	"spandrel/ui/doc"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// FixBar offers the repairs of the selected problem, and all proven ones at once. Workers determine the repairs, because a format
// may read for them.
type FixBar struct {
	d      *doc.Document
	head   *Headline
	fixes  []model.Fix     // on offer
	Cause  *cause.Cause    // whose repairs are on offer instead
	Box    *fyne.Container // of the chosen problem
	Offers []*kit.Button   // those that preview its repairs
	All    *kit.Button
	proven func() int // how many problems the proven ones are for
	cancel func()     // not nil while all are being made
	Object *fyne.Container
	pane   fyne.CanvasObject // that the bar is in
	load   kit.Loader[[]model.Fix]
}

func newFixBar(d *doc.Document, head *Headline) *FixBar {
	f := &FixBar{d: d, head: head, Box: container.NewHBox()}
	f.All = kit.NewButton(d.Window.Host, "", func() { f.ApplyAll() })
	f.All.Hide()
	f.Object = container.New(guard.Layout(f), container.NewHScroll(f.Box), f.All)
	return f
}

// below tells whether the button for all repairs needs a line of its own, because in a narrow pane it must not cover the others.
func (f *FixBar) below() bool {
	return !f.All.Hidden && f.pane != nil && len(f.Box.Objects) > 0 && f.Box.Objects[0].MinSize().Width+theme.Padding()+f.All.MinSize().Width > f.pane.Size().Width
}

// MinSize is the size of the bar's layout.
func (f *FixBar) MinSize(line []fyne.CanvasObject) fyne.Size {
	size := fyne.NewSize(line[0].MinSize().Width, f.Box.MinSize().Height) // a scrolled one is never less than 32 high
	if all := f.All.MinSize(); f.below() {
		size.Height += theme.Padding() + all.Height
	} else if !f.All.Hidden {
		size.Height = max(size.Height, all.Height)
	}
	return size
}

// Layout places the repairs on the left, and the button for all of them on the right, or below.
func (f *FixBar) Layout(line []fyne.CanvasObject, size fyne.Size) {
	all, rest := f.All.MinSize(), fyne.NewSize(size.Width, f.Box.MinSize().Height)
	if !f.All.Hidden && !f.below() {
		rest.Width -= all.Width + theme.Padding()
	}
	line[0].Move(fyne.Position{})
	line[0].Resize(rest)
	f.All.Move(fyne.NewPos(max(0, size.Width-all.Width), size.Height-all.Height))
	f.All.Resize(all)
}

// show offers the fixes of a finding; nil for none.
func (f *FixBar) show(found *model.Finding) {
	f.load.Stop()
	f.fixes, f.Cause, f.Offers = nil, nil, nil
	f.Box.RemoveAll()
	f.Box.Refresh()
	if found == nil || f.d.Preview != nil {
		return
	}
	t := f.d.Tree()
	f.load.Load(f.d.Window, func(ctx context.Context) ([]model.Fix, error) { return t.Fixes(ctx, found), ctx.Err() },
		func(fixes []model.Fix, err error) {
			if err == nil {
				f.Offer(found, fixes)
			}
		})
}

// showCause offers the repairs of a cause.
func (f *FixBar) showCause(x *cause.Cause) {
	f.load.Stop()
	f.fixes, f.Cause, f.Offers = nil, x, nil
	f.Box.RemoveAll()
	if f.d.Preview != nil {
		f.Box.Refresh()
		return
	}
	for _, a := range f.d.Causes.Advice(x) {
		b := kit.NewButton(f.d.Window.Host, a.Label, a.Do)
		if a.Kind == doc.Proven {
			b.Importance = widget.HighImportance
		}
		f.Offers = append(f.Offers, b)
	}
	f.Fold()
	f.drawn()
}

// drawn shows what the bar now offers, for which it may have another height.
func (f *FixBar) drawn() {
	f.Box.Refresh()
	if f.pane != nil {
		f.pane.Refresh()
	}
}

// Offer shows a button for each fix of a finding.
func (f *FixBar) Offer(found *model.Finding, fixes []model.Fix) {
	if f.fixes = doc.DistinctFixes(fixes); f.d.Causes.Pending() {
		f.Box.Add(widget.NewLabel("Looking for the cause. Repairs are offered once it is known."))
		f.drawn()
		return
	}
	list := f.d.Causes.Guessed(f.fixes)
	if f.d.Causes.Cut() {
		list = append(list, f.d.Causes.Longer())
	}
	for _, a := range list {
		f.Offers = append(f.Offers, kit.NewButton(f.d.Window.Host, a.Label, a.Do))
	}
	if s := found.Needs; s != nil {
		f.Offers = append(f.Offers, kit.NewButton(f.d.Window.Host, s.Label, func() { f.d.AskSecret(s) }))
	}
	if f.Fold(); found.Needs == nil && len(list) == 0 {
		f.Box.Add(widget.NewLabel("There is no repair for this problem alone."))
	}
	f.drawn()
}

// count offers all proven repairs, and says how many of the problems they solve. Before causes have been searched for, the button starts the search.
func (f *FixBar) count() {
	n := f.proven()
	large := f.d.Tree().Root.Range.Len > doc.CheckSize && f.d.Found.Counts()[model.Error] > 0
	switch {
	case f.cancel != nil:
		f.All.SetText("Cancel the repairs")
	case n > 0:
		f.All.SetText("Apply proven repairs (" + show.Counted(int64(n), "problem") + ")")
	default:
		f.All.SetText("Apply proven repairs")
	}
	f.All.Hidden = f.cancel == nil && (f.d.Preview != nil || n == 0 && !large)
	f.Fold()
	f.drawn()
}

// Fold shows the repairs on offer: all that fit, or the first one and a list of the others.
func (f *FixBar) Fold() {
	if len(f.Offers) == 0 {
		return
	}
	f.Box.RemoveAll()
	for _, b := range f.Offers {
		f.Box.Add(b)
	}
	room := f.Object.Size().Width
	if !f.All.Hidden && !f.below() {
		room -= f.All.MinSize().Width + theme.Padding()
	}
	if len(f.Offers) == 1 || room <= 0 || f.Box.MinSize().Width <= room {
		return
	}
	others := f.Offers[1:]
	labels := model.Map(others, func(b *kit.Button) string { return b.Text })
	f.Box.Objects = []fyne.CanvasObject{f.Offers[0], kit.NewButton(f.d.Window.Host, fmt.Sprintf("%d more…", len(others)), func() {
		f.d.Window.Pick("Repairs", "Preview", labels, func(i int) { others[i].OnTapped() })
	})}
	f.Box.Refresh()
}

// PreviewFirst follows the first advice on offer.
func (f *FixBar) PreviewFirst() {
	switch {
	case f.d.Preview != nil: // requested twice: it was previewed
		f.d.Preview.Decide(f.d, true)
	case f.d.Causes.Waits():
	case len(f.Offers) > 0:
		f.Offers[0].OnTapped()
	default:
		f.head.Press()
	}
}

// CancelledSaid is the message after the search for repairs was cancelled.
const CancelledSaid = "cancelled: nothing was repaired"

// ApplyAll applies all proven repairs, or stops searching for them.
func (f *FixBar) ApplyAll() {
	d := f.d
	over := func() {
		f.cancel = nil
		f.count()
	}
	switch {
	case f.cancel != nil:
		f.cancel()
		over()
		d.Window.Say(CancelledSaid)
		return
	case d.Preview != nil:
		d.Window.Say(doc.ErrPreview.Error())
		return
	}
	before := d.Found.Counts()
	f.cancel = d.Editor.RepairAll(func(x doc.Repairs, err error) {
		over()
		switch {
		case errors.Is(err, context.Canceled):
			d.Window.Say(CancelledSaid)
		case errors.Is(err, doc.ErrMeanwhile):
			d.Window.Say(err.Error())
		case err != nil:
			d.Window.Fail("Not repaired", err)
		default:
			d.Window.Say(repairedText(&x, before))
		}
	})
	f.count()
}

// repairedText says what was applied, and what remains: a repair may solve several problems, and reveal new ones.
func repairedText(x *doc.Repairs, before [4]int) string {
	after := doc.Grades(x.Left.Findings)
	left := doc.ProblemCounts(after, x.Left.Deep)
	switch {
	case len(x.Made) > 0 && before == [4]int{}: // no format knew it
		return doc.FixesSaid + doc.MadeText(x.Made) + "; " + left + " now; save to keep the repair"
	case len(x.Made) > 0:
		return doc.FixesSaid + doc.MadeText(x.Made) + "; " + doc.ProblemCounts(before, true) + " before, " + left + " now; save to keep the repair"
	case after[model.Error] == 0:
		return left + ": there is nothing to repair"
	case slices.ContainsFunc(x.Left.Causes, func(c *cause.Cause) bool { return len(c.Repairs) > 0 }):
		return "nothing was repaired: no repair is proven and lossless; the causes in the list have others to review"
	}
	return "nothing was repaired: no repair is known; " + doc.SalvageText + " saves any data that is still readable"
}

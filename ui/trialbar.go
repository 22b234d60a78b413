package ui

import (
	"context"
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// trialBar is above the panes during a preview: what the change does, a switch between before and after, and its effect on the problems.
type trialBar struct {
	d             *tab
	text          *widget.Label
	before, after *kit.Button
	apply         *kit.Button
	load          kit.Loader[string]
	object        *fyne.Container
}

func newTrialBar(d *tab) *trialBar {
	b := &trialBar{d: d, text: widget.NewLabel("")}
	b.text.Wrapping = fyne.TextWrapWord
	b.before = kit.NewButton(d.Window.Host, "Before", func() { d.Preview.Turn(d.Document, true) })
	b.after = kit.NewButton(d.Window.Host, "After", func() { d.Preview.Turn(d.Document, false) })
	drop := kit.NewButton(d.Window.Host, "Cancel", func() { d.Preview.Decide(d.Document, false) })
	drop.Tip = "Close the preview without changes (Esc)"
	b.apply = kit.NewButton(d.Window.Host, "", func() { d.Preview.Decide(d.Document, true) })
	b.apply.Tip = "Apply the change (Enter); it can be undone"
	b.object = container.NewBorder(nil, widget.NewSeparator(), widget.NewIcon(theme.VisibilityIcon()),
		container.NewCenter(container.NewHBox(b.before, b.after, widget.NewSeparator(), drop, b.apply)), b.text)
	b.object.Hide()
	d.Previews = append(d.Previews, func(x *doc.Preview) {
		if x != nil {
			b.begin(x)
		} else {
			b.over()
		}
	})
	return b
}

func (b *trialBar) Selected(doc.Selection) {}
func (b *trialBar) Hovered(model.Range)    {}

// Changed updates the effect on the problems, because the repaired document is being checked.
func (b *trialBar) Changed() {
	if b.d.Preview != nil {
		b.tell()
	}
}

// begin shows the bar and which side is shown, and makes Enter apply the change.
func (b *trialBar) begin(x *doc.Preview) {
	b.before.Icon, b.after.Icon = theme.RadioButtonIcon(), theme.RadioButtonCheckedIcon()
	if x.Old {
		b.before.Icon, b.after.Icon = b.after.Icon, b.before.Icon
	}
	first := b.apply
	if b.apply.Importance = widget.HighImportance; x.Guess { // Enter alone makes nothing that may be wrong
		b.apply.Importance, first = widget.MediumImportance, b.after
	}
	if b.apply.Text = "Apply"; b.d.Editor.Locked {
		b.apply.Text = "Unlock and apply"
	}
	b.tell()
	b.object.Show()
	b.object.Refresh()
	b.d.frame.relayout()
	b.d.Window.Shell.Focus(first)
}

func (b *trialBar) over() {
	b.load.Stop()
	b.object.Hide()
	b.d.frame.relayout()
	b.d.Window.Shell.Focus(b.d.left.View())
}

// tell says what the change is, and what it loses.
func (b *trialBar) tell() {
	x := b.d.Preview
	b.load.Load(b.d.Window, func(ctx context.Context) (string, error) { return trialText(ctx, x), ctx.Err() }, func(text string, err error) {
		if err == nil && b.d.Preview == x && b.text.Text != text {
			b.text.SetText(text)
			b.d.frame.relayout()
		}
	})
}

// trialText says what a change does and how it affects the problems, with remarks below.
func trialText(ctx context.Context, x *doc.Preview) string {
	text := fmt.Sprintf("Preview: %s; %s", x.Plan.Label, x.Effect(ctx))
	before, _ := x.Before.Findings()
	after, _ := x.After.Findings()
	text += fmt.Sprintf("; %s before, %s after.", doc.ProblemCounts(doc.Grades(doc.Once(before)), false), doc.ProblemCounts(doc.Grades(doc.Once(after)), true))
	for _, w := range x.Plan.Warnings {
		text += "\n▲ " + strings.TrimSpace(w)
	}
	return kit.InWidget(text)
}

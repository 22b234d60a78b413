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
)

// trialBar lies above the panes while a change is looked at: what it does, a switch between before and after, and what becomes of it.
type trialBar struct {
	d             *tab
	text          *widget.Label
	before, after *keyButton
	apply         *keyButton
	load          loader[string]
	object        *fyne.Container
}

func newTrialBar(d *tab) *trialBar {
	b := &trialBar{d: d, text: widget.NewLabel("")}
	b.text.Wrapping = fyne.TextWrapWord
	b.before = newKeyButton(d.wb.Host, "Before", func() { d.trial.turn(d.Document, true) })
	b.after = newKeyButton(d.wb.Host, "After", func() { d.trial.turn(d.Document, false) })
	drop := newKeyButton(d.wb.Host, "Cancel", func() { d.trial.decide(d.Document, false) })
	drop.tip = "leaves everything as it is (Esc)"
	b.apply = newKeyButton(d.wb.Host, "", func() { d.trial.decide(d.Document, true) })
	b.apply.tip = "makes the change; it can be undone (Enter)"
	b.object = container.NewBorder(nil, widget.NewSeparator(), widget.NewIcon(theme.VisibilityIcon()),
		container.NewHBox(b.before, b.after, widget.NewSeparator(), drop, b.apply), b.text)
	b.object.Hide()
	d.previews = append(d.previews, func(x *trial) {
		if x != nil {
			b.begin(x)
		} else {
			b.over()
		}
	})
	return b
}

func (b *trialBar) selected(Selection)  {}
func (b *trialBar) hovered(model.Range) {}

// changed says anew what becomes of the problems: the repaired document is being checked.
func (b *trialBar) changed() {
	if b.d.trial != nil {
		b.tell()
	}
}

// begin shows the bar, and which side is shown, and has Enter apply.
func (b *trialBar) begin(x *trial) {
	b.before.Icon, b.after.Icon = theme.RadioButtonIcon(), theme.RadioButtonCheckedIcon()
	if x.old {
		b.before.Icon, b.after.Icon = b.after.Icon, b.before.Icon
	}
	b.apply.Importance = widget.HighImportance
	if x.guess {
		b.apply.Importance = widget.MediumImportance
	}
	if b.apply.Text = "Apply"; b.d.editor.locked {
		b.apply.Text = "Unlock and apply"
	}
	b.tell()
	b.object.Show()
	b.object.Refresh()
	b.d.frame.relayout()
	if x.guess { // Enter alone makes nothing that may be wrong
		b.d.wb.shell.focus(b.after)
	} else {
		b.d.wb.shell.focus(b.apply)
	}
}

func (b *trialBar) over() {
	b.load.stop()
	b.object.Hide()
	b.d.frame.relayout()
	b.d.wb.shell.focus(b.d.left.view())
}

// tell says what the change is, and what it costs.
func (b *trialBar) tell() {
	x := b.d.trial
	b.load.load(b.d.wb, func(ctx context.Context) (string, error) { return trialText(ctx, x), ctx.Err() }, func(text string, err error) {
		if err == nil && b.d.trial == x && b.text.Text != text {
			b.text.SetText(text)
			b.d.frame.relayout()
		}
	})
}

// trialText says a change in one line, where it is one in its values, and what is to be known of it below.
func trialText(ctx context.Context, x *trial) string {
	n := len(x.plan.Patches)
	text := fmt.Sprintf("Preview: %s. %s", x.plan.Label, counted(int64(n), "byte range")+" would change")
	if n == 1 {
		q := describe(ctx, x.before, x.plan.From, &x.plan.Patches[0])
		text = fmt.Sprintf("Preview: %s. %s would be %s, and is %s", x.plan.Label, q.name, q.is, q.was)
	}
	before, _ := x.before.Findings()
	after, _ := x.after.Findings()
	text += fmt.Sprintf("; %s before, %s after.", problemCounts(gradesOf(once(before)), false), problemCounts(gradesOf(once(after)), true))
	for _, w := range x.plan.Warnings {
		text += "\n▲ " + strings.TrimSpace(w)
	}
	return text
}

package ui

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/kit"
)

// maxMessage is how much of the clipboard is searched for messages.
const maxMessage = 1 << 20

// explain says what the messages of readers in the clipboard mean, alone or in a stack trace, and goes to the first problem of the
// document that one of them is about.
func (wb *Workbench) explain(d *tab) {
	text := wb.App.Clipboard().Content()
	var own *model.Format
	if d != nil {
		own = d.Model.Format
	}
	list := model.Explain(text[:min(len(text), maxMessage)], own, wb.formats)
	if len(list) == 0 {
		wb.Tell("No known message", "The clipboard does not contain a message of a known reader.\nCopy the message or the whole stack trace, and try again.")
		return
	}
	var rules []string
	var page strings.Builder
	for _, x := range list {
		m := x.Message
		fmt.Fprintf(&page, "**%s says \"%s\"**\n\n%s\n\n", m.By, m.Text, strings.TrimSpace(m.Means+" "+m.Do))
		rules = append(rules, m.Rules...)
	}
	pairs := []any{"Close", nil}
	show := func() {
		shown := widget.NewRichTextFromMarkdown(page.String())
		shown.Wrapping = fyne.TextWrapWord
		wb.Shell.Box("What the message means", container.NewVScroll(shown), fyne.NewSize(640, 280), pairs...)
	}
	if d == nil {
		show()
		return
	}
	n := 0
	for i := range d.Found.All {
		if slices.Contains(rules, d.Found.All[i].Rule.ID) {
			n++
		}
	}
	name, sound := filepath.Base(d.Model.Path), len(d.Found.All) == 0
	if n == 0 {
		kit.Work(d.Window, "explaining a message", model.Selected, func(ctx context.Context) (string, error) {
			return d.Model.Tree.Elsewhere(ctx, text, len(rules) > 0, sound), nil
		}, func(says string, _ error) {
			fmt.Fprintf(&page, "%s: %s", name, says)
			show()
		})
		return
	}
	fmt.Fprintf(&page, "In %s: %s of this kind.", name, model.Count(int64(n), "problems"))
	pairs = append(pairs, "Show the problem", func() {
		d.Lower.Show(kit.TabProblems)
		d.problem.ChooseOf(rules)
	})
	show()
}

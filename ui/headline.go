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
	"spandrel/ui/guard"
	"spandrel/ui/paint"
)

// headline says in one line what a document is: its path, format and version, shape, size, state, and the best advice with its button.
type headline struct {
	d      *Document
	load   loader[headlineText]
	name   *widget.Label
	what   *widget.Label
	advice *keyButton
	follow func() // follows the advice
	object fyne.CanvasObject
}

// headlineText is what a worker found out for a headline.
type headlineText struct {
	format, shape string
	fixes         []model.Fix // the repairs of the worst finding that has some
}

func newHeadline(d *Document) *headline {
	h := &headline{d: d, name: widget.NewLabel(""), what: widget.NewLabel("")}
	h.name.TextStyle.Bold = true
	h.name.Truncation, h.what.Truncation = fyne.TextTruncateEllipsis, fyne.TextTruncateEllipsis
	h.advice = newKeyButton(d.wb.Host, "", h.press)
	h.advice.Hide()
	d.check.told = append(d.check.told, func(ended bool) {
		if ended {
			h.changed()
		}
	})
	d.causes.told = append(d.causes.told, func(bool) { h.changed() })
	h.object = container.New(guard.Layout(narrowing{text: h.name, rest: h.what}), h.name, h.what, h.advice)
	return h
}

// press follows the best advice, where there is any.
func (h *headline) press() {
	if h.advice.Hidden {
		h.d.wb.say("no repair follows from what is known")
		return
	}
	h.follow()
}

func (h *headline) selected(Selection)  {}
func (h *headline) hovered(model.Range) {}

func (h *headline) changed() {
	t, all, mended := h.d.Tree(), h.d.found.all, h.d.causes.mended()
	h.load.load(h.d.wb, func(ctx context.Context) (headlineText, error) { return headlineOf(ctx, t, all, mended), ctx.Err() }, func(x headlineText, err error) {
		if err == nil && t == h.d.Tree() {
			h.show(x)
		}
	})
}

func (h *headline) show(x headlineText) {
	h.name.SetText(h.d.tabName())
	parts := []string{tailOf(filepath.Dir(h.d.Model.Path), 60), x.format}
	if x.shape != "" {
		parts = append(parts, x.shape)
	}
	if n := h.d.Tree().Root.Range.Len; n > 0 {
		parts = append(parts, sizeText(n))
	}
	said, what := h.best(x.fixes)
	if n := h.d.found.counts(); n[model.Error]+n[model.Warning] > 0 { // it is read first, also in a narrow window
		parts = append([]string{said}, parts...)
	} else {
		parts = append(parts, said)
	}
	h.what.SetText(strings.Join(parts, "  ·  "))
	h.follow = what.do
	h.advice.Importance = widget.MediumImportance
	if what.proven {
		h.advice.Importance = widget.HighImportance // anything else is the user's choice
	}
	if h.advice.Hide(); what.do != nil && h.d.trial == nil {
		h.advice.SetText(what.label)
		h.advice.Show()
	}
	h.object.Refresh() // what stands beside the button has more room, or less
}

// best says what is wrong, and the best advice for that: to take back the edit that broke what was whole, what the first cause asks for, the
// repairs of the worst finding where no cause is known. The zero advice: there is none, or it is still being looked for.
func (h *headline) best(fixes []model.Fix) (said string, what advice) {
	said = h.d.stateText()
	list := h.d.causes.now()
	switch first, last := h.broke(); {
	case first != nil:
		return fmt.Sprintf("%s since the edit “%s”", said, inWidget(first.Label)), advice{"Undo “" + paint.Shorten(inWidget(last.Label), 50) + "”", false, h.d.editor.undo}
	case len(list) > 0:
		return shortPaths(list[0].Text), firstAdvice(h.d.causes.advice(list[0]))
	case h.d.causes.cancel != nil: // it is looked for: a repair of what follows from it would be offered, and changed at once
		return said, advice{}
	case h.d.causes.pending():
		return h.worst(said), advice{}
	case len(fixes) > 0:
		return h.worst(said), h.d.causes.guessed(fixes)[0]
	}
	return h.worst(said), advice{}
}

// worst is what the worst problem says, before how many there are; how many there are where none is more than a note.
func (h *headline) worst(counts string) string {
	for _, grade := range []model.Severity{model.Error, model.Warning} {
		for i := range h.d.found.all {
			if f := &h.d.found.all[i]; f.Grade() == grade {
				return fmt.Sprintf("%s (%s)", shortPaths(inWidget(f.Text())), counts)
			}
		}
	}
	return counts
}

// broke is the first and the last of the edits that were made since everything was in order; nil: nothing is wrong, or it was before.
func (h *headline) broke() (first, last *model.Change) {
	undo, _ := h.d.Model.History()
	if h.d.trial != nil || h.d.found.counts()[model.Error] == 0 || h.d.found.shrunk == h.d.Tree() {
		return nil, nil
	}
	for i := range slices.Backward(undo) {
		if h.d.check.wasSound(undo[i].Before) {
			return &undo[i], &undo[len(undo)-1]
		}
	}
	return nil, nil
}

// headlineOf reads what a headline says.
func headlineOf(ctx context.Context, t *model.Tree, all []model.Finding, after *mended) (x headlineText) {
	x.format = "no known format"
	if t.Format != nil {
		x.format = t.Format.Title
		for _, path := range []string{"header/version", "version"} {
			if s, err := t.Find(ctx, path); err == nil && s != nil && s.Shape == model.Leaf {
				x.format += " " + versionText(valueText(ctx, t, s))
				break
			}
		}
	}
	if after != nil {
		x.shape = shapeText(after.tree.Tables(ctx)) + " after the repair"
	} else if tables := t.Tables(ctx); len(tables) > 0 {
		x.shape = shapeText(tables)
	}
	for i := range all {
		if all[i].Grade() == model.Error && ctx.Err() == nil {
			if fixes := t.Fixes(ctx, &all[i]); len(fixes) > 0 {
				x.fixes = distinct(fixes)
				break
			}
		}
	}
	return x
}

// versionText is the readable part of a version: its name, where it has one.
func versionText(value string) string {
	if _, name, ok := strings.Cut(value, "["); ok {
		name, _, _ = strings.Cut(name, "]")
		return name
	}
	return value
}

// shapeText says how large the table is that the document is opened for, and over how many shards it goes.
func shapeText(tables []model.Table) string {
	main, noun := &tables[model.MainTable(tables)], "row"
	if name, plural := strings.CutSuffix(main.Name, "s"); plural && len(tables) > 1 {
		noun = name
	}
	rowsOf := func(name string) int64 {
		if i := slices.IndexFunc(tables, func(t model.Table) bool { return t.Name == name }); i >= 0 {
			return tables[i].Rows
		}
		return 0
	}
	text := fmt.Sprintf("%s × %s", grouped(main.Rows, noun), grouped(int64(len(main.Columns)), "column"))
	switch { // the columns of these tables are no part of what the document holds
	case main.Name == "matrix" && rowsOf("genes") > 0:
		text = fmt.Sprintf("%s × %s", grouped(main.Rows, "cell"), grouped(rowsOf("genes"), "gene"))
	case main.Name == "variables":
		if text = grouped(main.Rows, noun); rowsOf("nodes") > 0 {
			text = grouped(rowsOf("nodes"), "operation") + ", " + text
		}
	}
	if n := rowsOf("shards"); n > 0 {
		text += " in " + grouped(n, "shard")
	}
	return text
}

// grouped is counted with commas between thousands.
func grouped(n int64, noun string) string {
	digits, rest, _ := strings.Cut(counted(n, noun), " ")
	for i := len(digits) - 3; i > 0 && n > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + " " + rest
}

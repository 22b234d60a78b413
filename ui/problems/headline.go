package problems

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/show"
)

// Headline says in one line what a document is: its path, format and version, shape, size, state, and the best advice with its button.
type Headline struct {
	d      *doc.Document
	load   kit.Loader[headlineText]
	name   *widget.Label
	What   *widget.Label
	Advice *kit.Button
	follow func() // follows the advice
	Object fyne.CanvasObject
}

// headlineText is a worker's result for a headline.
type headlineText struct {
	format, shape string
	size          string      // of all files
	readers       string      // what those that do not open it make of it
	fixes         []model.Fix // see fixesOf
}

// NewHeadline makes the headline of a document.
func NewHeadline(d *doc.Document) *Headline {
	h := &Headline{d: d, name: kit.NewLine(d.TabName()), What: kit.NewLine(kit.TailOf(d.Place(), 60))}
	h.name.TextStyle.Bold = true
	h.Advice = kit.NewButton(d.Window.Host, "", h.Press)
	h.Advice.Hide()
	d.Checks = append(d.Checks, func(ended bool) {
		if ended {
			h.Changed()
		}
	})
	d.Diagnoses = append(d.Diagnoses, func(bool) { h.Changed() })
	line := container.New(guard.Layout(kit.Narrowing{Text: h.name, Rest: h.What}), h.name, h.What, h.Advice)
	h.Object = container.New(layout.NewCustomPaddedLayout(0, 0, 0, theme.InnerPadding()), line) // the button does not touch the edge of the window
	return h
}

// Press follows the best advice, if there is any.
func (h *Headline) Press() {
	if h.Advice.Hidden {
		text := "there is no error to repair; F8 leads to the other problems"
		if h.d.Found.Counts()[model.Error] > 0 {
			text = "no repair is known"
		}
		h.d.Window.Say(text)
		return
	}
	h.follow()
}

func (h *Headline) Selected(doc.Selection) {}
func (h *Headline) Hovered(model.Range)    {}

func (h *Headline) Changed() {
	t, all, repaired, checked := h.d.Tree(), h.d.Found.All, h.d.Causes.AfterRepair(), h.d.Check.Complete()
	h.load.Load(h.d.Window, func(ctx context.Context) (headlineText, error) {
		x := headlineOf(ctx, t, all, repaired)
		x.readers = refusing(ctx, t, all, checked)
		return x, ctx.Err()
	}, func(x headlineText, err error) {
		if err == nil && t == h.d.Tree() {
			h.show(x)
		}
	})
}

func (h *Headline) show(x headlineText) {
	h.name.SetText(h.d.TabName())
	parts := []string{kit.TailOf(h.d.Place(), 60), x.format}
	if x.shape != "" {
		parts = append(parts, x.shape)
	}
	if x.size != "" {
		parts = append(parts, x.size)
	}
	said, what := h.best(x.fixes)
	if n := h.d.Found.Counts(); n[model.Error]+n[model.Warning] > 0 { // it is read first, also in a narrow window
		head := []string{said}
		if x.readers != "" {
			head = append(head, strings.TrimSuffix(x.readers, ": "+h.worstText())) // the problem has been shown
		}
		parts = append(head, parts...)
	} else {
		parts = append(parts, said)
	}
	h.What.SetText(strings.Join(parts, "  ·  "))
	h.follow = what.Do
	h.Advice.Importance = widget.MediumImportance
	if what.Kind == doc.Proven {
		h.Advice.Importance = widget.HighImportance // anything else is the user's choice
	}
	if h.Advice.Hide(); what.Do != nil && h.d.Preview == nil {
		h.Advice.SetText(what.Label)
		h.Advice.Show()
	}
	h.Object.Refresh() // what stands beside the button has more room, or less
}

// best says what is wrong, and the best advice: to undo the edit that broke an intact document, what the first cause asks for, or the
// repairs of the worst finding if no cause is known. It is zero if there is none, or while it is being searched for.
func (h *Headline) best(fixes []model.Fix) (said string, what doc.Advice) {
	said = h.d.StateText()
	list := h.d.Causes.Now()
	switch first, last := h.Broke(); {
	case first != nil:
		return fmt.Sprintf("%s since the edit “%s”", said, kit.InWidget(first.Label)), doc.Advice{Label: "Undo “" + paint.Shorten(kit.InWidget(last.Label), 50) + "”", Do: h.d.Editor.Undo}
	case len(list) > 0:
		advice := append(h.d.Causes.Advice(list[0]), doc.Advice{})
		return doc.CauseText(list[0]), advice[0]
	case h.d.Causes.Pending(): // a repair offered now would be for a consequence, and soon replaced
		return h.worst(said), doc.Advice{}
	case len(fixes) > 0:
		return h.worst(said), h.d.Causes.Guessed(fixes)[0]
	case h.d.Causes.Cut():
		return h.worst(said), h.d.Causes.Longer()
	}
	return h.worst(said), doc.Advice{}
}

// worst is the text of the worst problem, followed by how many there are; just that number if there are only notes.
func (h *Headline) worst(counts string) string {
	if text := h.worstText(); text != "" {
		return fmt.Sprintf("%s (%s)", doc.ShortPaths(kit.Sentence(kit.InWidget(text))), counts)
	}
	return counts
}

// worstText is the text of the worst problem; "" if there are only notes.
func (h *Headline) worstText() string {
	for _, grade := range []model.Severity{model.Error, model.Warning} {
		for i := range h.d.Found.All {
			if f := &h.d.Found.All[i]; f.Grade() == grade {
				return f.Text()
			}
		}
	}
	return ""
}

// Broke is the first and the last of the edits since everything was in order; nil if nothing is wrong, or was wrong before.
func (h *Headline) Broke() (first, last *model.Change) {
	undo, _ := h.d.Model.History()
	if h.d.Preview != nil || h.d.Found.Counts()[model.Error] == 0 || h.d.Found.Shrunk == h.d.Tree() {
		return nil, nil
	}
	for i := range slices.Backward(undo) {
		if h.d.Check.WasSound(undo[i].Before) {
			return &undo[i], &undo[len(undo)-1]
		}
	}
	return nil, nil
}

// refusing is what the first reader that does not open a document does with it; "" if all open it, or that is not known.
func refusing(ctx context.Context, t *model.Tree, found []model.Finding, checked bool) string {
	for _, v := range t.Verdicts(ctx, found, checked) {
		if v.Does != model.Ignores {
			return v.Text(ctx, t)
		}
	}
	return ""
}

// headlineOf reads what a headline says.
func headlineOf(ctx context.Context, t *model.Tree, all []model.Finding, after *doc.AfterRepair) (x headlineText) {
	x.format = t.Kind(ctx)
	switch files, size := t.Stored(ctx); {
	case size < 0:
		x.size = "at least " + model.Count(files, "files")
	case files == 1:
		x.size = show.Size(size)
	case files > 1:
		x.size = model.Count(files, "files") + ", " + show.Size(size)
	}
	if after != nil {
		x.shape = model.ShapeOf(after.Tree.Tables(ctx)) + " after the repair"
	} else if tables := t.Tables(ctx); len(tables) > 0 {
		x.shape = model.ShapeOf(tables)
	}
	x.fixes = fixesOf(ctx, t, all)
	return x
}

// fixesOf are the repairs of the first error that has some; without errors, of the first warning, which is the one that is shown.
func fixesOf(ctx context.Context, t *model.Tree, all []model.Finding) []model.Fix {
	var warning *model.Finding
	for i := range all {
		switch grade := all[i].Grade(); {
		case grade == model.Error:
			if fixes := t.Fixes(ctx, &all[i]); len(fixes) > 0 || ctx.Err() != nil {
				return doc.DistinctFixes(fixes)
			}
		case grade == model.Warning && warning == nil:
			warning = &all[i]
		}
	}
	if warning == nil || slices.ContainsFunc(all, func(f model.Finding) bool { return f.Grade() == model.Error }) {
		return nil
	}
	return doc.DistinctFixes(t.Fixes(ctx, warning))
}

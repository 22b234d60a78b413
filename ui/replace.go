package ui

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"spandrel/model"
)

// replacer is the line of the find pane that puts other bytes in place of matches. What depends on them follows only when "raw
// edits repair links" is on, as for all raw edits.
type replacer struct {
	p    *findPane
	with *keyEntry
	line *fyne.Container
}

// replaceMost is how many matches are replaced in one step.
const replaceMost = 100_000

func newReplacer(p *findPane) *replacer {
	r := &replacer{p: p, with: newKeyEntry(p.d.wb.Host)}
	r.with.SetPlaceHolder("replace with… (text or bytes, as above; nothing deletes)")
	r.with.OnSubmitted = func(string) { r.one() }
	r.line = container.NewBorder(nil, nil, nil, container.NewHBox(newKeyButton(p.d.wb.Host, "Replace", r.one), newKeyButton(p.d.wb.Host, "Replace all", r.all)), r.with)
	r.line.Hide()
	return r
}

// show brings the line up for the kinds of search that find bytes.
func (r *replacer) show() {
	p := r.p
	if !p.findsBytes() {
		p.kind.SetSelected(findText)
	}
	p.d.lower.show(tabFind)
	r.line.Show()
	p.object.Refresh()
	p.d.wb.shell.focus(p.entry)
}

// ready returns what to look for and what to write, or says why not.
func (r *replacer) ready() (w wanted, with []byte, ok bool) {
	p := r.p
	w, err := p.wanted()
	if err == nil {
		with, err = replacementOf(p.kind.Selected, p.number.Selected, r.with.Text)
	}
	if err == nil && p.d.editor.locked {
		err = errLocked
	}
	if err != nil {
		p.say(err.Error())
	}
	return w, with, err == nil
}

// one replaces the match that is selected and goes to the next.
func (r *replacer) one() {
	_, with, ok := r.ready()
	if !ok {
		return
	}
	d, hit := r.p.d, r.p.hit
	if hit.Len == 0 || d.sel.now.Range != hit {
		r.p.next(false)
		return
	}
	r.p.hit = model.Range{}
	d.editor.later("replace", "", func() []model.Edit { return []model.Edit{r.edit(hit, with)} }, func(err error) {
		if err != nil {
			r.p.say(err.Error())
			return
		}
		r.p.nextFrom(hit.Off+int64(len(with)), false)
	})
}

func (r *replacer) edit(at model.Range, with []byte) model.Edit {
	return model.Splice{Range: at, With: model.Memory(with), Loose: !r.p.d.editor.repairLinks}
}

// all replaces every match in the space that the hex pane shows, as one step.
func (r *replacer) all() {
	w, with, ok := r.ready()
	if !ok {
		return
	}
	p, t := r.p, r.p.d.Tree()
	p.stop()
	p.say("searching…")
	p.cancel = p.d.wb.submit(model.Job{Title: "replacing", Priority: model.Edited,
		Run: func(ctx context.Context, progress func(done, total int64)) (any, error) {
			return w.ranges(ctx, t, progress)
		},
		Done: func(v any, err error) {
			p.cancel = nil
			hits, _ := v.([]model.Range)
			if err != nil || len(hits) == 0 {
				p.say("no match")
				if err != nil {
					p.say(err.Error())
				}
				return
			}
			edits := make([]model.Edit, len(hits))
			for i, h := range hits {
				edits[i] = r.edit(h, with)
			}
			p.d.editor.edit(model.Words("replace %d matches", len(hits)), "", edits, func(err error) {
				p.say(fmt.Sprintf("%d replaced", len(hits)))
				if err != nil {
					p.say(err.Error())
				}
			})
		}})
}

// ranges lists the matches in the space that is shown that do not overlap.
func (w *wanted) ranges(ctx context.Context, t *model.Tree, progress func(done, total int64)) (hits []model.Range, err error) {
	err = t.SearchAll(ctx, w.space, w.queries, true, progress, func(r model.Range) bool {
		hits = append(hits, r)
		return len(hits) <= replaceMost
	})
	if len(hits) > replaceMost {
		return nil, fmt.Errorf("there are more than %d matches", replaceMost)
	}
	return hits, err
}

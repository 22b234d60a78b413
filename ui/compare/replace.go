package compare

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// Replacer is the line of the find pane that replaces matches. What depends on the bytes is updated only if "raw
// edits repair links" is on, as for all raw edits.
type Replacer struct {
	p    *Find
	with *kit.Entry
	line *fyne.Container
}

// replaceMost is how many matches are replaced in one step.
const replaceMost = 100_000

func newReplacer(p *Find) *Replacer {
	r := &Replacer{p: p, with: kit.NewEntry(p.Doc.Window.Host)}
	r.with.SetPlaceHolder("replace with… (text or bytes, as above; empty deletes)")
	r.with.OnSubmitted = func(string) { r.one() }
	r.line = container.NewBorder(nil, nil, nil, container.NewHBox(kit.NewButton(p.Doc.Window.Host, "Replace", r.one), kit.NewButton(p.Doc.Window.Host, "Replace all", r.all)), r.with)
	r.line.Hide()
	return r
}

// Show shows the line for the kinds of search that find bytes.
func (r *Replacer) Show() {
	p := r.p
	if !p.findsBytes() {
		p.Kind.SetSelected(findText)
	}
	p.Doc.Lower.Show(kit.TabFind)
	r.line.Show()
	p.Object.Refresh()
	p.Doc.Window.Shell.Focus(p.Entry)
}

// ready returns what to look for and what to write, or says why not.
func (r *Replacer) ready() (w Wanted, with []byte, ok bool) {
	p := r.p
	w, err := p.wanted()
	if err == nil {
		with, err = replacementOf(p.Kind.Selected, p.number.Selected, r.with.Text)
	}
	if err == nil && p.Doc.Editor.Locked {
		err = doc.ErrLocked
	}
	if err != nil {
		p.say(err.Error())
	}
	return w, with, err == nil
}

// one replaces the selected match and goes to the next.
func (r *Replacer) one() {
	_, with, ok := r.ready()
	if !ok {
		return
	}
	d, hit := r.p.Doc, r.p.hit
	if hit.Len == 0 || d.Sel.Now.Range != hit {
		r.p.Next(false)
		return
	}
	r.p.hit = model.Range{}
	d.Editor.Later("replace", "", func() []model.Edit { return []model.Edit{r.edit(hit, with)} }, func(err error) {
		if err != nil {
			r.p.say(err.Error())
			return
		}
		r.p.nextFrom(hit.Off+int64(len(with)), false)
	})
}

func (r *Replacer) edit(at model.Range, with []byte) model.Edit {
	return model.Splice{Range: at, With: model.Memory(with), Loose: !r.p.Doc.Editor.RepairLinks}
}

// all replaces every match in the space shown in the hex pane, as one step.
func (r *Replacer) all() {
	w, with, ok := r.ready()
	if !ok {
		return
	}
	p, t := r.p, r.p.Doc.Tree()
	p.cancel.Stop()
	p.say("searching…")
	p.cancel = kit.Watched(p.Doc.Window, "replacing", model.Edited, func(ctx context.Context, progress kit.Progress) ([]model.Range, error) {
		return w.ranges(ctx, t, progress)
	}, func(hits []model.Range, err error) {
		p.cancel = nil
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
		p.Doc.Editor.Edit(model.Words("replace %d matches", len(hits)), "", edits, func(err error) {
			if err != nil {
				p.say(err.Error())
				return
			}
			p.Doc.Window.Say(fmt.Sprintf("%d replaced", len(hits)))
		})
	})
}

// ranges lists the non-overlapping matches in the current space.
func (w *Wanted) ranges(ctx context.Context, t *model.Tree, progress func(done, total int64)) (hits []model.Range, err error) {
	err = t.SearchAll(ctx, w.Space, w.Queries, true, progress, func(r model.Range) bool {
		hits = append(hits, r)
		return len(hits) <= replaceMost
	})
	if len(hits) > replaceMost {
		return nil, fmt.Errorf("there are more than %d matches", replaceMost)
	}
	return hits, err
}

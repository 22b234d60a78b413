package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/rows"
)

// findPane searches bytes, and fields by name and value. Every hit is marked in the hex pane and its map.
type findPane struct {
	listPane
	entry  *keyEntry
	kind   *keySelect
	number *keySelect // the type of a number
	scope  *keySelect
	state  *widget.Label
	cancel func()
	tree   *model.Tree // that was searched
	hit    model.Range // the match that was gone to last
	with   *replacer
	object fyne.CanvasObject
	beside func(o *Document, byNames bool) *alignment // shows the bytes of another document beside those of this one
}

func newFindPane(d *Document, beside func(o *Document, byNames bool) *alignment) *findPane {
	p := &findPane{beside: beside, listPane: newListPane(d, hitColumns()...)}
	p.bind(p)
	p.chosen = func(row int64) {
		if p.findsBytes() {
			p.hit = p.items[row].at
		}
	}
	p.entry = newKeyEntry(d.wb.Host)
	p.entry.SetPlaceHolder("find…")
	p.entry.OnSubmitted = func(string) { p.run() }
	p.entry.other = func(name fyne.KeyName) bool {
		stops := name == fyne.KeyEscape && p.cancel != nil
		if stops {
			p.stop()
			p.say("the search was stopped")
		}
		return stops
	}
	p.kind = newKeySelect(d.wb.Host, findKinds, 0, func(int) { p.chosenKind() })
	p.number = newKeySelect(d.wb.Host, numberNames(), slices.Index(numberNames(), "u32"), func(int) {})
	p.number.Hide()
	p.scope = newKeySelect(d.wb.Host, findScopes, 0, func(int) {})
	p.state = widget.NewLabel("")
	p.state.Truncation = fyne.TextTruncateEllipsis
	all := newKeyButton(d.wb.Host, "Find all", p.run)
	p.with = newReplacer(p)
	d.hits, d.marks.told = p.hits, append(d.marks.told, p.listBookmarks)
	left, right := container.NewHBox(p.kind, p.number), container.NewHBox(p.scope, all)
	line := container.New(layout.NewBorderLayout(nil, nil, left, right), left, right, p.entry) // Tab goes on to the replacement
	p.object = container.NewBorder(container.NewVBox(line, p.with.line, p.state), nil, nil, nil, p.View)
	p.state.Hide()
	return p
}

// hitColumns are the columns of hits.
func hitColumns() []rows.Column {
	return []rows.Column{{Title: "where", Width: 240}, {Title: "field", Width: 260}, {Title: "value", Width: 300}}
}

// say shows what a search found.
func (p *findPane) say(text string) {
	p.state.SetText(text)
	if hide := text == ""; hide != p.state.Hidden {
		p.state.Hidden = hide
		p.object.Refresh()
	}
}

func (p *findPane) selected(Selection) {}
func (p *findPane) changed()           {}

func (p *findPane) stop() {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
}

// wanted reads what was typed as bytes to look for, and where.
func (p *findPane) wanted() (w wanted, err error) {
	w.queries, err = queriesOf(p.kind.Selected, p.number.Selected, p.entry.Text)
	if p.kind.Selected == findNumber {
		w.number = codecsOf(p.number.Selected)
	}
	if p.kind.Selected == findUTF16 {
		w.wide = p.entry.Text
	}
	w.scope, w.space = p.scope.Selected, p.d.shown().space
	return w, err
}

// chosenKind shows what needs no search at once, and what the kind has to be told.
func (p *findPane) chosenKind() {
	p.number.Hidden, p.scope.Hidden = p.kind.Selected != findNumber, !p.findsBytes()
	if !p.findsBytes() {
		p.with.line.Hide()
	}
	if p.kind.Selected != findDifferences && len(p.Columns) != len(hitColumns()) {
		p.set(nil)
		p.Columns, p.Fits = hitColumns(), true
	}
	p.say("")
	p.object.Refresh()
	if p.kind.Selected == findMarks {
		p.run()
	}
}

// findsBytes tells whether the kind of search finds bytes, not fields.
func (p *findPane) findsBytes() bool {
	return p.kind.Selected != findFields && p.kind.Selected != findMarks && p.kind.Selected != findDifferences
}

// run lists all hits.
func (p *findPane) run() {
	p.stop()
	switch p.kind.Selected {
	case findMarks:
		p.set(p.d.marks.places())
		p.say(counted(p.Count(), "bookmark"))
		return
	case findDifferences:
		p.say("Tools › Compare lists them")
		return
	}
	t := p.d.Tree()
	if p.kind.Selected == findFields {
		f, err := parseFilter(p.entry.Text)
		if err != nil {
			p.say(err.Error())
			return
		}
		p.list("searching", "hit", "", func(ctx context.Context, _ func(done, total int64)) (any, error) { return f.search(ctx, t, true) })
		return
	}
	w, err := p.wanted()
	if err != nil {
		p.say("nothing is looked for: " + err.Error())
		return
	}
	p.list("searching", "hit", " "+p.where(w), func(ctx context.Context, progress func(done, total int64)) (any, error) {
		return w.all(ctx, t, progress)
	})
}

// where says in words where a search looks, and what it leaves out.
func (p *findPane) where(w wanted) string {
	files := 0
	for _, sp := range p.d.Tree().Spaces() {
		if !sp.Derived() {
			files++
		}
	}
	switch {
	case w.scope == scopeDecoded:
		return "in everything, decoded too"
	case w.scope == scopeFiles:
		return "in " + counted(int64(files), "file") + "; what is compressed was not searched"
	case files > 1:
		return fmt.Sprintf("in %s; %s not searched", p.d.spaceTab(w.space), counted(int64(files-1), "other file"))
	}
	return "in " + p.d.spaceTab(w.space)
}

// list shows what a search finds, and how many of a noun that is; behind it comes from.
func (p *findPane) list(title, noun, from string, search func(ctx context.Context, progress func(done, total int64)) (any, error)) {
	p.stop()
	p.say(title + "…")
	p.tree = p.d.Tree()
	p.cancel = p.d.wb.submit(model.Job{Title: title, Priority: model.Index, Run: search,
		Done: func(v any, err error) {
			p.cancel = nil
			items, _ := v.([]place)
			p.Current = -1
			p.set(items)
			p.choose(0)
			text := counted(int64(len(items)), noun)
			if len(items) == findMost {
				text = "the first " + text
			}
			switch {
			case errors.Is(err, context.Canceled):
				text += " until the search was stopped"
			case err != nil:
				text = err.Error()
			default:
				text += from
			}
			p.say(text)
			p.d.opened()
		}})
}

// hits returns the matches that are listed of a space.
func (p *findPane) hits(space model.SpaceID) (list []model.Range) {
	if !p.findsBytes() || p.tree != p.d.Tree() { // after an edit they are elsewhere
		return nil
	}
	for i := range p.items {
		if at := p.items[i].at; at.Space == space {
			list = append(list, at)
		}
	}
	return list
}

// markHit marks the row of a match that was found from the caret on.
func (p *findPane) markHit(r model.Range) {
	p.Current = int64(slices.IndexFunc(p.items, func(i place) bool { return i.at == r }))
	if p.Current >= 0 {
		p.say(fmt.Sprintf("%d of %s", p.Current+1, counted(p.Count(), "hit")))
		p.View.Follow(p.Current)
	}
	p.View.Redraw()
}

// step goes to the next or the previous row.
func (p *findPane) step(back bool) {
	if n := p.Count(); n > 0 {
		to := p.Current + 1
		if back {
			to = max(p.Current, 0) - 1
		}
		p.choose((to + n) % n)
	}
}

// next goes to the next match behind the caret, or the one before it; of a search in other places too, to the next row.
func (p *findPane) next(back bool) {
	w, err := p.wanted()
	if err != nil || !p.findsBytes() || w.scope != scopeSpace {
		p.step(back)
		return
	}
	from := p.d.shown().caret
	if !back {
		from++
	}
	p.nextFrom(from, back)
}

// nextFrom goes to the first match from an offset on, or with back to the last one before it.
func (p *findPane) nextFrom(from int64, back bool) {
	w, err := p.wanted()
	if err != nil {
		return
	}
	p.stop()
	t := p.d.Tree()
	p.cancel = p.d.wb.submit(model.Job{Title: "searching", Priority: model.Selected,
		Run: func(ctx context.Context, progress func(done, total int64)) (any, error) {
			return w.first(ctx, t, w.space, from, back, progress)
		},
		Done: func(v any, err error) {
			p.cancel = nil
			if r, ok := v.(model.Range); ok && err == nil {
				p.say("")
				p.hit = r
				p.d.sel.bytes(r, nil)
				p.markHit(r)
				return
			}
			p.say("no further match")
		}})
}

// listBookmarks lists the bookmarks anew, when it is them that are listed.
func (p *findPane) listBookmarks() {
	if p.kind.Selected == findMarks {
		p.run()
	}
}

func (p *findPane) differences() int {
	if p.kind.Selected != findDifferences {
		return 0
	}
	return int(p.Count())
}

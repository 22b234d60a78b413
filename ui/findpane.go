package ui

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/rows"
)

// findPane searches the address space that the hex pane shows, and fields by name and value.
type findPane struct {
	listPane
	entry  *keyEntry
	kind   *keySelect
	state  *widget.Label
	cancel func()
	hit    model.Range // the match that was gone to last
	with   *replacer
	object fyne.CanvasObject
}

// The kinds of search.
const (
	findText   = "text"
	findExact  = "text, exact case"
	findHex    = "bytes: 50 4b ?? 04"
	findFields = "fields: name ~ feat, rows > 1000"
	findMarks  = "bookmarks"

	findDifferences = "differences"
)

// findMost is how many hits are listed.
const findMost = 2000

func newFindPane(d *Document) *findPane {
	p := &findPane{listPane: newListPane(d, rows.Column{Title: "where", Width: 150}, rows.Column{Title: "field", Width: 260}, rows.Column{Title: "value", Width: 300})}
	p.bind(p)
	p.chosen = func(row int64) {
		if p.findsBytes() {
			p.hit = p.items[row].at
		}
	}
	p.entry = newKeyEntry(d.wb.Workbench)
	p.entry.SetPlaceHolder("find…")
	p.entry.OnSubmitted = func(string) { p.run() }
	p.kind = newKeySelect(d.wb.Workbench, []string{findText, findExact, findHex, findFields, findMarks, findDifferences}, 0, func(int) { p.chosenKind() })
	p.state = widget.NewLabel("")
	p.state.Truncation = fyne.TextTruncateEllipsis
	all := newKeyButton(d.wb.Workbench, "Find all", p.run)
	p.with = newReplacer(p)
	room := canvas.NewRectangle(color.Transparent)
	room.SetMinSize(fyne.NewSize(170, 1)) // what it says must not widen the pane
	right := container.NewHBox(all, container.NewStack(room, p.state))
	line := container.New(layout.NewBorderLayout(nil, nil, p.kind, right), p.kind, right, p.entry) // Tab goes on to the replacement
	p.object = container.NewBorder(container.NewVBox(line, p.with.line), nil, nil, nil, p.View)
	return p
}

func (p *findPane) selected(Selection) {}
func (p *findPane) changed()           {}

func (p *findPane) stop() {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
}

// query reads what was typed as bytes to look for.
func (p *findPane) query() (model.Query, error) {
	if p.kind.Selected == findHex {
		return model.HexQuery(p.entry.Text)
	}
	return model.TextQuery(p.entry.Text, p.kind.Selected == findText), nil
}

// chosenKind shows what needs no search at once, and the line for the replacement where bytes can be replaced.
func (p *findPane) chosenKind() {
	if !p.findsBytes() {
		p.with.line.Hide()
	}
	if p.kind.Selected == findMarks {
		p.run()
	}
}

// findsBytes tells whether the kind of search finds bytes, not fields.
func (p *findPane) findsBytes() bool {
	return p.kind.Selected == findText || p.kind.Selected == findExact || p.kind.Selected == findHex
}

// run lists all hits.
func (p *findPane) run() {
	p.stop()
	if p.kind.Selected == findMarks {
		p.set(p.d.marks.places())
		p.state.SetText(counted(p.Count(), "bookmark"))
		return
	}
	if p.kind.Selected == findDifferences {
		p.state.SetText("Tools › Compare lists them")
		return
	}
	t, space := p.d.Tree(), p.d.hex.space
	var search func(ctx context.Context, progress func(done, total int64)) (any, error)
	if p.kind.Selected == findFields {
		f, err := parseFilter(p.entry.Text)
		if err != nil {
			p.state.SetText(err.Error())
			return
		}
		search = func(ctx context.Context, _ func(done, total int64)) (any, error) { return f.search(ctx, t, true) }
	} else {
		q, err := p.query()
		if err != nil || q.Len() == 0 {
			p.state.SetText(fmt.Sprint("nothing to look for: ", err))
			return
		}
		search = func(ctx context.Context, progress func(done, total int64)) (any, error) {
			return findAll(ctx, t, space, q, progress)
		}
	}
	p.list("searching", "hit", "", search)
}

// list shows what a search finds, and how many of a noun that is; behind it comes from.
func (p *findPane) list(title, noun, from string, search func(ctx context.Context, progress func(done, total int64)) (any, error)) {
	p.stop()
	p.state.SetText(title + "…")
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
			if p.state.SetText(text + from); err != nil {
				p.state.SetText(err.Error())
			}
			p.d.opened()
		}})
}

// findAll lists the matches in a space.
func findAll(ctx context.Context, t *model.Tree, space model.SpaceID, q model.Query, progress func(done, total int64)) (items []place, err error) {
	for from := int64(0); len(items) < findMost; {
		r, err := t.Search(ctx, space, q, from, false, progress)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return items, err
		}
		from = r.Off + 1
		path, b := "", []byte(nil)
		if s := t.At(space, r.Off); s != nil {
			path = s.Path()
		}
		b, _ = t.Bytes(ctx, model.Range{Space: space, Off: r.Off, Len: min(r.Len, 32)})
		items = append(items, place{at: r, cells: []rows.Cell{{Text: fmt.Sprintf("0x%x", r.Off), Mono: true}, {Text: path}, {Text: fmt.Sprintf("% x  %q", b, b), Mono: true}}})
	}
	return items, ctx.Err()
}

// markHit marks the row of a match that was found from the caret on.
func (p *findPane) markHit(r model.Range) {
	p.Current = int64(slices.IndexFunc(p.items, func(i place) bool { return i.at == r }))
	if p.Current >= 0 {
		p.state.SetText(fmt.Sprintf("%d of %s", p.Current+1, counted(p.Count(), "hit")))
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

// next goes to the next match behind the caret, or the one before it.
func (p *findPane) next(back bool) {
	q, err := p.query()
	if err != nil || q.Len() == 0 || !p.findsBytes() {
		p.step(back)
		return
	}
	from := p.d.hex.caret
	if !back {
		from++
	}
	p.nextFrom(from, back)
}

// nextFrom goes to the first match from an offset on, or with back to the last one before it.
func (p *findPane) nextFrom(from int64, back bool) {
	q, err := p.query()
	if err != nil {
		return
	}
	p.stop()
	t, space := p.d.Tree(), p.d.hex.space
	p.cancel = p.d.wb.submit(model.Job{Title: "searching", Priority: model.Selected,
		Run: func(ctx context.Context, progress func(done, total int64)) (any, error) {
			return t.Search(ctx, space, q, from, back, progress)
		},
		Done: func(v any, err error) {
			p.cancel = nil
			if r, ok := v.(model.Range); ok && err == nil {
				p.state.SetText("")
				p.hit = r
				p.d.sel.bytes(r, nil)
				p.markHit(r)
				return
			}
			p.state.SetText("no further match")
		}})
}

package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/ui/rows"
)

// bookmark is a range that somebody wants to come back to: in a field, so that it moves with it when the file is edited.
type bookmark struct {
	Name  string `json:",omitempty"`
	Path  string // of the field; the file itself is ""
	Space string // its title, for the order
	At    int64  // offset in the space, when the bookmark was made
	Off   int64  // from the start of the field
	Len   int64
}

// The preference "bookmarks" maps paths of files to their bookmarks. Only so many files are remembered.
const (
	marksKey      = "bookmarks"
	markFilesMost = 100
)

func (wb *Workbench) allMarks() map[string][]bookmark {
	all := map[string][]bookmark{}
	_ = json.Unmarshal([]byte(wb.app.Preferences().String(marksKey)), &all) // unreadable preferences hold no bookmarks
	return all
}

// marks returns the bookmarks of the document, in the order of the bytes.
func (d *Document) marks() []bookmark { return d.wb.allMarks()[d.Model.Path] }

func (d *Document) setMarks(list []bookmark) {
	slices.SortStableFunc(list, func(a, b bookmark) int {
		if c := strings.Compare(a.Space, b.Space); c != 0 {
			return c
		}
		return int(max(-1, min(1, a.At-b.At)))
	})
	all := d.wb.allMarks()
	if all[d.Model.Path] = list; len(list) == 0 {
		delete(all, d.Model.Path)
	}
	for path := range all {
		if len(all) > markFilesMost && path != d.Model.Path {
			delete(all, path)
		}
	}
	if b, err := json.Marshal(all); err == nil {
		d.wb.app.Preferences().SetString(marksKey, string(b))
	}
	d.hex.marked = d.markedBytes(d.hex.space)
	d.hex.view.Redraw()
	if d.find.kind.Selected == findMarks {
		d.find.run()
	}
}

// moveMarks looks the bookmarks up in a tree that was parsed anew: an edit may have moved what they are on.
func (d *Document) moveMarks() {
	list, t := d.marks(), d.Tree()
	if len(list) == 0 {
		return
	}
	at := make([]model.Range, len(list))
	d.wb.submit(model.Job{Priority: model.Prefetch,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			for i, m := range list {
				at[i].Off = m.At
				if s, err := t.Find(ctx, m.Path); err == nil && s != nil {
					at[i] = model.Range{Space: s.Range.Space, Off: s.Range.Off + m.Off, Len: 1}
				}
			}
			return nil, ctx.Err()
		},
		Done: func(_ any, err error) {
			if err != nil || t != d.Tree() {
				return
			}
			moved := slices.Clone(list)
			for i := range moved {
				if moved[i].At = at[i].Off; at[i].Len > 0 {
					moved[i].Space = d.spaceTitle(at[i].Space)
				}
			}
			if !slices.Equal(moved, list) {
				d.setMarks(moved)
			}
		}})
}

// markHere returns the bookmark of the selection, or one for it, and its number among the others: -1 when there is none.
func (d *Document) markHere() (bookmark, int) {
	s, r := d.Sel.Span, d.Sel.Range
	m := bookmark{Path: s.Path(), Space: d.spaceTitle(r.Space), At: r.Off, Off: r.Off - s.Range.Off, Len: r.Len}
	for i, o := range d.marks() {
		if o.Path == m.Path && o.Off == m.Off && o.Len == m.Len {
			return o, i
		}
	}
	return m, -1
}

// ToggleMark sets a bookmark at the selection, or removes the one that is there.
func (d *Document) ToggleMark() {
	m, at := d.markHere()
	list := d.marks()
	if at >= 0 {
		d.setMarks(slices.Delete(list, at, at+1))
		d.wb.status.say("the bookmark is removed")
		return
	}
	d.setMarks(append(list, m))
	d.wb.status.say("bookmark set: " + m.title())
}

// nameMark names the bookmark at the selection and sets it when there is none.
func (d *Document) nameMark(name string) {
	m, at := d.markHere()
	m.Name = strings.TrimSpace(name)
	list := d.marks()
	if at >= 0 {
		list = slices.Delete(list, at, at+1)
	}
	d.setMarks(append(list, m))
}

func (wb *Workbench) askMark(d *Document) {
	m, _ := d.markHere()
	wb.ask("Bookmark", "a name for the bookmark at the selection", m.Name, func(s string, done func(error)) {
		d.nameMark(s)
		done(nil)
	})
}

func (m bookmark) title() string {
	switch {
	case m.Name != "":
		return m.Name
	case m.Path != "":
		return m.Path
	}
	return fmt.Sprintf("0x%x", m.At)
}

// StepMark goes to the bookmark behind the selection, or with -1 to the one before it; behind the last comes the first.
func (d *Document) StepMark(by int) {
	list := d.marks()
	if len(list) == 0 {
		d.wb.status.say("there are no bookmarks: Ctrl+B sets one")
		return
	}
	here := bookmark{Space: d.spaceTitle(d.Sel.Range.Space), At: d.Sel.Range.Off}
	after := func(a, b bookmark) bool { return a.Space > b.Space || a.Space == b.Space && a.At > b.At }
	at := -1
	for i, m := range list {
		switch {
		case by > 0 && at < 0 && after(m, here), by < 0 && after(here, m):
			at = i
		}
	}
	if at < 0 && by < 0 {
		at = len(list) - 1
	}
	d.goToField(*list[max(0, at)].place().in)
}

func (m bookmark) place() place {
	return place{in: &fieldRange{m.Path, m.Off, m.Len}, cells: []rows.Cell{{Text: fmt.Sprintf("0x%x", m.At), Mono: true}, {Text: m.title()}, {Text: m.Path + "  " + m.Space, Dim: true}}}
}

// markPlaces lists the bookmarks for the find pane.
func (d *Document) markPlaces() (out []place) {
	for _, m := range d.marks() {
		out = append(out, m.place())
	}
	return out
}

// markedBytes returns the bookmarked offsets of a space, for its gutter.
func (d *Document) markedBytes(id model.SpaceID) (out []int64) {
	title := d.spaceTitle(id)
	for _, m := range d.marks() {
		if m.Space == title {
			out = append(out, m.At)
		}
	}
	return out
}

// goToField looks for a field by its path and selects its bytes.
func (d *Document) goToField(p fieldRange) {
	d.findPath(p.path, func(s *model.Span, err error) {
		if err != nil {
			d.wb.status.say(p.path + " is no longer there")
			return
		}
		r := model.Range{Space: s.Range.Space, Off: s.Range.Off + p.off, Len: p.n}
		if p.n == 0 || !s.Range.Contains(r) {
			r = s.Range
		}
		d.Select(Selection{Span: s, Range: r})
	})
}

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

// bookmarks are those of a document.
type bookmarks struct {
	d    *Document
	told []func() // of another list
}

// The preference "bookmarks" maps paths of files to their bookmarks. Only so many files are remembered.
const (
	marksKey      = "bookmarks"
	markFilesMost = 100
)

func allMarks(h *Host) map[string][]bookmark {
	all := map[string][]bookmark{}
	_ = json.Unmarshal([]byte(h.app.Preferences().String(marksKey)), &all) // unreadable preferences hold no bookmarks
	return all
}

// list returns the bookmarks of the document, in the order of the bytes.
func (k *bookmarks) list() []bookmark { return allMarks(k.d.wb.Host)[k.d.Model.Path] }

func (k *bookmarks) set(list []bookmark) {
	slices.SortStableFunc(list, func(a, b bookmark) int {
		if c := strings.Compare(a.Space, b.Space); c != 0 {
			return c
		}
		return int(max(-1, min(1, a.At-b.At)))
	})
	all := allMarks(k.d.wb.Host)
	if all[k.d.Model.Path] = list; len(list) == 0 {
		delete(all, k.d.Model.Path)
	}
	for path := range all {
		if len(all) > markFilesMost && path != k.d.Model.Path {
			delete(all, path)
		}
	}
	if b, err := json.Marshal(all); err == nil {
		k.d.wb.app.Preferences().SetString(marksKey, string(b))
	}
	for _, f := range k.told {
		f()
	}
}

// follow looks the bookmarks up in a tree that was parsed anew: an edit may have moved what they are on.
func (k *bookmarks) follow() {
	list, t := k.list(), k.d.Tree()
	if len(list) == 0 {
		return
	}
	at := make([]model.Range, len(list))
	k.d.wb.submit(model.Job{Priority: model.Prefetch,
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
			if err != nil || t != k.d.Tree() {
				return
			}
			moved := slices.Clone(list)
			for i := range moved {
				if moved[i].At = at[i].Off; at[i].Len > 0 {
					moved[i].Space = k.d.spaceTitle(at[i].Space)
				}
			}
			if !slices.Equal(moved, list) {
				k.set(moved)
			}
		}})
}

// here returns the bookmark of the selection, or one for it, and its number among the others: -1 when there is none.
func (k *bookmarks) here() (bookmark, int) {
	s, r := k.d.sel.now.Span, k.d.sel.now.Range
	m := bookmark{Path: s.Path(), Space: k.d.spaceTitle(r.Space), At: r.Off, Off: r.Off - s.Range.Off, Len: r.Len}
	for i, o := range k.list() {
		if o.Path == m.Path && o.Off == m.Off && o.Len == m.Len {
			return o, i
		}
	}
	return m, -1
}

// toggle sets a bookmark at the selection, or removes the one that is there.
func (k *bookmarks) toggle() {
	m, at := k.here()
	list := k.list()
	if at >= 0 {
		k.set(slices.Delete(list, at, at+1))
		k.d.wb.say("the bookmark is removed")
		return
	}
	k.set(append(list, m))
	k.d.wb.say("bookmark set: " + m.title())
}

// name names the bookmark at the selection and sets it when there is none.
func (k *bookmarks) name(name string) {
	m, at := k.here()
	m.Name = strings.TrimSpace(name)
	list := k.list()
	if at >= 0 {
		list = slices.Delete(list, at, at+1)
	}
	k.set(append(list, m))
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

// step goes to the bookmark behind the selection, or with -1 to the one before it; behind the last comes the first.
func (k *bookmarks) step(by int) {
	list := k.list()
	if len(list) == 0 {
		k.d.wb.say("there are no bookmarks: Ctrl+B sets one")
		return
	}
	here := bookmark{Space: k.d.spaceTitle(k.d.sel.now.Range.Space), At: k.d.sel.now.Range.Off}
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
	k.d.goToField(*list[max(0, at)].place().in)
}

func (m bookmark) place() place {
	return place{in: &fieldRange{m.Path, m.Off, m.Len}, cells: []rows.Cell{{Text: fmt.Sprintf("0x%x", m.At), Mono: true}, {Text: m.title()}, {Text: m.rest(), Dim: true}}}
}

// rest is what the row of a bookmark does not say already: the path below a name, and which bytes these are, of others than the first file's.
func (m bookmark) rest() string {
	var parts []string
	if m.Name != "" && m.Path != "" {
		parts = append(parts, m.Path)
	}
	if m.Space != "File" {
		parts = append(parts, m.Space)
	}
	return strings.Join(parts, "  ")
}

// places lists the bookmarks for the find pane.
func (k *bookmarks) places() (out []place) {
	for _, m := range k.list() {
		out = append(out, m.place())
	}
	return out
}

// bytes returns the bookmarked offsets of a space, for its gutter.
func (k *bookmarks) bytes(id model.SpaceID) (out []int64) {
	title := k.d.spaceTitle(id)
	for _, m := range k.list() {
		if m.Space == title {
			out = append(out, m.At)
		}
	}
	return out
}

// goToField looks for a field by its path and selects its bytes.
func (d *Document) goToField(p fieldRange) {
	d.sel.find(p.path, func(s *model.Span, err error) {
		if err != nil {
			d.wb.say(p.path + " is no longer there")
			return
		}
		r := model.Range{Space: s.Range.Space, Off: s.Range.Off + p.off, Len: p.n}
		if p.n == 0 || !s.Range.Contains(r) {
			r = s.Range
		}
		d.sel.set(Selection{Span: s, Range: r})
	})
}

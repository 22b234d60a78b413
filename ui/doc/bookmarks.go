package doc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// bookmark is a range that someone wants to return to: in a field, so that it moves with the field when the file is edited.
type bookmark struct {
	Name  string `json:",omitempty"`
	Path  string // of the field; the file itself is ""
	Space string // its title, for the order
	At    int64  // offset in the space, when the bookmark was made
	Off   int64  // from the start of the field
	Len   int64
}

// Bookmarks are those of a document.
type Bookmarks struct {
	d    *Document
	Told []func() // of another list
}

// The preference "bookmarks" maps paths of files to their bookmarks. Only so many files are remembered.
const (
	marksKey      = "bookmarks"
	markFilesMost = 100
)

func allMarks(h *kit.Host) map[string][]bookmark {
	all := map[string][]bookmark{}
	_ = json.Unmarshal([]byte(h.App.Preferences().String(marksKey)), &all) // unreadable preferences hold no bookmarks
	return all
}

// List returns the bookmarks of the document, ordered by offset.
func (k *Bookmarks) List() []bookmark { return allMarks(k.d.Window.Host)[k.d.Model.Path] }

func (k *Bookmarks) set(list []bookmark) {
	slices.SortStableFunc(list, func(a, b bookmark) int {
		return cmp.Or(strings.Compare(a.Space, b.Space), cmp.Compare(a.At, b.At))
	})
	all := allMarks(k.d.Window.Host)
	if all[k.d.Model.Path] = list; len(list) == 0 {
		delete(all, k.d.Model.Path)
	}
	for path := range all {
		if len(all) > markFilesMost && path != k.d.Model.Path {
			delete(all, path)
		}
	}
	if b, err := json.Marshal(all); err == nil {
		k.d.Window.App.Preferences().SetString(marksKey, string(b))
	}
	for _, v := range k.d.views() {
		for _, f := range v.Marks.Told {
			f()
		}
	}
}

// follow finds the bookmarks in a new tree: an edit may have moved them.
func (k *Bookmarks) follow() {
	list, t := k.List(), k.d.Tree()
	if len(list) == 0 {
		return
	}
	kit.Work(k.d.Window, "", model.Prefetch, func(ctx context.Context) ([]*model.Span, error) {
		fields := make([]*model.Span, len(list))
		for i, m := range list {
			fields[i], _ = t.Find(ctx, m.Path) // nil: it is gone, or cannot be read now
		}
		return fields, ctx.Err()
	}, func(fields []*model.Span, err error) {
		if err != nil || t != k.d.Tree() {
			return
		}
		moved := slices.Clone(list)
		for i, s := range fields {
			if s != nil {
				moved[i].At, moved[i].Space = s.Range.Off+moved[i].Off, k.d.SpaceTitle(s.Range.Space)
			}
		}
		if !slices.Equal(moved, list) {
			k.set(moved)
		}
	})
}

// Here returns the bookmark at the selection, or a new one, and its index: -1 for a new one.
func (k *Bookmarks) Here() (bookmark, int) {
	s, r := k.d.Sel.Now.Span, k.d.Sel.Now.Range
	m := bookmark{Path: s.Path(), Space: k.d.SpaceTitle(r.Space), At: r.Off, Off: r.Off - s.Range.Off, Len: r.Len}
	for i, o := range k.List() {
		if o.Path == m.Path && o.Off == m.Off && o.Len == m.Len {
			return o, i
		}
	}
	return m, -1
}

// Toggle sets a bookmark at the selection, or removes it.
func (k *Bookmarks) Toggle() {
	m, at := k.Here()
	list := k.List()
	if at >= 0 {
		k.set(slices.Delete(list, at, at+1))
		k.d.Window.Say("bookmark removed")
		return
	}
	k.set(append(list, m))
	k.d.Window.Say("bookmark set: " + m.title())
}

// Name names the bookmark at the selection, which it sets if there is none.
func (k *Bookmarks) Name(name string) {
	m, at := k.Here()
	m.Name = strings.TrimSpace(name)
	list := k.List()
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

// Step goes to the bookmark after the selection, or with -1 to the one before it; it wraps around.
func (k *Bookmarks) Step(by int) {
	list := k.List()
	if len(list) == 0 {
		k.d.Window.Say("there are no bookmarks: Ctrl+B sets one")
		return
	}
	here := bookmark{Space: k.d.SpaceTitle(k.d.Sel.Now.Range.Space), At: k.d.Sel.Now.Range.Off}
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
	k.d.goToField(*list[max(0, at)].place().In)
}

func (m bookmark) place() Place {
	return Place{In: &FieldRange{m.Path, m.Off, m.Len}, Cells: []rows.Cell{{Text: fmt.Sprintf("0x%x", m.At), Mono: true}, {Text: m.title()}, {Text: m.rest(), Dim: true}}}
}

// rest is what the row of a bookmark does not say already: the path of a named one, and the range unless it is in the first file.
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

// Places lists the bookmarks for the find pane.
func (k *Bookmarks) Places() []Place { return model.Map(k.List(), bookmark.place) }

// Bytes returns the bookmarked offsets of a space, for its gutter.
func (k *Bookmarks) Bytes(id model.SpaceID) (out []int64) {
	title := k.d.SpaceTitle(id)
	for _, m := range k.List() {
		if m.Space == title {
			out = append(out, m.At)
		}
	}
	return out
}

// goToField finds a field by its path and selects its bytes.
func (d *Document) goToField(p FieldRange) {
	d.Sel.Find(p.Path, func(s *model.Span, err error) {
		if err != nil {
			d.Window.Say(p.Path + " no longer exists")
			return
		}
		r := model.Range{Space: s.Range.Space, Off: s.Range.Off + p.off, Len: p.n}
		if p.n == 0 || !s.Range.Contains(r) {
			r = s.Range
		}
		d.Sel.Set(Selection{Span: s, Range: r})
	})
}

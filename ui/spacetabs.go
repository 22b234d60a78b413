package ui

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// spaceTabs lead to the address spaces that were seen. The first is of the document's first file, and stays. Of the others one is there
// for a look: what is seen next takes its place, unless it is kept, by a double click or because something was edited meanwhile.
type spaceTabs struct {
	h     *hexPane
	list  []spaceTab
	at    int // of list: the one that is shown
	click rows.Twice
	tabs  *fyne.Container
	strip *container.Scroll // of the tabs
}

// spaceTab is an address space by what it is called: it survives edits, behind which spaces are numbered anew.
type spaceTab struct {
	path  string // of the field that it is decoded for; "" of a file
	file  string
	space model.SpaceID // in the tree that is shown; NoSpace: it has not been read yet
	kept  bool
}

func (t spaceTab) same(o spaceTab) bool { return o.path == t.path && o.file == t.file }

// maxSpaceTabs is how many tabs there are at most.
const maxSpaceTabs = 8

func newSpaceTabs(h *hexPane) *spaceTabs {
	k := &spaceTabs{h: h, tabs: container.NewHBox()}
	k.strip = container.NewHScroll(k.tabs)
	k.strip.Hide()
	return k
}

// tabOf names a space of the tree that is shown.
func (k *spaceTabs) tabOf(id model.SpaceID) (t spaceTab, ok bool) {
	sp := k.h.d.Tree().Space(id)
	if sp == nil {
		return spaceTab{}, false
	}
	if t = (spaceTab{file: sp.File, space: id}); sp.Derived() {
		t.path = sp.Root.Path()
	}
	return t, true
}

// note shows a tab for a space: its own, or the one that is there for a look.
func (k *spaceTabs) note(id model.SpaceID) {
	t, ok := k.tabOf(id)
	if !ok {
		return
	}
	look := slices.IndexFunc(k.list, func(o spaceTab) bool { return !o.kept })
	switch at := slices.IndexFunc(k.list, t.same); {
	case at >= 0:
		if k.at == at && k.list[at].space == id {
			return
		}
		k.at, k.list[at].space = at, id
	case look > 0:
		k.at, k.list[look] = look, t
	default:
		if len(k.list) == maxSpaceTabs {
			k.list = append(k.list[:1:1], k.list[2:]...)
		}
		t.kept = len(k.list) == 0
		k.at, k.list = len(k.list), append(k.list, t)
	}
	k.show()
}

// follow finds the spaces in a tree that was parsed anew, as far as they have been read, and returns the one that was shown. Behind an
// edit its tab is kept.
func (k *spaceTabs) follow() model.SpaceID {
	for i := range k.list {
		k.list[i].space = model.NoSpace
	}
	for _, sp := range k.h.d.Tree().Spaces() {
		t, _ := k.tabOf(sp.ID)
		if i := slices.IndexFunc(k.list, t.same); i >= 0 {
			k.list[i].space = sp.ID
		}
	}
	if len(k.list) == 0 {
		return model.NoSpace
	}
	k.list[k.at].kept = true
	k.show()
	return k.list[k.at].space
}

// show draws the tabs: that of the space that is shown can be closed, but for the first.
func (k *spaceTabs) show() {
	k.tabs.RemoveAll()
	if k.strip.Hide(); len(k.list) > 1 || len(k.list) == 1 && k.h.d.spaceName(k.list[0].file, k.list[0].path) != k.h.d.tabName() { // one of the same name says nothing
		k.strip.Show()
	}
	for i, s := range k.list {
		b := newKeyButton(k.h.d.wb.Host, k.h.d.spaceName(s.file, s.path), func() { k.press(i) })
		if b.tip = k.h.d.spaceTitle(s.space); s.space == model.NoSpace {
			b.tip = s.path
		}
		if !s.kept {
			b.tip += " for a look: what is seen next takes its place, a double click keeps it"
			b.Icon = theme.VisibilityIcon()
		}
		b.Importance = widget.LowImportance
		if i != k.at {
			k.tabs.Add(b)
			continue
		}
		line := canvas.NewRectangle(paint.Look().Link)
		line.SetMinSize(fyne.NewSize(1, 2))
		k.tabs.Add(container.NewBorder(nil, line, nil, nil, b))
		if i > 0 {
			x := newIconButton(k.h.d.wb.Host, "", theme.CancelIcon(), func() { k.close(i) })
			x.tip, x.Importance = "close "+b.Text, widget.LowImportance
			k.tabs.Add(x)
		}
		defer intoView(k.strip, b)
	}
	if k.h.object != nil {
		k.h.object.Refresh()
	}
}

// press shows a space; pressed twice, its tab is kept.
func (k *spaceTabs) press(i int) {
	s := &k.list[i]
	if twice := k.click.Press(int64(i)); twice && !s.kept {
		s.kept = true
		k.show()
	}
	switch {
	case s.space == k.h.space:
	case s.space == model.NoSpace:
		k.h.d.sel.path(s.path, nil)
	default:
		k.h.d.sel.bytes(model.Range{Space: s.space}, nil)
	}
}

// close forgets a space and shows the first one.
func (k *spaceTabs) close(i int) {
	k.list = slices.Delete(k.list, i, i+1)
	k.at = 0
	k.show()
	k.h.d.sel.bytes(model.Range{Space: k.list[0].space}, nil)
}

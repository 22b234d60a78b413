package bytes

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// spaceTabs lead to the address spaces visited so far. The first is that of the document's first file, and stays. One of the others is a
// preview: the next space visited replaces it, unless it is pinned by a double click or an edit.
type spaceTabs struct {
	h     *Pane
	List  []spaceTab
	At    int // of list: the one that is shown
	click rows.Twice
	Tabs  *fyne.Container
	Strip *container.Scroll // of the tabs
}

// spaceTab identifies an address space by name: it survives edits, after which spaces are renumbered.
type spaceTab struct {
	Path  string // of the field that it is decoded for; "" of a file
	file  string
	Space model.SpaceID // in the tree that is shown; NoSpace: it has not been read yet
	Kept  bool
}

func (t spaceTab) same(o spaceTab) bool { return o.Path == t.Path && o.file == t.file }

// maxSpaceTabs is the largest number of tabs.
const maxSpaceTabs = 8

func newSpaceTabs(h *Pane) *spaceTabs {
	k := &spaceTabs{h: h, Tabs: container.NewHBox()}
	k.Strip = container.NewHScroll(k.Tabs)
	k.Strip.Hide()
	return k
}

// tabOf names a space of the tree that is shown.
func (k *spaceTabs) tabOf(id model.SpaceID) (t spaceTab, ok bool) {
	sp := k.h.d.Tree().Space(id)
	if sp == nil {
		return spaceTab{}, false
	}
	if t = (spaceTab{file: sp.File, Space: id}); sp.Derived() {
		t.Path = sp.Root.Path()
	}
	return t, true
}

// note shows a tab for a space: its own, or the preview tab.
func (k *spaceTabs) note(id model.SpaceID) {
	t, ok := k.tabOf(id)
	if !ok {
		return
	}
	look := slices.IndexFunc(k.List, func(o spaceTab) bool { return !o.Kept })
	switch at := slices.IndexFunc(k.List, t.same); {
	case at >= 0:
		if k.At == at && k.List[at].Space == id {
			return
		}
		k.At, k.List[at].Space = at, id
	case look > 0:
		k.At, k.List[look] = look, t
	default:
		if len(k.List) == maxSpaceTabs {
			k.List = append(k.List[:1:1], k.List[2:]...)
		}
		t.Kept = len(k.List) == 0
		k.At, k.List = len(k.List), append(k.List, t)
	}
	k.show()
}

// follow finds the spaces in a new tree, as far as they have been read, and returns the one that was shown. After an
// edit its tab is pinned.
func (k *spaceTabs) follow() model.SpaceID {
	for i := range k.List {
		k.List[i].Space = model.NoSpace
	}
	for _, sp := range k.h.d.Tree().Spaces() {
		t, _ := k.tabOf(sp.ID)
		if i := slices.IndexFunc(k.List, t.same); i >= 0 {
			k.List[i].Space = sp.ID
		}
	}
	if len(k.List) == 0 {
		return model.NoSpace
	}
	k.List[k.At].Kept = true
	k.show()
	return k.List[k.At].Space
}

// show draws the tabs: that of the current space can be closed, except the first.
func (k *spaceTabs) show() {
	k.Tabs.RemoveAll()
	if k.Strip.Hide(); len(k.List) > 1 || len(k.List) == 1 && k.h.d.SpaceName(k.List[0].file, k.List[0].Path) != k.h.d.TabName() { // one of the same name says nothing
		k.Strip.Show()
	}
	for i, s := range k.List {
		b := kit.NewButton(k.h.d.Window.Host, k.h.d.SpaceName(s.file, s.Path), func() { k.Press(i) })
		if b.Tip = k.h.d.SpaceTitle(s.Space); s.Space == model.NoSpace {
			b.Tip = s.Path
		}
		if !s.Kept {
			b.Tip += " as a preview: the next file replaces it, a double click keeps it"
			b.Icon = theme.VisibilityIcon()
		}
		b.Importance = widget.LowImportance
		if i != k.At {
			k.Tabs.Add(b)
			continue
		}
		line := canvas.NewRectangle(paint.Look().Link)
		line.SetMinSize(fyne.NewSize(1, 2))
		k.Tabs.Add(container.NewBorder(nil, line, nil, nil, b))
		if i > 0 {
			k.Tabs.Add(kit.NewTool(k.h.d.Window.Host, theme.CancelIcon(), "close "+b.Text, func() { k.Close(i) }))
		}
		defer kit.IntoView(k.Strip, b)
	}
	if k.h.Object != nil {
		k.h.Object.Refresh()
	}
}

// Press shows a space; a second press pins its tab.
func (k *spaceTabs) Press(i int) {
	s := &k.List[i]
	if twice := k.click.Press(int64(i)); twice && !s.Kept {
		s.Kept = true
		k.show()
	}
	switch {
	case s.Space == k.h.Space:
	case s.Space == model.NoSpace:
		k.h.d.Sel.Path(s.Path, nil)
	default:
		k.h.d.Sel.Bytes(model.Range{Space: s.Space}, nil)
	}
}

// Close closes the tab of a space and shows the first one.
func (k *spaceTabs) Close(i int) {
	k.List = slices.Delete(k.List, i, i+1)
	k.At = 0
	k.show()
	k.h.d.Sel.Bytes(model.Range{Space: k.List[0].Space}, nil)
}

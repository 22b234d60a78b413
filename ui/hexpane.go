package ui

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/rows"
)

// hexPane shows the bytes of one address space: offset, hexadecimal, text. Tabs above lead to the other spaces that were seen.
type hexPane struct {
	d      *Document
	view   *rows.View
	tree   *model.Tree // that the spaces are of
	space  model.SpaceID
	size   int64
	perRow int64
	wanted int64 // bytes a row that the user chose; 0: as many as fit
	exact  exactRuns

	caret, anchor int64
	inText        bool // the caret is in the text area
	page          hexPage
	marked        []int64 // bookmarked offsets
	load          loader[hexPage]
	sizing        loader[int64]

	edit     *hexEditor
	spaces   *spaceTabs
	at       hexPlaces
	overview *minimap
	pairing
	middle *fyne.Container // the view, and what it is compared with
	object fyne.CanvasObject
}

func newHexPane(d *Document) *hexPane {
	h := &hexPane{d: d, perRow: usualWidth, wanted: bytesARow(d.wb.app.Preferences()), space: model.NoSpace}
	h.view = rows.NewView(h)
	h.view.Refit = h.fit
	h.view.Remark = func() { h.hovered(d.sel.hover) }
	h.edit, h.spaces, h.at, h.pairing = &hexEditor{h: h}, newSpaceTabs(h), hexPlaces{h}, pairing{h: h}
	h.overview = newMinimap(h)
	h.middle = container.NewStack(h.view)
	h.object = container.NewBorder(h.spaces.strip, nil, nil, h.overview, h.middle)
	return h
}

// newBytesPane makes the pane whose caret is that of the document.
func newBytesPane(d *Document) *hexPane {
	h := newHexPane(d)
	d.typed, d.shown, d.rereads = h, h.shown, append(d.rereads, h.reread)
	d.marks.told = append(d.marks.told, func() { h.setBookmarks(d.marks.bytes(h.space)) })
	return h
}

// clear selects no byte. The caret stays.
func (h *hexPane) clear() {
	h.anchor = h.caret
	h.d.sel.put(Selection{Span: h.d.Tree().Root, Range: model.Range{Space: h.space, Off: h.caret}, From: h})
}

// showSpace shows another address space.
func (h *hexPane) showSpace(id model.SpaceID) {
	if id == h.space || h.d.Tree().Space(id) == nil {
		return
	}
	h.space, h.size, h.view.Top, h.page = id, 0, 0, hexPage{}
	h.caret, h.anchor = 0, 0
	h.spaces.note(id)
	h.marked = h.d.marks.bytes(id)
	h.measure()
}

// Blank says why there are no rows.
func (h *hexPane) Blank() string {
	switch sp := h.d.Tree().Space(h.space); {
	case h.page.trouble != "":
		return h.page.trouble
	case sp == nil:
		return "no file is chosen: select a field to see its bytes"
	case h.sizing.cancel != nil:
		return "…"
	}
	return "empty: there are no bytes"
}

// measure learns the size of the space. A derived one is decoded for it.
func (h *hexPane) measure() {
	t, id := h.d.Tree(), h.space
	h.sizing.load(h.d.wb, func(ctx context.Context) (int64, error) { return t.Size(ctx, id) }, func(n int64, err error) {
		h.size = n
		h.fit() // the offsets may have more digits
		if err != nil {
			h.page = hexPage{space: id, trouble: err.Error()}
		}
		h.overview.restart()
		if s := h.d.sel.now; s.Range.Space == id {
			h.selected(s)
		}
		h.view.Update()
	})
}

func (h *hexPane) Count() int64 { return (h.size + h.perRow - 1) / h.perRow }

// Show has a worker fetch the bytes that will be visible, and what they are.
func (h *hexPane) Show(top, n int64) {
	h.overview.place()
	if h.twin != nil {
		h.twin.scrolled(h, top)
	}
	at := model.Range{Space: h.space, Off: top * h.perRow, Len: n * h.perRow}
	at.Len = min(at.Len, h.size-at.Off)
	if at.Len <= 0 {
		return
	}
	t, found, edits, hits := h.d.Tree(), h.d.found.all, h.d.editor.unsaved(h.space), h.d.hits(h.space)
	tints, other := h.d.tints(), h.twin.opposite(h)
	var disk *model.Snapshot
	file, exact := "", &h.exact
	if len(edits) > 0 { // and then nobody is saving
		disk, file = h.d.Model.OnDisk(), t.Space(h.space).File
	}
	h.load.load(h.d.wb, func(ctx context.Context) (hexPage, error) {
		p, err := readHex(ctx, t, at, found, exact.of(ctx, t.Snapshot, disk, file, edits), hits, tints)
		other.mark(ctx, &p)
		return p, err
	}, func(p hexPage, err error) {
		if p.space == h.space && err == nil {
			h.page = p
			h.d.found.shrank(p.lost)
		} else if err != nil && err != context.Canceled {
			h.page = hexPage{space: h.space, trouble: err.Error()}
			h.d.found.shrank(err)
		}
		h.view.Redraw()
	})
}

// selected shows the space of the selection and brings its first byte into view.
func (h *hexPane) selected(s Selection) {
	if s.Range.Space == model.NoSpace {
		h.view.Redraw()
		return
	}
	h.showSpace(s.Range.Space)
	if h.space != model.NoSpace {
		h.spaces.note(h.space) // it may be of a new tree
	}
	if s.From != h {
		h.caret, h.anchor = s.Range.Off, s.Range.Off
		if h.size > 0 {
			h.view.Reveal(s.Range.Off / h.perRow)
		}
	}
	h.view.Redraw()
	h.overview.place()
	if h.twin != nil && h.twin.own == h {
		h.twin.selected(s)
	}
}

func (h *hexPane) hovered(r model.Range) {
	if r.Space != h.space || r.Len <= 0 {
		h.view.SetMarks(nil)
		return
	}
	r.Off = max(0, r.Off)
	first, last := r.Off/h.perRow, (r.End()-1)/h.perRow
	var marks []rows.Mark
	add := func(row, n, from, to int64) { // bytes [from, to) of rows
		x0, x1 := h.at.hexX(from), h.at.hexX(to-1)+2*h.at.cell()
		t0, t1 := h.at.textX(from), h.at.textX(to)
		marks = append(marks, rows.Mark{Row: row, N: n, X: x0, W: x1 - x0}, rows.Mark{Row: row, N: n, X: t0, W: t1 - t0})
	}
	switch {
	case first == last:
		add(first, 1, r.Off%h.perRow, (r.End()-1)%h.perRow+1)
	default:
		add(first, 1, r.Off%h.perRow, h.perRow)
		if last > first+1 {
			add(first+1, last-first-1, 0, h.perRow)
		}
		add(last, 1, 0, (r.End()-1)%h.perRow+1)
	}
	h.view.SetMarks(marks)
}

// changed shows the bytes of a tree that was parsed anew. Spaces are numbered anew too. One that has not been read yet is shown when
// the selection, which is looked for by its path, leads there.
func (h *hexPane) changed() {
	t := h.d.Tree()
	if h.tree == t {
		h.measure()
		return
	}
	id := t.Root.Range.Space
	if all := t.Spaces(); id == model.NoSpace && len(all) > 0 {
		id = all[0].ID
	}
	if h.tree == nil {
		h.spaces.note(id)
	}
	h.tree = t
	if now := h.spaces.follow(); now != model.NoSpace {
		id = now
	}
	if h.space != id {
		h.space = model.NoSpace
		h.showSpace(id)
		return
	}
	h.measure()
}

// selectTo selects from the anchor to the caret.
func (h *hexPane) selectTo(caret int64, extend bool) {
	if h.size == 0 {
		return
	}
	h.caret = max(0, min(caret, h.size-1))
	if !extend {
		h.anchor = h.caret
	}
	lo, hi := min(h.caret, h.anchor), max(h.caret, h.anchor)
	h.d.sel.bytes(model.Range{Space: h.space, Off: lo, Len: hi - lo + 1}, h)
}

func (h *hexPane) Hover(row int64, x float32) {
	off, _, ok := h.at.byteAt(row, x)
	if !ok {
		h.d.sel.light(model.Range{})
		return
	}
	h.d.sel.lightAt(h.space, off)
}

func (h *hexPane) Press(row int64, x float32, e rows.Press) {
	off, inText, ok := h.at.byteAt(row, x)
	switch {
	case e.Button == desktop.MouseButtonSecondary && h.d.sel.now.Range.Space == h.space && off >= h.d.sel.now.Range.Off && off < h.d.sel.now.Range.End():
		return // the menu is about the selection
	case e.Double:
		if s := h.d.Tree().At(h.space, off); s != nil && ok {
			h.d.sel.set(Selection{Span: s, From: h})
		}
		return
	case !ok && (!e.Drag || h.size == 0):
		return
	case !ok:
		off = max(0, min(row*h.perRow+h.perRow-1, h.size-1))
	}
	if h.edit.half = false; !e.Drag {
		h.inText = inText
	}
	h.selectTo(off, e.Drag || e.Mod&fyne.KeyModifierShift != 0)
}

func (h *hexPane) KeepsTab() bool { return true }

func (h *hexPane) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	if h.edit.key(name, mod) {
		return true
	}
	to := h.caret
	switch ctrl := mod & fyne.KeyModifierShortcutDefault; {
	case mod&fyne.KeyModifierAlt != 0:
		return false
	case name == fyne.KeyTab && mod == 0:
		h.inText = !h.inText
		h.view.Redraw()
		return true
	case name == fyne.KeyA && ctrl != 0:
		h.anchor, h.caret = 0, max(0, h.size-1)
		h.selectTo(h.caret, true)
		return true
	case name == fyne.KeyC && ctrl != 0:
		if h.inText {
			h.d.copyAs(copyText)
		} else {
			h.d.copyAs(copyHex)
		}
		return true
	case name == fyne.KeyLeft:
		to--
	case name == fyne.KeyRight:
		to++
	case name == fyne.KeyUp && to >= h.perRow:
		to -= h.perRow
	case name == fyne.KeyDown && to+h.perRow < h.size:
		to += h.perRow
	case name == fyne.KeyUp, name == fyne.KeyDown:
		return true
	case name == fyne.KeyPageUp:
		to -= h.view.Page() * h.perRow
	case name == fyne.KeyPageDown:
		to += h.view.Page() * h.perRow
	case name == fyne.KeyHome && ctrl != 0:
		to = 0
	case name == fyne.KeyEnd && ctrl != 0:
		to = h.size - 1
	case name == fyne.KeyHome:
		to -= to % h.perRow
	case name == fyne.KeyEnd:
		to += h.perRow - 1 - to%h.perRow
	default:
		return false
	}
	h.edit.half = false
	h.selectTo(to, mod&fyne.KeyModifierShift != 0)
	h.view.Follow(h.caret / h.perRow)
	return true
}

func (h *hexPane) Menu(row int64, x float32) *fyne.Menu {
	if s := h.d.sel.now.Span; s != nil {
		return h.d.spanMenu(s)
	}
	return nil
}

func (h *hexPane) Spot() (row int64, x float32) {
	return h.caret / h.perRow, h.at.hexX(h.caret % h.perRow)
}

// place tells where the caret is, for the status bar.
func (h *hexPane) place() string {
	return fmt.Sprintf("0x%X", h.caret)
}

func (h *hexPane) shown() byteView { return byteView{space: h.space, size: h.size, caret: h.caret} }

// caretByte returns the byte under the caret when it is on the screen.
func (h *hexPane) caretByte() (byte, bool) {
	if i := h.caret - h.page.off; h.page.space == h.space && i >= 0 && i < int64(len(h.page.bytes)) {
		return h.page.bytes[i], true
	}
	return 0, false
}

func (h *hexPane) fill(b byte) { h.edit.fill(b) }

// reread shows the bytes anew: they may be something else now.
func (h *hexPane) reread() {
	h.view.Update()
	if h.twin != nil && h.twin.own == h {
		h.twin.other.view.Update()
	}
	h.overview.restart()
}

func (h *hexPane) setBookmarks(at []int64) {
	h.marked = at
	h.view.Redraw()
}

// prefBytesARow is the preference for the bytes of a row; 0: as many as fit.
const prefBytesARow = "bytes-a-row"

// bytesARow is how many bytes a row of the hex pane has by the user's choice; 0: as many as fit.
func bytesARow(p fyne.Preferences) int64 {
	n := int64(p.Int(prefBytesARow))
	if n == 0 {
		return 0
	}
	return max(leastWidth, min(mostWidth, n))
}

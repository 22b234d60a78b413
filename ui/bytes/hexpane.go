package bytes

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/align"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// Pane shows the bytes of one address space: offsets, hexadecimal digits, text. Tabs above lead to the other spaces visited so far.
type Pane struct {
	d      *doc.Document
	View   *rows.View
	tree   *model.Tree // that the spaces are of
	Space  model.SpaceID
	Size   int64
	PerRow int64
	wanted int64 // bytes a row that the user chose; 0: the usual number, or what fits of it
	exact  align.ExactRuns

	Records Records
	Words   words

	Caret, anchor int64
	InText        bool // the caret is in the text area
	Page          hexPage
	Marked        []int64 // bookmarked offsets
	load          kit.Loader[hexPage]
	sizing        kit.Loader[int64]

	Edit     *Editor
	Spaces   *spaceTabs
	At       hexPlaces
	overview *Minimap
	pairing
	middle *fyne.Container // the view, and what it is compared with
	Object fyne.CanvasObject
}

func newHexPane(d *doc.Document) *Pane {
	h := &Pane{d: d, PerRow: usualWidth, wanted: BytesARow(d.Window.App.Preferences()), Space: model.NoSpace}
	h.View = rows.NewView(h)
	h.View.Refit = h.fit
	h.View.Remark = func() { h.Hovered(d.Sel.Hover) }
	h.Edit, h.Spaces, h.At, h.pairing, h.Records.h = &Editor{h: h}, newSpaceTabs(h), hexPlaces{h}, pairing{h: h}, h
	h.Words = newWords(h, wordsOf(d.Window.App.Preferences()))
	h.overview = newMinimap(h)
	h.middle = container.NewStack(h.View)
	h.Object = container.NewBorder(h.Spaces.Strip, nil, nil, h.overview, h.middle)
	return h
}

// New makes the pane whose caret is the document's.
func New(d *doc.Document) *Pane {
	h := newHexPane(d)
	d.Typed, d.Shown, d.Rereads = h, h.shown, append(d.Rereads, h.Reread)
	d.Marks.Told = append(d.Marks.Told, func() { h.setBookmarks(d.Marks.Bytes(h.Space)) })
	return h
}

// Clear selects no byte. The caret stays.
func (h *Pane) Clear() {
	h.anchor = h.Caret
	h.d.Sel.Put(doc.Selection{Span: h.d.Tree().Root, Range: model.Range{Space: h.Space, Off: h.Caret}, From: h})
}

// showSpace shows another address space.
func (h *Pane) showSpace(id model.SpaceID) {
	if id == h.Space || h.d.Tree().Space(id) == nil {
		return
	}
	h.Space, h.Size, h.View.Top, h.Page = id, 0, 0, hexPage{}
	h.Caret, h.anchor = 0, 0
	h.Spaces.note(id)
	h.Marked = h.d.Marks.Bytes(id)
	h.measure()
}

// Blank says why there are no rows.
func (h *Pane) Blank() string {
	switch sp := h.d.Tree().Space(h.Space); {
	case h.Page.Trouble != "":
		return h.Page.Trouble
	case sp == nil:
		return "no file is selected: select a field to see its bytes"
	case h.sizing.Running != nil:
		return "…"
	}
	return "empty: there are no bytes"
}

// measure determines the size of the space, for which a derived one is decoded.
func (h *Pane) measure() {
	t, id := h.d.Tree(), h.Space
	h.sizing.Load(h.d.Window, func(ctx context.Context) (int64, error) { return t.Size(ctx, id) }, func(n int64, err error) {
		h.Size = n
		h.fit() // the offsets may have more digits
		h.d.Window.Update()
		if err != nil {
			h.Page = hexPage{Space: id, Trouble: err.Error()}
		}
		h.overview.restart()
		if s := h.d.Sel.Now; s.Range.Space == id {
			h.Selected(s)
		}
		h.View.Update()
	})
}

func (h *Pane) Count() int64 { return (h.Size + h.Records.lead() + h.PerRow - 1) / h.PerRow }

// Show makes a worker read the bytes that become visible, and their meaning.
func (h *Pane) Show(top, n int64) {
	h.overview.place()
	if h.Twin != nil {
		h.Twin.scrolled(h, top)
	}
	at := model.Range{Space: h.Space, Off: max(0, h.startOf(top))}
	at.Len = min(h.startOf(top+n), h.Size) - at.Off
	if at.Len <= 0 {
		return
	}
	t, found, edits, hits := h.d.Tree(), h.d.Found.All, h.d.Editor.Unsaved(h.Space), h.d.Hits(h.Space)
	tints, other := h.d.Tints(), h.Twin.opposite(h)
	var disk *model.Snapshot
	file, exact := "", &h.exact
	if len(edits) > 0 { // and then no one is saving
		disk, file = h.d.Model.OnDisk(), t.Space(h.Space).File
	}
	h.load.Load(h.d.Window, func(ctx context.Context) (hexPage, error) {
		p, err := readHex(ctx, t, at)
		if err != nil {
			return p, err
		}
		p.changed(exact.Of(ctx, t.Snapshot, disk, file, edits), tints.RunsIn(ctx, at, p.Bytes))
		p.marked(t, found, hits)
		other.mark(ctx, &p)
		return p, ctx.Err()
	}, func(p hexPage, err error) {
		if p.Space == h.Space && err == nil {
			h.Page = p
			h.d.Found.Shrank(p.lost)
		} else if err != nil && err != context.Canceled {
			h.Page = hexPage{Space: h.Space, Trouble: err.Error()}
			h.d.Found.Shrank(err)
		}
		h.View.Redraw()
	})
}

// Selected shows the space of the selection and scrolls its first byte into view.
func (h *Pane) Selected(s doc.Selection) {
	if s.Range.Space == model.NoSpace {
		h.View.Redraw()
		return
	}
	h.showSpace(s.Range.Space)
	h.Records.follow(s.Span)
	if h.Space != model.NoSpace {
		h.Spaces.note(h.Space) // it may be of a new tree
	}
	if s.From != h {
		h.Caret, h.anchor = s.Range.Off, s.Range.Off
		if h.Size > 0 {
			h.View.Reveal(h.rowOf(s.Range.Off))
		}
	}
	h.View.Redraw()
	h.overview.place()
	if h.Twin != nil && h.Twin.own == h {
		h.Twin.selected(s)
	}
}

func (h *Pane) Hovered(r model.Range) {
	if r.Space != h.Space || r.Len <= 0 {
		h.View.SetMarks(nil)
		return
	}
	r.Off = max(0, r.Off)
	first, last := h.rowOf(r.Off), h.rowOf(r.End()-1)
	var marks []rows.Mark
	add := func(row, n, from, to int64) { // bytes [from, to) of rows
		x0, x1 := h.At.HexX(from), h.At.HexX(to-1)+2*h.At.cell()
		t0, t1 := h.At.textX(from), h.At.textEndX(to-1)
		marks = append(marks, rows.Mark{Row: row, N: n, X: x0, W: x1 - x0}, rows.Mark{Row: row, N: n, X: t0, W: t1 - t0})
	}
	switch {
	case first == last:
		add(first, 1, h.colOf(r.Off), h.colOf(r.End()-1)+1)
	default:
		add(first, 1, h.colOf(r.Off), h.PerRow)
		if last > first+1 {
			add(first+1, last-first-1, 0, h.PerRow)
		}
		add(last, 1, 0, h.colOf(r.End()-1)+1)
	}
	h.View.SetMarks(marks)
}

// Changed shows the bytes of a new tree, in which spaces are renumbered. A space that has not been read yet is shown when
// the selection, which is found by its path, leads there.
func (h *Pane) Changed() {
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
		h.Spaces.note(id)
	}
	h.tree = t
	if now := h.Spaces.follow(); now != model.NoSpace {
		id = now
	}
	if h.Space != id {
		h.Space = model.NoSpace
		h.showSpace(id)
		return
	}
	h.measure()
}

// SelectTo selects from the anchor to the caret.
func (h *Pane) SelectTo(caret int64, extend bool) {
	if h.Size == 0 {
		return
	}
	h.Caret = max(0, min(caret, h.Size-1))
	if !extend {
		h.anchor = h.Caret
	}
	lo, hi := min(h.Caret, h.anchor), max(h.Caret, h.anchor)
	h.d.Sel.Bytes(model.Range{Space: h.Space, Off: lo, Len: hi - lo + 1}, h)
}

func (h *Pane) Hover(row int64, x float32) {
	off, _, ok := h.At.byteAt(row, x)
	if !ok {
		h.d.Sel.Light(model.Range{})
		return
	}
	h.d.Sel.LightAt(h.Space, off)
}

func (h *Pane) Press(row int64, x float32, e rows.Press) {
	off, inText, ok := h.At.byteAt(row, x)
	switch {
	case e.Button == desktop.MouseButtonSecondary && h.d.Sel.Now.Range.Space == h.Space && off >= h.d.Sel.Now.Range.Off && off < h.d.Sel.Now.Range.End():
		return // the menu is about the selection
	case e.Double:
		if s := h.d.Tree().At(h.Space, off); s != nil && ok {
			h.d.Sel.Set(doc.Selection{Span: s, From: h})
		}
		return
	case h.Words.chooseWord(row, x, e.Drag || e.Mod&fyne.KeyModifierShift != 0):
		return
	case !ok && (!e.Drag || h.Size == 0):
		return
	case !ok:
		off = max(0, min(h.startOf(row+1)-1, h.Size-1))
	}
	if h.Edit.half = false; !e.Drag {
		h.InText = inText
	}
	h.SelectTo(off, e.Drag || e.Mod&fyne.KeyModifierShift != 0)
}

func (h *Pane) KeepsTab() bool { return true }

func (h *Pane) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	if h.Edit.Key(name, mod) {
		return true
	}
	to := h.Caret
	switch ctrl := mod & fyne.KeyModifierShortcutDefault; {
	case mod&fyne.KeyModifierAlt != 0:
		return false
	case name == fyne.KeyTab && mod == 0:
		h.InText = !h.InText && !h.Words.there()
		h.View.Redraw()
		return true
	case name == fyne.KeyA && mod == fyne.KeyModifierShortcutDefault:
		h.anchor, h.Caret = 0, max(0, h.Size-1)
		h.SelectTo(h.Caret, true)
		return true
	case name == fyne.KeyC && mod == fyne.KeyModifierShortcutDefault:
		if h.InText {
			h.d.CopyAs(doc.CopyText)
		} else {
			h.d.CopyAs(doc.CopyHex)
		}
		return true
	case name == fyne.KeyLeft:
		to--
	case name == fyne.KeyRight:
		to++
	case name == fyne.KeyUp && to >= h.PerRow:
		to -= h.PerRow
	case name == fyne.KeyDown && to+h.PerRow < h.Size:
		to += h.PerRow
	case name == fyne.KeyUp, name == fyne.KeyDown:
		return true
	case name == fyne.KeyPageUp:
		to -= h.View.Page() * h.PerRow
	case name == fyne.KeyPageDown:
		to += h.View.Page() * h.PerRow
	case name == fyne.KeyHome && ctrl != 0:
		to = 0
	case name == fyne.KeyEnd && ctrl != 0:
		to = h.Size - 1
	case name == fyne.KeyHome:
		to = max(0, to-h.colOf(to))
	case name == fyne.KeyEnd:
		to += h.PerRow - 1 - h.colOf(to)
	default:
		return false
	}
	h.Edit.half = false
	h.SelectTo(to, mod&fyne.KeyModifierShift != 0)
	h.View.Follow(h.rowOf(h.Caret))
	return true
}

func (h *Pane) Menu(row int64, x float32) *fyne.Menu {
	if s := h.d.Sel.Now.Span; s != nil {
		return h.d.SpanMenu(s)
	}
	return nil
}

func (h *Pane) Spot() (row int64, x float32) {
	return h.rowOf(h.Caret), h.At.HexX(h.colOf(h.Caret))
}

func (h *Pane) shown() doc.ByteView {
	return doc.ByteView{Space: h.Space, Size: h.Size, Caret: h.Caret}
}

// Reread reads the visible bytes again, because they may have changed.
func (h *Pane) Reread() {
	h.View.Update()
	if h.Twin != nil && h.Twin.own == h {
		h.Twin.Other.View.Update()
	}
	h.overview.restart()
}

func (h *Pane) setBookmarks(at []int64) {
	h.Marked = at
	h.View.Redraw()
}

// PrefBytesARow is the preference for bytes per row; 0: 16, or fewer if they do not fit.
const PrefBytesARow = "bytes-a-row"

// BytesARow is the user's choice of bytes per row; 0: 16, or fewer if they do not fit.
func BytesARow(p fyne.Preferences) int64 {
	n := int64(p.Int(PrefBytesARow))
	if n == 0 {
		return 0
	}
	return max(LeastWidth, min(MostWidth, n))
}

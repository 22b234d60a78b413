package bytes

import (
	"encoding/hex"
	"strings"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/doc"
)

// Editing in the hex pane: digits change a byte nibble by nibble, text is typed in the text area, Insert toggles between
// overwriting and inserting. Edits are made in turn; what depends on the bytes is not updated unless "repair links" is on.

// Editor changes the bytes shown in a hex pane.
type Editor struct {
	h       *Pane
	half    bool // the first digit of a byte was typed
	pending byte
}

// Typed handles a typed character.
func (h *Pane) Typed(r rune) {
	if h.Space == model.NoSpace || h.Edit.locked() {
		return
	}
	if h.InText {
		h.Edit.put([]byte(string(r)), h.d.Editor.Inserting)
		return
	}
	n := strings.IndexRune("0123456789abcdef", r|0x20)
	if n < 0 || r < '0' {
		return
	}
	if h.Edit.half {
		h.Edit.half = false
		h.Edit.pending = h.Edit.pending&0xf0 | byte(n)
		h.Edit.write([]byte{h.Edit.pending}, 1, h.Caret)
		h.Edit.moveTo(h.Caret + 1)
		return
	}
	b := byte(0) // under the caret, if it is visible
	if i := h.Caret - h.Page.Off; h.Page.Space == h.Space && i >= 0 && i < int64(len(h.Page.Bytes)) {
		b = h.Page.Bytes[i]
	}
	if h.Edit.half, h.Edit.pending = true, byte(n)<<4|b&15; h.d.Editor.Inserting || h.Caret >= h.Size {
		h.Edit.pending = byte(n) << 4
		h.Edit.write([]byte{h.Edit.pending}, 0, h.Caret)
		return
	}
	h.Edit.write([]byte{h.Edit.pending}, 1, h.Caret)
}

// put overwrites or inserts bytes at the caret and moves past them.
func (e *Editor) put(b []byte, insert bool) {
	del := min(int64(len(b)), e.h.Size-e.h.Caret)
	if insert {
		del = 0
	}
	e.write(b, del, e.h.Caret)
	e.moveTo(e.h.Caret + int64(len(b)))
}

// write replaces del bytes at off, when it is its turn.
func (e *Editor) write(b []byte, del, off int64) {
	e.h.Size += int64(len(b)) - del // typing continues after it
	e.h.d.Editor.Replace(func() model.Range { return model.Range{Space: e.h.Space, Off: off, Len: del} }, model.Memory(b), "edit bytes", e.h.measure)
}

func (e *Editor) moveTo(off int64) {
	e.h.Caret = max(0, min(off, e.h.Size))
	e.h.anchor = e.h.Caret
	e.h.d.Sel.Caret(model.Range{Space: e.h.Space, Off: e.h.Caret, Len: 1}, e.h)
	e.h.View.Follow(e.h.rowOf(e.h.Caret))
	e.h.View.Redraw()
}

// Remove deletes the selection, or one byte: the one at the caret, or with back the one before it.
func (e *Editor) Remove(back bool) {
	r := e.h.d.Sel.Now.Range
	if r.Space != e.h.Space || r.Len <= 1 {
		r = model.Range{Space: e.h.Space, Off: e.h.Caret, Len: 1}
		if back {
			r.Off--
		}
	}
	if e.locked() || r.Off < 0 || r.End() > e.h.Size {
		return
	}
	e.half = false
	e.h.Size -= r.Len
	e.h.d.Editor.Replace(func() model.Range { r.Space = e.h.Space; return r }, nil, "delete bytes", e.h.measure)
	e.moveTo(r.Off)
}

// Paste inserts the clipboard at the caret: as bytes if it is hexadecimal and the caret is in the digits, as text otherwise.
func (e *Editor) Paste() {
	s := e.h.d.Window.App.Clipboard().Content()
	if s == "" || e.locked() {
		return
	}
	b := []byte(s)
	if !e.h.InText {
		plain := strings.TrimPrefix(strings.Join(strings.Fields(s), ""), "0x")
		if digits, err := hex.DecodeString(plain); err == nil {
			b = digits
		}
	}
	if r := e.h.d.Sel.Now.Range; r.Space == e.h.Space && r.Len > 1 && e.h.d.Editor.Inserting {
		e.Remove(false)
	}
	e.put(b, e.h.d.Editor.Inserting)
}

// Cut copies the selected bytes and deletes them.
func (e *Editor) Cut() {
	if !e.locked() {
		e.h.d.CopyThen(doc.CopyHex, func() { e.Remove(false) })
	}
}

// locked tells whether the document is locked, and says so: no typing is ignored silently.
func (e *Editor) locked() bool {
	if e.h.d.Editor.Locked {
		e.h.d.Window.Say(doc.LockedSaid + "Ctrl+L or Locked in the status bar unlocks editing")
	}
	return e.h.d.Editor.Locked
}

// Fill overwrites the selection with one byte value.
func (e *Editor) Fill(b byte) {
	r := e.h.d.Sel.Now.Range
	if r.Space == e.h.Space && r.Len > 0 {
		e.h.d.Editor.Replace(func() model.Range { return r }, model.Fill(b, r.Len), "fill bytes", e.h.measure)
	}
}

// Key handles editing keys and tells whether it did.
func (e *Editor) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	switch {
	case name == fyne.KeyInsert && mod == 0:
		e.h.d.Editor.Inserting, e.half = !e.h.d.Editor.Inserting, false
		e.h.View.Redraw()
		e.h.d.Window.Update()
	case name == fyne.KeyDelete && mod == 0:
		e.Remove(false)
	case name == fyne.KeyBackspace && mod == 0:
		e.Remove(true)
	case name == fyne.KeyV && mod == fyne.KeyModifierShortcutDefault:
		e.Paste()
	default:
		return false
	}
	return true
}

package ui

import (
	"encoding/hex"
	"strings"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// Editing in the hex pane: digits change a byte nibble by nibble, text is typed in the text area, Insert changes between
// overwriting and inserting. Edits are made in turn; what depends on the bytes stays as it is unless "repair links" is on.

// Typed takes a character.
func (h *hexPane) Typed(r rune) {
	if h.space == model.NoSpace || h.locked() {
		return
	}
	if h.inText {
		h.put([]byte(string(r)), h.d.editor.inserting)
		return
	}
	n := strings.IndexRune("0123456789abcdef", r|0x20)
	if n < 0 || r < '0' {
		return
	}
	if h.half {
		h.half = false
		h.pending |= byte(n)
		h.write([]byte{h.pending}, 1, h.caret)
		h.moveTo(h.caret + 1)
		return
	}
	b, _ := h.d.caretByte()
	if h.half, h.pending = true, byte(n)<<4|b&15; h.d.editor.inserting || h.caret >= h.size {
		h.pending = byte(n) << 4
		h.write([]byte{h.pending}, 0, h.caret)
		return
	}
	h.write([]byte{h.pending}, 1, h.caret)
}

// put overwrites or inserts bytes at the caret and moves behind them.
func (h *hexPane) put(b []byte, insert bool) {
	del := min(int64(len(b)), h.size-h.caret)
	if insert {
		del = 0
	}
	h.write(b, del, h.caret)
	h.moveTo(h.caret + int64(len(b)))
}

// write replaces del bytes at off, when it is its turn.
func (h *hexPane) write(b []byte, del, off int64) {
	h.size += int64(len(b)) - del // what follows is typed behind it
	h.d.editor.replace(func() model.Range { return model.Range{Space: h.space, Off: off, Len: del} }, model.Memory(b), "edit bytes")
}

func (h *hexPane) moveTo(off int64) {
	h.caret = max(0, min(off, h.size))
	h.anchor = h.caret
	h.d.sel.now = Selection{Span: h.d.sel.now.Span, Range: model.Range{Space: h.space, Off: h.caret, Len: 1}, From: h}
	h.view.Follow(h.caret / h.perRow)
	h.view.Redraw()
}

// remove deletes the selection, or one byte: the one at the caret, or with back the one before it.
func (h *hexPane) remove(back bool) {
	r := h.d.sel.now.Range
	if r.Space != h.space || r.Len <= 1 {
		r = model.Range{Space: h.space, Off: h.caret, Len: 1}
		if back {
			r.Off--
		}
	}
	if h.locked() || r.Off < 0 || r.End() > h.size {
		return
	}
	h.half = false
	h.size -= r.Len
	h.d.editor.replace(func() model.Range { r.Space = h.space; return r }, nil, "delete bytes")
	h.moveTo(r.Off)
}

// paste puts the clipboard at the caret: as bytes when it is hexadecimal and the caret is among the digits, as text otherwise.
func (h *hexPane) paste() {
	s := h.d.wb.app.Clipboard().Content()
	if s == "" || h.locked() {
		return
	}
	b := []byte(s)
	if !h.inText {
		plain := strings.TrimPrefix(strings.Join(strings.Fields(s), ""), "0x")
		if digits, err := hex.DecodeString(plain); err == nil {
			b = digits
		}
	}
	if r := h.d.sel.now.Range; r.Space == h.space && r.Len > 1 && h.d.editor.inserting {
		h.remove(false)
	}
	h.put(b, h.d.editor.inserting)
}

// cut copies the selected bytes and deletes them.
func (h *hexPane) cut() {
	if !h.locked() {
		h.d.copyThen(copyHex, func() { h.remove(false) })
	}
}

// locked tells whether the document is locked, and says so: nothing that is typed is dropped in silence.
func (h *hexPane) locked() bool {
	if h.d.editor.locked {
		h.d.wb.status.say("locked: Ctrl+L or READ in this line lets you edit")
	}
	return h.d.editor.locked
}

// fill overwrites the selection with one byte.
func (h *hexPane) fill(b byte) {
	r := h.d.sel.now.Range
	if r.Space == h.space && r.Len > 0 {
		h.d.editor.replace(func() model.Range { return r }, model.Fill(b, r.Len), "fill bytes")
	}
}

// editKey handles the keys that edit and tells whether it did.
func (h *hexPane) editKey(name fyne.KeyName, mod fyne.KeyModifier) bool {
	switch {
	case name == fyne.KeyInsert && mod == 0:
		h.d.editor.inserting, h.half = !h.d.editor.inserting, false
		h.view.Redraw()
		h.d.wb.changed()
	case name == fyne.KeyDelete && mod == 0:
		h.remove(false)
	case name == fyne.KeyBackspace && mod == 0:
		h.remove(true)
	case name == fyne.KeyV && mod == fyne.KeyModifierShortcutDefault:
		h.paste()
	default:
		return false
	}
	return true
}

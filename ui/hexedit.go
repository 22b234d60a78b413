package ui

import (
	"encoding/hex"
	"strings"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// Editing in the hex pane: digits change a byte nibble by nibble, text is typed in the text area, Insert changes between
// overwriting and inserting. Edits are made in turn; what depends on the bytes stays as it is unless "repair links" is on.

// hexEditor changes the bytes that a hex pane shows.
type hexEditor struct {
	h       *hexPane
	half    bool // the first digit of a byte was typed
	pending byte
}

// Typed takes a character.
func (h *hexPane) Typed(r rune) {
	if h.space == model.NoSpace || h.edit.locked() {
		return
	}
	if h.inText {
		h.edit.put([]byte(string(r)), h.d.editor.inserting)
		return
	}
	n := strings.IndexRune("0123456789abcdef", r|0x20)
	if n < 0 || r < '0' {
		return
	}
	if h.edit.half {
		h.edit.half = false
		h.edit.pending = h.edit.pending&0xf0 | byte(n)
		h.edit.write([]byte{h.edit.pending}, 1, h.caret)
		h.edit.moveTo(h.caret + 1)
		return
	}
	b, _ := h.caretByte()
	if h.edit.half, h.edit.pending = true, byte(n)<<4|b&15; h.d.editor.inserting || h.caret >= h.size {
		h.edit.pending = byte(n) << 4
		h.edit.write([]byte{h.edit.pending}, 0, h.caret)
		return
	}
	h.edit.write([]byte{h.edit.pending}, 1, h.caret)
}

// put overwrites or inserts bytes at the caret and moves behind them.
func (e *hexEditor) put(b []byte, insert bool) {
	del := min(int64(len(b)), e.h.size-e.h.caret)
	if insert {
		del = 0
	}
	e.write(b, del, e.h.caret)
	e.moveTo(e.h.caret + int64(len(b)))
}

// write replaces del bytes at off, when it is its turn.
func (e *hexEditor) write(b []byte, del, off int64) {
	e.h.size += int64(len(b)) - del // what follows is typed behind it
	e.h.d.editor.replace(func() model.Range { return model.Range{Space: e.h.space, Off: off, Len: del} }, model.Memory(b), "edit bytes", e.h.measure)
}

func (e *hexEditor) moveTo(off int64) {
	e.h.caret = max(0, min(off, e.h.size))
	e.h.anchor = e.h.caret
	e.h.d.sel.caret(model.Range{Space: e.h.space, Off: e.h.caret, Len: 1}, e.h)
	e.h.view.Follow(e.h.caret / e.h.perRow)
	e.h.view.Redraw()
}

// remove deletes the selection, or one byte: the one at the caret, or with back the one before it.
func (e *hexEditor) remove(back bool) {
	r := e.h.d.sel.now.Range
	if r.Space != e.h.space || r.Len <= 1 {
		r = model.Range{Space: e.h.space, Off: e.h.caret, Len: 1}
		if back {
			r.Off--
		}
	}
	if e.locked() || r.Off < 0 || r.End() > e.h.size {
		return
	}
	e.half = false
	e.h.size -= r.Len
	e.h.d.editor.replace(func() model.Range { r.Space = e.h.space; return r }, nil, "delete bytes", e.h.measure)
	e.moveTo(r.Off)
}

// paste puts the clipboard at the caret: as bytes when it is hexadecimal and the caret is among the digits, as text otherwise.
func (e *hexEditor) paste() {
	s := e.h.d.wb.app.Clipboard().Content()
	if s == "" || e.locked() {
		return
	}
	b := []byte(s)
	if !e.h.inText {
		plain := strings.TrimPrefix(strings.Join(strings.Fields(s), ""), "0x")
		if digits, err := hex.DecodeString(plain); err == nil {
			b = digits
		}
	}
	if r := e.h.d.sel.now.Range; r.Space == e.h.space && r.Len > 1 && e.h.d.editor.inserting {
		e.remove(false)
	}
	e.put(b, e.h.d.editor.inserting)
}

// cut copies the selected bytes and deletes them.
func (e *hexEditor) cut() {
	if !e.locked() {
		e.h.d.copyThen(copyHex, func() { e.remove(false) })
	}
}

// locked tells whether the document is locked, and says so: nothing that is typed is dropped in silence.
func (e *hexEditor) locked() bool {
	if e.h.d.editor.locked {
		e.h.d.wb.say(lockedSaid + "Ctrl+L or READ in this line lets you edit")
	}
	return e.h.d.editor.locked
}

// fill overwrites the selection with one byte.
func (e *hexEditor) fill(b byte) {
	r := e.h.d.sel.now.Range
	if r.Space == e.h.space && r.Len > 0 {
		e.h.d.editor.replace(func() model.Range { return r }, model.Fill(b, r.Len), "fill bytes", e.h.measure)
	}
}

// key handles the keys that edit and tells whether it did.
func (e *hexEditor) key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	switch {
	case name == fyne.KeyInsert && mod == 0:
		e.h.d.editor.inserting, e.half = !e.h.d.editor.inserting, false
		e.h.view.Redraw()
		e.h.d.wb.update()
	case name == fyne.KeyDelete && mod == 0:
		e.remove(false)
	case name == fyne.KeyBackspace && mod == 0:
		e.remove(true)
	case name == fyne.KeyV && mod == fyne.KeyModifierShortcutDefault:
		e.paste()
	default:
		return false
	}
	return true
}

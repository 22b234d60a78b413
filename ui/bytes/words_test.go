package bytes

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/ui/bench"
	"spandrel/ui/rows"
)

// Numbers of a type stand beside the bytes in place of the text; a click on one selects its bytes, and typing goes into the digits.
func TestNumbersBesideTheBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bin")
	var all []byte
	for i := range 40 {
		all = binary.LittleEndian.AppendUint32(all, math.Float32bits(float32(i)/3))
	}
	if err := os.WriteFile(path, all[:158], 0o600); err != nil { // the last is cut off
		t.Fatal(err)
	}
	b := bench.Open(t, path)
	h := New(b.Doc)
	b.Show(t, h, h.Object)
	plain := h.At.textEnd(15)
	h.InText = true
	h.Words.Show("f32 LE")
	b.Settle(t)
	if h.At.textEnd(15) <= plain || h.InText || h.Words.title() != "f32 LE" {
		t.Errorf("%v wide, %v before; text: %v", h.At.textEnd(15), plain, h.InText)
	}
	if text := h.Words.of.text(all[4:8]); text != "0.33333334" {
		t.Errorf("the second is %s", text)
	}
	press := func(row, i int64, how rows.Press) {
		h.Press(row, h.At.textX(i)+h.At.cell()*5, how)
		b.Settle(t)
	}
	press(1, 6, rows.Press{Button: desktop.MouseButtonPrimary}) // a byte in the second of the row
	if r := b.Doc.Sel.Now.Range; r.Off != h.PerRow+4 || r.Len != 4 || h.InText {
		t.Errorf("a click selects 0x%x + %d", r.Off, r.Len)
	}
	press(2, 0, rows.Press{Button: desktop.MouseButtonPrimary, Drag: true})
	if r := b.Doc.Sel.Now.Range; r.Off != h.PerRow+4 || r.End() != 2*h.PerRow+4 {
		t.Errorf("dragging selects 0x%x + %d", r.Off, r.Len)
	}
	h.View.Picture(1000, 600) // the last number is not all there: it is not drawn, and nothing is read behind the end
	h.View.ScrollTo(h.Count())
	h.View.Picture(1000, 600)
	if again := New(b.Doc); again.Words.title() != "f32 LE" {
		t.Error("it is not remembered")
	}
	h.Words.Show("text")
	if h.At.textEnd(15) != plain {
		t.Errorf("%v wide with the text, %v before", h.At.textEnd(15), plain)
	}
}

// Every type shows its values in the room that it has.
func TestNumbersHaveRoom(t *testing.T) {
	for _, w := range wordTypes {
		for _, fill := range []byte{0, 1, 0x7f, 0x80, 0x81, 0xfe, 0xff} {
			b := make([]byte, w.size)
			for i := range b {
				b[i] = fill - byte(i%2)
			}
			if text := w.text(b); int64(len(text)) > w.cells {
				t.Errorf("%s of % x is %q, of %d characters", w.name, b, text, w.cells)
			}
		}
	}
}

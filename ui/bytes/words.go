package bytes

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"strconv"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/show"
)

// Beside the digits of a row its bytes are shown as text, or as numbers of a type, counted from the start of the row.

// prefWords is the preference for the type of the numbers; "" means text.
const prefWords = "numbers-beside-bytes"

// wordType is a type in which bytes can be shown beside their digits.
type wordType struct {
	name  string
	size  int64 // bytes of a number
	cells int64 // characters that it takes at most
	text  func(b []byte) string
}

// digitsOf is the largest number of characters of a number. Floating-point numbers have six digits here; the details show all.
var digitsOf = map[string]int64{"u16": 5, "i16": 6, "u32": 10, "i32": 11, "u64": 20, "i64": 20, "f16": 12, "bf16": 12, "f32": 12, "f64": 13}

// wordTypes are the types, in both byte orders.
var wordTypes = func() (list []wordType) {
	orders := []struct {
		name  string
		order binary.ByteOrder
	}{{" LE", binary.LittleEndian}, {" BE", binary.BigEndian}}
	for _, r := range show.Readings {
		n, ok := digitsOf[r.Label]
		for _, o := range orders {
			if ok {
				list = append(list, wordType{r.Label + o.name, int64(r.Need), n, func(b []byte) string { return sixDigits(r.Text(b, o.order), n) }})
			}
		}
	}
	return list
}()

// sixDigits shortens a number with more than n characters.
func sixDigits(text string, n int64) string {
	if f, err := strconv.ParseFloat(text, 64); err == nil && int64(len(text)) > n && !math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'g', 6, 64)
	}
	return text
}

// words is what is shown beside the digits of a pane.
type words struct {
	h  *Pane
	of *wordType // nil: text
}

func newWords(h *Pane, name string) words {
	w := words{h: h}
	w.take(name)
	return w
}

func (w *words) take(name string) {
	w.of = nil
	for i := range wordTypes {
		if wordTypes[i].name == name {
			w.of = &wordTypes[i]
		}
	}
}

// there tells whether numbers are shown. In a comparison there is no room for them.
func (w *words) there() bool { return w.of != nil && w.h.Twin == nil }

// Ask asks what to show beside the digits, here and in documents opened later.
func (w *words) Ask() {
	names := append([]string{"text"}, model.Map(wordTypes, func(t wordType) string { return t.name })...)
	w.h.d.Window.Pick("Beside the bytes", "Show", names, func(i int) { w.Show(names[i]) })
}

// Show shows numbers of a type beside the digits, or text for any other name.
func (w *words) Show(name string) {
	w.take(name)
	w.h.d.Window.App.Preferences().SetString(prefWords, name)
	w.h.InText = w.h.InText && w.of == nil
	w.h.fit()
	w.h.View.Update()
}

// title says what is shown beside the digits.
func (w *words) title() string {
	if w.there() {
		return w.of.name
	}
	return "text"
}

// word paints the number that begins at byte i of the row, if one does and it is complete.
func (w *hexRow) word(i int64, bg color.RGBA) {
	h := w.h
	of := h.Words.of
	k := w.first + i
	if i%of.size != 0 || i+of.size > h.PerRow || k+of.size > int64(len(h.Page.Bytes)) || h.Page.Kind[k+of.size-1].Gone {
		return
	}
	r := image.Rect(w.at(h.At.textCell(i)), w.r.Min.Y, w.at(h.At.textEnd(i)), w.r.Max.Y)
	w.p.Fill(r, bg)
	text, fg := of.text(h.Page.Bytes[k:k+of.size]), w.p.Look.Foreground
	if text == "0" && !w.chosen(i) {
		fg = w.p.Look.Zero
	}
	x := r.Max.X - len(text)*w.p.At.Cw
	w.p.Text(w.p.At.Mono, max(r.Min.X, x), r.Min.Y, r.Max.X, text, fg)
}

// chooseWord selects the number at a point of a row; ok is false if there is none.
func (w *words) chooseWord(row int64, x float32, extend bool) (ok bool) {
	if !w.there() {
		return false
	}
	h := w.h
	off, right, there := h.At.byteAt(row, x)
	if !there || !right {
		return false
	}
	if h.InText = false; !extend {
		h.Caret, h.anchor = off, off
	}
	h.SelectTo(off+w.of.size-1, true)
	return true
}

// wordsOf is the type chosen last.
func wordsOf(p fyne.Preferences) string { return p.String(prefWords) }

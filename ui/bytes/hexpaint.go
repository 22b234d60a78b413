package bytes

import (
	"fmt"
	"image"
	"image/color"
	"strconv"

	"spandrel/model"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// A row of the hex pane in cells of the fixed-width font: one, the offset, two, three per byte with an extra one after every
// eighth, one per character, one.

// hexPlaces computes the positions of bytes in a row of a hex pane.
type hexPlaces struct{ h *Pane }

// digits is the number of cells of the offset: as many as the largest one has, and enough for the heading and for the names of records.
func (g *hexPlaces) digits() int64 {
	return int64(max(len("offset"), len(strconv.FormatInt(max(0, g.h.Size-1), 16)), g.h.Records.digits()))
}

func (g *hexPlaces) hexCell(i int64) int64 { return g.digits() + 3 + 3*i + i/8 }

// textCell and textEnd are where the character of a byte begins and ends, or the number that it is part of if numbers are shown.
func (g *hexPlaces) textCell(i int64) int64 {
	if w := &g.h.Words; w.there() {
		i = i / w.of.size * (w.of.cells + 1)
	}
	return g.hexCell(g.h.PerRow-1) + 3 + i
}

func (g *hexPlaces) textEnd(i int64) int64 {
	if w := &g.h.Words; w.there() {
		return g.textCell(i) + w.of.cells
	}
	return g.textCell(i) + 1
}

// cell returns the width of one cell in units. All hit tests are derived from it.
func (g *hexPlaces) cell() float32 {
	return float32(paint.AtlasAt(g.h.View.Scale).Cw) / g.h.View.Scale
}

func (g *hexPlaces) HexX(i int64) float32  { return float32(g.hexCell(i)) * g.cell() }
func (g *hexPlaces) textX(i int64) float32 { return float32(g.textCell(i)) * g.cell() }

// textEndX is where the character of a byte, or its number, ends.
func (g *hexPlaces) textEndX(i int64) float32 { return float32(g.textEnd(i)) * g.cell() }
func (h *Pane) Width() float32                { return float32(h.At.textEnd(h.PerRow-1)+1) * h.At.cell() }

// fits tells whether offsets, digits and text fit side by side.
func (g *hexPlaces) fits() bool {
	room := g.h.View.Size().Width - rows.BarSize
	return room <= 0 || g.h.Width() <= room
}

// usualWidth is the default number of bytes per row: values of 2, 4 and 8 bytes are aligned in columns. If it does not fit it is
// halved.
const usualWidth = 16

// SetWidth sets the number of bytes per row, or with 0 the default, and keeps the caret in view.
func (h *Pane) SetWidth(n int64) {
	if h.wanted = n; h.Twin != nil {
		h.Twin.Other.wanted = n
	}
	h.fit()
	h.View.ScrollTo(h.rowOf(h.Caret) - h.View.Page()/2)
}

// fit applies the number of bytes per row: the user's choice, or the default, halved until
// offsets, digits and text fit side by side. The top of the view stays in place.
func (h *Pane) fit() {
	was := h.PerRow
	if h.PerRow = h.wanted; h.Records.there() {
		h.PerRow = h.Records.size
	} else if h.wanted == 0 {
		for h.PerRow = usualWidth; h.View.Size().Width > rows.BarSize && h.PerRow > LeastWidth && !h.At.fits(); h.PerRow /= 2 {
		}
		if h.Twin != nil {
			h.PerRow = h.Twin.narrower(h.PerRow)
		}
	}
	if h.View.Top = h.View.Top * was / h.PerRow; h.Twin != nil {
		h.Twin.fitted(h)
	}
}

func (h *Pane) HeadLines() int               { return 1 }
func (h *Pane) RowHeight(a *paint.Atlas) int { return a.Ch + int(a.Scale+0.5) }

// byteAt returns the byte at a point of a row, and the area of the point.
func (g *hexPlaces) byteAt(row int64, x float32) (off int64, inText, ok bool) {
	if row < 0 || row >= g.h.Count() {
		return 0, false, false
	}
	c := float64(x / g.cell())
	i := int64(-1)
	if t := int64(c) - g.textCell(0); t >= 0 && int64(c) < g.textEnd(g.h.PerRow-1) {
		if i, inText = t, true; g.h.Words.there() {
			i = t / (g.h.Words.of.cells + 1) * g.h.Words.of.size
		}
	} else {
		for k := range g.h.PerRow {
			if at := float64(g.hexCell(k)); c >= at-0.5 && c < at+2.5 {
				i = k
			}
		}
	}
	off = g.h.startOf(row) + i
	return off, inText, i >= 0 && off >= 0 && off < g.h.Size
}

func (h *Pane) Paint(p *paint.Pen, row int64, r image.Rectangle) {
	if row == -1 {
		h.paintRuler(p, r)
		return
	}
	a, look := p.At, p.Look
	at := func(cell int64) int { return r.Min.X + int(cell)*a.Cw }
	off := h.startOf(row)
	gutter := look.Dim
	if h.rowOf(h.Caret) == row {
		gutter = look.Caret
	}
	label := fmt.Sprintf("%0*X", h.At.digits(), max(0, off))
	if name, ok := h.Records.name(off); ok {
		label = fmt.Sprintf("%*s", h.At.digits(), name)
	}
	p.Text(a.Mono, at(1), r.Min.Y, r.Max.X, label, gutter)
	for _, m := range h.Marked {
		if h.rowOf(m) == row {
			side := a.Cw * 3 / 4
			p.Fill(image.Rect(at(0), r.Min.Y+(r.Dy()-side)/2, at(0)+side, r.Min.Y+(r.Dy()-side)/2+side), look.Caret)
		}
	}
	skip := max(0, -off)
	first := off - h.Page.Off
	if h.Page.Space != h.Space || first+skip < 0 || first >= int64(len(h.Page.Bytes)) {
		text := "…"
		if h.Page.Trouble != "" && h.Page.Space == h.Space {
			text = h.Page.Trouble
		}
		p.Text(a.Mono, at(h.At.hexCell(0)), r.Min.Y, r.Max.X, text, look.Dim)
		return
	}
	w := hexRow{h: h, p: p, r: r, at: at, off: off, first: first, page: h.d.Page(h.Space), sel: h.d.Sel.Now.Range}
	for i := skip; i < min(h.PerRow, h.Size-off, int64(len(h.Page.Bytes))-first); i++ {
		w.byte(i)
	}
}

// hexRow is a row being painted.
type hexRow struct {
	h          *Pane
	p          *paint.Pen
	r          image.Rectangle
	at         func(cell int64) int
	off, first int64 // of its first byte, in the space and in the page
	page       color.RGBA
	sel        model.Range
}

// chosen tells whether byte i of the row is selected.
func (w *hexRow) chosen(i int64) bool {
	return w.sel.Space == w.h.Space && w.off+i >= w.sel.Off && w.off+i < w.sel.End()
}

// byte paints byte i of the row in both areas.
func (w *hexRow) byte(i int64) {
	h, at, k := w.h, w.at, w.first+i
	b, kind, chosen := h.Page.Bytes[k], h.Page.Kind[k], w.chosen(i)
	bg := w.ground(kind, chosen)
	ink := func(dim bool) color.RGBA {
		if dim && !chosen { // in the selection everything is to be read
			return w.p.Look.Zero
		}
		return w.p.Look.Foreground
	}
	digits, ch := hexPair(b), b
	switch {
	case kind.Gone:
		digits, ch = [2]byte{' ', ' '}, ' '
	case b < 0x20 || b > 0x7e:
		ch = '.'
	}
	w.paintByte(image.Rect(at(h.At.hexCell(i)), w.r.Min.Y, at(h.At.hexCell(i)+2), w.r.Max.Y), digits, ink(b == 0), kind, chosen)
	if w.goesOn(i) {
		w.p.Fill(image.Rect(at(h.At.hexCell(i)+2), w.r.Min.Y, at(h.At.hexCell(i+1)), w.r.Max.Y), bg)
	}
	if h.Words.there() {
		w.word(i, bg)
	} else {
		w.paintByte(image.Rect(at(h.At.textCell(i)), w.r.Min.Y, at(h.At.textCell(i)+1), w.r.Max.Y), [2]byte{ch}, ink(ch != b), kind, chosen)
	}
	if w.off+i == h.Caret {
		w.caret(i)
	}
}

// goesOn tells whether the space after byte i has its colour too: between the bytes of one field, or of the selection.
func (w *hexRow) goesOn(i int64) bool {
	chosen, kinds := w.chosen(i), w.h.Page.Kind[w.first+i:len(w.h.Page.Bytes)]
	if i == w.h.PerRow-1 || len(kinds) == 1 || chosen != w.chosen(i+1) {
		return false
	}
	a, b := kinds[0], kinds[1]
	return chosen || a.Hue == b.Hue && a.state == b.state && a.Tried == b.Tried && a.Differs == b.Differs
}

// ground is the background colour of a byte.
func (w *hexRow) ground(kind ByteKind, chosen bool) color.RGBA {
	switch look := w.p.Look; {
	case chosen:
		return look.Selection
	case kind.Tried || kind.Differs:
		return look.Tried
	case kind.Hue > 0 && kind.state != model.Gap:
		return look.Hue(uint32(kind.Hue - 1))
	}
	return w.page
}

const hexDigits = "0123456789ABCDEF"

func hexPair(b byte) [2]byte { return [2]byte{hexDigits[b>>4], hexDigits[b&15]} }

// paintByte draws a byte in one of the two areas. Damage and gaps are hatched and findings underlined, so that nothing is shown
// by colour alone.
func (w *hexRow) paintByte(r image.Rectangle, text [2]byte, fg color.RGBA, k ByteKind, chosen bool) {
	p, bg := w.p, w.ground(k, chosen)
	p.Fill(image.Rect(r.Min.X, r.Min.Y+p.At.Ch, r.Max.X, r.Max.Y), bg)
	p.Tile(r.Min.X, r.Min.Y, text, bg, fg)
	switch {
	case k.Gone:
		p.Hatch(r, p.Look.Bad)
	case chosen:
	case k.state == model.Gap:
		p.Hatch(r, p.Look.Gap)
	case k.state == model.Bad:
		p.Hatch(r, p.Look.Bad)
	}
	c := p.Look.Severity[k.severity]
	if chosen {
		c = p.Look.OnSelection
	}
	thick := max(1, p.Px(1))
	if (k.hit || k.Differs) && !chosen { // between two lines, as the pointer's outline is
		p.Fill(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+thick), p.Look.Caret)
		p.Fill(image.Rect(r.Min.X, r.Max.Y-thick, r.Max.X, r.Max.Y), p.Look.Caret)
	}
	if k.Edited { // a bar above: the line below belongs to findings
		bar := p.Look.Modified
		if chosen {
			bar = p.Look.OnSelection
		}
		p.Fill(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+2*thick), bar)
	}
	switch k.severity {
	case model.Error: // a double line
		p.Fill(image.Rect(r.Min.X, r.Max.Y-thick, r.Max.X, r.Max.Y), c)
		p.Fill(image.Rect(r.Min.X, r.Max.Y-3*thick, r.Max.X, r.Max.Y-2*thick), c)
	case model.Warning: // a line
		p.Fill(image.Rect(r.Min.X, r.Max.Y-2*thick, r.Max.X, r.Max.Y), c)
	case model.Note: // dots
		for x := r.Min.X; x < r.Max.X; x += 3 * thick {
			p.Fill(image.Rect(x, r.Max.Y-thick, x+thick, r.Max.Y), c)
		}
	}
}

// caret underlines the byte under the caret, strongly in the area with the keyboard focus; in insert mode it is a
// bar before the byte there.
func (w *hexRow) caret(i int64) {
	h, p, r, at := w.h, w.p, w.r, w.at
	frame := func(x0, x1 int, strong bool) {
		t := max(1, p.Px(1))
		if strong && h.View.Focused {
			t *= 2
			if h.d.Editor.Inserting && !h.d.Editor.Locked {
				p.Fill(image.Rect(x0-t/2, r.Min.Y, x0-t/2+t, r.Max.Y), p.Look.Caret)
				return
			}
		}
		p.Fill(image.Rect(x0, r.Max.Y-t, x1, r.Max.Y), p.Look.Caret)
		if strong && h.View.Focused {
			p.Fill(image.Rect(x0, r.Min.Y, x1, r.Min.Y+max(1, t/2)), p.Look.Caret)
		}
	}
	frame(at(h.At.hexCell(i)), at(h.At.hexCell(i)+2), !h.InText)
	frame(at(h.At.textCell(i)), at(h.At.textEnd(i)), h.InText)
}

func (h *Pane) paintRuler(p *paint.Pen, r image.Rectangle) {
	a := p.At
	at := func(cell int64) int { return r.Min.X + int(cell)*a.Cw }
	p.Text(a.Mono, at(1), r.Min.Y, r.Max.X, h.Records.title(), p.Look.Dim)
	for i := range h.PerRow {
		c := p.Look.Dim
		if h.colOf(h.Caret) == i {
			c = p.Look.Caret
		}
		p.Text(a.Mono, at(h.At.hexCell(i)), r.Min.Y, r.Max.X, fmt.Sprintf("%02X", i), c)
	}
	p.Text(a.Mono, at(h.At.textCell(0)), r.Min.Y, r.Max.X, h.Words.title(), p.Look.Dim)
	p.Fill(image.Rect(r.Min.X, r.Max.Y-1, r.Max.X, r.Max.Y), p.Look.Line)
}

// The smallest and largest number of bytes per row.
const (
	LeastWidth = 4
	MostWidth  = 64
)

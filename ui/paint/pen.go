// Package paint draws the pictures of data panes: pens over glyph atlases, in the colours of a palette.
package paint

import (
	"image"
	"image/color"
	"strings"

	"spandrel/model"
)

// Pen draws into the picture of a data pane. All coordinates are pixels of the picture; nothing is drawn outside clip.
type Pen struct {
	Img  *image.RGBA
	At   *Atlas
	Look *Palette
	Clip image.Rectangle
}

// Px converts units to pixels.
func (p *Pen) Px(u float32) int { return int(u*p.At.Scale + 0.5) }

// Fill paints a rectangle in an opaque colour, or blends a translucent one.
func (p *Pen) Fill(r image.Rectangle, c color.RGBA) {
	r = r.Intersect(p.Clip)
	if r.Empty() {
		return
	}
	line := p.Img.Pix[p.Img.PixOffset(r.Min.X, r.Min.Y):][:4*r.Dx()]
	if c.A == 255 {
		for x := 0; x < len(line); x += 4 {
			line[x], line[x+1], line[x+2], line[x+3] = c.R, c.G, c.B, 255
		}
		for y := r.Min.Y + 1; y < r.Max.Y; y++ {
			copy(p.Img.Pix[p.Img.PixOffset(r.Min.X, y):], line)
		}
		return
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		line := p.Img.Pix[p.Img.PixOffset(r.Min.X, y):][:4*r.Dx()]
		for x := 0; x < len(line); x += 4 {
			blend(line[x:x+4:x+4], c, uint32(c.A))
		}
	}
}

func blend(d []uint8, c color.RGBA, a uint32) {
	d[0] = uint8((uint32(d[0])*(255-a) + uint32(c.R)*a) / 255)
	d[1] = uint8((uint32(d[1])*(255-a) + uint32(c.G)*a) / 255)
	d[2] = uint8((uint32(d[2])*(255-a) + uint32(c.B)*a) / 255)
}

// glyph draws a mask with its pen position at (x, baseline y).
func (p *Pen) glyph(g glyph, x, y int, c color.RGBA) {
	if g.mask == nil {
		return
	}
	r := g.mask.Rect.Add(g.off).Add(image.Pt(x, y))
	vis := r.Intersect(p.Clip)
	for py := vis.Min.Y; py < vis.Max.Y; py++ {
		src := g.mask.Pix[(py-r.Min.Y)*g.mask.Stride+vis.Min.X-r.Min.X:][:vis.Dx()]
		dst := p.Img.Pix[p.Img.PixOffset(vis.Min.X, py):][:4*vis.Dx()]
		for i, a := range src {
			if a != 0 {
				blend(dst[4*i:4*i+4:4*i+4], c, uint32(a))
			}
		}
	}
}

// Text draws a line of text whose line box starts at (x, y) and returns where it ends. A text that does not fit before end is cut
// with an ellipsis.
func (p *Pen) Text(f *Typeface, x, y, end int, s string, c color.RGBA) int {
	dots := f.Glyph('…')
	s = Visual(s)
	for i, r := range s {
		if r < ' ' {
			r = '␣'
		}
		g := f.Glyph(r)
		if x+g.Advance > end || x+g.Advance+dots.Advance > end && f.Width(ClipText(s[i:], 200)) > end-x {
			if x+dots.Advance <= end {
				p.glyph(dots, x, y+f.Ascent, c)
				x += dots.Advance
			}
			return x
		}
		p.glyph(g, x, y+f.Ascent, c)
		x += g.Advance
	}
	return x
}

// ClipText returns at most n bytes of s: enough to know that it does not fit.
func ClipText(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}

// Shorten returns s in at most n characters, with an ellipsis in its middle: names with the same
// beginning differ at their ends.
func Shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	head, tail := string(r[:n/2]), string(r[len(r)-(n-1)/2:])
	if at := strings.LastIndexByte(head, ' '); at > n/4 { // no part of a word: it is a sentence
		head = head[:at+1]
	}
	if at := strings.IndexByte(tail, ' '); at >= 0 && at < n/4 {
		tail = tail[at:]
	}
	return head + "…" + tail
}

// Tile copies one or two characters of the fixed-width font, which is faster than blending them.
func (p *Pen) Tile(x, y int, text [2]byte, bg, fg color.RGBA) {
	t := p.At.tile(tileKey{bg, fg, text})
	w := len(t) / p.At.Ch
	if x < p.Clip.Min.X || x+w/4 > p.Clip.Max.X {
		return
	}
	for i := range p.At.Ch {
		if y+i >= p.Clip.Min.Y && y+i < p.Clip.Max.Y {
			copy(p.Img.Pix[p.Img.PixOffset(x, y+i):], t[i*w:(i+1)*w])
		}
	}
}

// Hatch draws diagonal lines over a rectangle: bytes that no parser explains.
func (p *Pen) Hatch(r image.Rectangle, c color.RGBA) {
	r = r.Intersect(p.Clip)
	step := max(4, p.Px(5))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X + (step-(r.Min.X+y)%step)%step; x < r.Max.X; x += step {
			blend(p.Img.Pix[p.Img.PixOffset(x, y):][:4], c, uint32(c.A))
		}
	}
}

// Triangle draws the mark of a closed or open branch into a box.
func (p *Pen) Triangle(r image.Rectangle, open bool, c color.RGBA) {
	n := min(r.Dx(), r.Dy()) / 2
	for i := range n {
		if open {
			p.Fill(image.Rect(r.Min.X+i, r.Min.Y+n/2+i, r.Min.X+2*n-i, r.Min.Y+n/2+i+1), c)
		} else {
			p.Fill(image.Rect(r.Min.X+n/2+i, r.Min.Y+i, r.Min.X+n/2+i+1, r.Min.Y+2*n-i), c)
		}
	}
}

// Mark draws the sign of a severity into a box, recognisable by its shape without its colour: a cross is an error, a triangle a
// warning, a dot a note.
func (p *Pen) Mark(r image.Rectangle, sev int, c color.RGBA) {
	n := min(r.Dx(), r.Dy())
	w := max(2, n/5)
	switch sev {
	case 1:
		for i := range n - w {
			p.Fill(image.Rect(r.Min.X+i, r.Min.Y+i, r.Min.X+i+w, r.Min.Y+i+1), c)
			p.Fill(image.Rect(r.Min.X+n-i-w, r.Min.Y+i, r.Min.X+n-i, r.Min.Y+i+1), c)
		}
	case 2:
		for i := range n {
			p.Fill(image.Rect(r.Min.X+(n-i)/2, r.Min.Y+i, r.Min.X+(n+i)/2+1, r.Min.Y+i+1), c)
		}
	default:
		p.Fill(image.Rect(r.Min.X+n/4, r.Min.Y+n/4, r.Min.X+n-n/4, r.Min.Y+n-n/4), c)
	}
}

// Icon draws what something contains into a box: a number is a hash sign, a text lines, an array a grid, an image a hill in a frame.
func (p *Pen) Icon(r image.Rectangle, icon model.Icon, c color.RGBA) {
	n, w := min(r.Dx(), r.Dy()), max(1, r.Dy()/9)
	bar := func(x, y, dx, dy int) { p.Fill(image.Rect(r.Min.X+x, r.Min.Y+y, r.Min.X+x+dx, r.Min.Y+y+dy), c) }
	switch icon {
	case model.IconNumber:
		for _, at := range []int{n / 4, n * 5 / 8} {
			bar(at, 0, w, n)
			bar(0, at, n, w)
		}
	case model.IconText:
		for i, long := range []int{n, n * 2 / 3, n} {
			bar(0, n/8+i*n/3, long, w)
		}
	case model.IconArray:
		side := n/3 - w
		for i := range 9 {
			bar(i%3*n/3, i/3*n/3, side, side)
		}
	case model.IconImage:
		bar(0, 0, n, w)
		bar(0, n-w, n, w)
		bar(0, 0, w, n)
		bar(n-w, 0, w, n)
		for i := range n / 2 {
			bar(n/2-i, n/2+i-w, 2*i, 1)
		}
	}
}

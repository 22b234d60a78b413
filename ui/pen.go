package ui

import (
	"image"
	"image/color"
)

// pen draws into the picture of a data pane. All its coordinates are pixels of the picture; nothing is drawn outside clip.
type pen struct {
	img  *image.RGBA
	at   *atlas
	look *palette
	clip image.Rectangle
}

// px turns units into pixels.
func (p *pen) px(u float32) int { return int(u*p.at.scale + 0.5) }

// fill paints a rectangle in an opaque colour, or blends a translucent one over what is there.
func (p *pen) fill(r image.Rectangle, c color.RGBA) {
	r = r.Intersect(p.clip)
	if r.Empty() {
		return
	}
	line := p.img.Pix[p.img.PixOffset(r.Min.X, r.Min.Y):][:4*r.Dx()]
	if c.A == 255 {
		for x := 0; x < len(line); x += 4 {
			line[x], line[x+1], line[x+2], line[x+3] = c.R, c.G, c.B, 255
		}
		for y := r.Min.Y + 1; y < r.Max.Y; y++ {
			copy(p.img.Pix[p.img.PixOffset(r.Min.X, y):], line)
		}
		return
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		line := p.img.Pix[p.img.PixOffset(r.Min.X, y):][:4*r.Dx()]
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

// glyph draws a mask with its pen position at (x, base line y).
func (p *pen) glyph(g glyph, x, y int, c color.RGBA) {
	if g.mask == nil {
		return
	}
	r := g.mask.Rect.Add(g.off).Add(image.Pt(x, y))
	vis := r.Intersect(p.clip)
	for py := vis.Min.Y; py < vis.Max.Y; py++ {
		src := g.mask.Pix[(py-r.Min.Y)*g.mask.Stride+vis.Min.X-r.Min.X:][:vis.Dx()]
		dst := p.img.Pix[p.img.PixOffset(vis.Min.X, py):][:4*vis.Dx()]
		for i, a := range src {
			if a != 0 {
				blend(dst[4*i:4*i+4:4*i+4], c, uint32(a))
			}
		}
	}
}

// text draws a line of text whose line box starts at (x, y) and returns where it ends. What does not fit before end is cut
// with an ellipsis.
func (p *pen) text(f *typeface, x, y, end int, s string, c color.RGBA) int {
	dots := f.glyph('…')
	for i, r := range s {
		if r < ' ' {
			r = '␣'
		}
		g := f.glyph(r)
		if x+g.advance > end || x+g.advance+dots.advance > end && f.width(clipText(s[i:], 200)) > end-x {
			if x+dots.advance <= end {
				p.glyph(dots, x, y+f.ascent, c)
				x += dots.advance
			}
			return x
		}
		p.glyph(g, x, y+f.ascent, c)
		x += g.advance
	}
	return x
}

// clipText returns at most n bytes of s: enough to know that it does not fit.
func clipText(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}

// shorten returns s in at most n characters, with an ellipsis in place of what is left out of its middle: names that begin
// alike differ at their ends.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n/2]) + "…" + string(r[len(r)-(n-1)/2:])
}

// tile copies one or two characters of the fixed-width font, which is faster than blending them.
func (p *pen) tile(x, y int, text [2]byte, bg, fg color.RGBA) {
	t := p.at.tile(tileKey{bg, fg, text})
	w := len(t) / p.at.ch
	if x < p.clip.Min.X || x+w/4 > p.clip.Max.X {
		return
	}
	for i := range p.at.ch {
		if y+i >= p.clip.Min.Y && y+i < p.clip.Max.Y {
			copy(p.img.Pix[p.img.PixOffset(x, y+i):], t[i*w:(i+1)*w])
		}
	}
}

// hatch draws diagonal lines over a rectangle: bytes that no parser explains.
func (p *pen) hatch(r image.Rectangle, c color.RGBA) {
	r = r.Intersect(p.clip)
	step := max(4, p.px(5))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X + (step-(r.Min.X+y)%step)%step; x < r.Max.X; x += step {
			blend(p.img.Pix[p.img.PixOffset(x, y):][:4], c, uint32(c.A))
		}
	}
}

// triangle draws the mark of a closed or an open branch into a box.
func (p *pen) triangle(r image.Rectangle, open bool, c color.RGBA) {
	n := min(r.Dx(), r.Dy()) / 2
	for i := range n {
		if open {
			p.fill(image.Rect(r.Min.X+i, r.Min.Y+n/2+i, r.Min.X+2*n-i, r.Min.Y+n/2+i+1), c)
		} else {
			p.fill(image.Rect(r.Min.X+n/2+i, r.Min.Y+i, r.Min.X+n/2+i+1, r.Min.Y+2*n-i), c)
		}
	}
}

// mark draws the sign of a severity into a box: its form tells it apart without its colour. A cross is an error, a triangle a
// warning, a dot a note.
func (p *pen) mark(r image.Rectangle, sev int, c color.RGBA) {
	n := min(r.Dx(), r.Dy())
	w := max(2, n/5)
	switch sev {
	case 1:
		for i := range n - w {
			p.fill(image.Rect(r.Min.X+i, r.Min.Y+i, r.Min.X+i+w, r.Min.Y+i+1), c)
			p.fill(image.Rect(r.Min.X+n-i-w, r.Min.Y+i, r.Min.X+n-i, r.Min.Y+i+1), c)
		}
	case 2:
		for i := range n {
			p.fill(image.Rect(r.Min.X+(n-i)/2, r.Min.Y+i, r.Min.X+(n+i)/2+1, r.Min.Y+i+1), c)
		}
	default:
		p.fill(image.Rect(r.Min.X+n/4, r.Min.Y+n/4, r.Min.X+n-n/4, r.Min.Y+n-n/4), c)
	}
}

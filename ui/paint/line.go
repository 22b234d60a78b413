package paint

import (
	"image/color"
	"math"
)

// Point is a place in a picture.
type Point struct{ X, Y float32 }

// Pt makes a Point.
func Pt(x, y float32) Point { return Point{x, y} }

// Line draws an antialiased line one pixel wide, after Wu. Only the part that may be inside the clip is visited.
func (p *Pen) Line(a, b Point, c color.RGBA) {
	steep := abs32(b.Y-a.Y) > abs32(b.X-a.X)
	if steep {
		a, b = Point{a.Y, a.X}, Point{b.Y, b.X}
	}
	if a.X > b.X {
		a, b = b, a
	}
	lo, hi := p.Clip.Min.X, p.Clip.Max.X
	if steep {
		lo, hi = p.Clip.Min.Y, p.Clip.Max.Y
	}
	slope := float32(0)
	if b.X > a.X {
		slope = (b.Y - a.Y) / (b.X - a.X)
	}
	for x := max(lo, int(a.X)); x < hi && x <= int(b.X); x++ {
		y := a.Y + slope*(float32(x)-a.X)
		at := int(math.Floor(float64(y)))
		part := y - float32(at)
		p.dot(x, at, steep, 1-part, c)
		p.dot(x, at+1, steep, part, c)
	}
}

// dot blends a share of a colour into a pixel.
func (p *Pen) dot(x, y int, swap bool, share float32, c color.RGBA) {
	if swap {
		x, y = y, x
	}
	if x >= p.Clip.Min.X && x < p.Clip.Max.X && y >= p.Clip.Min.Y && y < p.Clip.Max.Y {
		blend(p.Img.Pix[p.Img.PixOffset(x, y):][:4], c, uint32(share*float32(c.A)))
	}
}

// Curve draws a line that starts and ends horizontally, or vertically.
func (p *Pen) Curve(a, b Point, upright, dashed bool, c color.RGBA) {
	x0, x1 := min(a.X, b.X), max(a.X, b.X)
	y0, y1 := min(a.Y, b.Y), max(a.Y, b.Y)
	switch {
	case x1 < float32(p.Clip.Min.X) || x0 > float32(p.Clip.Max.X) || y1 < float32(p.Clip.Min.Y) || y0 > float32(p.Clip.Max.Y):
		return
	case !dashed && (y1-y0 < 2 || x1-x0 < 4):
		p.Line(a, b, c)
		return
	}
	parts := 14
	if dashed {
		parts = max(2, min(400, int(max(x1-x0, y1-y0))/p.Px(4)))
	}
	last := a
	for i := 1; i <= parts; i++ {
		t := float32(i) / float32(parts)
		tx, ty := t, t*t*(3-2*t)
		if upright {
			tx, ty = ty, tx
		}
		q := Point{a.X + (b.X-a.X)*tx, a.Y + (b.Y-a.Y)*ty}
		if !dashed || i%2 == 1 {
			p.Line(last, q, c)
		}
		last = q
	}
}

func abs32(f float32) float32 { return float32(math.Abs(float64(f))) }

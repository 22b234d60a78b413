package ui

import (
	"image/color"
	"math"
)

// point is a place in a picture.
type point struct{ x, y float32 }

// line draws a line a pixel wide with soft edges, after Wu. Only what may be inside the clip is walked.
func (p *pen) line(a, b point, c color.RGBA) {
	steep := abs32(b.y-a.y) > abs32(b.x-a.x)
	if steep {
		a, b = point{a.y, a.x}, point{b.y, b.x}
	}
	if a.x > b.x {
		a, b = b, a
	}
	lo, hi := p.clip.Min.X, p.clip.Max.X
	if steep {
		lo, hi = p.clip.Min.Y, p.clip.Max.Y
	}
	slope := float32(0)
	if b.x > a.x {
		slope = (b.y - a.y) / (b.x - a.x)
	}
	for x := max(lo, int(a.x)); x < hi && x <= int(b.x); x++ {
		y := a.y + slope*(float32(x)-a.x)
		at := int(math.Floor(float64(y)))
		part := y - float32(at)
		p.dot(x, at, steep, 1-part, c)
		p.dot(x, at+1, steep, part, c)
	}
}

// dot blends a share of a colour into a pixel.
func (p *pen) dot(x, y int, swap bool, share float32, c color.RGBA) {
	if swap {
		x, y = y, x
	}
	if x >= p.clip.Min.X && x < p.clip.Max.X && y >= p.clip.Min.Y && y < p.clip.Max.Y {
		blend(p.img.Pix[p.img.PixOffset(x, y):][:4], c, uint32(share*float32(c.A)))
	}
}

// curve draws a line that leaves and arrives level.
func (p *pen) curve(a, b point, dashed bool, c color.RGBA) {
	x0, x1 := min(a.x, b.x), max(a.x, b.x)
	y0, y1 := min(a.y, b.y), max(a.y, b.y)
	switch {
	case x1 < float32(p.clip.Min.X) || x0 > float32(p.clip.Max.X) || y1 < float32(p.clip.Min.Y) || y0 > float32(p.clip.Max.Y):
		return
	case !dashed && (y1-y0 < 2 || x1-x0 < 4):
		p.line(a, b, c)
		return
	}
	parts := 14
	if dashed {
		parts = max(2, min(400, int(x1-x0)/p.px(4)))
	}
	last := a
	for i := 1; i <= parts; i++ {
		t := float32(i) / float32(parts)
		q := point{a.x + (b.x-a.x)*t, a.y + (b.y-a.y)*t*t*(3-2*t)}
		if !dashed || i%2 == 1 {
			p.line(last, q, c)
		}
		last = q
	}
}

func abs32(f float32) float32 { return float32(math.Abs(float64(f))) }

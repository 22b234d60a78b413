package rows

import (
	"image"
	"image/color"
	"math"

	"spandrel/ui/paint"
)

// fixed is the total width of the pinned columns.
func (g *Grid) fixed() float32 { return g.ColumnX(min(g.Pinned+1, len(g.Columns))) }

// Snap returns the scroll offset at which the first column from left on begins right after the pinned ones.
func (g *Grid) Snap(left int64) int64 {
	if !g.Frozen {
		return left
	}
	return g.Sideways(left, 0)
}

// Sideways is Snap for the column by places further, at most the last one.
func (g *Grid) Sideways(left, by int64) int64 {
	if !g.Frozen {
		return left + by
	}
	first := min(g.Pinned+1, len(g.Columns))
	k, x := first, float32(0) // column k begins at x, after the pinned columns
	for k < len(g.Columns)-1 && math.Floor(float64(x)) < float64(left) {
		x, k = x+g.ColumnWidth(k), k+1
	}
	for ; by < 0 && k > first; k-- {
		if x -= g.ColumnWidth(k - 1); g.ColumnWidth(k-1) > 0 {
			by++
		}
	}
	for ; by > 0 && k < len(g.Columns)-1; k++ {
		if x += g.ColumnWidth(k); g.ColumnWidth(k) > 0 {
			by--
		}
	}
	return int64(math.Floor(float64(x)))
}

// RevealColumn scrolls sideways to show a column beside the pinned ones.
func (g *Grid) RevealColumn(col int) {
	if col > g.Pinned {
		fixed := g.fixed()
		g.View.RevealX(g.ColumnX(col)-fixed, g.ColumnWidth(col)+fixed)
	}
}

// Block returns the columns in which the selected rows are selected; ok is false if they are selected completely.
func (g *Grid) Block() (lo, hi int, ok bool) {
	if g.ColAnchor < 0 || g.SelColumn < 0 {
		return 0, len(g.Columns) - 1, false
	}
	return min(g.ColAnchor, g.SelColumn), max(g.ColAnchor, g.SelColumn), true
}

// Resize lets the user drag the edges of the columns in the header; it tells whether the press was handled.
func (g *Grid) Resize(row int64, x float32, e Press) bool {
	if !e.Drag {
		g.Sizing = -1
		if row != -1 {
			return false
		}
		for i := range g.Columns {
			if at := g.ColumnX(i + 1); x > at-5 && x < at+5 {
				g.Sizing = i
			}
		}
		return true
	}
	if g.Sizing < 0 {
		return false
	}
	if by := g.narrowing() / g.widening(); g.Fits { // from now on the widths are the user's
		for i := range g.Columns {
			g.Columns[i].Width *= by
		}
		g.Fits = false
	}
	g.Columns[g.Sizing].Width = max(minColumn, (x-g.ColumnX(g.Sizing))/g.widening())
	g.View.Update()
	return true
}

// sliver is the narrowest part of a column of a table that is shown at the edge of the pane: less of it says nothing.
const sliver = 48

// InView returns the first visible column, the one after the last, and where the first begins. There may be thousands.
func (g *Grid) InView() (lo, hi int, x float32) {
	left, by, at := float32(g.View.Left), g.narrowing(), float32(0)
	for i, c := range g.Columns {
		seen := left + g.View.Size().Width - at
		if seen <= 0 || g.Frozen && seen-BarSize < min(sliver, c.Width*by) {
			return lo, i, x
		}
		if at += c.Width * by; at <= left {
			lo, x = i+1, at
		}
	}
	return lo, len(g.Columns), x
}

// inSight is the visible part of a box: a text is cut with an ellipsis at the edge of the pane, not within a letter or digit.
func inSight(p *paint.Pen, b image.Rectangle) image.Rectangle {
	b.Max.X = max(b.Min.X, min(b.Max.X, p.Img.Rect.Max.X))
	return b
}

// paintFixed paints the pinned columns, below which the others scroll.
func (g *Grid) paintFixed(p *paint.Pen, r image.Rectangle, cell func(i int) (c Cell, chosen bool)) {
	if !g.Frozen || g.View.Left == 0 {
		return
	}
	left := r.Min.X + p.Px(float32(g.View.Left))
	for i := range min(g.Pinned+1, len(g.Columns)) {
		b := image.Rect(left+p.Px(g.ColumnX(i)), r.Min.Y, left+p.Px(g.ColumnX(i+1)), r.Max.Y)
		c, chosen := cell(i)
		p.Clip = b.Intersect(p.Img.Rect)
		p.Fill(b, p.Look.Header)
		if chosen {
			p.Fill(b, p.Look.Selection)
		}
		g.paintCell(p, b, c, chosen)
	}
}

// Branch is the triangle of a row with others below it.
func Branch(open bool) int {
	if open {
		return 2
	}
	return 1
}

// paintSigns draws what stands before the text of a cell, and returns where the text begins.
func paintSigns(p *paint.Pen, b image.Rectangle, c *Cell, ink color.RGBA, chosen bool) (x int) {
	x = b.Min.X + p.Px(CellPad+c.Indent)
	side := p.Px(9)
	top := b.Min.Y + (b.Dy()-side)/2
	box := func(room int) image.Rectangle {
		x += room
		return image.Rect(x-room, top, x-room+side, top+side)
	}
	switch c.Branch {
	case 0:
	case -1:
		box(p.Px(BranchBox))
	default:
		p.Triangle(box(p.Px(BranchBox)), c.Branch == 2, ink)
	}
	if c.Swatch > 0 {
		p.Fill(image.Rect(x, b.Min.Y+p.Px(2), x+p.Px(4), b.Max.Y-p.Px(2)), p.Look.Hue(uint32(c.Swatch-1)))
		x += p.Px(8)
	}
	if c.Mark != 0 {
		mark := p.Look.Mark(c.Mark)
		if chosen {
			mark = ink
		}
		p.Mark(box(side+p.Px(4)), int(c.Mark), mark)
	}
	if c.Icon != 0 {
		if !chosen {
			ink = p.Look.Dim
		}
		p.Icon(box(side+p.Px(5)), c.Icon, ink)
	}
	return x
}

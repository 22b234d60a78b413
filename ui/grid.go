package ui

import (
	"image"
	"image/color"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// cell is what a grid draws in one column of a row.
type cell struct {
	text   string
	mono   bool
	right  bool       // aligned to the right
	dim    bool       // secondary text
	link   bool       // leads somewhere
	color  color.RGBA // of the text; zero: by the flags above
	indent float32    // units
	branch int        // 0 no branch, 1 closed, 2 open
	mark   model.Severity
	wide   bool // reaches over the columns behind it
	swatch int  // 1 + hue of the field; 0: none
	hatch  bool
}

// column is a column of a grid.
type column struct {
	title string
	width float32
	right bool
}

const (
	cellPad   = 6 // units on both sides of a text
	branchBox = 14
	minColumn = 24
)

// grid draws columns of text: the tree, the table and the lists are grids that differ in where their rows come from.
type grid struct {
	view      *rowView
	columns   []column
	headed    bool
	striped   bool
	stretch   bool // the last column takes what is left
	fits      bool // columns are narrowed to what there is, until one is dragged
	current   int64
	anchor    int64                          // rows from it to current are selected; -1: current alone
	selColumn int                            // -1: the whole row
	sizing    int                            // column whose edge is dragged; -1 none
	cells     func(row int64) ([]cell, bool) // those in view at least; false: pending
}

func newGrid(columns ...column) grid {
	return grid{columns: columns, headed: true, current: -1, anchor: -1, selColumn: -1, sizing: -1}
}

func (g *grid) hasHeader() bool        { return g.headed }
func (g *grid) keepsTab() bool         { return false }
func (g *grid) typed(rune)             {}
func (g *grid) rowHeight(a *atlas) int { return a.text.height + int(3*a.scale+0.5) }

// narrowest is how much of their width columns keep that are fitted into a narrow pane.
const narrowest = 0.45

// narrowing is the factor of all widths that makes the columns fit.
func (g *grid) narrowing() float32 {
	if !g.fits {
		return 1
	}
	all := float32(0)
	for _, c := range g.columns {
		all += c.width
	}
	return max(narrowest, min(1, (g.view.Size().Width-barSize-1)/all))
}

func (g *grid) columnWidth(i int) float32 {
	w := g.columns[i].width * g.narrowing()
	if g.stretch && i == len(g.columns)-1 {
		vw := g.view.Size().Width - barSize
		w = max(w, vw-g.columnX(i))
	}
	return w
}

func (g *grid) columnX(i int) (x float32) {
	by := g.narrowing()
	for _, c := range g.columns[:i] {
		x += c.width * by
	}
	return x
}

func (g *grid) spot() (row int64, x float32) {
	return g.current, g.columnX(max(0, min(g.selColumn, len(g.columns)-1))) + cellPad
}

func (g *grid) width() float32 {
	if len(g.columns) == 0 {
		return 1
	}
	last := len(g.columns) - 1
	return g.columnX(last) + g.columnWidth(last)
}

// columnAt returns the column below x, or -1.
func (g *grid) columnAt(x float32) int {
	for i := range g.columns {
		if x -= g.columnWidth(i); x < 0 || g.stretch && i == len(g.columns)-1 {
			return i
		}
	}
	return -1
}

// resize lets the edges of the columns be dragged in the header; it tells whether the press was for it.
func (g *grid) resize(row int64, x float32, e press) bool {
	if !e.drag {
		g.sizing = -1
		if row != -1 {
			return false
		}
		for i := range g.columns {
			if at := g.columnX(i + 1); x > at-5 && x < at+5 {
				g.sizing = i
			}
		}
		return true
	}
	if g.sizing < 0 {
		return false
	}
	if by := g.narrowing(); g.fits { // from now on the widths are the user's
		for i := range g.columns {
			g.columns[i].width *= by
		}
		g.fits = false
	}
	g.columns[g.sizing].width = max(minColumn, x-g.columnX(g.sizing))
	g.view.update()
	return true
}

// chosen returns the first and the last of the selected rows.
func (g *grid) chosen() (lo, hi int64) {
	if g.anchor < 0 || g.current < 0 {
		return g.current, g.current
	}
	return min(g.anchor, g.current), max(g.anchor, g.current)
}

// inView returns the first column that is visible, the one behind the last, and where the first begins. There may be thousands.
func (g *grid) inView() (lo, hi int, x float32) {
	left, by, at := float32(g.view.left), g.narrowing(), float32(0)
	for i, c := range g.columns {
		if at >= left+g.view.Size().Width {
			return lo, i, x
		}
		if at += c.width * by; at <= left {
			lo, x = i+1, at
		}
	}
	return lo, len(g.columns), x
}

func (g *grid) paint(p *pen, row int64, r image.Rectangle) {
	lo, hi, x := g.inView()
	next := func(i int) image.Rectangle { // the box of a column; x is where it begins
		from := p.px(x)
		x += g.columnWidth(i)
		return image.Rect(r.Min.X+from, r.Min.Y, r.Min.X+p.px(x), r.Max.Y)
	}
	if row == -1 {
		for i := lo; i < hi; i++ {
			g.paintCell(p, next(i), cell{text: g.columns[i].title, dim: true, right: g.columns[i].right})
		}
		p.clip = r.Intersect(p.img.Rect)
		p.fill(image.Rect(r.Min.X, r.Max.Y-1, r.Max.X, r.Max.Y), p.look.line)
		return
	}
	if g.striped && row%2 == 1 {
		p.fill(r, p.look.stripe)
	}
	if lo, hi := g.chosen(); row >= lo && row <= hi {
		c := p.look.selectionDim
		if g.view.focused {
			c = p.look.selection
		}
		if b := r; row == g.current && g.selColumn >= 0 && g.selColumn < len(g.columns) {
			p.fill(b, p.look.header)
			p.fill(g.box(p, g.selColumn, r), c)
		} else {
			p.fill(b, c)
		}
	}
	cells, ok := g.cells(row)
	for i := lo; i < hi; i++ {
		b := next(i)
		switch {
		case !ok:
			g.paintCell(p, b, cell{text: "…", dim: true})
		case i < len(cells) && cells[i] != cell{}:
			if cells[i].wide {
				b.Max.X = r.Max.X
			}
			for k := i + 1; !cells[i].right && k < len(cells) && cells[k] == (cell{dim: cells[k].dim}); k++ { // over empty cells behind it
				b.Max.X += p.px(g.columnWidth(k))
			}
			g.paintCell(p, b, cells[i])
		}
	}
	p.clip = r.Intersect(p.img.Rect)
}

func (g *grid) box(p *pen, i int, r image.Rectangle) image.Rectangle {
	x := g.columnX(i)
	return image.Rect(r.Min.X+p.px(x), r.Min.Y, r.Min.X+p.px(x+g.columnWidth(i)), r.Max.Y)
}

func (g *grid) paintCell(p *pen, b image.Rectangle, c cell) {
	p.clip = b.Intersect(p.img.Rect)
	if c.hatch {
		p.hatch(b, p.look.gap)
	}
	f := p.at.text
	if c.mono {
		f = p.at.mono
	}
	col := c.color
	switch {
	case col != color.RGBA{}:
	case c.link:
		col = p.look.link
	case c.dim:
		col = p.look.dim
	default:
		col = p.look.foreground
	}
	x, end := b.Min.X+p.px(cellPad+c.indent), b.Max.X-p.px(cellPad)
	side := p.px(9)
	top := b.Min.Y + (b.Dy()-side)/2
	if c.branch > 0 {
		p.triangle(image.Rect(x, top, x+side, top+side), c.branch == 2, p.look.dim)
	}
	if c.branch != 0 {
		x += p.px(branchBox)
	}
	if c.swatch > 0 {
		p.fill(image.Rect(x, b.Min.Y+p.px(2), x+p.px(4), b.Max.Y-p.px(2)), p.look.hue(uint32(c.swatch-1)))
		x += p.px(8)
	}
	if c.mark != 0 {
		p.mark(image.Rect(x, top, x+side, top+side), int(c.mark), p.look.mark(c.mark))
		x += side + p.px(4)
	}
	y := b.Min.Y + (b.Dy()-f.height)/2
	if c.right {
		if w := f.width(clipText(c.text, 100)); x+w < end {
			x = end - w
		}
	}
	to := p.text(f, x, y, end, c.text, col)
	if c.link {
		p.fill(image.Rect(x, y+f.ascent+1, to, y+f.ascent+2), col)
	}
}

// moved handles the keys that move the selected row of a list.
func (g *grid) moved(name fyne.KeyName, count int64, choose func(row int64)) bool {
	to, ok := moveRow(name, g.current, g.view.page(), count)
	if !ok {
		return false
	}
	g.view.follow(to)
	choose(to)
	return true
}

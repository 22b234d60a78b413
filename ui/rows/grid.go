package rows

import (
	"image"
	"image/color"
	"iter"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/paint"
)

// Cell is what a grid draws in one column of a row.
type Cell struct {
	Text   string
	Note   string // secondary text after it
	Mono   bool
	Right  bool       // aligned to the right
	Dim    bool       // secondary text
	Link   bool       // leads somewhere
	Color  color.RGBA // of the text; zero: by the flags above
	Indent float32    // units
	Branch int        // 0 no branch, 1 closed, 2 open: see Branch
	Mark   model.Severity
	Icon   model.Icon // of what it contains
	Wide   bool       // extends over the following columns
	Tail   bool       // what does not fit is cut from the front: paths differ at their ends
	Swatch int        // 1 + hue of the field; 0: none
	Hatch  bool
	Bar    float32    // how much of the cell a bar fills, from 0 to 1
	Tint   bool       // the previewed change affects it
	Fill   color.RGBA // background of the text; zero: none
}

// Column is a column of a grid.
type Column struct {
	Title string
	Note  string // shown after the title, such as a type; "": nothing
	Width float32
	Right bool
}

// Head is the complete heading of a column.
func (c *Column) Head() string { return strings.TrimSuffix(c.Title+" "+c.Note, " ") }

const (
	CellPad   = 6 // units on both sides of a text
	BranchBox = 14
	minColumn = 24
)

// Grid draws columns of text: the tree, the table and the lists are grids that differ in where their rows come from.
type Grid struct {
	View      *View
	Columns   []Column
	Headed    bool
	Striped   bool
	Stretch   bool // the last column takes what is left
	Frozen    bool // the first column stays in sight, and the others are scrolled one by one
	Pinned    int  // number of further pinned columns
	Fits      bool // columns are narrowed to what there is, until one is dragged
	Measured  bool // widths are those of texts at scale 1: at others, glyphs take a little more
	Current   int64
	Anchor    int64                          // rows from it to current are selected; -1: current alone
	SelColumn int                            // -1: the whole row
	ColAnchor int                            // of the rows from Anchor on, the columns from it to SelColumn are selected; -1: all
	Sizing    int                            // column whose edge is dragged; -1 none
	Moving    int                            // column whose title is pressed; -1 none
	Over      int                            // where the pressed column is to go
	Cells     func(row int64) ([]Cell, bool) // those in view at least; false: pending
	Below     func(column int) Cell          // shown below the title of a column; nil: nothing
}

func NewGrid(columns ...Column) Grid {
	return Grid{Columns: columns, Headed: true, Current: -1, Anchor: -1, SelColumn: -1, ColAnchor: -1, Sizing: -1, Moving: -1}
}

func (g *Grid) KeepsTab() bool               { return false }
func (g *Grid) Typed(rune)                   {}
func (g *Grid) RowHeight(a *paint.Atlas) int { return a.Text.Height + int(3*a.Scale+0.5) }

// HeadLines is the number of lines above the rows.
func (g *Grid) HeadLines() int {
	switch {
	case !g.Headed:
		return 0
	case g.Below == nil:
		return 1
	}
	return 2
}

// narrowest is the share of their width that columns keep in a narrow pane.
const narrowest = 0.45

// widening is how much wider measured columns are because of the rounding of glyphs at this scale.
func (g *Grid) widening() float32 {
	if !g.Measured || g.View == nil {
		return 1
	}
	return paint.AtlasAt(g.View.Scale).Wider()
}

// Room is the largest total width of the columns at which nothing is hidden, in the unit of their widths.
func (g *Grid) Room() float32 { return (g.View.Size().Width - BarSize - 1) / g.widening() }

// narrowing is the factor by which all columns are narrowed to fit.
func (g *Grid) narrowing() float32 {
	by := g.widening()
	if !g.Fits {
		return by
	}
	all := float32(0)
	for _, c := range g.Columns {
		all += c.Width * by
	}
	return by * max(narrowest, min(1, (g.View.Size().Width-BarSize-1)/all))
}

func (g *Grid) ColumnWidth(i int) float32 {
	w := g.Columns[i].Width * g.narrowing()
	if g.Stretch && i == len(g.Columns)-1 {
		vw := g.View.Size().Width - BarSize
		w = max(w, vw-g.ColumnX(i))
	}
	return w
}

func (g *Grid) ColumnX(i int) (x float32) {
	by := g.narrowing()
	for _, c := range g.Columns[:i] {
		x += c.Width * by
	}
	return x
}

func (g *Grid) Spot() (row int64, x float32) {
	return g.Current, g.ColumnX(max(0, min(g.SelColumn, len(g.Columns)-1))) + CellPad
}

func (g *Grid) Width() float32 {
	if len(g.Columns) == 0 {
		return 1
	}
	last := len(g.Columns) - 1
	return g.ColumnX(last) + g.ColumnWidth(last)
}

// ColumnAt returns the column at x, or -1.
func (g *Grid) ColumnAt(x float32) int {
	if at := x - float32(g.View.Left); g.Frozen && at >= 0 && at < g.fixed() {
		x = at
	}
	for i := range g.Columns {
		if x -= g.ColumnWidth(i); x < 0 || g.Stretch && i == len(g.Columns)-1 {
			return i
		}
	}
	return -1
}

// Chosen returns the first and the last selected row.
func (g *Grid) Chosen() (lo, hi int64) {
	if g.Anchor < 0 || g.Current < 0 {
		return g.Current, g.Current
	}
	return min(g.Anchor, g.Current), max(g.Anchor, g.Current)
}

func (g *Grid) Paint(p *paint.Pen, row int64, r image.Rectangle) {
	if row < 0 {
		g.paintHead(p, row, r)
		return
	}
	if g.Striped && row%2 == 1 {
		p.Fill(r, p.Look.Stripe)
	}
	chosen := g.paintChosen(p, row, r)
	cells, ok := g.Cells(row)
	for i, b := range g.boxes(p, r) {
		switch {
		case !ok:
			g.paintCell(p, inSight(p, b), Cell{Text: "…", Dim: true}, chosen(i))
		case i < len(cells) && cells[i] != Cell{}:
			if cells[i].Wide {
				b.Max.X = r.Max.X
			}
			b.Max.X += g.emptyAfter(p, cells, i)
			g.paintCell(p, inSight(p, b), cells[i], chosen(i))
		}
	}
	if ok {
		g.paintFixed(p, r, func(i int) (Cell, bool) {
			if i >= len(cells) {
				return Cell{}, false
			}
			return cells[i], i > 0 && chosen(i)
		})
	}
	p.Clip = r.Intersect(p.Img.Rect)
}

// emptyAfter is how wide the empty cells after a cell are: its text runs over them, unless it is at the right.
func (g *Grid) emptyAfter(p *paint.Pen, cells []Cell, i int) (wide int) {
	for k := i + 1; !cells[i].Right && k < len(cells) && cells[k] == (Cell{Dim: cells[k].Dim}); k++ {
		wide += p.Px(g.ColumnWidth(k))
	}
	return wide
}

// paintHead paints the titles of the columns, or their filters.
func (g *Grid) paintHead(p *paint.Pen, row int64, r image.Rectangle) {
	head := func(i int) Cell {
		c := &g.Columns[i]
		return Cell{Text: c.Title, Note: c.Note, Dim: c.Note == "", Right: c.Right}
	}
	if row == FilterRow {
		head = g.Below
	}
	for i, b := range g.boxes(p, r) {
		if g.paintCell(p, inSight(p, b), head(i), false); row == FilterRow {
			p.Fill(image.Rect(b.Max.X-1, b.Min.Y, b.Max.X, b.Max.Y), p.Look.Line)
		}
		switch {
		case row == FilterRow || g.Moving < 0 || i != g.Over || i == g.Moving:
		case i < g.Moving:
			p.Fill(image.Rect(b.Min.X, b.Min.Y, b.Min.X+p.Px(3), b.Max.Y), p.Look.Caret)
		default:
			p.Fill(image.Rect(b.Max.X-p.Px(3), b.Min.Y, b.Max.X, b.Max.Y), p.Look.Caret)
		}
	}
	g.paintFixed(p, r, func(i int) (Cell, bool) { return head(i), false })
	p.Clip = r.Intersect(p.Img.Rect)
	p.Fill(image.Rect(r.Min.X, r.Max.Y-1, r.Max.X, r.Max.Y), p.Look.Line)
}

// paintChosen fills the selection in a row and tells which of its cells are selected: one, or all in a range of rows.
func (g *Grid) paintChosen(p *paint.Pen, row int64, r image.Rectangle) func(column int) bool {
	lo, hi := g.Chosen()
	if row < lo || row > hi {
		return func(int) bool { return false }
	}
	c := p.Look.SelectionDim
	if g.View.Focused {
		c = p.Look.Selection
	}
	if from, to, block := g.Block(); block && to < len(g.Columns) {
		for i := from; i <= to; i++ {
			p.Fill(g.box(p, i, r), c)
		}
		return func(i int) bool { return i >= from && i <= to }
	}
	if lo < hi || g.SelColumn < 0 || g.SelColumn >= len(g.Columns) {
		p.Fill(r, c)
		return func(int) bool { return true }
	}
	p.Fill(r, p.Look.Header)
	p.Fill(g.box(p, g.SelColumn, r), c)
	return func(i int) bool { return i == g.SelColumn }
}

// boxes are the boxes of the visible columns in a row. Those before them are not measured again for each.
func (g *Grid) boxes(p *paint.Pen, r image.Rectangle) iter.Seq2[int, image.Rectangle] {
	return func(yield func(int, image.Rectangle) bool) {
		lo, hi, x := g.InView()
		for i := lo; i < hi; i++ {
			from := p.Px(x)
			if x += g.ColumnWidth(i); !yield(i, image.Rect(r.Min.X+from, r.Min.Y, r.Min.X+p.Px(x), r.Max.Y)) {
				return
			}
		}
	}
}

// box is the box of a column in a row.
func (g *Grid) box(p *paint.Pen, i int, r image.Rectangle) image.Rectangle {
	x := g.ColumnX(i)
	return image.Rect(r.Min.X+p.Px(x), r.Min.Y, r.Min.X+p.Px(x+g.ColumnWidth(i)), r.Max.Y)
}

// paintCell draws a cell into its box. A selected cell is legible, whatever its usual colour.
func (g *Grid) paintCell(p *paint.Pen, b image.Rectangle, c Cell, chosen bool) {
	p.Clip = b.Intersect(p.Img.Rect)
	paintBehind(p, b, &c, chosen)
	f := p.At.Text
	if c.Mono {
		f = p.At.Mono
	}
	col := inkOf(p, &c, chosen)
	x, end := paintSigns(p, b, &c, col, chosen), b.Max.X-p.Px(CellPad)
	y := b.Min.Y + (b.Dy()-f.Height)/2
	if c.Right {
		if w := f.Width(paint.ClipText(strings.TrimSuffix(c.Text+" "+c.Note, " "), 100)); x+w < end {
			x = end - w
		}
	}
	text := c.Text
	if c.Tail {
		text = tailFor(f, text, end-x)
	}
	to := p.Text(f, x, y, end, text, col)
	if c.Note != "" {
		p.Text(f, to+f.Glyph(' ').Advance, y, end, c.Note, p.Look.Dim)
	}
	if c.Link {
		p.Fill(image.Rect(x, y+f.Ascent+1, to, y+f.Ascent+2), col)
	}
}

// paintBehind paints the background of a cell: that a preview changes it, or that it is empty.
func paintBehind(p *paint.Pen, b image.Rectangle, c *Cell, chosen bool) {
	if c.Fill.A > 0 && !chosen {
		p.Fill(b, c.Fill)
	}
	if c.Tint && chosen {
		p.Fill(image.Rect(b.Min.X, b.Max.Y-p.Px(2), b.Max.X, b.Max.Y), p.Look.Modified)
	} else if c.Tint {
		p.Fill(b, p.Look.Tried)
	}
	if c.Hatch {
		p.Hatch(b, p.Look.Gap)
	}
	if c.Bar > 0 {
		ink := p.Look.Link
		if chosen {
			ink = p.Look.OnSelection
		}
		wide := max(p.Px(1), int(c.Bar*float32(b.Dx()-2*p.Px(CellPad))))
		p.Fill(image.Rect(b.Min.X+p.Px(CellPad), b.Min.Y+p.Px(3), b.Min.X+p.Px(CellPad)+wide, b.Max.Y-p.Px(3)), ink)
	}
}

// inkOf is the text colour of a cell.
func inkOf(p *paint.Pen, c *Cell, chosen bool) color.RGBA {
	switch {
	case chosen:
		return p.Look.OnSelection
	case c.Color != color.RGBA{}:
		return c.Color
	case c.Link:
		return p.Look.Link
	case c.Dim:
		return p.Look.Dim
	}
	return p.Look.Foreground
}

// tailFor returns the end of a text that fits into some pixels, preceded by an ellipsis.
func tailFor(f *paint.Typeface, s string, room int) string {
	if f.Width(paint.ClipText(s, 1000)) <= room {
		return s
	}
	left, at := room-f.Glyph('…').Advance, len(s)
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:at])
		if left -= f.Glyph(r).Advance; left < 0 {
			break
		}
		at -= n
	}
	return "…" + s[at:]
}

// Moved handles the keys that move the selected row of a list.
func (g *Grid) Moved(name fyne.KeyName, count int64, choose func(row int64)) bool {
	to, ok := MoveRow(name, g.Current, g.View.Page(), count)
	if !ok {
		return false
	}
	g.View.Follow(to)
	choose(to)
	return true
}

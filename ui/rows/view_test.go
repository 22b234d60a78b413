package rows

import (
	"image"
	"runtime"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"spandrel/ui/paint"
)

// countedRows is rows that only remember which of them were painted and pressed.
type countedRows struct {
	Grid
	n       int64
	painted map[int64]bool
	pressed int64
}

func newCounted(t *testing.T, n int64) (*countedRows, *View, fyne.Window) {
	t.Helper()
	test.NewTempApp(t)
	c := &countedRows{n: n, painted: map[int64]bool{}, pressed: -1, Grid: NewGrid(Column{Title: "a", Width: 200}, Column{Title: "b", Width: 200})}
	c.Cells = func(row int64) ([]Cell, bool) { return []Cell{{Text: "x"}, {Text: "y", Right: true}}, true }
	c.View = NewView(c)
	w := test.NewTempWindow(t, c.View)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(500, 600))
	return c, c.View, w
}

func (c *countedRows) Count() int64                            { return c.n }
func (c *countedRows) Show(_, _ int64)                         {}
func (c *countedRows) Hover(int64, float32)                    {}
func (c *countedRows) Menu(int64, float32) *fyne.Menu          { return nil }
func (c *countedRows) Press(row int64, _ float32, _ Press)     { c.pressed = row }
func (c *countedRows) Key(fyne.KeyName, fyne.KeyModifier) bool { return false }
func (c *countedRows) Paint(p *paint.Pen, row int64, r image.Rectangle) {
	c.painted[row] = true
	c.Grid.Paint(p, row, r)
}

// lastPage draws the view and tells whether it ends with the last row.
func (c *countedRows) lastPage(t *testing.T, w fyne.Window) {
	t.Helper()
	clear(c.painted)
	w.Canvas().Capture()
	if !c.painted[c.n-1] || c.painted[0] && c.n > 1000 {
		t.Errorf("the last of %d rows is not painted; top is %d", c.n, c.View.Top)
	}
	if c.View.Top+c.View.Page() != c.n {
		t.Errorf("top %d and page %d do not end at %d", c.View.Top, c.View.Page(), c.n)
	}
}

// 2^32 rows of 16 bytes are a file of 2^36; 2^40 rows leave room.
func TestLastRowIsReached(t *testing.T) {
	for _, n := range []int64{1000, 1 << 24, 1<<32 + 7, 1 << 40} {
		c, v, w := newCounted(t, n)
		v.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
		c.lastPage(t, w)
		v.TypedKey(&fyne.KeyEvent{Name: fyne.KeyHome})
		if v.Top != 0 {
			t.Error("Home", v.Top)
		}
		// by thumb: taken near its top, dragged below the bar
		b := v.Vbar
		b.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(5, 3)}})
		b.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(5, b.Size().Height)}})
		c.lastPage(t, w)
		b.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(5, 0)}})
		if v.Top != 0 {
			t.Error("thumb back at the start", v.Top)
		}
		v.Reveal(n - 1)
		c.lastPage(t, w)
		v.TypedKey(&fyne.KeyEvent{Name: fyne.KeyUp})
		if v.Top+v.Page() != n-1 {
			t.Error("one row up", v.Top)
		}
		v.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -25)})
		c.lastPage(t, w)
		// a click hits the row below the pointer
		v.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(10, v.headerUnits()+2.5*v.rowUnits())}, Button: desktop.MouseButtonPrimary})
		if c.pressed != v.Top+2 {
			t.Errorf("pressed %d, want %d", c.pressed, v.Top+2)
		}
	}
}

func TestWheelKeepsTheRemainder(t *testing.T) {
	var w Wheel
	var sum int64
	for range 100 {
		sum += w.Rows(-1, 7) // two units each after doubling
	}
	if sum != 28 {
		t.Error("100 small steps of 2 units over rows of 7 moved", sum)
	}
}

func TestMemoryIsFlatWhileScrolling(t *testing.T) {
	_, v, w := newCounted(t, 1<<32)
	used := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for range 20 {
		v.TypedKey(&fyne.KeyEvent{Name: fyne.KeyPageDown})
		w.Canvas().Capture()
	}
	before := used()
	pages := 300
	if testing.Short() {
		pages = 60
	}
	for range pages {
		v.TypedKey(&fyne.KeyEvent{Name: fyne.KeyPageDown})
		w.Canvas().Capture()
	}
	if after := used(); after > before+4<<20 {
		t.Errorf("%d pages took %d bytes", pages, after-before)
	}
}

func TestFineBarMovesSlowly(t *testing.T) {
	b := newBar(false, func(int64) {})
	b.Resize(fyne.NewSize(12, 500))
	b.set(1<<32, 50, 0)
	for y := float32(0); y <= 500; y++ {
		b.Jump(y)
		if b.pos < 0 || b.pos > b.total-b.page {
			t.Fatal("out of range", b.pos)
		}
	}
	if b.pos != 1<<32-50 {
		t.Error("the end is not exact", b.pos)
	}
}

// What a raster covers is what a frame costs: few rows cover little, many the whole view.
func TestRasterIsNoHigherThanItsRows(t *testing.T) {
	_, v, w := newCounted(t, 3)
	w.Canvas().Capture()
	if got, want := v.raster.Size().Height, v.headerUnits()+3*v.rowUnits(); got < want || got > want+2 {
		t.Errorf("the raster of 3 rows is %g high, the rows %g", got, want)
	}
	_, v, w = newCounted(t, 1000)
	w.Canvas().Capture()
	if _, h := v.View(); v.raster.Size().Height < h-1 {
		t.Errorf("the raster of 1000 rows is %g high, the view %g", v.raster.Size().Height, h)
	}
}

// A window that becomes smaller goes on showing the current row, and does not jump to one that was out of sight.
func TestCurrentRowStaysVisible(t *testing.T) {
	c, v, w := newCounted(t, 1000)
	c.Current = 25
	v.Update()
	w.Resize(fyne.NewSize(500, 200))
	if c.Current < v.Top || c.Current >= v.Top+v.Page() {
		t.Errorf("row %d is not among the %d from %d", c.Current, v.Page(), v.Top)
	}
	v.ScrollTo(500)
	w.Resize(fyne.NewSize(500, 150))
	if v.Top != 500 {
		t.Errorf("jumped to %d", v.Top)
	}
}

// TestColumnsInView paints some of thousands of columns, each in its place.
func TestColumnsInView(t *testing.T) {
	c, v, _ := newCounted(t, 3)
	c.Columns = nil
	for range 5000 {
		c.Columns = append(c.Columns, Column{Width: 100})
	}
	c.Cells = func(row int64) ([]Cell, bool) {
		cells := make([]Cell, 5000)
		cells[4001].Text, cells[4003].Text = "x", "z"
		return cells, true
	}
	v.Left = 400_050
	if lo, hi, x := c.InView(); lo != 4000 || hi != 4006 || x != 400_000 {
		t.Fatalf("columns %d to %d from %v", lo, hi, x)
	}
	c.Frozen = true
	if _, hi, _ := c.InView(); hi != 4005 {
		t.Errorf("a table shows %d columns: of the last one there are %v", hi-4000, v.Size().Width-450)
	}
	c.Frozen = false
	img := image.NewRGBA(image.Rect(0, 0, 500, 20))
	p := &paint.Pen{Img: img, At: paint.AtlasAt(1), Look: paint.Light, Clip: img.Rect}
	p.Fill(img.Rect, paint.Light.Background)
	c.Grid.Paint(p, 0, image.Rect(-400_050, 0, 99_950, 20))
	for i, want := range []bool{false, true, false, true, false} { // from column 4000 on, which is half scrolled out
		inked := false
		for x := 100*i - 49; x < 100*i+49; x++ {
			for y := range 20 {
				inked = inked || x >= 0 && img.RGBAAt(x, y) != paint.Light.Background
			}
		}
		if inked != want {
			t.Errorf("column %d: there is text: %v", 4000+i, inked)
		}
	}
}

// Each view is painted once a frame. Fyne's painter takes whatever has a method Generate for a gradient, and paints that too.
func TestPaintedOnce(t *testing.T) {
	_, v, w := newCounted(t, 100)
	n := 0
	picture := v.raster.Generator
	v.raster.Generator = func(w, h int) image.Image { n++; return picture(w, h) }
	if w.Canvas().Capture(); n != 1 {
		t.Errorf("painted %d times", n)
	}
	if _, ok := any(v).(interface {
		Generate(int, int) image.Image
	}); ok {
		t.Error("a view is a gradient")
	}
}

// The name of a column stands out from its type; a click on the line below the titles is on neither of them, nor on a row.
func TestHead(t *testing.T) {
	c, v, _ := newCounted(t, 100)
	line := func(title, note string) []byte {
		c.Columns = []Column{{Title: title, Note: note, Width: 200}, {Title: title, Note: note, Width: 200, Right: true}}
		img := v.Picture(400, 600).(*image.RGBA)
		return slices.Clone(img.Pix[:c.RowHeight(paint.AtlasAt(v.Scale))*img.Stride])
	}
	dim, both := line("flipper f64", ""), line("flipper", "f64")
	differs := func(from, to float32) bool {
		for at := 0; at < len(dim); at += 4 {
			if x := float32(at/4%400) / v.Scale; x >= from && x < to && dim[at] != both[at] {
				return true
			}
		}
		return false
	}
	f := paint.AtlasAt(v.Scale).Text
	title, all := float32(f.Width("flipper"))/v.Scale, float32(f.Width("flipper f64"))/v.Scale
	if !differs(CellPad, CellPad+title) || differs(CellPad+title+1, 200) {
		t.Error("a name is as dim as its type, or the type is not")
	}
	if right := 400 - CellPad - all; !differs(right, right+title) || differs(right+title+1, 400) {
		t.Error("the same at the right")
	}
	high := v.rowUnits()
	below := func() int64 { row, _ := v.at(fyne.NewPos(20, high*1.5)); return row }
	if below() != 0 {
		t.Errorf("below the titles is row %d", below())
	}
	c.Below = func(int) Cell { return Cell{Text: "> 10"} }
	if first, _ := v.at(fyne.NewPos(20, high*2.5)); below() != FilterRow || first != 0 || c.HeadLines() != 2 {
		t.Errorf("below the titles is %d, and then row %d", below(), first)
	}
}

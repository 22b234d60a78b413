package bytes

import (
	"context"
	"image"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

// Minimap is an overview of an address space in a strip: entropy, meaning of bytes, problems, and the visible part.
type Minimap struct {
	widget.BaseWidget
	h      *Pane
	lines  []mapLine
	cancel kit.Running
	raster *canvas.Raster
	window *canvas.Rectangle
}

// mapLine is one of the equal parts of a space.
type mapLine struct {
	entropy  float32 // of a sample: 0 constant, 1 like noise
	hue      uint8   // as in ByteKind
	state    model.State
	severity model.Severity
	wrong    float32 // how much of it findings are about, from 0 to 1
	hit      bool    // of a search
}

const (
	mapParts  = 512
	mapSample = 2048
)

func newMinimap(h *Pane) *Minimap {
	m := &Minimap{h: h}
	m.raster = canvas.NewRaster(guard.Pixels("the overview of the bytes", m.generate))
	m.raster.ScaleMode = canvas.ImageScalePixels
	m.window = canvas.NewRectangle(nil)
	m.colourWindow()
	m.ExtendBaseWidget(m)
	return m
}

// colourWindow frames the visible part, through which the map remains visible.
func (m *Minimap) colourWindow() {
	c := paint.Look().Hover
	c.A = 30
	m.window.FillColor, m.window.StrokeColor, m.window.StrokeWidth = paint.Glass(c), paint.Look().Caret, 1
}

// restart samples the space again in the background.
func (m *Minimap) restart() {
	m.cancel.Stop()
	t, all, found, hits := m.h.d.Tree(), model.Range{Space: m.h.Space, Len: m.h.Size}, m.h.d.Found.All, m.h.d.Hits(m.h.Space)
	m.lines = nil
	m.raster.Refresh()
	if all.Len == 0 || m.h.d.Model.Remote() { // samples of all of it would be requests without number
		return
	}
	m.cancel = kit.Work(m.h.d.Window, "", model.Index, func(ctx context.Context) ([]mapLine, error) {
		return mapOf(ctx, t, all, found, hits)
	}, func(lines []mapLine, err error) {
		m.cancel = nil
		if err == nil {
			m.lines = lines
			m.raster.Refresh()
		}
	})
}

// mapOf samples a whole space, and marks findings and hits.
func mapOf(ctx context.Context, t *model.Tree, all model.Range, found []model.Finding, hits []model.Range) ([]mapLine, error) {
	n := min(mapParts, all.Len)
	lines := make([]mapLine, n)
	part := func(i int64) int64 { return int64(float64(all.Len) / float64(n) * float64(i)) }
	for i := range n {
		off := part(i)
		b, err := t.Bytes(ctx, model.Range{Space: all.Space, Off: off, Len: min(mapSample, max(1, part(i+1)-off), all.Len-off)})
		if err != nil { // the file may have shrunk
			lines[i].state = model.Bad
			continue
		}
		lines[i].entropy = entropy(b)
		if s := t.At(all.Space, off); s != nil && t.Format != nil {
			lines[i].hue, lines[i].state = uint8(1+doc.HueOf(s)%12), s.State
		}
	}
	line := func(off int64) *mapLine {
		return &lines[max(0, min(n-1, int64(float64(off)/float64(all.Len)*float64(n))))]
	}
	for k := range found {
		if r := found[k].Where(); r.Space == all.Space {
			l := line(r.Off)
			l.wrong = min(1, l.wrong+float32(float64(max(1, r.Len))/float64(all.Len)*float64(n)))
			if l.severity == 0 || found[k].Grade() < l.severity {
				l.severity = found[k].Grade()
			}
		}
	}
	for _, r := range hits {
		line(r.Off).hit = true
	}
	return lines, ctx.Err()
}

// entropy returns the Shannon entropy of bytes, from 0 to 1 (8 bits per byte).
func entropy(b []byte) float32 {
	var counts [256]int64
	for _, c := range b {
		counts[c]++
	}
	return float32(entropyOf(&counts, int64(len(b))))
}

// entropyOf is the entropy of n bytes with known frequencies.
func entropyOf(counts *[256]int64, n int64) (e float64) {
	for _, k := range counts {
		if k > 0 {
			f := float64(k) / float64(n)
			e -= f * math.Log2(f)
		}
	}
	return e / 8
}

func (m *Minimap) generate(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	p := &paint.Pen{Img: img, At: paint.AtlasAt(m.h.View.Scale), Look: paint.Look(), Clip: img.Rect}
	p.Fill(img.Rect, p.Look.Header)
	if len(m.lines) == 0 {
		return img
	}
	for y := range h {
		l := m.lines[y*len(m.lines)/h]
		r := image.Rect(0, y, w, y+1)
		if l.hue > 0 && l.state != model.Gap {
			p.Fill(r, p.Look.Hue(uint32(l.hue-1)))
		}
		bar := p.Look.Dim
		bar.A = 150
		p.Fill(image.Rect(w-int(l.entropy*float32(w)), y, w, y+1), bar)
		if l.state == model.Gap || l.state == model.Bad {
			p.Hatch(r, p.Look.Gap)
		}
	}
	for i, l := range m.lines {
		y := i * h / len(m.lines)
		if l.severity != 0 { // the more bytes are wrong, the longer; what they are stays to be seen beside it
			long := p.Px(4) + int(float32(w*2/3-p.Px(4))*l.wrong)
			p.Fill(image.Rect(0, y, long, y+max(p.Px(2), h/len(m.lines))), p.Look.Mark(l.severity))
		}
		if l.hit {
			p.Fill(image.Rect(w-p.Px(5), y, w, y+p.Px(2)), p.Look.Caret)
		}
	}
	return img
}

// place marks the part that the hex pane shows.
func (m *Minimap) place() {
	v, s := m.h.View, m.Size()
	if n := m.h.Count(); n > 0 && s.Height > 0 {
		y := float32(float64(s.Height) * float64(v.Top) / float64(n))
		m.window.Resize(fyne.NewSize(s.Width, max(3, float32(float64(s.Height)*min(1, float64(v.Page())/float64(n))))))
		m.window.Move(fyne.NewPos(0, min(y, s.Height-3)))
	}
}

// MouseDown goes to the place under the pointer.
func (m *Minimap) MouseDown(e *desktop.MouseEvent) { m.jump(e.Position.Y) }
func (m *Minimap) MouseUp(*desktop.MouseEvent)     {}
func (m *Minimap) Dragged(e *fyne.DragEvent)       { m.jump(e.Position.Y) }
func (m *Minimap) DragEnd()                        {}

func (m *Minimap) jump(y float32) {
	f := min(1, max(0, float64(y/max(1, m.Size().Height))))
	m.h.View.ScrollTo(int64(f*float64(m.h.Count())) - m.h.View.Page()/2)
	m.place()
}

func (m *Minimap) CreateRenderer() fyne.WidgetRenderer {
	return guard.Renderer("the overview of the bytes", fyne.NewSize(22, 20), func(size fyne.Size) { m.raster.Resize(paint.WholeOn(m, size)); m.place() }, func() {
		m.colourWindow()
		m.raster.Refresh()
		m.place()
	}, m.raster, m.window)
}

package graph

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"spandrel/model"
)

// The picture of a graph is sound XML with a form for each node and edge, whatever the names are.
func TestSVG(t *testing.T) {
	test.NewApp()
	g := randomGraph(30, 3)
	g.Nodes[0].Label, g.Nodes[1].Kind, g.Nodes[2].Kind, g.Nodes[3].Kind = `a<b>&"c"`+"\x01", model.Input, model.Output, model.Stored
	var out strings.Builder
	d, drawn := drawn(t, g, false), 0
	for _, points := range d.Edges {
		drawn += min(1, len(points)/2) // one that leads back to its own node is not drawn
	}
	if err := d.SVG(&out); err != nil {
		t.Fatal(err)
	}
	count, titles := map[string]int{}, ""
	for dec := xml.NewDecoder(strings.NewReader(out.String())); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			count[x.Name.Local]++
		case xml.CharData:
			titles += string(x)
		}
	}
	if count["g"] != 30 || count["path"] != 1+30+drawn || !strings.Contains(titles, `a<b>&"c"`) {
		t.Errorf("%v of %d nodes and %d edges", count, len(g.Nodes), drawn)
	}
}

// The picture is as large as the drawing, and not larger than a computer holds.
func TestPNG(t *testing.T) {
	test.NewApp()
	d := drawn(t, randomGraph(30, 3), false)
	size := func() image.Point {
		var out bytes.Buffer
		if err := d.PNG(&out); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&out)
		if err != nil {
			t.Fatal(err)
		}
		colours := map[color.Color]bool{}
		for x := range img.Bounds().Dx() {
			colours[img.At(x, img.Bounds().Dy()/2)] = true
		}
		if len(colours) < 3 {
			t.Errorf("%d colours in a line of it", len(colours))
		}
		return img.Bounds().Size()
	}
	if got := size(); got != image.Pt(int(2*(d.w+2*margin)), int(2*(d.h+2*margin))) {
		t.Errorf("%v of %v x %v units", got, d.w, d.h)
	}
	d.w = 1e7
	if got := size(); got.X*got.Y > mostPixels {
		t.Errorf("%v pixels", got)
	}
}

// The wheel zooms, and what is under the pointer stays there.
func TestWheelZooms(t *testing.T) {
	test.NewApp()
	v := NewView(func(int) {}, func(int) {})
	v.Set(drawn(t, randomGraph(60, 5), false))
	w := test.NewWindow(v)
	defer w.Close()
	w.Resize(fyne.NewSize(600, 400))
	w.Resize(fyne.NewSize(600.6, 400.4))
	if size := v.raster.Size(); size.Width != float32(int(size.Width)) || size.Height != float32(int(size.Height)) {
		t.Errorf("a picture of %v loses a line", size)
	}
	at := fyne.NewPos(300, 200)
	before, zoom := v.boxAt(at), v.Zoom()
	over := v.in(struct{ X, Y float32 }{at.X, at.Y})
	v.Scrolled(&fyne.ScrollEvent{PointEvent: fyne.PointEvent{Position: at}, Scrolled: fyne.Delta{DY: 60}})
	if now := v.in(struct{ X, Y float32 }{at.X, at.Y}); v.Zoom() <= zoom || before != v.boxAt(at) || max(now.X-over.X, over.X-now.X, now.Y-over.Y, over.Y-now.Y) > 1 {
		t.Errorf("zoom %v to %v, box %d to %d, %v to %v", zoom, v.Zoom(), before, v.boxAt(at), over, now)
	}
}

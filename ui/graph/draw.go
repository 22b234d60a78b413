package graph

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"spandrel/model"
	"spandrel/ui/paint"
)

// generate draws the visible part. It runs while the window is painted.
func (v *View) generate(w, h int) image.Image {
	if width := v.raster.Size().Width; width >= 50 {
		v.scale = max(0.1, float32(math.Round(float64(float32(w)/width*10)))/10)
	}
	if v.img == nil || v.img.Rect.Dx() != w || v.img.Rect.Dy() != h {
		v.img = image.NewRGBA(image.Rect(0, 0, w, h))
	}
	z := v.Zoom()
	p := &brush{&paint.Pen{Img: v.img, At: paint.AtlasAt(v.scale), Look: paint.Look(), Clip: v.img.Rect}, v.img.Rect, v.scale, z, v.Drawing != nil && v.Drawing.down}
	if z >= readable {
		p.At = paint.AtlasAt(v.scale * z)
	}
	p.Fill(v.img.Rect, p.Look.Background)
	if v.Drawing != nil {
		v.Drawing.paint(p, v.Current, func(q paint.Point) paint.Point { q = v.Out(q); return paint.Pt(q.X*v.scale, q.Y*v.scale) })
	}
	return v.img
}

// paint draws the nodes and edges; current is the selected node, or -1, and px gives the pixel of a place.
func (d *Drawing) paint(p *brush, current int, px func(paint.Point) paint.Point) {
	chosen := map[int]bool{}
	if current >= 0 {
		for _, i := range d.ties[current] {
			chosen[i] = true
		}
	}
	for i, e := range d.Edges {
		if !chosen[i] {
			p.edge(e, px, d.Graph.Edges[i].Control, p.Look.Dim)
		}
	}
	for i := range chosen {
		p.edge(d.Edges[i], px, d.Graph.Edges[i].Control, p.Look.Caret)
	}
	for i, b := range d.Boxes {
		a, e := px(paint.Pt(b.X, b.Y)), px(paint.Pt(b.X+b.W, b.Y+b.H))
		if r := image.Rect(int(a.X), int(a.Y), int(e.X), int(e.Y)); r.Overlaps(p.image) {
			p.box(r, &d.Graph.Nodes[i], i == current)
		}
	}
}

// PNG writes the picture with two pixels per unit, or fewer if it would have more than mostPixels.
func (d *Drawing) PNG(w io.Writer) error {
	wide, high := d.w+2*margin, d.h+2*margin
	scale := min(2, float32(math.Sqrt(float64(mostPixels)/float64(wide*high))))
	img := image.NewRGBA(image.Rect(0, 0, max(1, int(wide*scale)), max(1, int(high*scale))))
	p := &brush{&paint.Pen{Img: img, At: paint.AtlasAt(max(readable, scale)), Look: paint.Look(), Clip: img.Rect}, img.Rect, scale, scale, d.down}
	p.Fill(img.Rect, p.Look.Background)
	d.paint(p, -1, func(q paint.Point) paint.Point { return paint.Pt((q.X+margin)*scale, (q.Y+margin)*scale) })
	return png.Encode(w, img)
}

const (
	margin     = 8 // units around a picture that is written
	mostPixels = 24 << 20
)

// brush draws the parts of a picture.
type brush struct {
	*paint.Pen
	image       image.Rectangle
	scale, zoom float32
	down        bool // edges run downwards
}

// hues are the colours of the kinds of nodes.
var hues = map[model.GraphKind]uint32{model.Operation: 0, model.Stored: 3, model.Input: 2, model.Output: 1}

// box draws a node. Its shape shows its kind: operations have a bar on top, stored values one on the left and right, inputs
// a point on the right, outputs a double frame.
func (p *brush) box(r image.Rectangle, n *model.GraphNode, chosen bool) {
	p.Clip = p.image
	line, fill, label, detail := p.Look.Dim, p.Look.Hue(hues[n.Kind]), p.Look.Foreground, p.Look.Dim
	if chosen {
		line, fill, label, detail = p.Look.Caret, p.Look.Selection, p.Look.OnSelection, p.Look.OnSelection
	}
	one := max(1, int(p.scale+0.5))
	p.Fill(r, line)
	inner := r.Inset(one)
	if n.Kind == model.Output {
		p.Fill(inner, p.Look.Background)
		inner = r.Inset(3 * one)
		p.Fill(inner.Inset(-one), line)
	}
	p.Fill(inner, fill)
	bar := max(2, p.Px(3))
	switch n.Kind {
	case model.Operation:
		p.Fill(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+bar), line)
	case model.Stored:
		p.Fill(image.Rect(r.Min.X, r.Min.Y, r.Min.X+bar, r.Max.Y), line)
		p.Fill(image.Rect(r.Max.X-bar, r.Min.Y, r.Max.X, r.Max.Y), line)
	case model.Input:
		for y := r.Min.Y; y < r.Max.Y; y++ { // cuts the corners of the right side
			cut := (max(y-r.Min.Y, r.Max.Y-1-y)*2 - r.Dy()) / 2
			if cut > 0 {
				p.Fill(image.Rect(r.Max.X-cut, y, r.Max.X, y+1), p.Look.Background)
				p.Fill(image.Rect(r.Max.X-cut-one, y, r.Max.X-cut, y+1), line)
			}
		}
	}
	if p.zoom < readable {
		return
	}
	p.Clip = inner.Intersect(p.image)
	pad, end := bar+p.Px(4), r.Max.X-bar-p.Px(3)
	top := r.Min.Y + (r.Dy()-2*p.At.Text.Height)/2
	p.Text(p.At.Text, r.Min.X+pad, top, end, n.Label, label)
	p.Text(p.At.Text, r.Min.X+pad, top+p.At.Text.Height, end, n.Detail, detail)
	p.Clip = p.image
}

// edge draws an edge with an arrowhead; dashed if nothing flows along it.
func (p *brush) edge(points []paint.Point, px func(paint.Point) paint.Point, dashed bool, c color.RGBA) {
	if len(points) < 2 {
		return
	}
	var last paint.Point
	for i, q := range points {
		q = px(q)
		if i > 0 {
			p.Curve(last, q, p.down, dashed, c)
		}
		last = q
	}
	if n := float32(p.Px(6)); p.zoom >= readable {
		back, before := n, px(points[len(points)-2])
		if !p.down && before.X > last.X || p.down && before.Y > last.Y {
			back = -n // an edge that closes a circle comes from the other side
		}
		for k := float32(0); k < n; k++ {
			from := paint.Pt(last.X-back, last.Y-n/2+k)
			if p.down {
				from = paint.Pt(last.X-n/2+k, last.Y-back)
			}
			p.Line(from, last, c)
		}
	}
}

package graph

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"strings"

	"spandrel/model"
	"spandrel/ui/paint"
)

// SVG writes the picture as a drawing that other programs can scale and edit (SVG 1.1), in the colours of the screen.
func (d *Drawing) SVG(w io.Writer) error {
	look, out := paint.Look(), bufio.NewWriter(w)
	put := func(format string, args ...any) { fmt.Fprintf(out, format, args...) } // an error stays with the writer
	put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%d %d %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\">\n", -margin, -margin, d.w+2*margin, d.h+2*margin)
	put("<defs><marker id=\"head\" viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0 6 3 0 6z\" fill=\"%s\"/></marker></defs>\n", hex(look.Dim))
	put("<rect x=\"%d\" y=\"%d\" width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n", -margin, -margin, hex(look.Background))
	for i, points := range d.Edges {
		if len(points) < 2 {
			continue
		}
		dashed := ""
		if d.Graph.Edges[i].Control {
			dashed = " stroke-dasharray=\"4 3\""
		}
		put("<path d=\"M%.1f %.1f", points[0].X, points[0].Y)
		for k, q := range points[1:] {
			a := points[k]
			leave, arrive := paint.Pt((a.X+q.X)/2, a.Y), paint.Pt((a.X+q.X)/2, q.Y)
			if d.down {
				leave, arrive = paint.Pt(a.X, (a.Y+q.Y)/2), paint.Pt(q.X, (a.Y+q.Y)/2)
			}
			put(" C%.1f %.1f %.1f %.1f %.1f %.1f", leave.X, leave.Y, arrive.X, arrive.Y, q.X, q.Y)
		}
		put("\" fill=\"none\" stroke=\"%s\" marker-end=\"url(#head)\"%s/>\n", hex(look.Dim), dashed)
	}
	for i, b := range d.Boxes {
		n := &d.Graph.Nodes[i]
		put("<g><title>%s</title><path d=\"%s\" fill=\"%s\" stroke=\"%s\"/>", escaped(n.Label), outline(n.Kind, b), hex(look.Hue(hues[n.Kind])), hex(look.Dim))
		for k, text := range []string{n.Label, n.Detail} {
			put("<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>", b.X+8, b.Y+15+15*float32(k), hex([]color.RGBA{look.Foreground, look.Dim}[k]), escaped(paint.Shorten(text, int(b.W/6))))
		}
		put("</g>\n")
	}
	put("</svg>\n")
	return out.Flush()
}

// outline is the shape of a node: inputs end in a point, operations and results have a line inside.
func outline(kind model.GraphKind, b box) string {
	rect := func(x, y, w, h float32) string { return fmt.Sprintf("M%.1f %.1fh%.1fv%.1fh%.1fz", x, y, w, h, -w) }
	switch kind {
	case model.Input:
		return fmt.Sprintf("M%.1f %.1fh%.1fl%.1f %.1f %.1f %.1fh%.1fz", b.X, b.Y, b.W-b.H/2, b.H/2, b.H/2, -b.H/2, b.H/2, -(b.W - b.H/2))
	case model.Output:
		return rect(b.X, b.Y, b.W, b.H) + rect(b.X+3, b.Y+3, b.W-6, b.H-6)
	case model.Operation:
		return rect(b.X, b.Y, b.W, b.H) + rect(b.X, b.Y, b.W, 3)
	}
	return rect(b.X, b.Y, b.W, b.H)
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}

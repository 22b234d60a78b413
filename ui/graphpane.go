package ui

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/graph"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// graphPane shows the graph that a document describes as a picture, from what goes in on the left to what comes out.
type graphPane struct {
	d      *Document
	view   *graph.View
	about  *widget.Label
	object fyne.CanvasObject
	tab    *container.TabItem
	read   loader[*model.Graph]
	place  loader[*graph.Drawing]
	stale  bool // the tree changed while nobody looked
}

func newGraphPane(d *Document) *graphPane {
	p := &graphPane{d: d, stale: true}
	p.view = graph.NewView(p.choose, p.hover)
	p.about = widget.NewLabel("")
	p.about.Truncation = fyne.TextTruncateEllipsis
	tools := container.NewHBox()
	for _, x := range []struct {
		icon fyne.Resource
		tip  string
		do   func()
	}{{theme.ZoomOutIcon(), "smaller (-)", func() { p.view.ZoomBy(-1) }}, {theme.ZoomInIcon(), "larger (+)", func() { p.view.ZoomBy(1) }},
		{theme.ZoomFitIcon(), "all of it (0)", p.view.Fit}} {
		b := newIconButton(d.wb.Host, "", x.icon, x.do)
		b.tip = x.tip
		tools.Add(b)
	}
	p.object = container.NewBorder(container.NewBorder(nil, nil, tools, nil, p.about), nil, nil, nil, p.view)
	return p
}

// shown is called when the picture becomes visible: it is made then.
func (p *graphPane) shown() {
	if !p.stale {
		return
	}
	p.stale = false
	t, format, scale := p.d.Tree(), p.d.format(), paint.AtlasAt(1)
	measure := func(s string) float32 { return float32(scale.Text.Width(paint.ClipText(s, 60))) + 3*rows.CellPad }
	p.about.SetText("reading the graph…")
	p.place.stop()
	p.read.load(p.d.wb, func(ctx context.Context) (*model.Graph, error) { return format.Graph(ctx, t) }, func(g *model.Graph, err error) {
		switch {
		case p.d.Tree() != t:
			return
		case err != nil:
			p.about.SetText(err.Error())
			return
		case g == nil:
			p.set(nil)
			p.about.SetText("this file holds no graph")
			return
		}
		p.d.setGraph(g)
		widths := make([]float32, len(g.Nodes))
		for i, n := range g.Nodes {
			widths[i] = max(measure(n.Label), measure(n.Detail))
			if n.Kind == model.Input {
				widths[i] += graph.BoxHeight / 2 // its point
			}
		}
		p.place.load(p.d.wb, func(ctx context.Context) (*graph.Drawing, error) { return graph.Layout(ctx, g, widths) }, func(d *graph.Drawing, err error) {
			if err == nil && p.d.Tree() == t {
				p.set(d)
			}
		})
	})
}

func (p *graphPane) set(d *graph.Drawing) {
	p.view.Set(d)
	if d == nil {
		return
	}
	text := fmt.Sprintf("boxes: %d, edges: %d", len(d.Boxes), len(d.Edges))
	if n := d.Graph.Omitted; n > 0 {
		text += fmt.Sprintf("; %d more are not drawn", n)
	}
	p.about.SetText(text + ". Arrows walk along the edges, + and - zoom, 0 shows all.")
	p.selected(p.d.sel.now)
}

func (p *graphPane) changed() {
	p.stale = true
	if p.object.Visible() && p.view.Size().Height > 0 && p.d.lower.shownName() == "Graph" {
		p.shown()
	}
}

func (p *graphPane) selected(s Selection) {
	if p.view.Drawing != nil && s.From != p {
		p.view.Mark(p.view.Drawing.At(s.Range))
	}
}

func (p *graphPane) hovered(r model.Range) { p.view.Point(p.view.Drawing.At(r)) }

// choose selects what defines a node, in every pane.
func (p *graphPane) choose(i int) {
	p.d.sel.set(Selection{Span: p.view.Drawing.Graph.Nodes[i].Span, From: p})
}

func (p *graphPane) hover(i int) {
	if i < 0 {
		p.d.sel.light(model.Range{})
		return
	}
	p.d.sel.light(p.view.Drawing.Graph.Nodes[i].Span.Range)
}

package ui

import (
	"context"
	"fmt"
	"math"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
)

// graphPane shows the graph that a document describes as a picture, from what goes in on the left to what comes out.
type graphPane struct {
	d       *Document
	view    *graphView
	about   *widget.Label
	object  fyne.CanvasObject
	tab     *container.TabItem
	read    loader[*model.Graph]
	probe   loader[bool]
	place   loader[*drawing]
	offered *model.Tree
	stale   bool // the tree changed while nobody looked
	drawing *drawing
	ties    [][]int // of each node, its edges
	current int     // the chosen node, or -1
	pointed int     // the node under the pointer, here or in another pane, or -1
}

func newGraphPane(d *Document) *graphPane {
	p := &graphPane{d: d, stale: true, current: -1, pointed: -1}
	p.view = newGraphView(p)
	p.about = widget.NewLabel("")
	p.about.Truncation = fyne.TextTruncateEllipsis
	tools := container.NewHBox(
		newIconButton(d.wb.Workbench, "", theme.ZoomOutIcon(), func() { p.view.zoomBy(-1) }),
		newIconButton(d.wb.Workbench, "", theme.ZoomInIcon(), func() { p.view.zoomBy(1) }),
		newIconButton(d.wb.Workbench, "", theme.ZoomFitIcon(), p.view.fit))
	p.object = container.NewBorder(container.NewBorder(nil, nil, tools, nil, p.about), nil, nil, nil, p.view)
	return p
}

// shown is called when the picture becomes visible: it is made then.
func (p *graphPane) shown() {
	if !p.stale {
		return
	}
	p.stale = false
	t, format, scale := p.d.Tree(), p.d.Model.Format, atlasAt(1)
	measure := func(s string) float32 { return float32(scale.text.width(clipText(s, 60))) + 3*cellPad }
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
		widths := make([]float32, len(g.Nodes))
		for i, n := range g.Nodes {
			widths[i] = max(measure(n.Label), measure(n.Detail))
			if n.Kind == model.Input {
				widths[i] += boxHeight / 2 // its point
			}
		}
		p.place.load(p.d.wb, func(ctx context.Context) (*drawing, error) { return layoutGraph(ctx, g, widths) }, func(d *drawing, err error) {
			if err == nil && p.d.Tree() == t {
				p.set(d)
			}
		})
	})
}

func (p *graphPane) set(d *drawing) {
	first := p.drawing == nil
	p.drawing, p.ties, p.current, p.pointed = d, nil, -1, -1
	if d == nil {
		p.view.redraw()
		return
	}
	p.ties = make([][]int, len(d.boxes))
	for i, e := range d.graph.Edges {
		p.ties[e.From] = append(p.ties[e.From], i)
		if e.To != e.From {
			p.ties[e.To] = append(p.ties[e.To], i)
		}
	}
	text := fmt.Sprintf("boxes: %d, edges: %d", len(d.boxes), len(d.edges))
	if n := d.graph.Omitted; n > 0 {
		text += fmt.Sprintf("; %d more are not drawn", n)
	}
	p.about.SetText(text + ". Arrows walk along the edges, + and - zoom, 0 shows all.")
	if first {
		p.view.begin()
	}
	p.selected(p.d.Sel)
}

func (p *graphPane) changed() {
	p.stale = true
	if p.object.Visible() && p.view.Size().Height > 0 && p.d.bottom != nil && p.d.bottom.SelectedIndex() == tabGraph {
		p.shown()
		return
	}
	p.offer()
}

// offer shows the tab of the pane when the document holds a graph. Of a large one that is not found out before somebody looks.
func (p *graphPane) offer() {
	t, format := p.d.Tree(), p.d.Model.Format
	if t == p.offered || p.d.bottom == nil || t.Root.Range.Len > checkSize {
		return
	}
	p.offered = t
	p.probe.load(p.d.wb, func(ctx context.Context) (bool, error) {
		g, err := format.Graph(ctx, t)
		return g != nil || err != nil, ctx.Err()
	}, func(holds bool, err error) {
		if err != nil || t != p.d.Tree() {
			return
		}
		switch there := slices.Contains(p.d.bottom.Items, p.tab); {
		case holds && !there:
			p.d.bottom.Append(p.tab)
		case !holds && there && p.d.bottom.Selected() != p.tab:
			p.d.bottom.Remove(p.tab)
		}
		p.d.refreshFindings()
	})
}

// nodeAt returns the node that owns bytes: the smallest that holds them.
func (p *graphPane) nodeAt(r model.Range) int {
	best, least := -1, int64(math.MaxInt64)
	if p.drawing == nil || r.Len == 0 {
		return best
	}
	for i := range p.drawing.graph.Nodes {
		n := &p.drawing.graph.Nodes[i]
		if n.Span.Range.Contains(r) && n.Span.Range.Len < least {
			best, least = i, n.Span.Range.Len
		}
		for _, a := range n.Also {
			if a.Len > 0 && (a.Contains(r) || r.Contains(a) && r.Len <= a.Len+8) && a.Len < least {
				best, least = i, a.Len
			}
		}
	}
	return best
}

func (p *graphPane) selected(s Selection) {
	if p.drawing == nil || s.From == p {
		return
	}
	if p.current = p.nodeAt(s.Range); p.current >= 0 {
		p.view.reveal(p.drawing.boxes[p.current])
	}
	p.view.redraw()
}

func (p *graphPane) hovered(r model.Range) {
	if p.pointed = p.nodeAt(r); p.drawing != nil {
		p.view.placeMark()
	}
}

// choose selects a node, and what defines it in every pane.
func (p *graphPane) choose(i int) {
	if p.drawing == nil || i < 0 {
		return
	}
	p.current = i
	p.view.reveal(p.drawing.boxes[i])
	p.view.redraw()
	p.d.Select(Selection{Span: p.drawing.graph.Nodes[i].Span, From: p})
}

func (p *graphPane) hover(i int) {
	if i < 0 {
		p.d.Hover(model.Range{})
		return
	}
	p.d.Hover(p.drawing.graph.Nodes[i].Span.Range)
}

// step returns the node that an arrow key leads to: along an edge to the left or right, or up and down in the column.
func (p *graphPane) step(name fyne.KeyName) int {
	d := p.drawing
	if d == nil || len(d.boxes) == 0 {
		return -1
	}
	if p.current < 0 {
		return 0
	}
	here, best, least := d.boxes[p.current], -1, float32(math.MaxFloat32)
	consider := func(i int) {
		if dy := d.boxes[i].y - here.y; i != p.current && dy*dy < least {
			best, least = i, dy*dy
		}
	}
	switch name {
	case fyne.KeyUp, fyne.KeyDown:
		for i, b := range d.boxes {
			if d.layer[i] == d.layer[p.current] && (b.y > here.y) == (name == fyne.KeyDown) {
				consider(i)
			}
		}
	case fyne.KeyLeft, fyne.KeyRight:
		for _, k := range p.ties[p.current] {
			e := d.graph.Edges[k]
			for _, i := range []int{e.From, e.To} {
				if d.layer[i] != d.layer[p.current] && (d.layer[i] > d.layer[p.current]) == (name == fyne.KeyRight) {
					consider(i)
				}
			}
		}
	}
	return best
}

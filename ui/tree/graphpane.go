package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/graph"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// Graph shows the graph that a document describes as a picture, from inputs on the left or at the top to outputs.
type Graph struct {
	d      *doc.Document
	View   *graph.View
	about  *widget.Label
	Find   *kit.Entry
	Object fyne.CanvasObject
	read   kit.Loader[*model.Graph]
	place  kit.Loader[*graph.Drawing]
	stale  bool // the tree changed while no one looked
}

// NewGraph makes the pane; the graph is read when someone looks at it.
func NewGraph(d *doc.Document) *Graph {
	p := &Graph{d: d, stale: true}
	p.View = graph.NewView(p.choose, p.hover)
	p.about = kit.NewLine("")
	tools := container.NewHBox()
	for _, x := range []struct {
		icon fyne.Resource
		tip  string
		do   func()
	}{{theme.ZoomOutIcon(), "smaller (-)", func() { p.View.ZoomBy(-1) }}, {theme.ZoomInIcon(), "larger (+)", func() { p.View.ZoomBy(1) }},
		{theme.ZoomFitIcon(), "all of it (0)", p.View.Fit},
		{theme.MoveDownIcon(), "left to right, or top to bottom", p.turn},
		{theme.DocumentSaveIcon(), "save as an image (SVG or PNG)", p.askSave}} {
		b := kit.NewIconButton(d.Window.Host, "", x.icon, x.do)
		b.Tip = x.tip
		tools.Add(b)
	}
	p.Find = kit.NewEntry(d.Window.Host)
	p.Find.SetPlaceHolder("find a node")
	p.Find.OnSubmitted = p.next
	p.Object = container.NewBorder(container.NewBorder(nil, nil, tools, kit.AtLeast(fyne.NewSize(160, 1), p.Find), p.about), nil, nil, nil, p.View)
	return p
}

// Shown is called when the picture becomes visible: it is made then.
func (p *Graph) Shown() {
	if !p.stale {
		return
	}
	p.stale = false
	t, format, scale := p.d.Tree(), p.d.Format(), paint.AtlasAt(1)
	measure := func(s string) float32 { return float32(scale.Text.Width(paint.ClipText(s, 60))) + 4*rows.CellPad } // text at other scales is a little wider
	p.about.SetText("reading the graph…")
	p.place.Stop()
	p.read.Load(p.d.Window, func(ctx context.Context) (*model.Graph, error) { return format.Graph(ctx, t) }, func(g *model.Graph, err error) {
		switch {
		case p.d.Tree() != t:
			return
		case err != nil:
			p.about.SetText(err.Error())
			return
		case g == nil:
			p.set(nil)
			p.about.SetText("this file has no graph")
			return
		}
		p.d.SetGraph(g)
		widths := make([]float32, len(g.Nodes))
		for i, n := range g.Nodes {
			widths[i] = max(measure(n.Label), measure(n.Detail))
			if n.Kind == model.Input {
				widths[i] += graph.BoxHeight / 2 // its point
			}
		}
		down := p.d.Window.App.Preferences().Bool(prefDown)
		p.place.Load(p.d.Window, func(ctx context.Context) (*graph.Drawing, error) { return graph.Layout(ctx, g, widths, down) }, func(d *graph.Drawing, err error) {
			if err == nil && p.d.Tree() == t {
				p.set(d)
			}
		})
	})
}

// next selects the next node whose name or operation contains a text.
func (p *Graph) next(text string) {
	text = strings.ToLower(strings.TrimSpace(text))
	if p.View.Drawing == nil || text == "" {
		return
	}
	var found []int
	for i, n := range p.View.Drawing.Graph.Nodes {
		if strings.Contains(strings.ToLower(n.Label), text) || strings.Contains(strings.ToLower(n.Detail), text) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		p.about.SetText("No nodes match")
		return
	}
	at := max(0, slices.IndexFunc(found, func(i int) bool { return i > p.View.Current }))
	p.View.Take(found[at])
	p.about.SetText(model.Words("%d of %d nodes that match; Enter goes to the next", at+1, len(found)))
}

// prefDown is whether graphs are drawn from the top.
const prefDown = "graph from the top"

// turn draws the graph in the other direction, from the top or from the left.
func (p *Graph) turn() {
	p.d.Window.App.Preferences().SetBool(prefDown, !p.d.Window.App.Preferences().Bool(prefDown))
	p.View.Set(nil) // as it is first shown
	p.stale = true
	p.Shown()
}

func (p *Graph) set(d *graph.Drawing) {
	p.View.Set(d)
	if d == nil {
		return
	}
	text := model.Words("%d nodes, %d edges", len(d.Boxes), len(d.Edges))
	if n := d.Graph.Omitted; n > 0 {
		text += fmt.Sprintf("; %d more are not drawn", n)
	}
	p.about.SetText(text + ". Arrow keys follow edges, the wheel zooms, 0 shows all.")
	p.Selected(p.d.Sel.Now)
}

// askSave asks where to write the picture. An existing file is kept.
func (p *Graph) askSave() {
	d := p.View.Drawing
	if d == nil {
		return
	}
	path := strings.TrimSuffix(p.d.Model.Path, filepath.Ext(p.d.Model.Path)) + ".svg"
	p.d.Window.Ask("Save the graph as an image", "Save", "The path of the image, which ends in .svg (scalable) or .png:", path, func(at string, done func(error)) {
		write := map[string]func(io.Writer) error{".svg": d.SVG, ".png": d.PNG}[strings.ToLower(filepath.Ext(at))]
		if write == nil {
			done(errors.New("end the name in .svg or .png"))
			return
		}
		f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			err = errors.Join(write(f), f.Close())
		}
		if done(err); err == nil {
			p.d.Window.Say("the graph was written to " + at)
		}
	})
}

func (p *Graph) Changed() {
	p.stale = true
	if p.Object.Visible() && p.View.Size().Height > 0 && p.d.Lower.ShownName() == "Graph" {
		p.Shown()
	}
}

func (p *Graph) Selected(s doc.Selection) {
	if p.View.Drawing != nil && s.From != p {
		p.View.Mark(p.View.Drawing.At(s.Range))
	}
}

func (p *Graph) Hovered(r model.Range) { p.View.Point(p.View.Drawing.At(r)) }

// choose selects what defines a node, in every pane.
func (p *Graph) choose(i int) {
	n := p.View.Drawing.Graph.Nodes[i]
	p.d.Cells.Named(n.Label)
	p.d.Sel.Set(doc.Selection{Span: n.Span, From: p})
}

func (p *Graph) hover(i int) {
	if i < 0 {
		p.d.Sel.Light(model.Range{})
		return
	}
	p.d.Sel.Light(p.View.Drawing.Graph.Nodes[i].Span.Range)
}

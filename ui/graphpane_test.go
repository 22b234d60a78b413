package ui

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/paint"
)

// toyGraph is a graph, without operations that the file would be opened for, over the first rows of a toy file: 0 and 1 lead to 2, which leads to 3.
func toyGraph(_ context.Context, t *model.Tree) (*model.Graph, error) {
	g := &model.Graph{Edges: []model.GraphEdge{{From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 3}}}
	rows := t.Root.Get("rows")
	if rows == nil || rows.Count() < 4 {
		return nil, nil
	}
	for i := range int64(4) {
		g.Nodes = append(g.Nodes, model.GraphNode{Label: fmt.Sprint("row ", i), Kind: []model.GraphKind{model.Input, model.Input, model.Stored, model.Output}[i], Span: rows.Child(i)})
	}
	return g, nil
}

func TestGraphPane(t *testing.T) {
	b, d := newBench(t, toyFile(t, 10))
	p := d.graph
	if p.view.Drawing != nil {
		t.Error("drawn before anybody looks")
	}
	d.lower.show(tabGraph)
	b.settle(t)
	if p.view.Drawing == nil || len(p.view.Drawing.Boxes) != 4 {
		t.Fatalf("%v", p.view.Drawing)
	}
	b.win.Canvas().Capture()

	at := func(i int) fyne.Position {
		n := p.view.Drawing.Boxes[i]
		q := p.view.Out(paint.Pt(n.X+n.W/2, n.Y+n.H/2))
		return fyne.NewPos(q.X, q.Y)
	}
	p.view.MouseDown(&desktop.MouseEvent{Button: desktop.MouseButtonPrimary, PointEvent: fyne.PointEvent{Position: at(2)}})
	b.settle(t)
	if got := d.sel.now.Span.Path(); got != "rows[2]" {
		t.Errorf("a click on the box of row 2 selects %s", got)
	}
	for _, step := range []struct {
		key  fyne.KeyName
		want string
	}{{fyne.KeyRight, "rows[3]"}, {fyne.KeyLeft, "rows[2]"}, {fyne.KeyLeft, "rows[0]"}, {fyne.KeyDown, "rows[1]"}, {fyne.KeyUp, "rows[0]"}} {
		p.view.TypedKey(&fyne.KeyEvent{Name: step.key})
		b.settle(t)
		if got := d.sel.now.Span.Path(); got != step.want {
			t.Errorf("%s leads to %s, want %s", step.key, got, step.want)
		}
	}
	d.sel.path("rows[3]/size", nil)
	b.settle(t)
	if p.view.Current != 3 {
		t.Errorf("the selection of a field of row 3 is box %d", p.view.Current)
	}
	p.view.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: at(1)}})
	if d.sel.hover != p.view.Drawing.Graph.Nodes[1].Span.Range || p.view.Pointed != 1 {
		t.Errorf("the pointer on box 1 lights up %v, box %d", d.sel.hover, p.view.Pointed)
	}
	before := p.view.Zoom()
	p.view.TypedRune('+')
	if p.view.Zoom() <= before {
		t.Error("+ does not zoom in")
	}
	p.view.TypedRune('0')
	for i, n := range p.view.Drawing.Boxes {
		if q := p.view.Out(paint.Pt(n.X+n.W, n.Y+n.H)); q.X > p.view.Size().Width || q.Y > p.view.Size().Height {
			t.Errorf("0 leaves box %d outside at %v", i, q)
		}
	}
}

// A sound model opens on the picture of its operations; a damaged one on its problems, and the picture is not drawn before anybody looks; what
// was asked for by name stays.
func TestModelOpensOnItsGraph(t *testing.T) {
	cut := copySample(t, "samediff/good/inline.fb")
	if info, err := os.Stat(cut); err != nil || os.Truncate(cut, info.Size()-40) != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, pane, want string }{{copySample(t, "samediff/good/inline.fb"), "", "Graph"}, {copySample(t, "samediff/good/inline.fb"), "table", "Table"},
		{cut, "", "Problems"}, {copySample(t, "idv/good/deflated.idv"), "", "Table"}} {
		b := emptyBench(t)
		b.pane = c.pane
		d := b.open(t, c.path)
		b.settle(t)
		if got, _, _ := strings.Cut(d.lower.shownName(), " "); got != c.want {
			t.Errorf("%s with pane %q opens on %s, want %s", c.path, c.pane, got, c.want)
		}
		if d.graph != nil && (d.graph.view.Drawing != nil) != (c.want == "Graph") {
			t.Errorf("%s, %s: drawn %v", c.path, c.want, d.graph.view.Drawing != nil)
		}
	}
}

// A document without a graph has no tab for one, until an edit brings one.
func TestGraphTabNeedsAGraph(t *testing.T) {
	b, d := newBench(t, toyFile(t, 3))
	if err := d.lower.showNamed("graph"); err == nil {
		t.Error("three rows are no graph")
	}
	d.editor.setLocked(false)
	d.editor.edit("a row more", "", []model.Edit{model.SetValue(d.Tree().Root.Get("count"), model.U(4)),
		model.Splice{Range: model.Range{Space: d.hex.space, Off: 32}, With: model.Memory(make([]byte, 8)), Loose: true}}, nil)
	b.settle(t)
	if err := d.lower.showNamed("graph"); err != nil {
		t.Error(err)
	}
}

// A graph that is seen as it was first shown stands in the middle also when its pane is given more room; one that somebody moved stays.
func TestGraphFollowsItsPane(t *testing.T) {
	b, d := newBench(t, toyFile(t, 10))
	d.lower.show(tabGraph)
	b.settle(t)
	v := d.graph.view
	b.win.Canvas().Capture()
	middle := func() fyne.Position {
		from, to := paint.Pt(1e9, 1e9), paint.Pt(-1e9, -1e9)
		for _, n := range v.Drawing.Boxes {
			p, q := v.Out(paint.Pt(n.X, n.Y)), v.Out(paint.Pt(n.X+n.W, n.Y+n.H))
			from.X, from.Y, to.X, to.Y = min(from.X, p.X), min(from.Y, p.Y), max(to.X, q.X), max(to.Y, q.Y)
		}
		return fyne.NewPos((from.X+to.X)/2-v.Size().Width/2, (from.Y+to.Y)/2-v.Size().Height/2)
	}
	d.frame.maximise()
	b.win.Canvas().Capture()
	if m := middle(); m.X < -20 || m.X > 20 || m.Y < -20 || m.Y > 20 {
		t.Errorf("in a larger pane it stands %v beside the middle", m)
	}
	v.Dragged(&fyne.DragEvent{Dragged: fyne.NewDelta(150, 0)})
	was := middle().X + v.Size().Width/2
	d.frame.maximise()
	b.win.Canvas().Capture()
	if now := middle().X + v.Size().Width/2; now < was-1 || now > was+1 {
		t.Errorf("what was moved to %v jumps to %v", was, now)
	}
}

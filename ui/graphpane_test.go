package ui

import (
	"os"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

func TestGraphPane(t *testing.T) {
	b, d := newBench(t, toyFile(t, 10))
	p := d.graph
	if p.View.Drawing != nil {
		t.Error("drawn before anybody looks")
	}
	d.Lower.Show(kit.TabGraph)
	b.settle(t)
	if p.View.Drawing == nil || len(p.View.Drawing.Boxes) != 4 {
		t.Fatalf("%v", p.View.Drawing)
	}
	b.win.Canvas().Capture()

	at := func(i int) fyne.Position {
		n := p.View.Drawing.Boxes[i]
		q := p.View.Out(paint.Pt(n.X+n.W/2, n.Y+n.H/2))
		return fyne.NewPos(q.X, q.Y)
	}
	p.View.MouseDown(&desktop.MouseEvent{Button: desktop.MouseButtonPrimary, PointEvent: fyne.PointEvent{Position: at(2)}})
	b.settle(t)
	if got := d.Sel.Now.Span.Path(); got != "rows[2]" {
		t.Errorf("a click on the box of row 2 selects %s", got)
	}
	for _, step := range []struct {
		key  fyne.KeyName
		want string
	}{{fyne.KeyRight, "rows[3]"}, {fyne.KeyLeft, "rows[2]"}, {fyne.KeyLeft, "rows[0]"}, {fyne.KeyDown, "rows[1]"}, {fyne.KeyUp, "rows[0]"}} {
		p.View.TypedKey(&fyne.KeyEvent{Name: step.key})
		b.settle(t)
		if got := d.Sel.Now.Span.Path(); got != step.want {
			t.Errorf("%s leads to %s, want %s", step.key, got, step.want)
		}
	}
	d.Sel.Path("rows[3]/size", nil)
	b.settle(t)
	if p.View.Current != 3 {
		t.Errorf("the selection of a field of row 3 is box %d", p.View.Current)
	}
	p.View.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: at(1)}})
	if d.Sel.Hover != p.View.Drawing.Graph.Nodes[1].Span.Range || p.View.Pointed != 1 {
		t.Errorf("the pointer on box 1 lights up %v, box %d", d.Sel.Hover, p.View.Pointed)
	}
	before := p.View.Zoom()
	p.View.TypedRune('+')
	if p.View.Zoom() <= before {
		t.Error("+ does not zoom in")
	}
	p.View.TypedRune('0')
	for i, n := range p.View.Drawing.Boxes {
		if q := p.View.Out(paint.Pt(n.X+n.W, n.Y+n.H)); q.X > p.View.Size().Width || q.Y > p.View.Size().Height {
			t.Errorf("0 leaves box %d outside at %v", i, q)
		}
	}
}

// A sound model opens on the picture of its operations; a damaged one on its problems, and the picture is not drawn before anybody looks; what
// was asked for by name stays.
func TestModelOpensOnItsGraph(t *testing.T) {
	cut := bench.CopySample(t, "samediff/good/inline.fb")
	if info, err := os.Stat(cut); err != nil || os.Truncate(cut, info.Size()-40) != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, pane, want string }{{bench.CopySample(t, "samediff/good/inline.fb"), "", "Graph"}, {bench.CopySample(t, "samediff/good/inline.fb"), "table", "Table"},
		{cut, "", "Problems"}, {bench.CopySample(t, "idv/good/deflated.idv"), "", "Table"}} {
		b := emptyBench(t)
		b.pane = c.pane
		d := b.open(t, c.path)
		b.settle(t)
		if got, _, _ := strings.Cut(d.Lower.ShownName(), " "); got != c.want {
			t.Errorf("%s with pane %q opens on %s, want %s", c.path, c.pane, got, c.want)
		}
		if d.graph != nil && (d.graph.View.Drawing != nil) != (c.want == "Graph") {
			t.Errorf("%s, %s: drawn %v", c.path, c.want, d.graph.View.Drawing != nil)
		}
	}
}

// A document without a graph has no tab for one, until an edit brings one.
func TestGraphTabNeedsAGraph(t *testing.T) {
	b, d := newBench(t, toyFile(t, 3))
	if err := d.Lower.ShowNamed("graph"); err == nil {
		t.Error("three rows are no graph")
	}
	d.Editor.SetLocked(false)
	d.Editor.Edit("a row more", "", []model.Edit{model.SetValue(d.Tree().Root.Get("count"), model.U(4)),
		model.Splice{Range: model.Range{Space: d.hex.Space, Off: 32}, With: model.Memory(make([]byte, 8)), Loose: true}}, nil)
	b.settle(t)
	if err := d.Lower.ShowNamed("graph"); err != nil {
		t.Error(err)
	}
}

// A graph that is seen as it was first shown stands in the middle also when its pane is given more room; one that someone moved stays.
func TestGraphFollowsItsPane(t *testing.T) {
	b, d := newBench(t, toyFile(t, 10))
	d.Lower.Show(kit.TabGraph)
	b.settle(t)
	v := d.graph.View
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

// Enter in the line above the graph goes from one node that contains the text to the next, and begins again behind the last.
func TestFindANode(t *testing.T) {
	b, d := newBench(t, toyFile(t, 20))
	d.Lower.Show(kit.TabGraph)
	b.settle(t)
	p := d.graph
	p.View.Mark(-1)
	var seen []int
	for _, text := range []string{"ROW", "row", "3", "row", "stored"} {
		p.Find.OnSubmitted(text)
		b.settle(t)
		seen = append(seen, p.View.Current)
	}
	if !slices.Equal(seen, []int{0, 1, 3, 0, 0}) || d.Sel.Now.Span.Path() != "rows[0]" {
		t.Errorf("found %v, and selected %s", seen, d.Sel.Now.Span.Path())
	}
	was := p.View.Current
	p.Find.OnSubmitted("nothing is called so")
	if p.View.Current != was {
		t.Error("what is not found moves the choice")
	}
}

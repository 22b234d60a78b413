package graph

import (
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"reflect"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/paint"
)

// randomGraph makes a graph of n nodes in which most edges lead to nearby later nodes, as in a network, and some anywhere.
func randomGraph(n int, seed uint64) *model.Graph {
	rnd := rand.New(rand.NewPCG(seed, 1))
	g := &model.Graph{}
	for i := range n {
		g.Nodes = append(g.Nodes, model.GraphNode{Label: fmt.Sprint("node ", i)})
		for range rnd.IntN(3) {
			to := min(n-1, i+1+rnd.IntN(12))
			if rnd.IntN(50) == 0 {
				to = rnd.IntN(n)
			}
			g.Edges = append(g.Edges, model.GraphEdge{From: i, To: to})
		}
	}
	return g
}

func drawn(t testing.TB, g *model.Graph, down bool) *Drawing {
	widths := make([]float32, len(g.Nodes))
	for i, n := range g.Nodes {
		widths[i] = float32(8 * len(n.Label))
	}
	d, err := Layout(context.Background(), g, widths, down)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestGraphLayout checks random graphs, with circles, loops and double edges: boxes lie apart, edges lead to later columns
// but for those that close a circle, and the same graph is drawn the same twice.
func TestGraphLayout(t *testing.T) {
	for seed := range uint64(60) {
		g, down := randomGraph(1+int(seed)*3, seed), seed%2 == 1
		d := drawn(t, g, down)
		for i, b := range d.Boxes {
			for k, c := range d.Boxes[:i] {
				if b.X < c.X+c.W && c.X < b.X+b.W && b.Y < c.Y+c.H && c.Y < b.Y+b.H {
					t.Fatalf("seed %d: boxes %d and %d overlap: %v %v", seed, k, i, c, b)
				}
			}
			if b.W < boxLeast || b.X < 0 || b.Y < 0 || b.X+b.W > d.w || b.Y+b.H > d.h {
				t.Fatalf("seed %d: box %d at %v of %v x %v", seed, i, b, d.w, d.h)
			}
		}
		for i, e := range acyclic(len(g.Nodes), g.Edges) {
			if e.From == e.To {
				continue
			}
			if d.layer[e.From] >= d.layer[e.To] {
				t.Fatalf("seed %d: edge %v from column %d to %d", seed, e, d.layer[e.From], d.layer[e.To])
			}
			from, to := d.Boxes[g.Edges[i].From], d.Boxes[g.Edges[i].To]
			first, last := d.Edges[i][0], d.Edges[i][len(d.Edges[i])-1]
			if e != g.Edges[i] { // it closes a circle, and runs back
				from, to, first, last = to, from, last, first
			}
			leave, arrive := paint.Pt(from.X+from.W, from.Y+BoxHeight/2), paint.Pt(to.X, to.Y+BoxHeight/2)
			if down {
				leave, arrive = paint.Pt(from.X+from.W/2, from.Y+BoxHeight), paint.Pt(to.X+to.W/2, to.Y)
			}
			if first != leave || last != arrive {
				t.Fatalf("seed %d: edge %v is drawn from %v to %v", seed, g.Edges[i], first, last)
			}
		}
		if again := drawn(t, g, down); !reflect.DeepEqual(d, again) {
			t.Fatalf("seed %d: drawn differently", seed)
		}
	}
}

// The arrows walk as the picture lies: along an edge, and between the nodes of a column or row.
func TestStep(t *testing.T) {
	g := &model.Graph{Nodes: make([]model.GraphNode, 3), Edges: []model.GraphEdge{{From: 0, To: 1}, {From: 0, To: 2}}}
	for _, c := range []struct {
		down        bool
		along, next fyne.KeyName
		back        fyne.KeyName
	}{{false, fyne.KeyRight, fyne.KeyDown, fyne.KeyLeft}, {true, fyne.KeyDown, fyne.KeyRight, fyne.KeyUp}} {
		d := drawn(t, g, c.down)
		first := d.step(0, c.along)
		if first <= 0 || d.step(first, c.back) != 0 || d.step(0, c.back) != -1 || d.step(0, c.next) != -1 {
			t.Errorf("down %v: from 0 to %d, and back to %d", c.down, first, d.step(first, c.back))
		}
		if a, b := d.step(1, c.next), d.step(2, c.next); max(a, b) < 1 || min(a, b) != -1 {
			t.Errorf("down %v: beside 1 is %d, beside 2 is %d", c.down, a, b)
		}
	}
}

// TestCrossings compares the count with that of all pairs.
func TestCrossings(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var slots []*slot
		columns := [][]int{nil, nil}
		pos := make([]float64, 12)
		for i := range 12 {
			l := i / 6
			slots = append(slots, &slot{layer: l})
			pos[i] = float64(len(columns[l]))
			columns[l] = append(columns[l], i)
		}
		var edges [][2]int
		for range 10 {
			a, b := rnd.IntN(6), 6+rnd.IntN(6)
			slots[a].out = append(slots[a].out, b)
			edges = append(edges, [2]int{a, b})
		}
		var want int64
		for i, e := range edges {
			for _, f := range edges[:i] {
				if (pos[e[0]]-pos[f[0]])*(pos[e[1]]-pos[f[1]]) < 0 {
					want++
				}
			}
		}
		if got := crossings(columns, slots, pos); got != want {
			t.Fatalf("%d crossings, want %d", got, want)
		}
	}
}

func BenchmarkGraphLayout(b *testing.B) {
	g := randomGraph(5000, 1)
	for b.Loop() {
		drawn(b, g, false)
	}
}

// What is written in a chosen box has the colour that can be read there, and no other.
func TestChosenBoxCanBeRead(t *testing.T) {
	for _, look := range []*paint.Palette{paint.Light, paint.Dark} {
		dim := func(chosen bool) (n int) {
			img := image.NewRGBA(image.Rect(0, 0, 200, 60))
			p := &brush{&paint.Pen{Img: img, At: paint.AtlasAt(1), Look: look, Clip: img.Rect}, img.Rect, 1, 1, false}
			p.box(img.Rect, &model.GraphNode{Kind: model.Stored, Label: "MMM", Detail: "FLOAT"}, chosen)
			inner := img.Rect.Inset(8)
			for y := inner.Min.Y; y < inner.Max.Y; y++ {
				for x := inner.Min.X; x < inner.Max.X; x++ {
					if img.RGBAAt(x, y) == look.Dim {
						n++
					}
				}
			}
			return n
		}
		if dim(false) == 0 || dim(true) != 0 {
			t.Errorf("%s: %d dim points in a box, %d in a chosen one", look.Name, dim(false), dim(true))
		}
	}
}

// Wherever the view stands, after zooming beside the boxes one of them is in it; where some are, it stays.
func TestZoomLosesNoBoxes(t *testing.T) {
	v := &View{Drawing: drawn(t, randomGraph(60, 3), false)}
	d, w, h := v.Drawing, float32(90), float32(60)
	seen := func() bool {
		for _, b := range d.Boxes {
			if b.X < v.origin.X+w && b.X+b.W > v.origin.X && b.Y < v.origin.Y+h && b.Y+b.H > v.origin.Y {
				return true
			}
		}
		return false
	}
	moved := 0
	for x := -2 * w; x < d.w+2*w; x += 17 {
		for y := -2 * h; y < d.h+2*h; y += 13 {
			v.origin = paint.Pt(x, y)
			was, stood := seen(), v.origin
			v.meet(w, h)
			if !seen() || was && v.origin != stood {
				t.Fatalf("from %v, boxes seen %v, to %v, seen %v", stood, was, v.origin, seen())
			}
			if !was {
				moved++
			}
		}
	}
	if moved == 0 {
		t.Error("boxes were everywhere")
	}
}

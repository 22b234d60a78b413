package graph

import (
	"math"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// At returns the node that owns bytes, the smallest that contains them, or -1.
func (d *Drawing) At(r model.Range) int {
	best, least := -1, int64(math.MaxInt64)
	if d == nil || r.Len == 0 {
		return best
	}
	for i := range d.Graph.Nodes {
		n := &d.Graph.Nodes[i]
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

// tied lists the edges of each node.
func tied(g *model.Graph) [][]int {
	ties := make([][]int, len(g.Nodes))
	for i, e := range g.Edges {
		ties[e.From] = append(ties[e.From], i)
		if e.To != e.From {
			ties[e.To] = append(ties[e.To], i)
		}
	}
	return ties
}

// step returns the node that an arrow key leads to: along an edge, or to the next one in the column or row. Without a current node it leads to
// the first.
func (d *Drawing) step(from int, name fyne.KeyName) int {
	if d == nil || len(d.Boxes) == 0 {
		return -1
	}
	if from < 0 {
		return 0
	}
	across := func(i int) float32 {
		x, y := d.Boxes[i].X+d.Boxes[i].W/2, d.Boxes[i].Y
		d.turn(&x, &y)
		return y
	}
	layer := func(i int) float32 { return float32(d.layer[i]) }
	forward, near, ahead := name == fyne.KeyRight || name == fyne.KeyDown, d.neighbours(from), layer
	if along := name == fyne.KeyLeft || name == fyne.KeyRight; along == d.down {
		near, ahead = nil, across
		for i := range d.Boxes {
			if d.layer[i] == d.layer[from] {
				near = append(near, i)
			}
		}
	}
	best, least := -1, float32(math.MaxFloat32)
	for _, i := range near {
		if dy := across(i) - across(from); ahead(i) != ahead(from) && (ahead(i) > ahead(from)) == forward && dy*dy < least {
			best, least = i, dy*dy
		}
	}
	return best
}

// neighbours are the nodes at the ends of a node's edges, and the node itself.
func (d *Drawing) neighbours(of int) (list []int) {
	for _, k := range d.ties[of] {
		list = append(list, d.Graph.Edges[k].From, d.Graph.Edges[k].To)
	}
	return list
}

package graph

import (
	"cmp"
	"context"
	"math"
	"slices"

	"spandrel/model"
	"spandrel/ui/paint"
)

// Sizes in the picture of a graph, in units before zoom.
const (
	BoxHeight = 38
	boxGap    = 14 // between boxes of a column
	layerGap  = 56 // between columns
	boxLeast  = 70
	boxMost   = 240
	sweeps    = 12     // times that the order of the columns is improved
	maxBends  = 100000 // places where long edges pass a column; above, they run straight
)

// box is a rectangle in a picture, in units.
type box struct{ X, Y, W, H float32 }

func (b box) has(p paint.Point) bool {
	return p.X >= b.X && p.X < b.X+b.W && p.Y >= b.Y && p.Y < b.Y+b.H
}

// Drawing is a graph with a place for each node: in columns from inputs on the left to outputs on the right, or in rows from inputs
// at the top.
type Drawing struct {
	Graph *model.Graph
	Boxes []box
	layer []int           // the column of each node
	ties  [][]int         // the edges of each node
	Edges [][]paint.Point // from the right side of a box, through the gaps of the columns between, to the left side of a box; or from the lower to the upper
	w, h  float32
	down  bool // rows from the top
}

// slot is a box, or a place where an edge passes a column. In a layout from the top it is transposed until it has its place.
type slot struct {
	node    int // -1: an edge passes
	layer   int
	w, h    float32
	in, out []int   // slots in the columns before and after
	x, at   float32 // where an edge passes; the upper side
	wish    float32 // where its neighbours want it
}

// Layout places the nodes of a graph after Sugiyama: cycles are broken, nodes put in columns by their longest path from
// an input, columns ordered so that few edges cross, and boxes moved towards their neighbours. widths are those that
// the texts of the nodes need, in units; down asks for rows from the top instead of columns from the left.
func Layout(ctx context.Context, g *model.Graph, widths []float32, down bool) (*Drawing, error) {
	n := len(g.Nodes)
	d := &Drawing{Graph: g, down: down, ties: tied(g), Boxes: make([]box, n), Edges: make([][]paint.Point, len(g.Edges))}
	edges := acyclic(n, g.Edges)
	joined := make([]bool, n)
	for _, e := range edges {
		joined[e.From], joined[e.To] = true, true
	}
	d.layer = layers(n, edges)
	slots := make([]*slot, n)
	for i := range slots {
		slots[i] = &slot{node: i, layer: d.layer[i], w: max(boxLeast, min(boxMost, widths[i])), h: BoxHeight}
		d.turn(&slots[i].w, &slots[i].h)
	}
	slots, chains := chained(slots, edges)
	columns, err := order(ctx, slots, func(s *slot) bool { return s.node < 0 || joined[s.node] })
	if err != nil {
		return nil, err
	}
	d.place(slots, columns)
	d.loose(slots[:n], joined)
	for i, c := range chains {
		if len(c) == 0 {
			continue
		}
		d.Edges[i] = d.route(slots, c)
		if edges[i].From != g.Edges[i].From {
			slices.Reverse(d.Edges[i]) // it closes a circle: it runs back
		}
	}
	return d, ctx.Err()
}

// chained joins the slots of nodes by edges. It returns them with those where edges pass columns, and those that each edge goes through.
func chained(nodes []*slot, edges []model.GraphEdge) (slots []*slot, chains [][]int) {
	slots, chains = nodes, make([][]int, len(edges))
	for i, e := range edges {
		if e.From == e.To {
			continue
		}
		chain := []int{e.From}
		for l := slots[e.From].layer + 1; l < slots[e.To].layer && len(slots) < len(nodes)+maxBends; l++ {
			chain = append(chain, len(slots))
			slots = append(slots, &slot{node: -1, layer: l, h: 1})
		}
		chains[i] = append(chain, e.To)
		for k, b := range chains[i][1:] {
			if a := chains[i][k]; slots[b].layer == slots[a].layer+1 {
				slots[a].out, slots[b].in = append(slots[a].out, b), append(slots[b].in, a)
			}
		}
	}
	return slots, chains
}

// acyclic returns the edges, reversing those that close a cycle.
func acyclic(n int, edges []model.GraphEdge) []model.GraphEdge {
	out := slices.Clone(edges)
	from := make([][]int, n)
	for i, e := range edges {
		from[e.From] = append(from[e.From], i)
	}
	const fresh, open, done = 0, 1, 2
	state, next := make([]uint8, n), make([]int, n)
	for root := range n {
		if state[root] != fresh {
			continue
		}
		state[root] = open
		for stack := []int{root}; len(stack) > 0; {
			at := stack[len(stack)-1]
			if next[at] == len(from[at]) {
				state[at] = done
				stack = stack[:len(stack)-1]
				continue
			}
			i := from[at][next[at]]
			next[at]++
			switch to := edges[i].To; state[to] {
			case fresh:
				state[to] = open
				stack = append(stack, to)
			case open:
				out[i].From, out[i].To = to, at
			}
		}
	}
	return out
}

// layers puts each node as far left as its inputs allow, and then each node without inputs next to what uses it.
func layers(n int, edges []model.GraphEdge) []int {
	layer, waits, out := make([]int, n), make([]int, n), make([][]int, n)
	for _, e := range edges {
		if e.From != e.To {
			waits[e.To]++
			out[e.From] = append(out[e.From], e.To)
		}
	}
	var inputs []int
	for i, w := range waits {
		if w == 0 {
			inputs = append(inputs, i)
		}
	}
	for ready := slices.Clone(inputs); len(ready) > 0; {
		at := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, to := range out[at] {
			layer[to] = max(layer[to], layer[at]+1)
			if waits[to]--; waits[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	for _, i := range inputs {
		if len(out[i]) > 0 {
			first := slices.MinFunc(out[i], func(a, b int) int { return cmp.Compare(layer[a], layer[b]) })
			layer[i] = layer[first] - 1
		}
	}
	return layer
}

// pull moves the slots of each column as close to their neighbours as their order and size allow.
func pull(slots []*slot, columns [][]int) {
	for _, c := range columns {
		y := float32(0)
		for _, i := range c {
			slots[i].at = y
			y += slots[i].h + boxGap
		}
	}
	for n := range sweeps {
		sweep(n, columns, func(c []int, near func(*slot) []int) {
			if n > sweeps/2 {
				near = func(s *slot) []int { return append(slices.Clip(s.in), s.out...) }
			}
			for _, i := range c {
				slots[i].wish = wished(slots[i], near(slots[i]), slots)
			}
			settle(c, slots)
		})
	}
}

// sweep passes on the columns of the nth sweep with the neighbours that count in it: forward with those before a slot, then backward with those
// behind it.
func sweep(n int, columns [][]int, do func(c []int, near func(*slot) []int)) {
	for k := range columns {
		if n%2 == 0 {
			do(columns[k], func(s *slot) []int { return s.in })
		} else {
			do(columns[len(columns)-1-k], func(s *slot) []int { return s.out })
		}
	}
}

// wished is where the middle of a slot is the mean of its neighbours' middles; without neighbours it stays.
func wished(s *slot, near []int, slots []*slot) float32 {
	if len(near) == 0 {
		return s.at
	}
	sum := float32(0)
	for _, j := range near {
		sum += slots[j].at + slots[j].h/2
	}
	return sum/float32(len(near)) - s.h/2
}

// place assigns places to slots: the columns one after the other, and in each the boxes close to their neighbours.
func (d *Drawing) place(slots []*slot, columns [][]int) {
	pull(slots, columns)
	top := float32(math.MaxFloat32)
	for _, c := range columns {
		for _, i := range c {
			top = min(top, slots[i].at)
		}
	}
	x := float32(0)
	for _, c := range columns {
		w := float32(0)
		for _, i := range c {
			w = max(w, slots[i].w)
		}
		for _, i := range c {
			s := slots[i]
			s.at -= top
			if d.h = max(d.h, s.at+s.h); s.node >= 0 {
				b := box{x + (w-s.w)/2, s.at, s.w, s.h}
				d.turn(&b.X, &b.Y)
				d.turn(&b.W, &b.H)
				d.Boxes[s.node] = b
			} else {
				s.x = x + w/2
			}
		}
		d.w = x + w
		x += w + layerGap
	}
	d.turn(&d.w, &d.h)
}

// turn transposes a place or size for a layout from the top.
func (d *Drawing) turn(along, across *float32) {
	if d.down {
		*along, *across = *across, *along
	}
}

// loose puts the boxes without edges in rows below the rest, about as wide as that.
func (d *Drawing) loose(slots []*slot, joined []bool) {
	area := float32(0)
	for i, s := range slots {
		if !joined[i] {
			d.turn(&s.w, &s.h)
			area += (s.w + boxGap) * (BoxHeight + boxGap) * 3
		}
	}
	x, y, most := float32(0), d.h, max(d.w, float32(math.Sqrt(float64(area))))
	if y > 0 {
		y += 2 * boxGap
	}
	for i, s := range slots {
		if joined[i] {
			continue
		}
		if x > 0 && x+s.w > most {
			x, y = 0, y+BoxHeight+boxGap
		}
		d.Boxes[i] = box{x, y, s.w, s.h}
		d.w, d.h = max(d.w, x+s.w), y+s.h
		x += s.w + boxGap
	}
}

// settle moves the slots of a column as close to their desired places as their order allows, with the least sum of squares: runs that
// would overlap are pooled and share the mean of their desired places.
func settle(c []int, slots []*slot) {
	type pool struct {
		sum   float32 // of wishes, each less what lies before it in the pool
		n     int
		first int
		size  float32
	}
	var pools []pool
	for k, i := range c {
		s := slots[i]
		p := pool{s.wish, 1, k, s.h + boxGap}
		for len(pools) > 0 {
			last := pools[len(pools)-1]
			if last.sum/float32(last.n)+last.size <= p.sum/float32(p.n) {
				break
			}
			p = pool{last.sum + p.sum - last.size*float32(p.n), last.n + p.n, last.first, last.size + p.size}
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, p)
	}
	for _, p := range pools {
		y := p.sum / float32(p.n)
		for k := p.first; k < p.first+p.n; k++ {
			slots[c[k]].at = y
			y += slots[c[k]].h + boxGap
		}
	}
}

// route returns the points of an edge.
func (d *Drawing) route(slots []*slot, chain []int) (out []paint.Point) {
	for k, i := range chain {
		s := slots[i]
		p := paint.Pt(s.x, s.at)
		if d.turn(&p.X, &p.Y); s.node >= 0 {
			b := d.Boxes[s.node]
			switch end := k == 0; { // an edge leaves a box at its end, and arrives at the start of another
			case d.down && end:
				p = paint.Pt(b.X+b.W/2, b.Y+b.H)
			case d.down:
				p = paint.Pt(b.X+b.W/2, b.Y)
			case end:
				p = paint.Pt(b.X+b.W, b.Y+b.H/2)
			default:
				p = paint.Pt(b.X, b.Y+b.H/2)
			}
		}
		out = append(out, p)
	}
	return out
}

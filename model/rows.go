package model

import (
	"context"
	"sort"
)

// Rows numbers the visible rows of a tree whose branches are open or closed. Only open branches use memory: an array of a
// billion elements adds a billion rows and one node. Row 0 is the first child of the root. It belongs to one goroutine.
type Rows struct {
	Tree *Tree
	root *branch
}

// branch is an open span: its number of children, and the open ones by index.
type branch struct {
	parent *branch
	span   *Span
	idx    int64 // among the parent's children
	n      int64 // children
	vis    int64 // rows below it
	opens  []*branch
	cum    []int64 // cum[j] is the rows below opens[:j]
}

// NewRows shows the root's children, all closed.
func NewRows(t *Tree) *Rows {
	r := &Rows{Tree: t, root: &branch{span: t.Root, n: t.Root.Count()}}
	r.root.count()
	return r
}

// Len returns the number of rows.
func (r *Rows) Len() int64 { return r.root.vis }

// TreeRow is one row of the tree.
type TreeRow struct {
	Span  *Span
	Depth int
	Open  bool
}

// At returns a row; ok is false outside [0, Len).
func (r *Rows) At(row int64) (v TreeRow, ok bool) {
	if row < 0 || row >= r.root.vis {
		return v, false
	}
	p, idx, open, depth := r.at(row)
	if open != nil {
		return TreeRow{open.span, depth, true}, true
	}
	return TreeRow{p.span.Child(idx), depth, false}, true
}

func (r *Rows) at(row int64) (p *branch, idx int64, open *branch, depth int) {
	for p = r.root; ; depth++ {
		j := sort.Search(len(p.opens), func(j int) bool { return p.opens[j].idx+p.cum[j] > row }) // headers at or above row
		if j == 0 {
			return p, row, nil, depth
		}
		o, head := p.opens[j-1], p.opens[j-1].idx+p.cum[j-1]
		switch {
		case row == head:
			return p, o.idx, o, depth
		case row <= head+o.vis:
			row, p = row-head-1, o // go down
		default:
			return p, row - p.cum[j], nil, depth
		}
	}
}

// Open shows the children of a row whose span is Ready; the caller opens a lazy span first. It returns the number of rows
// added.
func (r *Rows) Open(row int64) int64 {
	if row < 0 || row >= r.root.vis {
		return 0
	}
	p, idx, open, _ := r.at(row)
	if open != nil {
		return 0
	}
	return p.open(idx, p.span.Child(idx)).vis
}

// Close hides what is below a row and returns the number of rows removed.
func (r *Rows) Close(row int64) int64 {
	if row < 0 || row >= r.root.vis {
		return 0
	}
	p, _, open, _ := r.at(row)
	if open == nil {
		return 0
	}
	j := p.slot(open.idx)
	p.opens = append(p.opens[:j:j], p.opens[j+1:]...)
	p.changed()
	return open.vis
}

// slot returns the position of child idx among the open ones, or where it would be.
func (b *branch) slot(idx int64) int {
	return sort.Search(len(b.opens), func(j int) bool { return b.opens[j].idx >= idx })
}

func (b *branch) child(idx int64) *branch {
	if j := b.slot(idx); j < len(b.opens) && b.opens[j].idx == idx {
		return b.opens[j]
	}
	return nil
}

// open shows the children of child idx, which is s. Elements of sequences are recreated, so the span of a branch may be
// another object than s for the same bytes, and not have been read.
func (b *branch) open(idx int64, s *Span) *branch {
	if o := b.child(idx); o != nil {
		if o.span != s && o.n < s.Count() {
			o.span, o.n = s, s.Count()
			o.count()
			b.changed()
		}
		return o
	}
	o := &branch{parent: b, span: s, idx: idx, n: s.Count()}
	o.count()
	j := b.slot(idx)
	b.opens = append(b.opens[:j:j], append([]*branch{o}, b.opens[j:]...)...)
	b.changed()
	return o
}

// count updates the sums of a branch, changed also those of all branches around it.
func (b *branch) count() {
	b.cum = make([]int64, len(b.opens)+1)
	for j, o := range b.opens {
		b.cum[j+1] = b.cum[j] + o.vis
	}
	b.vis = b.n + b.cum[len(b.opens)]
}

func (b *branch) changed() {
	for ; b != nil; b = b.parent {
		b.count()
	}
}

// RowOf returns the row of a span, if its ancestors are open.
func (r *Rows) RowOf(s *Span) (int64, bool) {
	b, idx, ok := r.branchOf(s, false)
	if !ok {
		return 0, false
	}
	return b.row(idx), true
}

// Reveal opens the ancestors of a span, which must be Ready, and returns its row; -1 for the root and for a span of another
// tree.
func (r *Rows) Reveal(s *Span) int64 {
	b, idx, ok := r.branchOf(s, true)
	if !ok {
		return -1
	}
	return b.row(idx)
}

func (r *Rows) branchOf(s *Span, open bool) (b *branch, idx int64, ok bool) {
	if s == nil || s.parent == nil {
		return nil, 0, false
	}
	if idx = s.Ordinal(); idx < 0 {
		return nil, 0, false
	}
	if s.parent.parent == nil {
		return r.root, idx, s.parent == r.root.span
	}
	up, i, ok := r.branchOf(s.parent, open)
	if !ok {
		return nil, 0, false
	}
	if b = up.child(i); open {
		b = up.open(i, s.parent)
	}
	return b, idx, b != nil
}

// row returns the row of child idx of an open branch.
func (b *branch) row(idx int64) int64 {
	row := idx + b.cum[b.slot(idx)]
	if b.parent == nil {
		return row
	}
	return b.parent.row(b.idx) + 1 + row
}

// Ordinal returns the position of s among its parent's children, or -1. The root has none.
func (s *Span) Ordinal() int64 {
	k := s.parent.children()
	if k == nil {
		return -1
	}
	if l, ok := k.(list); ok {
		for i := max(0, l.find(s.Range.Off)); i < int64(len(l)); i++ {
			if l[i] == s {
				return i
			}
		}
		for i, c := range l {
			if c == s || c.Range == s.Range && c.Field == s.Field && c.Index() == s.Index() {
				return int64(i)
			}
		}
		return -1
	}
	if i := s.Index(); i >= 0 {
		return i
	}
	return k.find(s.Range.Off)
}

// Moved returns the rows of a tree that was parsed again, with the same branches open if they still exist. It may
// open lazy spans, so it runs in a worker.
func (r *Rows) Moved(ctx context.Context, t *Tree) *Rows {
	n := NewRows(t)
	var walk func(b *branch)
	walk = func(b *branch) {
		for _, o := range b.opens {
			if s, err := t.Find(ctx, o.span.Path()); err == nil && t.Open(ctx, s) == nil {
				if row := n.Reveal(s); row >= 0 {
					n.Open(row)
				}
			}
			walk(o)
		}
	}
	walk(r.root)
	return n
}

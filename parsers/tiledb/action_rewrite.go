package tiledb

import (
	"context"
	"errors"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
)

// mostRewritten is how many bytes of cells a fragment may have to be rewritten as a whole.
const mostRewritten = 256 << 20

// sameFragments rewrites the fragments of edited cells: the same tiles with the changed cells, and all places, sizes and statistics.
func sameFragments(ctx context.Context, edits []cellEdit) (out []model.Edit, err error) {
	by := map[*frag][]cellEdit{}
	var order []*frag
	for _, x := range edits {
		if by[x.f] == nil {
			order = append(order, x.f)
		}
		by[x.f] = append(by[x.f], x)
	}
	for _, f := range order {
		n, err := f.forRewriting(ctx)
		if err != nil {
			return nil, err
		}
		gone, err := f.later(ctx)
		if err != nil {
			return nil, err
		}
		for i := range by[f] {
			if err := n.change(&by[f][i], gone); err != nil {
				return nil, err
			}
		}
		files, err := n.content(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// change sets a cell of the fragment, unless one of the deletions that it has survived would then delete it.
func (n *newFragment) change(x *cellEdit, gone []sentence) error {
	if x.slot < 0 {
		return errors.New(olderFragment)
	}
	t, s := &n.Tiles[x.tile].Fields[x.slot], &n.Slots[x.slot]
	v, err := x.apply(s, t.Value(s, int(x.cell)))
	if err != nil {
		return err
	}
	all := newCellsOfTile(x.f)
	all.fields = n.Tiles[x.tile].Fields
	listed := !all.isDeleted(int(x.cell), gone)
	if t.Set(s, int(x.cell), v); listed && all.isDeleted(int(x.cell), gone) {
		return fmt.Errorf("%s: such cells were deleted after this fragment was written, so with this value the cell would be deleted. Change "+
			"it in the table of cells, which adds a new fragment", s.Name)
	}
	return nil
}

// later returns the deletions that cells of the fragment must survive. Those that cannot be evaluated are skipped.
func (f *frag) later(ctx context.Context) (out []sentence, err error) {
	all, _ := deletions(ctx, f.a, asOfNow)
	if out, err = f.sentences(ctx, all, map[int]bool{}); errors.Is(err, errUnjudged) {
		return nil, nil
	}
	return out, err
}

// forRewriting is the fragment prepared for writing, with all its cells.
func (f *frag) forRewriting(ctx context.Context) (*newFragment, error) {
	m := f.load(ctx)
	switch {
	case m == nil:
		return nil, fmt.Errorf("fragment %s cannot be read", f.name)
	case !f.live:
		return nil, fmt.Errorf("fragment %s is ignored: no commit names it, or it was consolidated", f.name)
	case f.rewritable() != "":
		return nil, errors.New(f.rewritable())
	case m.Null || len(m.Domain) != len(m.Schema.Dims):
		return nil, fmt.Errorf("fragment %s has no cells", f.name)
	}
	n := f.writing()
	tiles, cells := f.meta.Count()
	if !n.fits(ctx, cells) {
		return nil, fmt.Errorf("fragment %s has more than %d MiB of cells, too much to rewrite: change the cell in the table of cells, which adds a "+
			"new fragment", f.name, mostRewritten>>20)
	}
	for k := range tiles {
		t := fragment.Tile{Fields: make([]fragment.Cells, len(f.slots))}
		for slot := range n.Files() {
			var err error
			if t.Fields[slot], err = f.tile(slot, k).whole(ctx); err != nil {
				return nil, err
			}
		}
		n.FindBox(&t, k)
		n.Tiles = append(n.Tiles, t)
	}
	var err error
	n.Done, err = f.conditions(ctx)
	return n, err
}

// fits tells, without reading a cell, whether a fragment of so many cells is small enough to be loaded and rewritten. The tiles that are
// read must have the sizes that it assumes.
func (n *newFragment) fits(ctx context.Context, cells int64) bool {
	total := int64(0)
	for slot, s := range n.Files() {
		switch width := max(1, s.Cell()); {
		case cells > mostRewritten/width:
			return false
		case s.Variable():
			for _, size := range n.f.field(slot).list(ctx, fragment.VarSizes) {
				total += int64(min(size, mostRewritten+1))
				if total > mostRewritten {
					return false
				}
			}
		default:
			total += cells * width
		}
	}
	return total <= mostRewritten
}

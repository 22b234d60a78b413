package scdl

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"spandrel/model"
)

// interval is a range of cell or gene numbers, and how many numbers the intervals before it contain.
type interval struct{ from, to, before int64 }

// intervals are in ascending order, with gaps between them.
type intervals []interval

// add adds the numbers in [from, to), which must be larger than all others.
func (g intervals) add(from, to int64) intervals {
	if k := len(g) - 1; k >= 0 && g[k].to == from {
		g[k].to = to
		return g
	}
	return append(g, interval{from, to, g.below(from)})
}

// below is how many of the numbers are below one.
func (g intervals) below(n int64) int64 {
	k := sort.Search(len(g), func(k int) bool { return g[k].from >= n }) - 1
	if k < 0 {
		return 0
	}
	return g[k].before + min(n, g[k].to) - g[k].from
}

// has tells whether a number is in one of the intervals.
func (g intervals) has(n int64) bool { return g.below(n+1) > g.below(n) }

// drop removes cells with everything that belongs to them.
func (r *reshaping) drop(cells intervals) error {
	if len(cells) > maxPlaces {
		return fmt.Errorf("cells would be removed in more than %s places: split the file into parts", model.Thousands(maxPlaces))
	}
	n, fewer, reached := cells.below(r.cells), int64(0), int64(0)
	if n == r.cells {
		return errors.New("no cell would be left")
	}
	for k, g := range cells {
		first, last := r.pointer(g.from), r.pointer(g.to)
		if first < reached || last < first || last > r.data.count {
			return errors.New("the row pointers of these cells do not increase: repair the archive first")
		}
		reached = last
		r.put(r.data, first, last, model.Memory(nil))
		r.put(r.col, first, last, model.Memory(nil))
		r.put(r.ptr, g.from+1, g.to+1, model.Memory(nil))
		fewer += last - first
		next := r.ptr.count
		if k+1 < len(cells) {
			next = cells[k+1].from + 1
		}
		if err := r.less(g.to+1, next, uint64(fewer)); err != nil {
			return err
		}
	}
	if fewer == r.data.count {
		return errors.New("no value would be left, and readers reject an empty file")
	}
	if err := r.dropFeatures(cells); err != nil {
		return err
	}
	if err := r.dropNeighbors(cells); err != nil {
		return err
	}
	return r.count(r.cells-n, r.data.count-fewer)
}

// maxPlaces is in how many places cells may be removed at once, because each takes some edits.
const maxPlaces = 1 << 16

// dropFeatures removes cells from the tables of cells, and updates the index of the blocks.
func (r *reshaping) dropFeatures(cells intervals) error {
	r.blocks(func(end int64) int64 { return end - cells.below(end) })
	f := r.features(false)
	if f == nil {
		return nil
	}
	for k, name := range f.blocks {
		lo, hi := f.rows(k)
		if cells.below(hi) == cells.below(lo) {
			continue
		}
		e, err := r.rewrite(r.ctx, name, func(s *sheet) error {
			if s.rows != hi-lo {
				return fmt.Errorf("it has %d rows for %d cells: repair the archive first", s.rows, hi-lo)
			}
			s.gone = func(row int64) bool { return cells.has(lo + row) }
			return nil
		})
		if err != nil {
			return err
		}
		r.edits = append(r.edits, e)
	}
	return nil
}

// maxReshape is how many elements of an array are loaded to be rewritten.
const maxReshape = 1 << 26

// dropNeighbors removes cells from the matrix of neighbours: their own rows, and their numbers in other rows. The cells after them are renumbered.
func (r *reshaping) dropNeighbors(cells intervals) error {
	ptr, idx, val := r.neighbors()
	if ptr == nil && idx == nil && val == nil {
		return nil
	}
	ends, near, values, err := r.readNeighbors()
	if err != nil {
		return err
	}
	pw, iw, vw := widthOf(ptr.dtype), widthOf(idx.dtype), widthOf(val.dtype)
	newEnds, newNear, newValues := []uint64{0}, []uint64{}, []byte{}
	for cell := range r.cells {
		if !cells.has(cell) {
			from, to := ends[cell], ends[cell+1]
			_, some, of := cells.taken([]uint64{from, to}, near[from:to], values[int64(from)*vw:int64(to)*vw])
			newNear, newValues = append(newNear, some...), append(newValues, of...)
			newEnds = append(newEnds, uint64(len(newNear)))
		}
	}
	if len(newNear) == 0 && len(near) > 0 {
		return errors.New("no neighbour would be left, and readers reject an empty file")
	}
	r.put(ptr, 0, ptr.count, model.Memory(packed(newEnds, pw)))
	r.put(idx, 0, idx.count, model.Memory(packed(newNear, iw)))
	r.put(val, 0, val.count, model.Memory(newValues))
	for raw, n := range map[*rawArray]int{ptr: len(newEnds), idx: len(newNear), val: len(newNear)} {
		if raw.desc != nil {
			r.edits = append(r.edits, model.SetValue(raw.desc.len_.Span, model.I(int64(n))))
		}
	}
	return nil
}

// readNeighbors reads the matrix of neighbours, or says why it cannot be rewritten.
func (r *reshaping) readNeighbors() (ends, near []uint64, values []byte, err error) {
	ptr, idx, val := r.neighbors()
	if !unsigned(ptr) || !ptr.whole() || ptr.count != r.cells+1 || idx == nil || val == nil || idx.span == nil || val.span == nil ||
		idx.count != val.count || idx.count > 0 && !unsigned(idx) {
		return nil, nil, nil, errors.New("the neighbours do not match the cells: repair the archive first")
	}
	if ptr.count > maxReshape || idx.count > maxReshape {
		return nil, nil, nil, fmt.Errorf("more than %d neighbours cannot be rewritten", maxReshape)
	}
	vw := widthOf(val.dtype)
	ends, near = r.elements(ptr, 0, ptr.count), r.elements(idx, 0, idx.count)
	values = r.slice(val.file, 0, val.count*vw)
	if !slices.IsSorted(ends) || len(ends) == 0 || ends[len(ends)-1] != uint64(len(near)) || int64(len(values)) != val.count*vw {
		return nil, nil, nil, errors.New("the neighbour pointers do not increase to the number of neighbours: repair the archive first")
	}
	return ends, near, values, nil
}

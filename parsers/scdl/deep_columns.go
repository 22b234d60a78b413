package scdl

import (
	"fmt"
	"math/bits"
	"slices"

	"spandrel/model"
)

// columns checks that each row's columns ascend and are genes of the row's block (083, 084). It walks the pointers beside the
// columns and so needs no memory. Values outside all rows are not checked.
func (d *passes) columns(ptr, col *rawArray, first int64) error {
	limits, rows, w := d.a.geneLimits(d.ctx), ptr.count-1, widthOf(col.dtype)
	parts, err := partsOf(d, rows, max(1, leastPart*rows/max(1, col.count)), func(d *passes, from, to int64) (stretch, error) {
		s := stretch{first: first, limits: *limits}
		err := s.walk(&window{d: d, r: ptr, end: to + 1}, col, from, to)
		return s, err
	})
	if err != nil {
		return err
	}
	var outside, unsorted firstError
	for _, s := range parts {
		outside.join(s.outside)
		unsorted.join(s.unsorted)
	}
	if outside.rows > 0 {
		d.elem(noSuchGene, col, outside.at, model.Words("row %d, and %d rows in all", outside.row, outside.rows),
			fmt.Sprintf("less than %d, the number of genes in the row's block", limits.of(first+outside.row)))
	}
	if unsorted.rows > 0 {
		d.unsorted(ptr, col, &unsorted)
	}
	if genes, known := limits.most(); known && col.desc != nil && !d.a.header.chunked && genes-1 < 1<<(4*w) && w > 1 {
		d.p.Wrong(wideType, col.desc.dtype.Span, dtypes[col.dtype], model.Words("a narrower type is enough for %d genes", genes))
	}
	return nil
}

// stretch is a run of rows of a matrix, or of a chunk that starts at row first, and the problems of their columns.
type stretch struct {
	first             int64
	limits            limits
	outside, unsorted firstError
}

// walk checks the columns of the rows [from, to).
func (s *stretch) walk(ptr *window, col *rawArray, from, to int64) error {
	last, err := (&window{d: ptr.d, r: ptr.r, end: to + 1}).at(to)
	if err != nil {
		return err
	}
	begin, err := ptr.at(from)
	if err != nil {
		return err
	}
	d, w, count := ptr.d, widthOf(col.dtype), uint64(col.count)
	shift := bits.TrailingZeros64(uint64(w))
	row, end, limit, least := from-1, begin, uint64(0), uint64(0)
	return d.stream(col, int64(min(begin, count)), int64(min(last, count)), func(at int64, b []byte) error {
		for k := uint64(at); len(b) > 0; {
			for k >= end {
				row++
				if end, err = ptr.at(row + 1); err != nil {
					return err
				}
				limit, least = s.limits.of(s.first+row), 0
			}
			part := b[:min(end-k, uint64(len(b))>>shift)<<shift]
			bad, next := ascends(part, w, least, 1)
			if least = next; bad >= 0 {
				s.unsorted.add(int64(k)+bad, row)
				least = slices.Max(d.numbers(part, w)) + 1
			}
			if least > limit {
				if s.outside.rows == 0 {
					bad = int64(slices.IndexFunc(d.numbers(part, w), func(n uint64) bool { return n >= limit }))
				}
				s.outside.add(int64(k)+bad, row)
			}
			k, b = k+uint64(len(part))>>shift, b[len(part):]
		}
		return nil
	})
}

// unsorted reports rows whose columns do not ascend, at the slice of the first one.
func (d *passes) unsorted(ptr, col *rawArray, u *firstError) {
	at := model.Spot{Span: col.span}
	cw := widthOf(col.dtype)
	if ends := d.a.elements(ptr, u.row, u.row+2); ends != nil {
		at.Range = model.Range{Space: col.span.Range.Space, Off: int64(ends[0]) * cw, Len: int64(min(ends[1], uint64(col.count))-ends[0]) * cw}
	}
	d.p.Wrong(columnOrder, at, model.Words("%d rows", u.rows), "ascending columns",
		model.Saying("the columns of row %d do not increase: lookups in readers stop at the first larger one and return zeros", u.row))
}

// firstError notes the first place of a defect and how many rows have it.
type firstError struct{ at, row, last, rows int64 }

func (f *firstError) add(at, row int64) {
	if f.rows == 0 {
		f.at, f.row = at, row
	}
	if f.rows == 0 || row != f.last {
		f.rows++
	}
	f.last = row
}

// join adds the findings of the rows that follow.
func (f *firstError) join(next firstError) {
	if f.rows == 0 {
		f.at, f.row = next.at, next.row
	}
	if next.rows > 0 {
		f.last = next.last
	}
	f.rows += next.rows
}

// window reads an array forward, a step at a time.
type window struct {
	d     *passes
	r     *rawArray
	end   int64 // bytes read ahead
	first int64
	v     []uint64
}

func (w *window) at(i int64) (uint64, error) {
	if k := i - w.first; k >= 0 && k < int64(len(w.v)) {
		return w.v[k], nil
	}
	return w.load(i)
}

func (w *window) load(i int64) (uint64, error) {
	size := widthOf(w.r.dtype)
	n := min(step/size, w.r.count-i, max(1, w.end-i))
	b, err := w.d.a.t.Bytes(w.d.ctx, model.Range{Space: w.r.span.Range.Space, Off: i * size, Len: n * size})
	if err != nil {
		return 0, err
	}
	w.first, w.v = i, numbers(slices.Grow(w.v[:0], int(n)), b, size)
	return w.v[0], nil
}

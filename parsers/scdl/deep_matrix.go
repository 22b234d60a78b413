package scdl

import (
	"context"
	"fmt"
	"math"
	"slices"

	"spandrel/model"
)

// deep runs the checks that read whole arrays (section 8.4), each array once.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	for _, a := range archivesOf(t) {
		d := &passes{a: a, ctx: ctx, p: p}
		for _, r := range a.raws {
			d.total += r.size
		}
		groups := [][3]string{{"row_ptr.npy", "col_ptr.npy", "data.npy"}}
		if a.header != nil && a.header.chunked {
			groups = nil
			for i := uint64(0); i < min(a.header.chunks, maxChunks); i++ {
				dir := fmt.Sprintf("chunk_%05d/", i)
				groups = append(groups, [3]string{dir + "row_ptr.npy", dir + "col_ptr.npy", dir + "data.npy"})
			}
		}
		for i, g := range groups {
			first := int64(0) // row of the chunk
			if i > 0 {
				first = int64(i) * int64(a.header.chunkSize)
			}
			if err := d.matrix(a.raws[g[0]], a.raws[g[1]], a.raws[g[2]], first); err != nil {
				return err
			}
		}
		if err := d.neighbors(); err != nil {
			return err
		}
		if err := d.parquet(); err != nil {
			return err
		}
	}
	return nil
}

// passes is one run of the deep checks over an archive.
type passes struct {
	a           *archive
	ctx         context.Context
	p           *model.Probe
	done, total int64
	buf         []uint64
}

func (d *passes) step(n int64) {
	d.done += n
	d.p.Progress(d.done, d.total, "checking arrays")
}

// elem reports a rule at one element of an array.
func (d *passes) elem(r *model.Rule, raw *rawArray, i int64, found, expected string) {
	w := widthOf(raw.dtype)
	at := model.Spot{Span: raw.span, Range: model.Range{Space: raw.span.Range.Space, Off: i * w, Len: w}}
	if values := raw.span.Get("values"); values != nil {
		if s := values.Child(i); s != nil {
			at.Span = s
		}
	}
	d.p.Wrong(r, at, found, expected, model.Saying("%s: %s, element %d", raw.file, r.Title, i))
}

// wrong reports a rule at a whole file.
func (d *passes) wrong(r *model.Rule, file string, found, want any) {
	d.p.Wrong(r, d.a.at(file), found, want, model.Saying("%s: %s", file, r.Title))
}

// stream hands the bytes of an array to f, a step at a time, with the index of the first element.
func (d *passes) stream(r *rawArray, f func(at int64, b []byte) error) error {
	if err := d.a.t.Open(d.ctx, r.span); err != nil {
		return err
	}
	w := widthOf(r.dtype)
	return d.a.t.Stream(d.ctx, model.Range{Space: r.span.Range.Space, Len: r.count * w}, step, func(off int64, b []byte) error {
		d.step(int64(len(b)))
		return f(off/w, b)
	})
}

// each is stream for numbers.
func (d *passes) each(r *rawArray, f func(first int64, v []uint64) error) error {
	w := widthOf(r.dtype)
	return d.stream(r, func(at int64, b []byte) error { return f(at, d.numbers(b, w)) })
}

// numbers widens at most a step of numbers. They are valid until the next call.
func (d *passes) numbers(b []byte, w int64) []uint64 {
	d.buf = numbers(d.buf[:0], b, w)
	return d.buf
}

// matrix checks row pointers, columns and values of a matrix, or of one chunk that starts at row first.
func (d *passes) matrix(ptr, col, data *rawArray, first int64) error {
	if unsigned(ptr) && ptr.whole() {
		ascend, err := d.pointers(ptr, data)
		if err != nil {
			return err
		}
		if ascend && unsigned(col) && col.whole() {
			if err := d.columns(ptr, col, first); err != nil {
				return err
			}
		}
	}
	if data.whole() {
		return d.values(data)
	}
	return nil
}

// pointers checks that row pointers never decrease (081). Where they do, or do not end at the number of values, they may be
// big-endian (054). Where they start and end is checked on opening.
func (d *passes) pointers(ptr, data *rawArray) (ascend bool, err error) {
	w, least, bad := widthOf(ptr.dtype), uint64(0), int64(-1)
	err = d.stream(ptr, func(at int64, b []byte) error {
		if bad < 0 {
			if bad, least = ascends(b, w, least, 0); bad >= 0 {
				bad += at
			}
		}
		return nil
	})
	if err != nil || bad < 0 && (!data.whole() || least == uint64(data.count)) {
		return bad < 0, err
	}
	if bad >= 0 {
		found := "a smaller number"
		if b := d.a.slice(ptr.file, bad*w, w); b != nil {
			found = fmt.Sprint(numbers(nil, b, w)[0])
		}
		d.elem(pointerOrder, ptr, bad, found, fmt.Sprintf("at least %d", least))
	}
	big, err := turner{d.a}.all(d.ctx, ptr, data)
	if big {
		d.p.Wrong(swappedArray, ptr.span, nil, nil, model.About(d.a),
			model.Saying("the row pointers are valid when they are read big-endian: the archive was written on another kind of machine"))
	}
	return bad < 0 && !big, err
}

// columns checks that each row's columns ascend and are genes of the row's block (083, 084). It walks the pointers beside the
// columns and so needs no memory. Values that no row owns are not looked at.
func (d *passes) columns(ptr, col *rawArray, first int64) error {
	rows, w := &window{d: d, r: ptr}, widthOf(col.dtype)
	limits := d.a.geneLimits(d.ctx)
	end, err := rows.at(0) // of what lies before the first row
	if err != nil {
		return err
	}
	row, limit, least := int64(-1), uint64(math.MaxUint64), uint64(0)
	outside, unsorted := firstError{}, firstError{}
	err = d.stream(col, func(at int64, b []byte) error {
		for k := uint64(at); len(b) > 0; {
			for k >= end {
				if row+2 >= ptr.count {
					return nil
				}
				row++
				if end, err = rows.at(row + 1); err != nil {
					return err
				}
				limit, least = limits.of(first+row), 0
			}
			part := b[:min(end-k, uint64(len(b))/uint64(w))*uint64(w)]
			if row >= 0 {
				bad, next := ascends(part, w, least, 1)
				if least = next; bad >= 0 {
					unsorted.add(int64(k)+bad, row)
					least = slices.Max(d.numbers(part, w)) + 1
				}
				if least > limit {
					if outside.rows == 0 {
						bad = int64(slices.IndexFunc(d.numbers(part, w), func(n uint64) bool { return n >= limit }))
					}
					outside.add(int64(k)+bad, row)
				}
			}
			k, b = k+uint64(len(part))/uint64(w), b[len(part):]
		}
		return nil
	})
	if err != nil {
		return err
	}
	if outside.rows > 0 {
		limits.at = 0
		d.elem(noSuchGene, col, outside.at, fmt.Sprintf("row %d, and %d rows in all", outside.row, outside.rows),
			fmt.Sprintf("below %d, the genes of the row's block", limits.of(first+outside.row)))
	}
	if unsorted.rows > 0 {
		d.unsorted(ptr, col, &unsorted)
	}
	if genes, known := limits.most(); known && col.desc != nil && d.a.header.chunks == 0 && genes-1 < 1<<(4*w) && w > 1 {
		d.p.Wrong(wideType, col.desc.dtype.Span, dtypes[col.dtype], fmt.Sprintf("a narrower type holds %d genes", genes))
	}
	return nil
}

// unsorted reports rows whose columns do not ascend, at the slice of the first one.
func (d *passes) unsorted(ptr, col *rawArray, u *firstError) {
	at := model.Spot{Span: col.span}
	pw, cw := widthOf(ptr.dtype), widthOf(col.dtype)
	if b := d.a.slice(ptr.file, u.row*pw, 2*pw); b != nil {
		ends := numbers(nil, b, pw)
		at.Range = model.Range{Space: col.span.Range.Space, Off: int64(ends[0]) * cw, Len: int64(min(ends[1], uint64(col.count))-ends[0]) * cw}
	}
	d.p.Wrong(columnOrder, at, fmt.Sprintf("%d rows", u.rows), "ascending columns",
		model.Saying("the columns of row %d do not ascend: the reference's lookup stops at the first larger one and gives zeros", u.row))
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

// window reads an array forward, a step at a time.
type window struct {
	d     *passes
	r     *rawArray
	first int64
	v     []uint64
}

func (w *window) at(i int64) (uint64, error) {
	if i >= w.first && i < w.first+int64(len(w.v)) {
		return w.v[i-w.first], nil
	}
	size := widthOf(w.r.dtype)
	n := min(step/size, w.r.count-i)
	b, err := w.d.a.t.Bytes(w.d.ctx, model.Range{Space: w.r.span.Range.Space, Off: i * size, Len: n * size})
	if err != nil {
		return 0, err
	}
	w.first, w.v = i, numbers(w.v[:0], b, size)
	return w.v[0], nil
}

// limits says how many genes the block of a row has.
type limits struct {
	ends  []int64
	genes []uint64
	at    int
}

func (l *limits) of(row int64) uint64 {
	for l.at < len(l.ends) && row >= l.ends[l.at] {
		l.at++
	}
	if l.at < len(l.genes) {
		return l.genes[l.at]
	}
	return math.MaxUint64
}

// most returns the largest gene count; known is false when that of a block is not.
func (l *limits) most() (n uint64, known bool) {
	for _, g := range l.genes {
		n = max(n, g)
	}
	return n, n > 0 && n < math.MaxUint64
}

func (a *archive) geneLimits(ctx context.Context) *limits {
	l := &limits{}
	for _, f := range a.folders {
		if !f.genes || len(f.cum) < 2 {
			continue
		}
		for i, end := range f.cum[1:] {
			n := uint64(math.MaxUint64)
			if i < len(f.blocks) {
				if rows, err := a.parquet(ctx, f.blocks[i]); err == nil {
					n = uint64(rows.Rows)
				}
			}
			l.ends, l.genes = append(l.ends, end), append(l.genes, n)
		}
	}
	return l
}

// parquet opens a Parquet file of the archive, once.
func (a *archive) parquet(ctx context.Context, file string) (*parquetRows, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.tables[file]; p != nil {
		return p, nil
	}
	p, err := newParquetRows(ctx, a.t, a.whole(file))
	if err == nil {
		a.tables[file] = p
	}
	return p, err
}

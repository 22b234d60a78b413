package scdl

import (
	"context"
	"fmt"
	"sync/atomic"

	"spandrel/model"
)

// deep runs the checks that read whole arrays (section 8.4), each array once.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	for _, a := range archivesOf(t) {
		d := &passes{a: a, ctx: ctx, p: p, read: new(atomic.Int64)}
		for _, r := range a.raws {
			d.total += r.size
		}
		for i, m := range a.matrices() {
			first := int64(0) // row of the chunk
			if i > 0 {
				first = int64(i) * a.header.chunkSize.Int()
			}
			if err := d.matrix(m, first); err != nil {
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

// passes is one run of the deep checks on an archive, or on a part of one of its arrays.
type passes struct {
	a     *archive
	ctx   context.Context
	p     *model.Probe
	read  *atomic.Int64 // bytes of all parts together
	total int64
	buf   []uint64
}

// leastPart is how many elements make a part worthwhile.
const leastPart = 1 << 18

// partsOf divides n items into parts of at least each items, and runs f on every part on all cores, with a pass to read with. f
// stores its results by the number of the part: only together with earlier parts do they tell what is wrong.
func partsOf[T any](d *passes, n, each int64, f func(d *passes, from, to int64) (T, error)) ([]T, error) {
	each = max(each, n/32)
	found := make([]T, (n+each-1)/each)
	quiet := &model.Probe{Report: d.p.Report} // progress counts bytes
	return found, quiet.Each(d.ctx, "", int64(len(found)), func(ctx context.Context, _ *model.Probe, i int64) (err error) {
		part := &passes{a: d.a, ctx: ctx, p: d.p, read: d.read, total: d.total}
		found[i], err = f(part, i*each, min(n, (i+1)*each))
		return err
	})
}

// elem reports a rule about one element of an array.
func (d *passes) elem(r *model.Rule, raw *rawArray, i int64, found, expected string) {
	d.p.Wrong(r, elementOf(raw, i), found, expected, model.Saying("%s: %s, element %d", raw.file, r.Title, i))
}

// elementOf is the place of an element of an array.
func elementOf(raw *rawArray, i int64) model.Spot {
	w := widthOf(raw.dtype)
	at := model.Spot{Span: raw.span, Range: model.Range{Space: raw.span.Range.Space, Off: i * w, Len: w}}
	if values := raw.span.Get("values"); values != nil {
		if s := values.Child(i); s != nil {
			at.Span = s
		}
	}
	return at
}

// wrong reports a rule about a whole file.
func (d *passes) wrong(r *model.Rule, file string, found, want any) {
	d.p.Wrong(r, d.a.at(file), found, want, model.Saying("%s: %s", file, r.Title))
}

// stream passes the bytes of array elements to f in steps, with the index of the first.
func (d *passes) stream(r *rawArray, from, to int64, f func(at int64, b []byte) error) error {
	if err := d.a.t.Open(d.ctx, r.span); err != nil {
		return err
	}
	w := widthOf(r.dtype)
	return d.a.t.Stream(d.ctx, model.Range{Space: r.span.Range.Space, Off: from * w, Len: (to - from) * w}, step, func(off int64, b []byte) error {
		d.p.Progress(d.read.Add(int64(len(b))), d.total, "checking arrays")
		return f(off/w, b)
	})
}

// each is stream for the numbers of a whole array.
func (d *passes) each(r *rawArray, f func(first int64, v []uint64) error) error {
	w := widthOf(r.dtype)
	return d.stream(r, 0, r.count, func(at int64, b []byte) error { return f(at, d.numbers(b, w)) })
}

// numbers widens at most a step of numbers. They are valid until the next call.
func (d *passes) numbers(b []byte, w int64) []uint64 {
	d.buf = numbers(d.buf[:0], b, w)
	return d.buf
}

// matrix checks row pointers, columns and values of a matrix, or of one chunk that starts at row first.
func (d *passes) matrix(m matrix, first int64) error {
	if unsigned(m.ptr) && m.ptr.whole() {
		ascend, err := d.pointers(m.ptr, m.data)
		if err != nil {
			return err
		}
		if ascend && unsigned(m.col) && m.col.whole() {
			if err := d.columns(m.ptr, m.col, first); err != nil {
				return err
			}
		}
	}
	if m.data.whole() {
		return d.values(m.data)
	}
	return nil
}

// slope summarises a part of the row pointers: where it begins, its first and last number, and the first that is smaller than the
// previous one, or −1; in that case last is that one.
type slope struct {
	from        int64
	first, last uint64
	bad         int64
}

// firstFall is the first pointer that is smaller than the previous one, or −1, and the largest before it, or the last of all.
func firstFall(parts []slope) (bad int64, least uint64) {
	for _, r := range parts {
		if r.first < least {
			return r.from, least
		}
		if least = r.last; r.bad >= 0 {
			return r.bad, least
		}
	}
	return -1, least
}

// slope computes the slope of a part of the row pointers.
func (d *passes) slope(ptr *rawArray, from, to int64) (slope, error) {
	r, w := slope{from: from, bad: -1}, widthOf(ptr.dtype)
	err := d.stream(ptr, from, to, func(at int64, b []byte) error {
		if at == from {
			r.first = numbers(nil, b[:w], w)[0]
		}
		if r.bad < 0 {
			if r.bad, r.last = ascends(b, w, r.last, 0); r.bad >= 0 {
				r.bad += at
			}
		}
		return nil
	})
	return r, err
}

// pointers checks that row pointers never decrease (081). If they do, or do not end at the number of values, they may be
// big-endian (054). Their start and end are checked on opening.
func (d *passes) pointers(ptr, data *rawArray) (ascend bool, err error) {
	parts, err := partsOf(d, ptr.count, leastPart, func(d *passes, from, to int64) (slope, error) { return d.slope(ptr, from, to) })
	bad, least := firstFall(parts)
	if err != nil || bad < 0 && (!data.whole() || least == uint64(data.count)) {
		return bad < 0, err
	}
	if bad >= 0 {
		d.disordered(ptr, bad, least)
	}
	big, err := turner{d.a}.all(d.ctx, ptr, data)
	if big {
		d.p.Wrong(swappedArray, ptr.span, nil, nil, model.About(d.a),
			model.Saying("the row pointers are valid if read as big-endian: the archive was written on a big-endian machine"))
	}
	return bad < 0 && !big, err
}

// disordered reports a pointer that is smaller than the one before it, or that one, if the pointers around it go on without it.
func (d *passes) disordered(ptr *rawArray, bad int64, least uint64) {
	v := d.a.elements(ptr, max(0, bad-2), min(bad+2, ptr.count)) // from two before it to one after it
	if len(v) == 0 {
		d.elem(pointerOrder, ptr, bad, "a smaller number", fmt.Sprintf("at least %d", least))
		return
	}
	next := v[len(v)-1]
	if bad >= 2 && v[2] >= v[0] && next >= v[2] && (next < v[1] || len(v) == 3) {
		d.p.Wrong(pointerOrder, elementOf(ptr, bad-1), v[1], fmt.Sprintf("at most %d", v[2]), model.About(misplaced{d.a, ptr, bad - 1, v[0], v[2]}),
			model.Saying("%s: a row pointer is larger than the next one, element %d", ptr.file, bad-1))
		return
	}
	more := []model.Detail{model.Saying("%s: %s, element %d", ptr.file, pointerOrder.Title, bad)}
	if next >= least && bad+1 < ptr.count {
		more = append(more, model.About(misplaced{d.a, ptr, bad, least, next}))
	}
	d.p.Wrong(pointerOrder, elementOf(ptr, bad), v[min(2, bad)], fmt.Sprintf("at least %d", least), more...)
}

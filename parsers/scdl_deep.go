package parsers

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sort"

	"spandrel/model"
)

// scdlStep is how many bytes of an array are read at a time. It is a multiple of every element size.
const scdlStep = 1 << 20

// scdlDeep runs the checks that read whole arrays (section 8.4), each array once.
func scdlDeep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	state, ok := t.State.(*scdlState)
	if !ok {
		return nil
	}
	for _, a := range state.archives {
		d := &scdlPass{a: a, ctx: ctx, p: p}
		for _, r := range a.raws {
			d.total += r.size
		}
		groups := [][3]string{{"row_ptr.npy", "col_ptr.npy", "data.npy"}}
		if a.header != nil && a.header.chunked {
			groups = nil
			for i := uint64(0); i < min(a.header.chunks, 100_000); i++ {
				dir := fmt.Sprintf("chunk_%05d/", i)
				groups = append(groups, [3]string{dir + "row_ptr.npy", dir + "col_ptr.npy", dir + "data.npy"})
			}
		}
		first := int64(0) // row of the chunk
		for _, g := range groups {
			ptr := a.raws[g[0]]
			if err := d.matrix(ptr, a.raws[g[1]], a.raws[g[2]], first); err != nil {
				return err
			}
			if ptr != nil {
				first += max(0, ptr.count-1)
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

// scdlPass is one run of the deep checks over an archive.
type scdlPass struct {
	a           *scdlArchive
	ctx         context.Context
	p           *model.Probe
	done, total int64
}

func (d *scdlPass) step(n int64) {
	d.done += n
	d.p.Progress(d.done, d.total, "checking arrays")
}

// elem is a finding at one element of an array.
func (d *scdlPass) elem(r *model.Rule, raw *scdlRaw, i int64, found, expected string) {
	w := scdlWidth(raw.dtype)
	diag := model.Diagnostic{Rule: r, Span: raw.span, Range: model.Range{Space: raw.span.Range.Space, Off: i * w, Len: w}, Found: found, Expected: expected,
		Message: fmt.Sprintf("%s: %s, element %d", raw.file, r.Title, i)}
	if values := raw.span.Get("values"); values != nil {
		if s := values.Child(i); s != nil {
			diag.Span = s
		}
	}
	d.p.Report(diag)
}

// each hands the elements of an integer array to f as numbers, a step of them at a time.
func (d *scdlPass) each(r *scdlRaw, f func(first int64, v []uint64) error) error {
	if err := d.a.t.Open(d.ctx, r.span); err != nil {
		return err
	}
	w := scdlWidth(r.dtype)
	v := make([]uint64, 0, scdlStep/w)
	return d.a.t.Stream(d.ctx, model.Range{Space: r.span.Range.Space, Len: r.count * w}, scdlStep, func(off int64, b []byte) error {
		v = scdlNumbers(v[:0], b, w)
		d.step(int64(len(b)))
		return f(off/w, v)
	})
}

// scdlNumbers widens little-endian unsigned numbers.
func scdlNumbers(v []uint64, b []byte, w int64) []uint64 {
	switch w {
	case 1:
		for _, x := range b {
			v = append(v, uint64(x))
		}
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			v = append(v, uint64(binary.LittleEndian.Uint16(b)))
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			v = append(v, uint64(binary.LittleEndian.Uint32(b)))
		}
	default:
		for ; len(b) >= 8; b = b[8:] {
			v = append(v, binary.LittleEndian.Uint64(b))
		}
	}
	return v
}

func scdlUnsigned(r *scdlRaw) bool {
	return r != nil && r.span != nil && r.dtype >= 1 && r.dtype <= 4 && r.count > 0
}

// matrix checks row pointers, columns and values of a matrix, or of one chunk that starts at row first.
func (d *scdlPass) matrix(ptr, col, data *scdlRaw, first int64) error {
	if scdlUnsigned(ptr) {
		if err := d.pointers(ptr, data); err != nil {
			return err
		}
	}
	if scdlUnsigned(ptr) && scdlUnsigned(col) {
		if err := d.columns(ptr, col, first); err != nil {
			return err
		}
	}
	if data != nil && data.span != nil && data.count > 0 {
		return d.values(data)
	}
	return nil
}

// pointers checks that row pointers run from 0 upward to the number of values (080 to 082), and whether they would if they
// were big-endian (054).
func (d *scdlPass) pointers(ptr, data *scdlRaw) error {
	prev, prevBig := uint64(0), uint64(0)
	good, big, first := true, true, uint64(0)
	w := scdlWidth(ptr.dtype)
	var last, lastBig uint64
	err := d.each(ptr, func(at int64, v []uint64) error {
		for i, n := range v {
			k := at + int64(i)
			b := scdlSwap(n, w)
			if k == 0 {
				first = n
				big = b == 0
			} else {
				if n < prev && good {
					good = false
					d.elem(scdl081, ptr, k, fmt.Sprint(n), fmt.Sprintf("at least %d", prev))
				}
				big = big && b >= prevBig
			}
			prev, prevBig = n, b
		}
		last, lastBig = prev, prevBig
		return nil
	})
	if err != nil {
		return err
	}
	if first != 0 {
		d.elem(scdl080, ptr, 0, fmt.Sprint(first), "0")
		good = false
	}
	if data != nil && data.count >= 0 && last != uint64(data.count) {
		d.elem(scdl082, ptr, ptr.count-1, fmt.Sprint(last), fmt.Sprint(data.count))
		good = false
	}
	if !good && big && w > 1 && (data == nil || lastBig == uint64(data.count)) {
		d.p.Report(model.Diagnostic{Rule: scdl054, Span: ptr.span, Message: "the row pointers are valid when they are read big-endian: the archive was written on another kind of machine"})
	}
	return nil
}

func scdlSwap(n uint64, w int64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	v := uint64(0)
	for _, x := range b[:w] {
		v = v<<8 | uint64(x)
	}
	return v
}

// columns checks that each row's columns ascend and are genes of the row's block (083, 084). It walks the pointers beside the
// columns and so needs no memory.
func (d *scdlPass) columns(ptr, col *scdlRaw, first int64) error {
	rows := &scdlWindow{d: d, r: ptr}
	limits := d.a.geneLimits()
	row, end, limit := int64(-1), uint64(0), uint64(math.MaxUint64)
	prev := int64(-1)
	outside, unsorted := false, false
	return d.each(col, func(at int64, v []uint64) error {
		for i, n := range v {
			k := uint64(at) + uint64(i)
			for k >= end && row+2 < ptr.count {
				row++
				next, err := rows.at(row + 1)
				if err != nil {
					return err
				}
				end, limit, prev = next, limits.of(first+row), -1
			}
			if n >= limit && !outside {
				outside = true
				d.elem(scdl083, col, int64(k), fmt.Sprint(n), fmt.Sprintf("below %d, the genes of row %d", limit, row))
			}
			if int64(n) <= prev && !unsorted {
				unsorted = true
				d.elem(scdl084, col, int64(k), fmt.Sprintf("%d after %d in row %d", n, prev, row), "ascending columns")
			}
			prev = int64(n)
		}
		return nil
	})
}

// scdlWindow reads an array forward, a step at a time.
type scdlWindow struct {
	d     *scdlPass
	r     *scdlRaw
	first int64
	v     []uint64
}

func (w *scdlWindow) at(i int64) (uint64, error) {
	if i >= w.first && i < w.first+int64(len(w.v)) {
		return w.v[i-w.first], nil
	}
	size := scdlWidth(w.r.dtype)
	n := min(scdlStep/size, w.r.count-i)
	b, err := w.d.a.t.Bytes(w.d.ctx, model.Range{Space: w.r.span.Range.Space, Off: i * size, Len: n * size})
	if err != nil {
		return 0, err
	}
	w.first, w.v = i, scdlNumbers(w.v[:0], b, size)
	return w.v[0], nil
}

// scdlLimits says how many genes the block of a row has.
type scdlLimits struct {
	ends  []int64
	genes []uint64
	at    int
}

func (l *scdlLimits) of(row int64) uint64 {
	for l.at < len(l.ends) && row >= l.ends[l.at] {
		l.at++
	}
	if l.at < len(l.genes) {
		return l.genes[l.at]
	}
	return math.MaxUint64
}

func (a *scdlArchive) geneLimits() *scdlLimits {
	l := &scdlLimits{}
	for _, f := range a.features() {
		if !f.genes || len(f.cum) < 2 {
			continue
		}
		for i, end := range f.cum[1:] {
			n := uint64(math.MaxUint64)
			if i < len(f.parquet) {
				if rows, err := newParquetRows(a.t, a.whole(f.parquet[i])); err == nil {
					n = uint64(rows.Rows)
				}
			}
			l.ends, l.genes = append(l.ends, end), append(l.genes, n)
		}
	}
	return l
}

// whole returns all bytes of a file.
func (a *scdlArchive) whole(file string) model.Range {
	if s := a.spans[file]; s != nil {
		return s.Range
	}
	return model.Range{Space: model.NoSpace}
}

// values looks for numbers that are not finite (085) and zeros (086).
func (d *scdlPass) values(data *scdlRaw) error {
	var odd, zeros, firstOdd, firstZero int64 = 0, 0, -1, -1
	float := data.dtype >= 5
	w := scdlWidth(data.dtype)
	exponent := map[uint64]uint64{5: 0x7c00, 6: 0x7f800000, 7: 0x7ff0000000000000}[data.dtype]
	sign := uint64(1) << (8*w - 1)
	err := d.each(data, func(at int64, v []uint64) error {
		for i, n := range v {
			if float && n&exponent == exponent {
				if odd++; firstOdd < 0 {
					firstOdd = at + int64(i)
				}
			}
			if n == 0 || float && n == sign {
				if zeros++; firstZero < 0 {
					firstZero = at + int64(i)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if odd > 0 {
		d.elem(scdl085, data, firstOdd, fmt.Sprintf("%d of %d values", odd, data.count), "finite numbers")
	}
	if zeros > 0 {
		d.elem(scdl086, data, firstZero, fmt.Sprintf("%d of %d values", zeros, data.count), "no stored zeros")
	}
	return nil
}

func (d *scdlPass) neighbors() error {
	ptr, idx := d.a.raws["neighbor_indptr.npy"], d.a.raws["neighbor_indices.npy"]
	if scdlUnsigned(ptr) && scdlUnsigned(idx) {
		prev, bad, at := uint64(0), int64(-1), int64(0)
		err := d.each(ptr, func(first int64, v []uint64) error {
			for i, n := range v {
				at = first + int64(i)
				if bad < 0 && (at == 0 && n != 0 || n < prev) {
					bad = at
				}
				prev = n
			}
			return nil
		})
		if err != nil {
			return err
		}
		if bad < 0 && prev != uint64(idx.count) {
			bad = at
		}
		if bad >= 0 {
			d.elem(scdl092, ptr, bad, "", fmt.Sprintf("0 to %d", idx.count))
		}
	}
	rows, known := d.a.rows()
	if !known || !scdlUnsigned(idx) {
		return nil
	}
	found := false
	return d.each(idx, func(first int64, v []uint64) error {
		for i, n := range v {
			if n >= uint64(rows) && !found {
				found = true
				d.elem(scdl094, idx, first+int64(i), fmt.Sprint(n), fmt.Sprintf("below %d", rows))
			}
		}
		return nil
	})
}

// parquet checks that every block can be read and has the rows that its span says (070, 073).
func (d *scdlPass) parquet() error {
	for _, f := range d.a.features() {
		sort.Strings(f.parquet)
		for i, name := range f.parquet {
			if err := d.ctx.Err(); err != nil {
				return err
			}
			rows, err := newParquetRows(d.a.t, d.a.whole(name))
			if err != nil {
				diag := d.a.at(scdl073, name)
				diag.Found = err.Error()
				d.p.Report(diag)
				continue
			}
			if !f.genes && i+1 < len(f.cum) {
				if want := f.cum[i+1] - max(0, f.cum[i]); rows.Rows != want {
					diag := d.a.at(scdl070, name)
					diag.Found, diag.Expected = fmt.Sprint(rows.Rows), fmt.Sprint(want)
					d.p.Report(diag)
				}
			}
		}
	}
	return nil
}

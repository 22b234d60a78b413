package scdl

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"spandrel/model"
)

// summaries are tables over the whole matrix. They are counted when someone looks at them, in one pass over one array.
func (a viewer) summaries(ctx context.Context, prefix string, parts []part, total int64) (out []model.Table) {
	values := int64(0)
	for _, p := range parts {
		values = max(values, p.data.count)
	}
	counts := []model.Column{{Name: "from", Type: "f64", Kind: model.Float}, {Name: "below", Type: "f64", Kind: model.Float},
		{Name: "count", Type: "u64", Kind: model.Uint}}
	out = append(out, a.summary(prefix+"row-lengths", "stored values a cell, by powers of two", counts, int64(bits.Len64(uint64(values)))+1,
		func(ctx context.Context, n int64) ([]model.Row, error) {
			h, err := a.lengths(ctx, parts, make([]uint64, n))
			return binRows(h, power), err
		}))
	bins, bin, low := valueBins(parts[0].data.dtype)
	out = append(out, a.summary(prefix+"values", "the values, by powers of two", counts, bins, func(ctx context.Context,
		n int64) ([]model.Row, error) {
		h := make([]uint64, n)
		for _, p := range parts {
			if err := a.pass(ctx).each(p.data, func(_ int64, v []uint64) error {
				for _, x := range v {
					h[bin(x)]++
				}
				return nil
			}); err != nil {
				return nil, err
			}
		}
		return binRows(h, low), nil
	}))
	if genes, known := a.geneLimits(ctx).most(); known {
		out = append(out, a.sparsity(prefix, parts, total, genes))
	}
	return out
}

// summary is a table whose rows are counted once.
func (a viewer) summary(name, title string, columns []model.Column, n int64, count func(ctx context.Context, n int64) ([]model.Row,
	error)) model.Table {
	return model.Table{Name: name, Title: title, Groups: true, Layout: true, Columns: columns, Rows: n, Read: func(ctx context.Context, first, want int64) ([]model.Row,
		error) {
		a.mu.Lock()
		rows := a.counted[name]
		a.mu.Unlock()
		if rows == nil {
			var err error
			if rows, err = count(ctx, n); err != nil {
				return nil, err
			}
			a.mu.Lock()
			a.counted[name] = rows
			a.mu.Unlock()
		}
		first = min(first, n)
		return rows[first:min(first+want, n)], nil
	}}
}

// pass reads arrays without reporting anything.
func (a viewer) pass(ctx context.Context) *passes {
	return &passes{a: a.archive, ctx: ctx, p: &model.Probe{Report: func(model.Finding) {}, Progress: func(int64, int64, string) {}}}
}

// binRows makes rows of a histogram; low gives where each bin starts.
func binRows(h []uint64, low func(i int) float64) (rows []model.Row) {
	for i, n := range h {
		rows = append(rows, model.Row{{Value: model.F(low(i))}, {Value: model.F(low(i + 1))}, {Value: model.U(n)}})
	}
	return rows
}

// power is where bin i of non-negative whole numbers starts: 0, 1, 2, 4, 8 …
func power(i int) float64 {
	if i == 0 {
		return 0
	}
	return math.Ldexp(1, i-1)
}

// valueBins returns how many bins the values of a dtype have, the bin of a value given as its bits, and where bins start.
// Floats are below 0, from 0 to 1, and on by powers of two; the last bin takes what is not finite.
func valueBins(dtype uint64) (n int64, bin func(x uint64) int, low func(i int) float64) {
	if dtype <= 4 {
		return 8*widthOf(dtype) + 1, bits.Len64, power
	}
	const top = 34 // 2³² and above, and then what is not finite
	return top + 1, func(x uint64) int {
			f := math.Float64frombits(x)
			switch dtype {
			case 5:
				v, _, _ := model.F16LE.Decode([]byte{byte(x), byte(x >> 8)})
				f = v.Float()
			case 6:
				f = float64(math.Float32frombits(uint32(x)))
			}
			switch {
			case math.IsNaN(f) || math.IsInf(f, 0):
				return top
			case f < 0:
				return 0
			case f >= 1<<32:
				return top - 1
			}
			return 1 + bits.Len64(uint64(f))
		}, func(i int) float64 {
			switch {
			case i == 0:
				return math.Inf(-1)
			case i >= top:
				return math.Inf(1)
			}
			return power(i - 1)
		}
}

// The sparsity picture has at most as many rows and columns.
const pictureRows, pictureColumns = 64, 32

// sparsity is a picture of the matrix: what part of the places in a block of cells and genes holds a value.
func (a viewer) sparsity(prefix string, parts []part, total int64, genes uint64) model.Table {
	tall, wide := (total+pictureRows-1)/pictureRows, (genes+pictureColumns-1)/pictureColumns
	tall = max(tall, 1)
	n, width := (total+tall-1)/tall, int((genes+wide-1)/wide)
	columns := []model.Column{{Name: "cells", Doc: "the first cell of the block", Type: "u64", Kind: model.Uint}}
	for k := range uint64(width) {
		columns = append(columns, model.Column{Name: fmt.Sprintf("genes %d to %d", k*wide, min((k+1)*wide, genes)-1), Type: "f64",
			Kind: model.Float})
	}
	return a.summary(prefix+"sparsity", "part of the places that hold a value, by blocks of cells and genes", columns, n,
		func(ctx context.Context, n int64) ([]model.Row, error) {
			h := make([]uint64, n*int64(width))
			for _, p := range parts {
				err := a.stored(ctx, p, func(row int64, gene uint64) {
					if gene < genes {
						h[row/tall*int64(width)+int64(gene/wide)]++
					}
				})
				if err != nil {
					return nil, err
				}
			}
			var out []model.Row
			for i := range n {
				row := model.Row{{Value: model.I(i * tall)}}
				for k := range width {
					places := float64(min(tall, total-i*tall)) * float64(min(wide, genes-uint64(k)*wide))
					row = append(row, model.Cell{Value: model.F(float64(h[i*int64(width)+int64(k)]) / places)})
				}
				out = append(out, row)
			}
			return out, nil
		})
}

// stored hands over the row and the gene of each value.
func (a viewer) stored(ctx context.Context, p part, each func(row int64, gene uint64)) error {
	d, row, end := a.pass(ctx), int64(-1), uint64(0)
	rows := &window{d: d, r: p.ptr}
	return d.each(p.col, func(at int64, v []uint64) (err error) {
		for i, gene := range v {
			for uint64(at)+uint64(i) >= end && row+2 < p.ptr.count {
				row++
				if end, err = rows.at(row + 1); err != nil {
					return err
				}
			}
			if row >= 0 && uint64(at)+uint64(i) < end {
				each(p.first+row, gene)
			}
		}
		return nil
	})
}

// lengths counts in h how many values rows have, by powers of two.
func (a viewer) lengths(ctx context.Context, parts []part, h []uint64) ([]uint64, error) {
	for _, p := range parts {
		prev, started := uint64(0), false
		err := a.pass(ctx).each(p.ptr, func(_ int64, v []uint64) error {
			for _, end := range v {
				if started && end >= prev {
					h[min(bits.Len64(end-prev), len(h)-1)]++
				}
				prev, started = end, true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return h, nil
}

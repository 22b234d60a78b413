package scdl

import (
	"context"
	"math"
)

// The number of genes in each block of an archive.

// geneLimits returns the number of genes of each block, from the rows of its table.
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

// parquet returns a Parquet file of the archive, which is opened only once.
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

// limits gives the number of genes in the block of a row, for rows in ascending order.
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

// most returns the largest gene count; known is false if that of any block is unknown.
func (l *limits) most() (n uint64, known bool) {
	for _, g := range l.genes {
		n = max(n, g)
	}
	return n, n > 0 && n < math.MaxUint64
}

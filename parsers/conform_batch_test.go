package parsers

import (
	"bytes"
	"slices"
	"testing"

	"spandrel/model"
)

// TestBatches reads the columns of every table of every sample as columns and as cells, in whole and in pieces: they say the same.
func TestBatches(t *testing.T) {
	eachSample(t, func(t *testing.T, s sample) {
		d := s.open(t)
		for _, table := range d.Tree.Tables(t.Context()) {
			cells := table
			cells.Columns = slices.Clone(table.Columns)
			for i := range cells.Columns {
				cells.Columns[i].Batch = nil
			}
			n := min(table.Rows, 300)
			for _, part := range [][2]int64{{0, n}, {n / 3, n - n/3}, {n / 2, min(1, n)}} {
				for i, col := range table.Columns {
					if col.Batch == nil || table.Read == nil {
						continue
					}
					got, err := table.Batches(t.Context(), []int{i}, part[0], part[1])
					want, fault := cells.Batches(t.Context(), []int{i}, part[0], part[1])
					if err != nil || fault != nil {
						if (err == nil) != (fault == nil) && fault == nil {
							t.Errorf("%s, %s: %v, as cells %v", table.Name, col.Name, err, fault)
						}
						continue
					}
					if !sameBatch(&col, got[0], want[0]) {
						t.Errorf("%s, %s, rows %v: %v\nas cells %v", table.Name, col.Name, part, got[0], want[0])
					}
				}
			}
		}
	})
}

// sameBatch compares what is not missing.
func sameBatch(col *model.Column, a, b model.Batch) bool {
	if a.Rows != b.Rows || !slices.Equal(a.Starts, b.Starts) || !slices.Equal(a.Lists, b.Lists) || len(a.Data) != len(b.Data) {
		return false
	}
	for i := range max(len(a.Gone), len(b.Gone)) {
		if flag(a.Gone, i) != flag(b.Gone, i) {
			return false
		}
	}
	for i := range max(len(a.Null), len(b.Null)) {
		if flag(a.Null, i) != flag(b.Null, i) {
			return false
		}
	}
	w := model.WidthOf(col.Item())
	if col.Names != nil && a.Starts == nil {
		return bytes.Equal(a.Data, b.Data)
	}
	for i := 0; w > 0 && (i+1)*w <= len(a.Data); i++ {
		x, y := a.Data[i*w:(i+1)*w], b.Data[i*w:(i+1)*w]
		truth := col.Item() == "bool" && (x[0] != 0) == (y[0] != 0)
		if !bytes.Equal(x, y) && !truth && !flag(a.Null, i) && (a.Gone == nil || !col.IsVector()) {
			return false
		}
	}
	return w > 0 || bytes.Equal(a.Data, b.Data)
}

func flag(list []bool, i int) bool { return i < len(list) && list[i] }

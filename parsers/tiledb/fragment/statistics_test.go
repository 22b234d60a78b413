package fragment

import (
	"math"
	"testing"

	"spandrel/parsers/tiledb/filter"
)

// TestSums: where a sum leaves the range of its type, TileDB stops adding, and it depends on the order of the cells.
func TestSums(t *testing.T) {
	for _, x := range []struct {
		cells     []int64
		sum       int64
		overflows bool
	}{
		{[]int64{5, -7, 1 << 40}, 1<<40 - 2, false},
		{[]int64{math.MaxInt64, 1, -7}, math.MaxInt64, true},
		{[]int64{math.MinInt64, -1, 1 << 62}, math.MinInt64, true},
		{[]int64{1 << 62, -1 << 62, 1 << 62}, 1 << 62, true}, // in another order it is full
	} {
		var b []byte
		for _, v := range x.cells {
			b = le.AppendUint64(b, uint64(v))
		}
		is := (&Cells{Data: b}).Measure(&Slot{Datatype: filter.Int64, Num: 1}, nil)
		if int64(is.Sum) != x.sum || is.Overflows != x.overflows {
			t.Errorf("%d: %d, overflows: %v", x.cells, int64(is.Sum), is.Overflows)
		}
	}
}

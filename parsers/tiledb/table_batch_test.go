package tiledb

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/storage"
)

// TestBatchRoom: a batch has room for the cells that were asked for and is not moved while they come, whatever number a caller says.
func TestBatchRoom(t *testing.T) {
	x := &cellTable{cols: []column{{typ: filter.Float64, num: 1, dim: -1}, {typ: filter.Float64, num: storage.VariableCells, dim: -1}, {typ: filter.Float64, num: math.MaxUint32 - 1, dim: -1}}}
	b := newColumnBatch(x, 0, 1000)
	room := cap(b.Data)
	for range 1000 {
		if err := b.add(&x.cols[0], make([]byte, 8), false); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.Data) != 8000 || cap(b.Data) != room {
		t.Errorf("%d bytes in room for %d, and %d at first", len(b.Data), cap(b.Data), room)
	}
	for j := range 4 {
		if b := newColumnBatch(x, j, math.MaxInt64); cap(b.Data) > 8*mostReserved || cap(b.Lists) > 2*mostReserved {
			t.Errorf("column %d: room for %d bytes", j, cap(b.Data))
		}
	}
}

// TestFlagged: which cells are null is the same whether they come one by one or together.
func TestFlagged(t *testing.T) {
	x := &cellTable{cols: []column{{typ: filter.Float64, num: 1, dim: -1}}}
	for range 200 {
		one, all := newColumnBatch(x, 0, 9), newColumnBatch(x, 0, 9)
		for range 3 {
			valid := bytes.Repeat([]byte{1}, rand.IntN(5))
			for i := range valid {
				valid[i] = byte(rand.IntN(3))
			}
			for _, v := range valid {
				one.add(&x.cols[0], make([]byte, 8), v == 0)
			}
			all.flagged(all.cellsOf(&x.cols[0]), valid)
			all.Data = append(all.Data, make([]byte, 8*len(valid))...)
		}
		if !slices.Equal(one.Null, all.Null) || len(one.Data) != len(all.Data) {
			t.Fatalf("%v, %v", one.Null, all.Null)
		}
	}
}

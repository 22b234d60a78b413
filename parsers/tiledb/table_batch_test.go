package tiledb

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

func floats(num uint32) column { return column{fragment.Slot{Datatype: filter.Float64, Num: num}} }

// TestBatchRoom: a batch has room for the cells that were asked for and is not moved while they come, whatever number a caller says.
func TestBatchRoom(t *testing.T) {
	x := &cellTable{cols: []column{floats(1), floats(storage.VariableCells), floats(math.MaxUint32 - 1)}}
	b := newColumnBatch(x, 0, 1000)
	room := cap(b.Data)
	for range 1000 {
		b.append(columnCells{Cells: fragment.Cells{Data: make([]byte, 8)}, Slot: &x.cols[0].Slot, step: 1}, 1)
	}
	if len(b.Data) != 8000 || cap(b.Data) != room {
		t.Errorf("%d bytes in room for %d, and %d at first", len(b.Data), cap(b.Data), room)
	}
	for j := range 4 {
		if b := newColumnBatch(x, j, math.MaxInt64); cap(b.Data) > 8*mostReserved || cap(b.Starts) > 2*mostReserved {
			t.Errorf("column %d: room for %d bytes", j, cap(b.Data))
		}
	}
}

// TestFlagged: which cells are null is the same whether they come one by one, together or with others between them.
func TestFlagged(t *testing.T) {
	x := &cellTable{cols: []column{floats(1)}}
	for seed := range uint64(200) {
		var lists [3][]bool
		for k := range lists {
			b, r := newColumnBatch(x, 0, 9), rand.New(rand.NewPCG(seed, 2))
			for range 3 {
				valid := bytes.Repeat([]byte{1}, r.IntN(5))
				for i := range valid {
					valid[i] = byte(r.IntN(3))
				}
				c := columnCells{Cells: fragment.Cells{Data: make([]byte, 8*len(valid)), Valid: valid}, Slot: &x.cols[0].Slot, step: 1}
				switch n := int64(len(valid)); k {
				case 0:
					b.append(c, n)
				case 1:
					for i := range int(n) {
						one := c
						one.Cells = c.Part(&fragment.Slot{Datatype: filter.Float64, Num: 1, Nullable: true}, i, i+1)
						b.append(one, 1)
					}
				default:
					c.Data, c.step = make([]byte, 16*len(valid)), 2
					for i := range valid {
						c.Valid = slices.Insert(c.Valid, 2*i+1, 0)
					}
					b.append(c, n)
				}
			}
			out, err := b.done(t.Context())
			if lists[k] = out.Null; err != nil || len(out.Data) != 8*int(out.Rows) {
				t.Fatalf("%d bytes of %d, %v", len(out.Data), out.Rows, err)
			}
		}
		if !slices.Equal(lists[0], lists[1]) || !slices.Equal(lists[0], lists[2]) {
			t.Fatalf("%v", lists)
		}
	}
}

package model

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// A table of some rows holds those rows, whether they are read as cells or as whole columns.
func TestSomeRows(t *testing.T) {
	all := Table{Name: "numbers", Columns: []Column{{Name: "n", Type: "u8", Kind: Uint, Batch: func(_ context.Context, first, n int64) (Batch, error) {
		b := Batch{Rows: n}
		for i := range n {
			b.Data = append(b.Data, byte(first+i))
		}
		return b, nil
	}}}, Rows: 10, Read: RowsOf(10, func(_ context.Context, i int64) (Row, error) { return Row{{Value: U(uint64(i))}}, nil })}
	for _, c := range []struct {
		table Table
		want  []byte
	}{{all.Part(5, 3), []byte{5, 6, 7}}, {all.Only([]int64{8, 9, 1}), []byte{8, 9, 1}}, {all.Only([]int64{8, 9, 1, 2}).Part(1, 2), []byte{9, 1}}} {
		var cells []byte
		if err := c.table.Each(bg, 0, c.table.Rows, nil, func(_ int64, r Row) error {
			cells = append(cells, byte(r[0].Value.Uint()))
			return nil
		}); err != nil || !slices.Equal(cells, c.want) {
			t.Errorf("cells %v, %v: want %v", cells, err, c.want)
		}
		list, err := c.table.Batches(bg, []int{0}, 0, c.table.Rows)
		if err != nil || !slices.Equal(list[0].Data, c.want) {
			t.Errorf("columns %v, %v: want %v", list, err, c.want)
		}
	}
}

// A table that says that it has more rows than can be read is an error, and not a shorter table.
func TestEachReadsAll(t *testing.T) {
	short := Table{Name: "short", Rows: 1 << 40, Columns: make([]Column, 1), Read: func(_ context.Context, first, n int64) (rows []Row, _ error) {
		for i := first; i < min(first+n, 100); i++ {
			rows = append(rows, Row{{Value: U(uint64(i))}})
		}
		return rows, nil
	}}
	n, stop := 0, errors.New("stop")
	if err := short.Each(bg, 0, short.Rows, nil, func(int64, Row) error { n++; return nil }); err == nil || n != 100 {
		t.Errorf("%d rows, %v", n, err)
	}
	if err := short.Each(bg, 40, short.Rows, nil, func(i int64, _ Row) error {
		if i == 50 {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) {
		t.Error(err)
	}
}

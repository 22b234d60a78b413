package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// numbered is a table of the elements 0, 1, 2 … of an array, in the order of the file.
func numbered(columnMajor bool, shape ...int64) Table {
	n := elementsIn(shape)
	at := Position(shape, columnMajor)
	return Table{Name: "a", Rows: n, Columns: Columns("position utf8, value u64"), Read: RowsOf(n, func(_ context.Context, i int64) (Row, error) {
		return Row{{Value: S(at(i))}, {Value: U(uint64(i))}}, nil
	})}.AsTensor(shape, columnMajor)
}

func sliced(t *testing.T, of Table, index string) string {
	t.Helper()
	s, err := of.Slice(index)
	if err != nil {
		return err.Error()
	}
	var lines []string
	for at := int64(0); at < s.Rows; at += 2 { // pages, as panes read them
		rows, err := s.Read(t.Context(), at, min(2, s.Rows-at))
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rows {
			line := fmt.Sprint(s.Number(at+int64(i)), ":")
			for _, c := range r {
				line += " " + c.String()
			}
			lines = append(lines, line)
		}
	}
	var names []string
	for _, c := range s.Columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, ",") + " | " + strings.Join(lines, " | ")
}

// A slice has what the same index has in numpy.
func TestSlice(t *testing.T) {
	rows, cols := numbered(false, 2, 3, 4), numbered(true, 2, 3, 4)
	wide := numbered(false, 3, 100)
	for _, c := range []struct {
		of          Table
		index, want string
	}{
		{rows, "[1, :, :]", "0,1,2,3 | 0: 12 13 14 15 | 1: 16 17 18 19 | 2: 20 21 22 23"},
		{rows, "1", "0,1,2,3 | 0: 12 13 14 15 | 1: 16 17 18 19 | 2: 20 21 22 23"},
		{rows, "[..., 3]", "0,1,2 | 0: 3 7 11 | 1: 15 19 23"},
		{rows, "[:, 1, 1:-1]", "1,2 | 0: 5 6 | 1: 17 18"},
		{rows, "[0, ::2, ::3]", "0,3 | 0: 0 3 | 2: 8 11"},
		{rows, "[0, 2, 1:]", "value | 1: 9 | 2: 10 | 3: 11"},
		{rows, "[-1, -1, -1]", "value | 0: 23"},
		{rows, "[0, 5:, :]", "0,1,2,3 | "},
		{cols, "[1, :, :]", "0,1,2,3 | 0: 1 7 13 19 | 1: 3 9 15 21 | 2: 5 11 17 23"},
		{cols, "[:, :, 1]", "0,1,2 | 0: 6 8 10 | 1: 7 9 11"},
		{wide, "[:, ::50]", "0,50 | 0: 0 50 | 1: 100 150 | 2: 200 250"},
		{rows, "[2, :, :]", "axis 0: index 2 is out of range: the axis has 2 elements"},
		{rows, "[0]x", "axis 0: \"0]x\" is not an index: write a number, or first:end"},
		{rows, "[:, :, :]", "[:, :, :] leaves 3 axes: give a number for all but two"},
		{rows, "[0, 0, 0, 0]", "[0, 0, 0, 0] has 4 axes, but the array has 3 axes"},
		{rows, "[0, ::0, :]", "axis 1: the step must be 1 or more"},
		{numbered(false, 1, 1<<17), "[:, :]", "[:, :] has 131,072 columns, but a table can have at most 65,536"},
	} {
		if got := sliced(t, c.of, c.index); got != c.want {
			t.Errorf("%s: %s, want %s", c.index, got, c.want)
		}
	}
	for want, of := range map[string]Table{"[0, :, :]": rows, "[:, 0:1024]": numbered(false, 2, 5000), "[:]": numbered(false, 5000)} {
		if got := of.Tensor.FirstIndex(); got != want {
			t.Errorf("shown first: %s, want %s", got, want)
		}
	}
	for _, shape := range [][]int64{{2, 2}, {-1, -24}, {1 << 62, 1 << 62}, {}, append(slices.Repeat([]int64{1}, 100), 24)} {
		if x := (Table{Rows: 24, Columns: rows.Columns}).AsTensor(shape, false); x.Tensor != nil {
			t.Errorf("24 rows are an array of shape %v", shape)
		}
	}
}

// What is typed into a slice is set at its place in the array.
func TestSliceSets(t *testing.T) {
	of := numbered(true, 2, 3)
	var got []Typed
	of.Set = func(_ context.Context, cells []Typed) ([]Edit, error) { got = cells; return nil, nil }
	s, err := of.Slice("[:, 1:]")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Set(t.Context(), []Typed{{Row: 1, Column: 1, Text: "9"}}); err != nil || got[0] != (Typed{Row: 5, Column: 1, Text: "9"}) {
		t.Errorf("%+v %v", got, err)
	}
}

// Of an array whose indices begin elsewhere, numbers are those indices, as coordinates are in TileDB; a column of a table is such an array.
func TestGrid(t *testing.T) {
	of := numbered(false, 3, 4)
	set := []Typed(nil)
	of.Set = func(_ context.Context, cells []Typed) ([]Edit, error) { set = cells; return nil, nil }
	g := of.Grid("cells.value", 1, []int64{3, 4}, []int64{-1, 10})
	for index, want := range map[string]string{
		"[:, :]":      "10,11,12,13 | -1: 0 1 2 3 | 0: 4 5 6 7 | 1: 8 9 10 11",
		"[-1, :]":     "value | 10: 0 | 11: 1 | 12: 2 | 13: 3",
		"[0:, 11:13]": "11,12 | 0: 5 6 | 1: 9 10",
		"[0:, 3]":     "axis 1: index 3 is out of range: the axis has 4 elements",
	} {
		if got := sliced(t, g, index); got != want {
			t.Errorf("%s: %s, not %s", index, got, want)
		}
	}
	s, err := g.Slice(g.Tensor.FirstIndex())
	if err != nil {
		t.Fatal(err)
	}
	if s.Set(t.Context(), []Typed{{Row: 1, Column: 2, Text: "9"}}); len(set) != 1 || set[0] != (Typed{Row: 6, Column: 1, Text: "9"}) {
		t.Errorf("a cell of the grid is set as %v", set)
	}
}

// TestSliceOfTruncated indexes what is left of an array.
func TestSliceOfTruncated(t *testing.T) {
	left := func(columnMajor bool, n int64) Table {
		whole := numbered(columnMajor, 3, 2, 2)
		whole.Rows, whole.Tensor = n, nil
		return whole.AsTensor([]int64{3, 2, 2}, columnMajor)
	}
	for _, c := range []struct {
		of          Table
		index, want string
	}{
		{left(false, 7), "[1, :, :]", "0,1 | 0: 4 5 | 1: 6 "},
		{left(false, 7), "[2, :, :]", "axis 0: index 2 is out of range: the axis has 2 elements"},
		{left(false, 8), "[-1, :, :]", "0,1 | 0: 4 5 | 1: 6 7"},
		{left(true, 7), "[:, :, 1]", "0,1 | 0: 6  | 1:   | 2:  "},
		{left(true, 7), "[2, 1, :]", "value | 0: 5 | 1: "},
	} {
		if got := sliced(t, c.of, c.index); got != c.want || !c.of.Truncated() && c.of.Rows != 8 {
			t.Errorf("%d elements, %s: %q, want %q", c.of.Rows, c.index, got, c.want)
		}
	}
	if left(false, 0).Tensor != nil || left(false, 13).Tensor != nil {
		t.Error("an array without elements, or with too many, is indexed")
	}
	writable := left(false, 7)
	writable.Set = func(context.Context, []Typed) ([]Edit, error) { return nil, nil }
	if s, err := writable.Slice("[1, :, :]"); err != nil {
		t.Error(err)
	} else if _, err := s.Set(t.Context(), []Typed{{Row: 1, Column: 1}}); err == nil {
		t.Error("an element after the end can be set")
	}
}

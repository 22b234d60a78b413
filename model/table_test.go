package model

import (
	"encoding/json"
	"testing"
)

// TestSparse fills a sparse vector in where its positions make sense, and never past its length.
func TestSparse(t *testing.T) {
	for _, c := range []struct {
		index []int64
		size  int64
		want  string
	}{
		{[]int64{1, 3}, 5, "[0,7,0,8,0]"},
		{[]int64{}, 2, "[0,0]"},
		{[]int64{3, 1}, 5, `{"1":8,"3":7}`},
		{[]int64{1, 1 << 60}, 5, `{"1":7,"1152921504606846976":8}`},
		{[]int64{0, 1}, 1 << 40, `{"0":7,"1":8}`},
		{[]int64{-1, 1}, 5, `{"-1":7,"1":8}`},
	} {
		cell := Cell{Vector: true, Len: c.size, Index: c.index, Items: []Value{U(7), U(8)}[:len(c.index)], Default: U(0)}
		got, err := json.Marshal(cell.JSON())
		if err != nil || string(got) != c.want {
			t.Errorf("%v of %d: %s, %v; want %s", c.index, c.size, got, err, c.want)
		}
	}
}

// TestNamed prints vectors with the names of their positions.
func TestNamed(t *testing.T) {
	slots := []string{"age", "", "sex"}
	for _, c := range []struct {
		cell Cell
		want string
	}{
		{Cell{Vector: true, Items: []Value{U(1), U(2), U(3)}}, "{age: 1, 1: 2, sex: 3}"},
		{Cell{Vector: true, Len: 9, Index: []int64{2, 8, -1}, Items: []Value{U(1), U(2), U(3)}}, "{sex: 1, 8: 2, -1: 3}"},
		{Cell{Value: U(7)}, "7"},
	} {
		if got := c.cell.Named("", slots); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// A number of 32 bits is shown with the digits that they need, in vectors too.
func TestDigits(t *testing.T) {
	tenth := F(float64(float32(0.1)))
	for _, c := range []struct {
		cell      Cell
		typ, want string
	}{
		{Cell{Value: tenth}, "f32", "0.1"},
		{Cell{Value: tenth}, "f64", "0.10000000149011612"},
		{Cell{Value: U(7)}, "f32", "7"},
		{Cell{Vector: true, Items: []Value{tenth, U(3)}}, "f32[]", "[0.1, 3]"},
	} {
		if got := c.cell.Named(c.typ, nil); got != c.want {
			t.Errorf("%s as %s, want %s", got, c.typ, c.want)
		}
	}
}

func TestPosition(t *testing.T) {
	rows, columns := Position([]int64{2, 3}, false), Position([]int64{2, 3}, true)
	for i, want := range [][2]string{{"0, 0", "0, 0"}, {"0, 1", "1, 0"}, {"0, 2", "0, 1"}, {"1, 0", "1, 1"}} {
		if got := [2]string{rows(int64(i)), columns(int64(i))}; got != want {
			t.Errorf("%d: %q, not %q", i, got, want)
		}
	}
}

// Of a table of very many columns few rows are read at once, and always one.
func TestPage(t *testing.T) {
	for _, c := range []struct{ columns, most, want int64 }{{1, 4096, 4096}, {100_000, 4096, 2}, {1 << 20, 64, 1}, {0, 5, 5}} {
		if got := (&Table{Columns: make([]Column, c.columns)}).Page(c.most); got != c.want {
			t.Errorf("%d columns: %d rows at once of %d", c.columns, got, c.most)
		}
	}
}

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
		cell := Cell{Vector: true, Len: c.size, Index: c.index, Items: []Value{U(7), U(8)}[:len(c.index)]}
		got, err := json.Marshal(cell.JSON())
		if err != nil || string(got) != c.want {
			t.Errorf("%v of %d: %s, %v; want %s", c.index, c.size, got, err, c.want)
		}
	}
}

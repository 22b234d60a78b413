package cause

import (
	"hash/maphash"
	"math"
	"strings"
	"testing"

	"spandrel/model"
)

// TestCellSums: cells have the same sum if and only if they have the same content, to the bit.
func TestCellSums(t *testing.T) {
	long := strings.Repeat("a", 100)
	one, two := model.U(1), model.U(2)
	cells := func() []model.Cell {
		list := []model.Cell{{Vector: true}, {Items: []model.Value{one, two}}, {Items: []model.Value{two, one}}, {Items: []model.Value{one}}, {Items: []model.Value{one}, Index: []int64{0}},
			{Items: []model.Value{one}, Index: []int64{1}}, {Items: []model.Value{one}, Index: []int64{1}, Len: 9}, {Items: []model.Value{one}, Index: []int64{1}, Len: 9, Default: two}}
		for _, v := range []model.Value{model.F(math.NaN()), model.F(math.Float64frombits(0xfff8000000000001)), model.F(0), model.F(math.Copysign(0, -1)), model.F(1 << 60),
			model.U(math.MaxUint64), model.U(math.MaxUint64 - 1), model.I(math.MinInt64), model.I(math.MinInt64 + 1), model.U(1<<53 + 1), model.U(1 << 53), model.B(true), model.B(false),
			model.S(""), model.S("1"), model.S(long), model.Raw([]byte(long)), model.Raw([]byte(long + "b")), model.Raw([]byte(long + "c"))} {
			list = append(list, model.Cell{Value: v})
		}
		return list
	}
	sum := func(c model.Cell) uint64 {
		var h maphash.Hash
		h.SetSeed(rowsSeed)
		addCell(&h, &c)
		return h.Sum64()
	}
	again := cells()
	for i, c := range cells() {
		for k, d := range again {
			if (sum(c) == sum(d)) != (i == k) {
				t.Errorf("%+v and %+v: the same sum is %v", c, d, i != k)
			}
		}
	}
}

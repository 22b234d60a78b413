package graph

import (
	"cmp"
	"context"
	"math"
	"slices"

	"spandrel/model"
)

// order puts the slots of each column in an order with few crossings: sweeps over the columns sort each by the median of its
// neighbours, and the best order is kept.
func order(ctx context.Context, slots []*slot, in func(*slot) bool) ([][]int, error) {
	var columns [][]int
	pos := make([]float64, len(slots))
	for i, s := range slots {
		if !in(s) {
			continue
		}
		for len(columns) <= s.layer {
			columns = append(columns, nil)
		}
		pos[i] = float64(len(columns[s.layer]))
		columns[s.layer] = append(columns[s.layer], i)
	}
	var best [][]int
	least := int64(math.MaxInt64)
	for n := range sweeps {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		sweep(n, columns, func(c []int, near func(*slot) []int) { sortByMiddle(c, slots, pos, near) })
		if n := crossings(columns, slots, pos); n < least {
			least, best = n, model.Map(columns, slices.Clone[[]int])
		}
	}
	return best, nil
}

// sortByMiddle sorts a column by the mean position of each slot's neighbours. Those without neighbours stay in place.
func sortByMiddle(c []int, slots []*slot, pos []float64, near func(*slot) []int) {
	middle := make(map[int]float64, len(c))
	for _, i := range c {
		sum, list := 0.0, near(slots[i])
		for _, k := range list {
			sum += pos[k]
		}
		if middle[i] = pos[i]; len(list) > 0 {
			middle[i] = sum / float64(len(list))
		}
	}
	slices.SortStableFunc(c, func(a, b int) int { return cmp.Compare(middle[a], middle[b]) })
	for k, i := range c {
		pos[i] = float64(k)
	}
}

// crossings counts how many pairs of edges between neighbouring columns cross: inversions.
func crossings(columns [][]int, slots []*slot, pos []float64) (n int64) {
	for l := 1; l < len(columns); l++ {
		ends, added := make(sums, len(columns[l])+1), int64(0)
		for _, i := range columns[l-1] {
			for _, k := range slots[i].out {
				n += added - ends.upTo(int(pos[k]))
			}
			for _, k := range slots[i].out {
				added++
				ends.add(int(pos[k]))
			}
		}
	}
	return n
}

// sums counts items by place, as a binary indexed tree.
type sums []int64

// add counts an item at a place.
func (t sums) add(at int) {
	for j := at + 1; j < len(t); j += j & -j {
		t[j]++
	}
}

// upTo is the number of items up to a place and at it.
func (t sums) upTo(at int) (n int64) {
	for j := at + 1; j > 0; j -= j & -j {
		n += t[j]
	}
	return n
}

package graph

import (
	"context"
	"math"
	"slices"
)

// order puts the slots of each column in an order with few crossings: sweeps over the columns sort each by the median of its
// neighbours, and the best order is kept.
func order(ctx context.Context, slots []*slot, in func(*slot) bool) ([][]int, error) {
	var columns [][]int
	for i, s := range slots {
		if !in(s) {
			continue
		}
		for len(columns) <= s.layer {
			columns = append(columns, nil)
		}
		columns[s.layer] = append(columns[s.layer], i)
	}
	pos := make([]float64, len(slots))
	number := func() {
		for _, c := range columns {
			for k, i := range c {
				pos[i] = float64(k)
			}
		}
	}
	number()
	var best [][]int
	least := int64(math.MaxInt64)
	for sweep := range sweeps {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for k := range columns {
			c, near := columns[k], func(s *slot) []int { return s.in }
			if sweep%2 == 1 {
				c, near = columns[len(columns)-1-k], func(s *slot) []int { return s.out }
			}
			sortByMiddle(c, slots, pos, near)
		}
		if n := crossings(columns, slots, pos); n < least {
			least, best = n, nil
			for _, c := range columns {
				best = append(best, slices.Clone(c))
			}
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
	slices.SortStableFunc(c, func(a, b int) int {
		switch {
		case middle[a] < middle[b]:
			return -1
		case middle[a] > middle[b]:
			return 1
		}
		return 0
	})
	for k, i := range c {
		pos[i] = float64(k)
	}
}

// crossings counts how many pairs of edges between neighbouring columns cross: inversions, with a tree of sums.
func crossings(columns [][]int, slots []*slot, pos []float64) (n int64) {
	for l, c := range columns {
		if l+1 == len(columns) {
			break
		}
		tree := make([]int64, len(columns[l+1])+1)
		var added int64
		for _, i := range c {
			for _, k := range slots[i].out {
				var before int64 // or at the same place
				for j := int(pos[k]) + 1; j > 0; j -= j & -j {
					before += tree[j]
				}
				n += added - before
			}
			for _, k := range slots[i].out {
				added++
				for j := int(pos[k]) + 1; j < len(tree); j += j & -j {
					tree[j]++
				}
			}
		}
	}
	return n
}

package model

import (
	"cmp"
	"slices"
)

// Recount is how places are counted by a writer that counts from another place, or in another unit: each is Times ÷ Per as much and Plus more than it
// should be. One of Times and Per is 1.
type Recount struct{ Times, Per, Plus int64 }

// RecountOf is how all of some places were counted that should be others: zero if they are right, or follow no such rule, or are too few to tell.
func RecountOf(is, want []int64) (r Recount) {
	if len(is) == 0 || len(is) != len(want) {
		return Recount{}
	}
	r = Recount{Times: 1, Per: 1}
	least, most := slices.Index(is, slices.Min(is)), slices.Index(is, slices.Max(is))
	far, should := is[most]-is[least], want[most]-want[least]
	switch {
	case far <= 0 || should <= 0:
		return Recount{}
	case should%far == 0:
		r.Per = should / far
	case far%should == 0:
		r.Times = far / should
	default:
		return Recount{}
	}
	r.Plus = is[least] - want[least]*r.Times/r.Per
	for i, n := range want {
		if n%r.Per != 0 || n*r.Times/r.Per+r.Plus != is[i] {
			return Recount{}
		}
	}
	known := 2 // places through which a rule goes by chance
	if r.Times == r.Per {
		known--
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(is))); len(distinct) <= known || r == (Recount{1, 1, 0}) {
		return Recount{}
	}
	return r
}

// Text says how some places are counted, after a subject in the plural. At names what is so many bytes before the place that they should count from.
func (r Recount) Text(at map[int64]string) string {
	from := Words("are each %d too large", r.Plus)
	if r.Plus < 0 {
		from = Words("are each %d too small", -r.Plus)
	}
	if name := at[r.Plus*r.Per]; name != "" {
		from = Words("count from "+name+": each is %d too large", r.Plus)
	}
	unit := Words("count units of %d bytes instead of bytes", r.Per)
	if r.Times > 1 {
		unit = cmp.Or(map[int64]string{8: "count bits instead of bytes"}[r.Times], Words("are %d times as much as bytes", r.Times))
	}
	switch {
	case r.Times == r.Per:
		return from
	case r.Plus == 0:
		return unit
	}
	return unit + ", and then " + from
}

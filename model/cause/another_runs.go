package cause

import (
	"cmp"
	"slices"

	"spandrel/model/another"
)

// run is a range in which a pair differs; for a missing file it is the whole file.
type run struct {
	*pair
	another.Range
}

// runList is the ranges in which a document differs from a copy, in order in each file.
type runList []run

// within is the set of ranges in places of the document.
func (list runList) within(at []Place) []bool {
	set := make([]bool, len(list))
	for i, r := range list {
		set[i] = r.was != nil && overlap(at, []Place{{File: r.name, Off: r.Off, Len: max(1, r.Len)}})
	}
	return set
}

// taken is where the bytes of a set of runs are after they were taken.
func (list runList) taken(set []bool) (out []Place) {
	moved := map[string]int64{}
	for i, r := range list {
		if set[i] {
			out = append(out, Place{File: r.name, Off: r.Off + moved[r.name], Len: r.N})
			moved[r.name] += r.N - r.Len
		}
	}
	return out
}

// before is where places were before a set was taken.
func (list runList) before(set []bool, at []Place) []Place {
	at = slices.Clone(at)
	for k := range at {
		from, to := at[k].Off, at[k].Off+at[k].Len
		moved := int64(0)
		for i, r := range list {
			if !set[i] || r.name != at[k].File {
				continue
			}
			if r.Off+moved < at[k].Off {
				from += r.Len - r.N
			}
			if r.Off+moved < at[k].Off+at[k].Len {
				to += r.Len - r.N
			}
			moved += r.N - r.Len
		}
		at[k].Off, at[k].Len = from, to-from
	}
	return at
}

// outside is a place without others, which are in order.
func outside(p Place, others []Place) (out []Place) {
	for _, q := range others {
		if q.File != p.File || q.Off+q.Len <= p.Off {
			continue
		}
		if q.Off > p.Off {
			out = append(out, Place{File: p.File, Off: p.Off, Len: min(q.Off, p.Off+p.Len) - p.Off})
		}
		end := p.Off + p.Len
		if p.Off = max(p.Off, q.Off+q.Len); p.Off >= end {
			return out
		}
		p.Len = end - p.Off
	}
	return append(out, p)
}

// shared is what a place shares with others.
func shared(p Place, others []Place) (out []Place) {
	for _, q := range others {
		if from, to := max(p.Off, q.Off), min(p.Off+p.Len, q.Off+q.Len); p.File == q.File && from < to {
			out = append(out, Place{File: p.File, Off: from, Len: to - from})
		}
	}
	return out
}

// overlap tells whether a place shares a byte with one of a list that is in order in each file.
func overlap(a []Place, in []Place) bool {
	return slices.ContainsFunc(a, func(p Place) bool {
		i, _ := slices.BinarySearchFunc(in, p, func(q, p Place) int {
			return cmp.Or(cmp.Compare(q.File, p.File), b2i(q.Off+q.Len > p.Off)*2-1)
		})
		return i < len(in) && in[i].File == p.File && in[i].Off < p.Off+p.Len && p.Len > 0
	})
}

// ordered sorts places by file and offset.
func ordered(list []Place) []Place {
	slices.SortFunc(list, func(a, b Place) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Off, b.Off)) })
	return list
}

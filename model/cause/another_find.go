package cause

import (
	"cmp"
	"slices"

	"spandrel/model"
)

// maxGroups is how many groups of neighbouring ranges are tried one by one.
const maxGroups = 48

// find searches for the smallest set of ranges that leaves the fewest errors and introduces none; nil if there is none. It
// starts from the ranges with findings, from all and from none, and adds or removes groups while that helps.
func (x *taking) find() []bool {
	n := len(x.runs)
	none, all, near := make([]bool, n), slices.Repeat([]bool{true}, n), x.near()
	var best []bool
	for _, from := range [][]bool{near, all, none} {
		set := from
		if v := x.try(set); v.failed || v.harm() > 0 || !x.good(v) {
			set = x.climb(set)
		}
		if v := x.try(set); x.good(v) && (best == nil || v.harm() < x.try(best).harm()) {
			best = set
		}
		if best != nil && x.try(best).harm() == 0 || x.late() {
			break
		}
	}
	if best == nil {
		return nil
	}
	return x.least(best)
}

// good tells whether a state has fewer errors than the document and no new ones.
func (x *taking) good(v *verdict) bool {
	return !v.failed && v.harm() < x.base.harm() && v.freshHarm(x.base) == 0
}

// climb repeatedly adds or removes the group that helps most, until none does.
func (x *taking) climb(set []bool) []bool {
	for {
		best := set
		for _, g := range grouped(len(set), maxGroups) {
			if x.late() {
				return best
			}
			if other := flipped(set, g); x.order(x.try(other), x.try(best)) < 0 {
				best = other
			}
		}
		if slices.Equal(best, set) {
			return set
		}
		set = best
	}
}

// order compares states: fewer errors, fewer new errors, less that is not read or newly odd, fewer unexplained bytes.
func (x *taking) order(v, w *verdict) int {
	if v.failed || w.failed {
		return b2i(v.failed) - b2i(w.failed)
	}
	return cmp.Or(v.harm()-w.harm(), v.freshHarm(x.base)-w.freshHarm(x.base), v.freshDoubt(x.base)-w.freshDoubt(x.base), cmp.Compare(v.gap, w.gap))
}

// least removes what a set does not need: halves first, then smaller parts.
func (x *taking) least(set []bool) []bool {
	var on []int
	for i := range set {
		if set[i] {
			on = append(on, i)
		}
	}
	for size := len(on) / 2; size > 0; size /= 2 {
		for at := 0; at < len(on) && size < len(on) && !x.late(); {
			end := min(len(on), at+size)
			less := slices.Clone(set)
			for _, i := range on[at:end] {
				less[i] = false
			}
			if x.order(x.try(less), x.try(set)) <= 0 && x.good(x.try(less)) {
				set, on = less, slices.Delete(on, at, end)
			} else {
				at = end
			}
		}
	}
	return set
}

// grouped divides n places into at most most groups of neighbours.
func grouped(n, most int) (out [][2]int) {
	for i, k := 0, min(n, most); i < k; i++ {
		out = append(out, [2]int{i * n / k, (i + 1) * n / k})
	}
	return out
}

// flipped is a set with the ranges of a group added if absent and removed if present.
func flipped(set []bool, g [2]int) []bool {
	out := slices.Clone(set)
	on := slices.Contains(set[g[0]:g[1]], false)
	for i := g[0]; i < g[1]; i++ {
		out[i] = on
	}
	return out
}

// near is the set of ranges with findings, and of missing files.
func (x *taking) near() []bool {
	var at []Place
	var add func(r model.Range)
	add = func(r model.Range) {
		switch s := x.base.tree.Space(r.Space); {
		case s == nil:
		case s.Derived():
			for _, o := range s.Origins {
				add(o)
			}
		default:
			at = append(at, Place{File: s.File, Off: r.Off, Len: r.Len})
		}
	}
	for i := range x.found {
		if f := &x.found[i]; f.Grade() == model.Error || f.Rule == model.RuleBlank {
			if r := f.Where(); r != x.base.tree.Root.Range {
				add(r)
			}
		}
	}
	set := make([]bool, len(x.runs))
	for i, r := range x.runs {
		set[i] = r.was == nil || slices.ContainsFunc(at, func(p Place) bool {
			return p.File == r.name && r.Off <= p.Off+p.Len && p.Off <= r.Off+r.Len
		})
	}
	return set
}

// unsure counts the bytes of a set of runs that nothing confirms: values without a checksum. They are taken only because errors disappear with the
// range that contains them, and the copy may be older, damaged there, or of other data.
func (x *taking) unsure(set []bool, after *model.Tree) (n int64) {
	free := after.Unvouched(x.all, true)
	moved := map[string]int64{} // by how much what follows is further in than before
	for i, r := range x.runs {
		if !set[i] {
			continue
		}
		at := model.Range{Off: r.Off + moved[r.name], Len: r.N}
		moved[r.name] += r.N - r.Len
		for _, f := range free {
			if sp := after.Space(f.Space); sp.File == r.name {
				n += max(0, min(f.End(), at.End())-max(f.Off, at.Off))
			}
		}
	}
	return n
}

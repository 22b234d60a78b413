package cause

import (
	"cmp"
	"fmt"
	"slices"

	"spandrel/model"
)

// maxGroups is how many groups of neighbouring ranges are tried one by one.
const maxGroups = 48

// find searches for a set of ranges that leaves the fewest errors and introduces none: first where the problems are, then whatever helps, then all.
// If the copy differs where nothing is wrong, only what is wrong is taken. It returns nil if there is none, and an
// error that says what speaks against the best.
func (x *taking) find() (best []bool, _ error) {
	n, refused := len(x.runs), ""
	consider := func(set []bool, why string) {
		switch {
		case set == nil:
		case why != "":
			refused = cmp.Or(refused, why)
		case best == nil || x.try(set).harm() < x.try(best).harm():
			best = set
		}
	}
	all := slices.Repeat([]bool{true}, n)
	v := x.try(all)
	x.gather(!v.failed && v.harm() == 0 && v.freshDoubt(x.base) == 0)
	if set, err := x.wrong(); set != nil || err != nil {
		return set, err
	}
	for _, from := range [][]bool{x.runs.present(x.near()), x.near(), make([]bool, n), all} {
		consider(x.settled(from))
		if best != nil && x.try(best).harm() == 0 || x.late() {
			break
		}
	}
	if best == nil && v.helps(x.base) {
		consider(all, x.against(all))
	}
	if best != nil || refused == "" {
		return best, nil
	}
	return nil, x.unhelpful("with bytes of it, " + refused)
}

// unhelpful is an error that says why nothing is taken from a copy.
func (x *taking) unhelpful(why string) error {
	if v := x.try(slices.Repeat([]bool{true}, len(x.runs))); v.failed || v.harm() > 0 {
		return fmt.Errorf("the copy is of another save or damaged too: %s", why)
	}
	return fmt.Errorf("the copy seems to be of another save: %s; %s", why, useIt)
}

// settled searches from a set, and says what speaks against the answer; nil if there is none.
func (x *taking) settled(from []bool) (set []bool, why string) {
	set = from
	if v := x.try(set); v.failed || v.harm() > 0 || !v.helps(x.base) {
		set = x.climb(set)
	}
	if !x.try(set).helps(x.base) {
		return nil, ""
	}
	set = x.least(set)
	return set, x.against(set)
}

// against is what speaks against a set.
func (x *taking) against(set []bool) string {
	return x.objection(set, judge(x.all, x.state(set), x.base.format, nil))
}

// helps tells whether a state has fewer errors than the document was and no new ones.
func (v *verdict) helps(base *verdict) bool {
	return !v.failed && v.harm() < base.harm() && v.freshHarm(base) == 0
}

// climb repeatedly adds or removes the group that helps most, until none does.
func (x *taking) climb(set []bool) []bool {
	for {
		best := set
		for _, g := range x.group.groups(x.touched) {
			if x.late() {
				return best
			}
			if other := x.group.flipped(set, g); x.try(other).compare(x.try(best), x.base) < 0 {
				best = other
			}
		}
		if slices.Equal(best, set) {
			return set
		}
		set = best
	}
}

// compare orders states of a document: fewer errors, fewer new errors, less that is not read or newly odd, fewer unexplained bytes.
func (v *verdict) compare(w, base *verdict) int {
	if v.failed || w.failed {
		return b2i(v.failed) - b2i(w.failed)
	}
	return cmp.Or(v.harm()-w.harm(), v.freshHarm(base)-w.freshHarm(base), v.freshDoubt(base)-w.freshDoubt(base), cmp.Compare(v.gap, w.gap))
}

// least removes what a set does not need.
func (x *taking) least(set []bool) []bool {
	on := slices.DeleteFunc(x.group.groups(x.touched), func(g int) bool { return !set[slices.Index(x.group, g)] })
	return x.fewest(set, on, func(less, set []bool) bool {
		return x.try(less).compare(x.try(set), x.base) <= 0 && x.try(less).helps(x.base)
	})
}

// fewest removes groups that a set does not need: halves first, then smaller parts.
func (x *taking) fewest(set []bool, on []int, enough func(less, set []bool) bool) []bool {
	for size := len(on) / 2; size > 0; size /= 2 {
		for at := 0; at < len(on) && size < len(on) && !x.late(); {
			end := min(len(on), at+size)
			less := x.group.without(set, on[at:end])
			if enough(less, set) {
				set, on = less, slices.Delete(on, at, end)
			} else {
				at = end
			}
		}
	}
	return set
}

// unsure counts the bytes of a set of runs that nothing confirms: values without a checksum. They are taken only because errors disappear with the
// range that contains them, and the copy may be older, damaged there, or of other data.
func (x *taking) unsure(set []bool, after *model.Tree) int64 {
	return x.runs.taken(set).And(after.Unvouched(x.all, true)).Size()
}

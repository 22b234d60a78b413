package cause

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/model/another"
)

// Which of the ranges that differ are damage. A copy may be another save, so that a difference alone says nothing: something is wrong only in the
// fewest ranges that explain the problems of the document.

// divide cuts the ranges where damage may end and another save begin: at the ends of lost sectors, and at the ends of values
// that no problem is about, if these are most of a range.
func (x *taking) divide() {
	all := slices.Repeat([]bool{true}, len(x.runs))
	values := x.base.tree.Unvouched(x.all, false)
	if t := judge(x.all, x.state(all), x.base.format, nil).tree; t != nil { // what the document cannot be read for
		values = model.UnionOf(slices.Concat(values, x.runs.before(all, t.Unvouched(x.all, false)))...)
	}
	values = values.Minus(x.doubts.failed)
	var out runList
	for _, r := range x.runs {
		if r.was == nil || r.Len != r.N {
			out = append(out, r)
			continue
		}
		whole := model.FileRanges{r.where()}
		parts, rest := whole.And(x.doubts.holes), whole.Minus(x.doubts.holes)
		if free := rest.And(values); free.Size() > max(apart, rest.Size()-free.Size()) {
			parts, rest = append(parts, free...), rest.Minus(values)
		}
		parts = append(parts, rest...)
		slices.SortFunc(parts, func(a, b model.FileRange) int { return cmp.Compare(a.Off, b.Off) })
		for _, p := range parts {
			out = append(out, run{r.pair, another.Range{Off: p.Off, Len: p.Len, From: r.From + p.Off - r.Off, N: p.Len}})
		}
	}
	x.runs = out
}

// hole is where in the files lost sectors are, with the zeros beside them that belong to no other sector.
func hole(ctx context.Context, t *model.Tree, at model.Range) []model.FileRange {
	beside := func(off, n int64) []byte {
		b, _ := t.Bytes(ctx, model.Range{Space: at.Space, Off: off, Len: n})
		return b
	}
	before, after := beside(max(0, at.Off-ownZeros), min(at.Off, ownZeros)), beside(at.End(), min(ownZeros, t.Root.Range.End()-at.End()))
	n := int64(len(before) - len(bytes.TrimRight(before, "\x00")))
	at.Off -= n
	at.Len += n + int64(len(after)-len(bytes.TrimLeft(after, "\x00")))
	return inFiles(t, at)
}

// explaining is the fewest ranges with which the copy would have all problems of the document if they were as they are in the document: something
// is wrong in these.
func (x *taking) explaining() []bool {
	x.group = alone(len(x.runs))
	all := slices.Repeat([]bool{true}, len(x.runs))
	on := x.group.groups(x.touched)
	slices.Reverse(on) // those without problems of their own first, those that only lack bytes last: nothing was written there
	slices.SortStableFunc(on, func(a, b int) int { return b2i(x.runs[a].Len == 0) - b2i(x.runs[b].Len == 0) })
	return x.fewest(all, on, func(less, _ []bool) bool {
		v := x.try(not(less))
		return !v.failed && x.base.freshHarm(v) == 0
	})
}

// alone makes each of n ranges a group.
func alone(n int) grouping {
	out := make(grouping, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func not(set []bool) []bool {
	out := make([]bool, len(set))
	for i := range set {
		out[i] = !set[i]
	}
	return out
}

// wrong is what is restored if the copy also differs where nothing is wrong: only what is wrong, or nothing, and then the reason. It says nothing if that
// does not end the errors, because they may hide others.
func (x *taking) wrong() (set []bool, refused error) {
	defer func(g grouping) { x.group = g }(x.group)
	set = x.explaining()
	other := slices.Index(set, false)
	if other < 0 {
		return nil, nil
	}
	lost, zeros := true, -1 // whether all that is wrong is missing, and zeros that may be right
	for i, r := range x.runs {
		switch {
		case !set[i]:
		case r.was != nil && r.Len > 0 && x.doubts.holes.Covers(r.where()) && !x.doubts.failed.Meets(r.where()):
			set[i], zeros = false, i
		default:
			lost = lost && r.was != nil && r.Len == 0
		}
	}
	if x.try(set).helps(x.base) {
		set = x.least(set)
	}
	differs := fmt.Sprintf("it also differs at 0x%x of %s, where nothing is wrong", x.runs[other].Off, x.runs[other].name)
	switch v := x.try(set); {
	case v.helps(x.base) && (v.harm() == 0 || zeros >= 0):
		if why := x.against(set); why != "" {
			return nil, x.unhelpful("with bytes of it, " + why)
		}
		return set, nil
	case zeros >= 0:
		return nil, x.unhelpful(fmt.Sprintf("%s, and the zeros at 0x%x may be right", differs, x.runs[zeros].Off))
	case lost && !v.helps(x.base):
		return nil, x.unhelpful(differs + ", and what is missing does not fit that")
	}
	return nil, nil
}

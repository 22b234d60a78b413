package cause

import (
	"context"
	"slices"

	"spandrel/model"
)

// Which of the ranges that differ belong together: those in which nothing tells where damage ends and sound bytes begin.

// apart is how many equal bytes separate two ranges at most: fewer agree by chance, or because values begin alike, if at least as many differ.
const apart = 64

// doubts is what of a document has problems.
type doubts struct {
	units  []string // the parts that have, by path
	parts  []model.FileRanges
	named  model.FileRanges     // what the findings name
	places model.FileRanges     // these and the parts, but for one that is all there is: a problem somewhere casts no doubt on everything
	files  map[string]bool      // the files that have problems
	sums   map[model.Range]bool // fields with a finding
	holes  model.FileRanges     // lost sectors
	failed model.FileRanges     // where errors are and what checksums cover that do not match: more than zeros
}

// doubtsOf lists what of a document has problems that a copy is to remove: the places, and the parts that they are in.
func doubtsOf(ctx context.Context, t *model.Tree, found []model.Finding) *doubts {
	d := &doubts{files: map[string]bool{}, sums: map[model.Range]bool{}}
	for i := range found {
		f := &found[i]
		if f.Span != nil {
			d.sums[f.Span.Range] = true
		}
		if f.Grade() == model.Error || f.Rule == model.RuleBlank {
			d.add(t, f)
		}
		if f.Rule == model.RuleBlank {
			d.holes = append(d.holes, hole(ctx, t, f.Where())...)
		} else if f.Grade() == model.Error && f.Where() != t.Root.Range {
			d.failed = append(d.failed, inFiles(t, f.Where())...)
		}
	}
	for _, l := range t.Links() {
		if l.Kind == model.ChecksumLink && d.sums[l.Field.Range] {
			in := targets(t, l)
			d.parts, d.places, d.failed = append(d.parts, model.UnionOf(in...)), append(d.places, in...), append(d.failed, in...)
		}
	}
	d.holes, d.failed = model.UnionOf(d.holes...), model.UnionOf(d.failed...)
	d.named = model.UnionOf(d.named...)
	d.places = model.UnionOf(slices.Concat(d.places, d.named)...)
	return d
}

// add adds what a finding names, and the part of the document that it is in.
func (d *doubts) add(t *model.Tree, f *model.Finding) {
	d.files[t.FileName(f.Where())] = true
	if f.Where() != t.Root.Range {
		d.named = append(d.named, inFiles(t, f.Where())...)
	}
	u := unit(f.Span)
	if u == nil || slices.Contains(d.units, u.Path()) {
		return
	}
	in := inFiles(t, u.Range)
	d.units, d.parts = append(d.units, u.Path()), append(d.parts, model.UnionOf(in...))
	if sp := t.Space(u.Range.Space); u.Index() >= 0 || sp != nil && u.Range != sp.Root.Range {
		d.places = append(d.places, in...)
	}
}

// gather groups the ranges, each with its neighbours and, if the copy is sound, with what else is in a part of the document that has a problem:
// what differs there in a damaged copy may be damage of the copy.
func (x *taking) gather(sound bool) {
	x.touched = make([]bool, len(x.runs))
	for i, r := range x.runs {
		next := model.FileRange{File: r.name, Off: r.Off - 1, Len: r.Len + 2}
		x.touched[i] = r.was == nil || r.Len == 0 && r.Off == r.was.Len() || x.doubts.named.Meets(next) || x.doubts.places.Meets(r.begin())
	}
	x.neighbours()
	if sound {
		for _, p := range x.doubts.parts {
			x.group.join(x.runs.within(p))
		}
	}
}

// neighbours groups ranges between which less is equal than differs.
func (x *taking) neighbours() {
	x.group = make(grouping, len(x.runs))
	begin := int64(0)
	for i, r := range x.runs {
		if x.group[i] = i; i > 0 && x.runs[i-1].pair == r.pair {
			end := x.runs[i-1].Off + x.runs[i-1].Len
			if r.Off-end < min(apart, max(end-begin, r.Len)) && together(x.base.tree, r.name, end-1, r.Off) {
				x.group[i] = x.group[i-1]
				continue
			}
		}
		begin = r.Off
	}
}

// together tells whether no part of the document begins between two offsets of a file.
func together(in *model.Tree, file string, a, b int64) bool {
	sp := spaceOf(in, file)
	if sp == nil {
		return true
	}
	s, t := unit(in.At(sp.ID, a)), unit(in.At(sp.ID, b))
	return s == nil || t == nil || s.State == model.Gap || t.State == model.Gap || s.Range == t.Range
}

// unit is the part of a document that a span is in: an element of a list, or what the file consists of; nil if that is all of it.
func unit(s *model.Span) *model.Span {
	for s != nil && s.Index() < 0 && s.Parent() != nil && s.Parent().Parent() != nil {
		s = s.Parent()
	}
	if s == nil || s.Parent() == nil {
		return nil
	}
	return s
}

// grouping is by range the group that it is in: those of one are taken together or not at all.
type grouping []int

// join makes one group of the groups of a set.
func (in grouping) join(set []bool) {
	to, some := map[int]bool{}, -1
	for i, g := range in {
		if set[i] {
			to[g], some = true, g
		}
	}
	for i, g := range in {
		if to[g] {
			in[i] = some
		}
	}
}

// whole is a set with all of each group of which it has a part.
func (in grouping) whole(set []bool) []bool {
	on := map[int]bool{}
	for i := range set {
		on[in[i]] = on[in[i]] || set[i]
	}
	out := make([]bool, len(set))
	for i := range out {
		out[i] = on[in[i]]
	}
	return out
}

// groups are the groups that are tried one by one, those with problems first.
func (in grouping) groups(touched []bool) (out []int) {
	near, known := in.whole(touched), map[int]bool{}
	for _, close := range []bool{true, false} {
		for i, g := range in {
			if near[i] == close && !known[g] && (close || len(out) < maxGroups) {
				known[g] = true
				out = append(out, g)
			}
		}
	}
	return out
}

// flipped is a set with a group added if absent and removed if present.
func (in grouping) flipped(set []bool, g int) []bool {
	out := slices.Clone(set)
	for i := range out {
		out[i] = set[i] != (in[i] == g)
	}
	return out
}

// without is a set without some groups.
func (in grouping) without(set []bool, gone []int) []bool {
	out := slices.Clone(set)
	for i, g := range in {
		out[i] = set[i] && !slices.Contains(gone, g)
	}
	return out
}

// near is the set of the groups with findings, and of what is missing: files, and the ends of others.
func (x *taking) near() []bool { return x.group.whole(x.touched) }

// present is a set without missing files: those that nothing misses are of another save.
func (l runList) present(set []bool) []bool {
	out := slices.Clone(set)
	for i, r := range l {
		out[i] = out[i] && r.was != nil
	}
	return out
}

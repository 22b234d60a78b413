package tiledb

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/rule"
)

// Consolidation writes the cells of several fragments as one, whose vacuum file lists them. Until they are removed they are another copy of its cells, and it
// is one of theirs.

// replaced is a damaged fragment, and whole ones with its cells: those that it was consolidated from, or the one that was consolidated from it.
type replaced struct {
	f        *frag
	by       []*frag
	original bool // it is the one that was consolidated
}

// replacedBy are the fragments that a fragment was consolidated from, if it counts only in their place, and all of them are there, have commits and are
// sound; otherwise none.
func replacedBy(a *array, f *frag, sound func(*frag) bool) (out []*frag) {
	s := a.commits
	if s == nil || s.vacuum[f.name].ok {
		return nil
	}
	for _, name := range s.merged[f.name].names {
		i := slices.IndexFunc(a.fragList, func(x *frag) bool { return x.name == name })
		if i < 0 || !s.committed(a.fragList[i]) || s.timesMerged(name) > 1 || !sound(a.fragList[i]) {
			return nil
		}
		out = append(out, a.fragList[i])
	}
	return out
}

// mergedInto is the sound fragment that was consolidated from the time of a fragment that still counts but lacks files, if no vacuum file says what it was made
// of: a vacuum removes that too. It is nil if there is none, or several.
func mergedInto(ctx context.Context, a *array, f *frag, sound func(*frag) bool) (out []*frag) {
	s := a.commits
	if s == nil || !s.has(f) || len(f.missing(ctx)) == 0 {
		return nil
	}
	for _, y := range a.fragList {
		if outdates(y, f) && s.has(y) && s.merged[y.name].file == "" && sound(y) {
			out = append(out, y)
		}
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// timesMerged is how many vacuum files list a fragment.
func (s *commitSet) timesMerged(name string) (n int) {
	for _, m := range s.merged {
		if slices.Contains(m.names, name) {
			n++
		}
	}
	return n
}

// checkMerged reports the fragments of an array that are damaged, while everything that they were made of is sound, or what was made of them.
func checkMerged(ctx context.Context, a *array, damaged map[*frag]bool, p *model.Probe) {
	for _, f := range a.fragList {
		if !damaged[f] {
			continue
		}
		sound := func(x *frag) bool { return !damaged[x] }
		r, spare := replaced{f: f, by: replacedBy(a, f, sound)}, ""
		if r.by == nil {
			r.by, r.original = mergedInto(ctx, a, f, sound), true
		}
		if r.by == nil {
			continue
		}
		if r.hold(ctx) {
			spare = f.dir
		}
		p.Wrong(rule.MergedDamaged, f.group, nil, nil, model.About(r), model.Spared(spare), model.Saying("the %s", r.says(ctx)))
	}
}

// says is what is wrong, after the article.
func (r replaced) says(ctx context.Context) string {
	what := harm(ctx, r.f)
	if what != "" {
		what = " (" + what + ")"
	}
	if r.original {
		return model.Words("vacuum of fragment %s stopped half-way%s. Its cells should be in consolidated fragment %s, which is whole", r.f.name, what, r.by[0].name)
	}
	return model.Words("consolidated fragment %s is damaged%s. The %s fragments that it replaced are still there, and whole", r.f.name, what, model.Thousands(int64(len(r.by))))
}

// harm says which files of the fragment are nothing but zeros, missing or too short; "" if none is.
func harm(ctx context.Context, f *frag) string {
	short := []string(nil)
	if f.load(ctx) != nil {
		for x := range f.dataFiles() {
			if at := x.span(); at != nil && uint64(at.Range.Len) < x.size() {
				short = append(short, x.name()+".tdb")
			}
		}
	}
	all := []string{areIn(wiped(f), "all zeros"), areIn(f.missing(ctx), "missing"), areIn(short, "truncated")}
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), "; ")
}

// missing are the files that the fragment lacks, as far as that is known.
func (f *frag) missing(ctx context.Context) (gone []string) {
	if f.metaAt == nil {
		gone = append(gone, metaFileF.Name)
	}
	if f.load(ctx) != nil {
		for x := range f.dataFiles() {
			if x.size() > 0 && x.span() == nil {
				gone = append(gone, x.name()+".tdb")
			}
		}
	}
	return gone
}

// wiped are the files of the fragment that are all zeros.
func wiped(f *frag) (names []string) {
	const most = 64 << 20
	list, _, _ := f.a.d.t.Snapshot.List(dot(f.dir))
	for _, e := range list {
		if b := fileBytes(f.a.d.t, e.Name, most); len(b) > 0 && len(bytes.TrimLeft(b, "\x00")) == 0 {
			names = append(names, path.Base(e.Name))
		}
	}
	return names
}

// areIn says that files are in a state; "" for none.
func areIn(names []string, state string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0] + " is " + state
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1] + " are " + state
	}
}

// hold tells whether the others hold all cells of the fragment. Those of a consolidated one are in the originals if its vacuum file says so, they are from its time, and if its metadata can
// be read, they have no fewer cells, around its box. TileDB writes a dense fragment in whole tiles, and counts what it adds to them.
func (r replaced) hold(ctx context.Context) bool {
	if r.original {
		y := r.by[0].load(ctx)
		m := r.f.load(ctx)
		return y != nil && y.Complete && (m == nil || y.Dense == m.Dense && len(y.Domain) == len(m.Domain) && y.Box().Over(m.Box()))
	}
	m, from, to, cells, box := r.f.load(ctx), r.by[0].stamp.from, uint64(0), int64(0), fragment.Box(nil)
	for _, x := range r.by {
		y := x.load(ctx)
		if y == nil || !y.Complete || m != nil && (y.Dense != m.Dense || len(y.Domain) != len(m.Domain)) {
			return false
		}
		from, to, cells, box = min(from, x.stamp.from), max(to, x.stamp.to), cells+y.Rows(), box.With(y.Box())
	}
	switch {
	case from != r.f.stamp.from || to != r.f.stamp.to:
		return false
	case m == nil:
		return true
	case m.Dense:
		return wholeTiles(*m, box).Over(m.Box())
	}
	return cells >= m.Rows() && box.Over(m.Box())
}

// wholeTiles is the box of the tiles of a dense fragment that a box has cells in.
func wholeTiles(m fragment.Metadata, box fragment.Box) fragment.Box {
	foot := *m.Footer
	foot.Domain, m.Footer = box.Intervals(), &foot
	g, ok := m.Grid()
	if !ok {
		return box
	}
	return g.Tile(0).With(g.Tile(g.Total - 1))
}

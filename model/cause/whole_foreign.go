package cause

import (
	"cmp"
	"slices"

	"spandrel/model"
)

// A file with the bytes of something else: wrong from one end to the other.

// leastSpots is the smallest number of places with problems in a file that is damaged throughout.
const leastSpots = 3

// foreignThroughout reports a companion file with problems in several places from one end to the other, because each of them alone says
// less than that.
func foreignThroughout(g *subject) {
	spots, sound, at := damagedPlaces(g, model.Error), int64(0), int64(0)
	for _, x := range spots {
		sound, at = sound+max(0, x[0]-at), max(at, x[1])
	}
	if all := int64(len(g.b)); len(spots) < leastSpots || 10*(sound+all-at) > all {
		return
	}
	g.tell(Possible, "It is another file, or it or the file that describes it is damaged. Download or copy it again.", []string{model.Count(int64(len(spots)), "problems are in this range")},
		"%s does not contain what the other files say it contains.", g.name).guess = true
}

// damagedPlaces are the bytes of the file that findings of at least a severity are about, without repetition and in order; for decoded bytes, what they
// were decoded from.
func damagedPlaces(g *subject, least model.Severity) (out [][2]int64) {
	for _, f := range graded(g.r.found, least) {
		if at := source(g.r.base.tree, f.Where()); at.Len > 0 && at.File == g.name {
			out = append(out, [2]int64{at.Off, at.End()})
		}
	}
	slices.SortFunc(out, func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return slices.Compact(out)
}

// stores tells whether bytes are those of the file itself, and not decoded from it.
func (g *subject) stores(at model.Range) bool {
	sp := g.r.base.tree.Space(at.Space)
	return sp != nil && !sp.Derived() && sp.File == g.name
}

// source is the range of a file that bytes come from; for decoded bytes, that of all that are decoded.
func source(t *model.Tree, at model.Range) model.FileRange {
	for sp := t.Space(at.Space); sp != nil && sp.Derived(); sp = t.Space(at.Space) {
		at = sp.Origin
	}
	return model.FileRange{File: t.FileName(at), Off: at.Off, Len: at.Len}
}

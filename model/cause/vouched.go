package cause

import (
	"cmp"
	"slices"

	"spandrel/model"
)

// alone says of the only problem of a document that there is no other: of stored values that no checksum covers no one knows that they are right.
func (g *Diagnosis) alone() string {
	if g.Deep && vouched(g.Tree) {
		return "Nothing else is wrong."
	}
	return "No other errors were found."
}

// vouched tells whether checksums cover the files of a document, but for a tenth of their bytes, which is their structure.
func vouched(t *model.Tree) bool {
	if t == nil {
		return false
	}
	var under []model.Range
	var add func(model.Range)
	add = func(at model.Range) {
		switch s := t.Space(at.Space); {
		case s == nil:
		case s.Derived() && s.Root != nil && at.Len == s.Root.Range.Len: // of a part it is not known where it comes from
			for _, o := range s.Origins {
				add(o)
			}
		case !s.Derived():
			under = append(under, at)
		}
	}
	for _, l := range t.Links() {
		if l.Kind == model.ChecksumLink && !l.Sum.Weak {
			for _, s := range l.Targets {
				add(s.Range)
			}
		}
	}
	slices.SortFunc(under, func(a, b model.Range) int { return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Off, b.Off)) })
	var size, covered int64
	last := model.Range{Space: -1}
	for _, r := range under {
		if r.Space != last.Space {
			last = model.Range{Space: r.Space}
		}
		if end := r.End(); end > last.End() {
			covered += end - max(r.Off, last.End())
			last.Len = end
		}
	}
	for _, s := range t.Spaces() {
		if !s.Derived() && s.Root != nil {
			size += s.Root.Range.Len
		}
	}
	return size > 0 && covered >= size-size/10
}

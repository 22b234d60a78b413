package model

import (
	"cmp"
	"slices"
)

// FileRange is a run of bytes in a file.
type FileRange struct {
	File     string
	Off, Len int64
}

// End returns the offset after the last byte.
func (r FileRange) End() int64 { return r.Off + r.Len }

// FileRanges is a set of bytes in files: ranges in order that neither overlap nor touch.
type FileRanges []FileRange

// UnionOf is the set of the bytes in some ranges.
func UnionOf(list ...FileRange) (out FileRanges) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b FileRange) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Off, b.Off)) })
	for _, r := range list {
		switch k := len(out) - 1; {
		case r.Len <= 0:
		case k >= 0 && out[k].File == r.File && r.Off <= out[k].End():
			out[k].Len = max(out[k].End(), r.End()) - out[k].Off
		default:
			out = append(out, r)
		}
	}
	return out
}

// Size counts the bytes.
func (p FileRanges) Size() (n int64) {
	for _, r := range p {
		n += r.Len
	}
	return n
}

// Minus is the set without another.
func (p FileRanges) Minus(q FileRanges) (out FileRanges) {
	for _, r := range p {
		for _, c := range q[q.first(r):] {
			if c.File != r.File || c.Off >= r.End() {
				break
			}
			if c.Off > r.Off {
				out = append(out, FileRange{r.File, r.Off, c.Off - r.Off})
			}
			r.Off, r.Len = c.End(), max(0, r.End()-c.End())
		}
		if r.Len > 0 {
			out = append(out, r)
		}
	}
	return out
}

// And is the set of what is in both.
func (p FileRanges) And(q FileRanges) FileRanges { return p.Minus(p.Minus(q)) }

// Meets tells whether some byte of the ranges is in the set.
func (p FileRanges) Meets(list ...FileRange) bool {
	return slices.ContainsFunc(list, func(r FileRange) bool {
		i := p.first(r)
		return r.Len > 0 && i < len(p) && p[i].File == r.File && p[i].Off < r.End()
	})
}

// Covers tells whether all bytes of the ranges are in the set.
func (p FileRanges) Covers(list ...FileRange) bool { return len(UnionOf(list...).Minus(p)) == 0 }

// first is the index of the first range that ends after a range begins.
func (p FileRanges) first(r FileRange) int {
	i, _ := slices.BinarySearchFunc(p, r, func(q, r FileRange) int {
		return cmp.Or(cmp.Compare(q.File, r.File), cmp.Compare(q.End(), r.Off+1), 1) // never equal: the first that is not before
	})
	return i
}

// InFiles returns the ranges of files that a range comes from, in order. They are exact if nothing else comes from them; otherwise they are what it
// is decoded from together with others.
func (t *Tree) InFiles(at Range) (in []FileRange, exact bool) {
	s := t.Space(at.Space)
	switch {
	case s == nil:
		return nil, false
	case !s.Derived():
		return []FileRange{{s.File, at.Off, at.Len}}, true
	}
	exact = s.Transform == Identity || s.Root != nil && at.Len == s.Root.Range.Len
	in, all := t.InFiles(s.origin(at))
	return in, exact && all
}

// Verbatim returns the range of a file that contains the bytes of a range as they are; false if they are stored compressed.
func (t *Tree) Verbatim(at Range) (FileRange, bool) {
	s := t.Space(at.Space)
	switch {
	case s == nil:
		return FileRange{}, false
	case !s.Derived():
		return FileRange{s.File, at.Off, at.Len}, true
	}
	if s.Transform != Identity {
		return FileRange{}, false
	}
	return t.Verbatim(s.origin(at))
}

// origin is where a range of a derived space comes from: the bytes that it is, or all if they are encoded.
func (s *Space) origin(at Range) Range {
	if s.Transform != Identity {
		return s.Origin
	}
	return Range{s.Origin.Space, s.Origin.Off + at.Off, min(at.Len, s.Origin.Len-at.Off)}
}

package cause

import (
	"bytes"
	"fmt"
	"slices"

	"spandrel/model"
)

// Zeros at an end of a file, of less than a sector.

// leastBlank is the smallest number of zeros at the beginning or end of a damaged file that can be its damage.
const leastBlank = 8

// blankEdge reports zeros at the beginning of the main file that are less than a sector, or at the end of a file, and tells whether it did.
func blankEdge(g *subject) bool {
	all := int64(len(g.b))
	front, behind := all-int64(len(bytes.TrimLeft(g.b, "\x00"))), int64(len(bytes.TrimRight(g.b, "\x00")))
	lost := "The original bytes are not in this file. What %s them can still be read."
	switch {
	case front == all || g.extent != nil && g.extent.Zeros:
	case front < sector && (front >= leastBlank && (g.primary || g.blamed && front >= 2*leastBlank) && findingAt(g, func(at model.Range) bool {
		return (at.Off == 0 || at.End() <= front && front >= 8*leastBlank) && at.Len < all
	}) || magicWiped(g, front)):
		c := g.tell(Possible, fmt.Sprintf(lost, "follows"), []string{"files of this format never begin with zeros"}, "The first %s bytes of %s are zero.", model.Thousands(front), lower(g.the()))
		c.At.Len, c.guess, c.blank = front, !g.primary, true // companion files may begin with zeros
		return true
	case behind%sector != 0 && all-behind < 2*sector:
		return blankEnd(g)
	}
	return false
}

// blankEnd reports zeros at the end of a file, and tells whether it did.
func blankEnd(g *subject) bool {
	behind := int64(len(bytes.TrimRight(g.b, "\x00")))
	n := int64(len(g.b)) - behind
	if n < 2*leastBlank || behind == 0 || g.extent != nil && g.extent.Zeros || !errorsFrom(g, behind) {
		return false
	}
	c := g.tell(Possible, "The original bytes are not in this file. What precedes them can still be read.", []string{"its errors begin where the zeros do"},
		"The last %s bytes of %s are zero.", model.Thousands(n), lower(g.the()))
	c.At.Off, c.At.Len, c.guess, c.blank = behind, n, n < behind, true // a file of mostly zeros has lost its content
	return true
}

// errorsFrom tells whether most errors of the file begin at the zeros at its end, or extend into them: data may well end in zeros.
func errorsFrom(g *subject, behind int64) bool {
	in, before := 0, 0
	for _, f := range graded(g.r.found, model.Error) {
		at, ok := g.r.base.tree.Verbatim(f.Where())
		switch {
		case !ok || at.File != g.name || at.Len == int64(len(g.b)):
		case at.End() <= behind:
			before++
		case at.Off > behind-leastBlank:
			in++
		}
	}
	return in > before
}

// magicWiped tells whether the zeros at the front of a companion file cover the magic by which it is recognised.
func magicWiped(g *subject, zeros int64) bool {
	return g.blamed && g.extent != nil && len(g.extent.Magics) > 0 && !slices.ContainsFunc(g.extent.Magics, func(m model.Magic) bool {
		return m.At != 0 || int64(len(m.Bytes)) > zeros
	})
}

// leastWiped is the smallest number of zeros inside a file that can be its damage: numbers contain up to eight of their own. From longWiped on it is
// not asked which number was wrong.
const (
	leastWiped = 12
	longWiped  = 64
)

// mostlyZero tells whether a run of zeros is most of the file, or the rest is mostly zeros: then it may be the file's own.
func mostlyZero(g *subject, from, to int64) bool {
	rest := int64(len(g.b)) - (to - from)
	return rest < to-from || 2*int64(bytes.Count(g.b[:from], []byte{0})+bytes.Count(g.b[to:], []byte{0})) > rest
}

// wiped reports a run of zeros inside a file at its first problems: if structures that are never zero are zero.
func wiped(g *subject) {
	first := int64(len(g.b))
	var wrong []model.Range
	for _, f := range graded(g.r.found, model.Error) {
		if at := f.Where(); at.Len > 0 && at.End() <= int64(len(g.b)) && g.stores(at) {
			wrong, first = append(wrong, at), min(first, at.Off)
		}
	}
	if first == int64(len(g.b)) {
		return
	}
	from, to, fields := zerosAround(g, first, wrong)
	for _, at := range wrong { // a problem may be reported just before them
		if f, e, n := zerosAround(g, at.Off, wrong); e-f >= longWiped && n > max(2, fields) {
			from, to, fields = f, e, n
		}
	}
	if to-from < leastWiped || fields < 2 {
		return // just a wrong field
	}
	grade, long := Possible, to-from >= longWiped && fields > 2
	if long && !mostlyZero(g, from, to) {
		grade = Likely
	}
	c := g.tell(grade, "The original bytes are not in this file. What precedes them can still be read.", []string{model.Count(int64(fields), "fields are zero that are never zero")},
		"Up to %s bytes at 0x%x are zero where data should be%s.", model.Thousands(to-from), from, structureAt(g, from, to))
	c.At.Off, c.At.Len, c.guess = from, to-from, !long
}

// zerosAround is the run of zeros around a place, and how many of the given ranges begin in it.
func zerosAround(g *subject, at int64, wrong []model.Range) (from, to int64, fields int) {
	if g.b[at] != 0 {
		return at, at, 0
	}
	from, to = runAround(g.b, at)
	seen := map[model.Range]bool{}
	for _, r := range wrong {
		if r.Off >= from && r.End() <= to && !seen[r] {
			seen[r] = true
			fields++
		}
	}
	return from, to, fields
}

// findingAt tells whether a problem is about bytes of the file at such a place.
func findingAt(g *subject, is func(at model.Range) bool) bool {
	for _, f := range graded(g.r.found, model.Warning) {
		if at := f.Where(); g.stores(at) && is(at) {
			return true
		}
	}
	return false
}

// tooLong reports a file that is longer than it should be, if no removal improved it.
func tooLong(g *subject) {
	e := g.extent
	if e == nil || e.Least || e.Guess || e.Size <= 0 || e.Size >= g.c.Len() || g.r.base.format != nil && g.r.base.count[model.Error] == 0 {
		return // an insertion would break the file
	}
	more := g.c.Len() - e.Size
	grade := Likely
	if e.By != nil { // or that number is wrong instead
		grade = Possible
	}
	why := ""
	if e.Says != "" {
		why = ": " + e.Says
	}
	g.tell(grade, "Either bytes were inserted at an unknown place, or it is another file. Download or copy it again, or save the intact data.", nil, "%s is %s too long%s%s.", g.the(), amountOf(more), why, orElse(e)).guess = true
}

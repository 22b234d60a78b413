package cause

import (
	"bytes"
	"fmt"
	"slices"

	"spandrel/model"
)

// Zeros at an end of a file that are less than the sectors of a disk.

// leastBlank is how many zeros a damaged file begins or ends with, at least, for them to be what happened to it.
const leastBlank = 8

// blank tells of zeros at the beginning of the main file that are less than a sector, or at the end of a file, and tells whether it did.
func (g disk) blank() bool {
	all := int64(len(g.b))
	front, behind := all-int64(len(bytes.TrimLeft(g.b, "\x00"))), int64(len(bytes.TrimRight(g.b, "\x00")))
	lost := "What stood there is not in this file. What %s it can still be read."
	switch {
	case front == all || g.extent != nil && g.extent.Zeros:
	case front >= leastBlank && front < sector && (g.primary || g.blamed && front >= 2*leastBlank) && g.wrongAt(func(at model.Range) bool { return at.Off == 0 && at.Len < all }):
		g.tell(Possible, fmt.Sprintf(lost, "follows"), []string{"such files begin otherwise"}, "The first %s bytes of %s are zero.", model.Thousands(front), lower(g.the()))
		c := g.told[len(g.told)-1]
		c.At.Len, c.guess, c.blank = front, !g.primary, true // what stands beside it may begin so
		return true
	case behind%sector != 0 && all-behind >= 2*leastBlank && all-behind < 2*sector && g.wrongAt(func(at model.Range) bool { return at.End() > behind && at.Len < all }):
		g.tell(Possible, fmt.Sprintf(lost, "precedes"), []string{"such files end otherwise"}, "The last %s bytes of %s are zero.", model.Thousands(all-behind), lower(g.the()))
		c := g.told[len(g.told)-1]
		c.At.Off, c.At.Len, c.guess, c.blank = behind, all-behind, true, true
		return true
	}
	return false
}

// wrongAt tells whether a problem is about bytes of the file at such a place.
func (g disk) wrongAt(is func(at model.Range) bool) bool {
	t := g.r.base.tree
	return slices.ContainsFunc(g.r.found, func(f model.Finding) bool {
		at := f.Where()
		sp := t.Space(at.Space)
		return f.Grade() != model.Note && sp != nil && !sp.Derived() && t.FileName(at) == g.name && is(at)
	})
}

// long tells of a file that is longer than it should be, where nothing that was taken out of it made it better.
func (g *glance) long() {
	e := g.extent
	if e == nil || e.Least || e.Size <= 0 || e.Size >= g.c.Len() {
		return
	}
	more := g.c.Len() - e.Size
	g.tell(Likely, "Which bytes they are is not known: get the file again, or save what is left.", []string{"its length"}, "%s is %s too long, as %s: something was put into it.", g.the(), amountOf(more), e.Says)
	g.told[len(g.told)-1].guess = true
}

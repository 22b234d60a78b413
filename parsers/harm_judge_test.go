package parsers

import (
	"bytes"
	"context"
	"slices"

	"spandrel/model"
	"spandrel/model/cause"
)

// What a repair made of a damaged document, judged by what the document was before it was damaged.

// harmless is how a document ends up that was given to `spandrel fix`.
type harmless int

const (
	unchanged harmless = iota
	restored           // byte for byte
	improved           // in part: every byte that was written is the original's, and every row that could be read still is
	harmed             // anything else
)

// judge compares the state that a repair made with the damaged one, and both with the original.
func judge(sound *model.Document, damaged, made *model.Snapshot) harmless {
	files := append(damaged.Edited(), made.Edited()...)
	original := sound.Tree.Snapshot
	switch {
	case sameState(made, damaged, files...):
		return unchanged
	case sameState(made, original, files...):
		return restored
	}
	for _, name := range files {
		if !agrees(original, damaged, made, name) {
			return harmed
		}
	}
	rows := rowsOf(sound.Tree)
	before, _ := readable(rows, rowsOf(opened(sound, damaged).Tree), nil)
	after, _ := readable(rows, rowsOf(opened(sound, made).Tree), nil)
	if after < before {
		return harmed
	}
	return improved
}

// agrees tells whether each byte of a file that a repair wrote is the one that was there before the damage. A repair that makes a
// damaged file shorter does not agree: no damage here adds bytes.
func agrees(original, damaged, made *model.Snapshot, name string) bool {
	was, wasErr := original.Content(name)
	bad, badErr := damaged.Content(name)
	now, nowErr := made.Content(name)
	switch {
	case nowErr != nil:
		return badErr != nil || wasErr != nil
	case badErr != nil:
		return wasErr == nil && contentSum(was) == contentSum(now)
	case wasErr != nil:
		return contentSum(bad) == contentSum(now)
	case now.Len() < bad.Len():
		return false
	}
	const step = 1 << 20
	x, y, z := make([]byte, step), make([]byte, step), make([]byte, step)
	for off := int64(0); off < now.Len(); off += step {
		n := int(min(step, now.Len()-off))
		part := func(c *model.Content, into []byte) []byte {
			k := max(0, min(int64(n), c.Len()-off))
			c.ReadAt(into[:k], off)
			return into[:k]
		}
		a, b, c := part(was, x), part(bad, y), part(now, z)
		if bytes.Equal(b, c) {
			continue
		}
		for i := range c {
			if (i >= len(b) || c[i] != b[i]) && (i >= len(a) || c[i] != a[i]) {
				return false
			}
		}
	}
	return true
}

// verdicts are what fix made of a document, how its first repair was if it was called proven, and what was claimed.
type verdicts struct {
	fix    harmless
	proven bool     // the first cause is called proven, and has a repair
	right  bool     // which restores the document, or improves it
	claims []string // of the causes there were first
}

// fixed does to a damaged document what `spandrel fix` does without an option.
func fixed(ctx context.Context, sound *model.Document, damaged *model.Snapshot) (v verdicts, made *model.Snapshot, err error) {
	o := cause.Options{Formats: All()}
	d := opened(sound, damaged)
	g, err := cause.Find(ctx, d, o)
	if err != nil {
		return v, damaged, err
	}
	for i, c := range g.Causes {
		claim := c.Grade.String() + ": " + c.Text
		if len(c.Repairs) > 0 && c.Repairs[0].To != nil {
			claim += " → " + c.Repairs[0].Label
			if v.proven = v.proven || i == 0 && c.Grade == cause.Proven; v.proven && i == 0 {
				w := judge(sound, damaged, c.Repairs[0].To)
				v.right = w == restored || w == improved
			}
		}
		v.claims = append(v.claims, claim)
	}
	if g.Safe() == nil {
		return v, damaged, nil
	}
	again := opened(sound, damaged)
	list, _, err := cause.ApplyProven(ctx, again, o, nil)
	if err != nil {
		return v, damaged, err
	}
	for _, x := range list {
		if !slices.ContainsFunc(g.Causes, func(c *cause.Cause) bool {
			return slices.ContainsFunc(c.Repairs, func(r *cause.Repair) bool { return r.Label == x.Label })
		}) {
			v.claims = append(v.claims, "then → "+x.Label)
		}
	}
	v.fix = judge(sound, damaged, again.Tree.Snapshot)
	return v, again.Tree.Snapshot, nil
}

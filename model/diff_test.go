package model

import (
	"bytes"
	"math/rand"
	"testing"
)

// Two contents that share a source differ where one was edited, whichever is the newer one.
func TestDiffFindsTheEdit(t *testing.T) {
	base := BytesContent([]byte("0123456789"))
	inserted := base.Splice(4, 0, Memory([]byte("ab")))
	deleted := base.Splice(4, 3, nil)
	for _, c := range []struct {
		name     string
		new, old *Content
		want     Changed
	}{
		{"inserted", inserted, base, Changed{Off: 4, New: 2, OldOff: 4}},
		{"insertion undone", base, inserted, Changed{Off: 4, Old: 2, OldOff: 4}},
		{"deleted", deleted, base, Changed{Off: 4, Old: 3, OldOff: 4}},
		{"deletion undone", base, deleted, Changed{Off: 4, New: 3, OldOff: 4}},
		{"start deleted and brought back", base, base.Splice(0, 5, nil), Changed{New: 5}},
	} {
		if got := c.new.Diff(c.old); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Whatever was edited, the runs of a Diff make one content into the other.
func TestDiffIsComplete(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	base := BytesContent([]byte("the quick brown fox jumps over the lazy dog"))
	edit := func(c *Content) *Content {
		for range 1 + r.Intn(6) {
			off := r.Int63n(c.Len() + 1)
			c = c.Splice(off, min(r.Int63n(8), c.Len()-off), Memory([]byte("+++++++")[:r.Intn(8)]))
		}
		return c
	}
	read := func(c *Content) []byte {
		b := make([]byte, c.Len())
		c.ReadAt(b, 0)
		return b
	}
	for range 2000 {
		from, to := edit(base), edit(base)
		a, b := read(from), read(to)
		var made []byte
		at := int64(0)
		for _, d := range to.Diff(from) {
			made = append(append(made, a[at:d.OldOff]...), b[d.Off:d.Off+d.New]...)
			at = d.OldOff + d.Old
		}
		if made = append(made, a[at:]...); !bytes.Equal(made, b) {
			t.Fatalf("%q to %q: the runs make %q", a, b, made)
		}
	}
}

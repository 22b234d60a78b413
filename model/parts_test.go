package model

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// pairs is a million records of a byte and two words, named by their number.
type pairs int64

func (p pairs) Count() int64 { return int64(p) }
func (p pairs) Part(i int64) (Part, int64) {
	return Part{Field: toyRows.Named("pair %d", i), Len: 5, Kids: []Part{
		{Field: &Field{Name: "tag", Codec: U8}, Len: 1},
		{Field: &Field{Name: "words"}, Len: 4, Elem: &Field{Name: "word", Codec: U16LE}},
	}}, i * 5
}
func (p pairs) Find(off int64) int64 { return off / 5 }
func (p pairs) Named(path string) int64 {
	name, _, _ := strings.Cut(path, "/")
	i := int64(-1)
	fmt.Sscanf(name, "pair %d", &i)
	return i
}

func TestParts(t *testing.T) {
	const n = 1000
	f := &Format{Name: "parts", Parse: func(c *Cursor) { c.Parts(toyBody, n*5, pairs(n)) }}
	tree := parseBytes(t, f, make([]byte, n*5+2))
	checkTiles(t, tree)
	for _, path := range []string{"body/pair 7/tag", "body/pair 999/words[1]"} {
		s, err := tree.Find(context.Background(), path)
		if err != nil || s.Path() != path {
			t.Fatalf("%s: %v %v", path, s, err)
		}
		if at := tree.At(s.Range.Space, s.Range.Off); at.Path() != path {
			t.Errorf("at 0x%x is %s, not %s", s.Range.Off, at.Path(), path)
		}
	}
	if _, err := tree.Find(context.Background(), "body/pair x"); err == nil {
		t.Error("a part that is not there was found")
	}
}

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

// TestFrames checks elements whose starts the format knows, and a space derived from more bytes than its span shows.
func TestFrames(t *testing.T) {
	f := &Format{Parse: func(c *Cursor) {
		c.Frames(toyNames, toyText, c.Left(), []int64{0, 3, 7}, func(c *Cursor) {
			data := c.Rest(toyData)
			at := c.Range(c.Base(), 5)
			c.Derive(toyBody, Derived{Transform: Identity, From: data, At: &at, Size: 5, Body: func(c *Cursor) { c.Rest(toyData) }})
		})
	}}
	tree := parseBytes(t, f, []byte("abcdefghijkl"))
	checkTiles(t, tree)
	for path, want := range map[string]string{"names[1]/data": "64656667", "names[2]/data": "68696a6b6c", "names[1]/body/data": "6465666768"} {
		s, err := tree.Find(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := tree.Value(context.Background(), s); v.String() != want {
			t.Errorf("%s = %s, want %s", path, v, want)
		}
	}
	if s := tree.At(0, 8); s.Path() != "names[2]/data" { // found above, so the element is open
		t.Errorf("byte 8 is in %s", s.Path())
	}
}

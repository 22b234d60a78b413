package model

import (
	"context"
	"io"
	"testing"
)

// tally is a source of zeros that counts how many of them are read.
type tally struct{ n, read int64 }

func (c *tally) Len() int64 { return c.n }
func (c *tally) ReadAt(b []byte, off int64) (int, error) {
	n := min(int64(len(b)), c.n-off)
	c.read += n
	if n < int64(len(b)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// A long leaf of edited content, which is in pieces, is made without reading what is in it.
func TestLongLeafIsNotRead(t *testing.T) {
	src := &tally{n: 64 << 20}
	whole := NewContent(src).Splice(src.n/2, 1, Memory([]byte{1}))
	f := &Format{Name: "toy", Parse: func(c *Cursor) { c.FieldN(&Field{Name: "data", Codec: RawBytes}, c.Left()) }}
	tree := Parse(context.Background(), &Snapshot{Primary: "a", edited: map[string]*Content{"a": whole}}, f)
	if tree.Root.Count() != 1 || tree.Root.Child(0).Range.Len != src.n {
		t.Fatalf("%d spans", tree.Root.Count())
	}
	if src.read > 1<<20 {
		t.Errorf("%d bytes were read", src.read)
	}
}

// What may be decoded at once grows with what it comes from, and stays below a GiB for 100 MiB.
func TestDecodedAtMost(t *testing.T) {
	for n, want := range map[int64]int64{1 << 20: CacheBudget, 2 << 20: 208 << 20, 100 << 20: 656 << 20, 512 << 20: MaxDerived} {
		var limit int64
		tr := &Transform{Name: "noted", Decode: func(_ context.Context, _ []byte, most int64) ([]byte, error) { limit = most; return nil, nil }}
		f := &Format{Name: "toy", Parse: func(c *Cursor) {
			data := c.FieldN(&Field{Name: "data", Codec: RawBytes}, c.Left())
			c.Derive(&Field{Name: "content"}, Derived{Transform: tr, From: data, Size: 1 << 40, Body: func(*Cursor) {}})
		}}
		tree := Parse(context.Background(), &Snapshot{Primary: "a", edited: map[string]*Content{"a": BytesContent(make([]byte, n))}}, f)
		tree.Open(context.Background(), tree.Root.Child(1))
		if limit != want {
			t.Errorf("%d bytes decode to at most %d, want %d", n, limit, want)
		}
	}
}

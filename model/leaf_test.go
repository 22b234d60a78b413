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

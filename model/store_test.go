package model

import (
	"io"
	"testing"
)

// metered is a file in a store, all zeros, that counts what is read of it.
type metered struct{ read, size int64 }

func (m *metered) ReadAt(p []byte, off int64) (int, error) {
	n := max(0, min(int64(len(p)), m.size-off))
	clear(p[:n])
	if m.read += n; n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

func (m *metered) ReadFew(p []byte, off int64) error {
	_, err := m.ReadAt(p, off)
	return err
}

func (m *metered) Close() error { return nil }

// TestSkipReadsNothing: what a format skips is not fetched, such as all tiles before the one that a page of a table is in.
func TestSkipReadsNothing(t *testing.T) {
	r := &metered{size: 64 << 20}
	f := &Format{Name: "skips", Parse: func(c *Cursor) { c.Skip(r.size - 4); c.Rest(&Field{Name: "end"}) }}
	tree := Parse(t.Context(), &Snapshot{Primary: "x", edited: map[string]*Content{"x": NewContent(fileOf("x", Stamp{Size: r.size}, r))}}, f)
	if end, err := tree.Find(t.Context(), "end"); err != nil || end.Range.Off != r.size-4 {
		t.Errorf("%v, %v", end, err)
	}
	if r.read > 1<<20 {
		t.Errorf("%d bytes read", r.read)
	}
}

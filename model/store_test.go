package model

import (
	"errors"
	"io"
	"slices"
	"strings"
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

// refusing is a file in a store that can be read up to a place.
type refusing struct {
	metered
	up int64
}

var errRefused = errors.New("the store refuses")

func (r *refusing) ReadAt(p []byte, off int64) (int, error) {
	if off >= r.up {
		return 0, errRefused
	}
	return r.metered.ReadAt(p, off)
}

// TestStoreRefuses: what a store does not send is not said to be gone.
func TestStoreRefuses(t *testing.T) {
	r := &refusing{metered{size: 1 << 20}, 64 << 10}
	f := &Format{Name: "reads", Parse: func(c *Cursor) {
		c.PeekAt(c.Pos(), 4)
		c.Skip(512 << 10)
		c.FieldN(&Field{Name: "x", Codec: UTF8}, 4).Text()
	}}
	content := NewContent(fileOf("x", Stamp{Size: r.size}, r))
	tree := Parse(t.Context(), &Snapshot{Primary: "x", edited: map[string]*Content{"x": content}}, f)
	found, _ := tree.Findings()
	if len(found) == 0 || slices.ContainsFunc(found, func(f Finding) bool { return !strings.Contains(f.Message, errRefused.Error()) }) {
		t.Errorf("%v", found)
	}
	if err := Guard(func() error { content.view(512<<10, 4); return nil }); !errors.Is(err, errRefused) {
		t.Error(err)
	}
}

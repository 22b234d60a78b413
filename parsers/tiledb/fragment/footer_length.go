package fragment

import (
	"context"
	"encoding/binary"
	"io"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// How long a footer is that begins somewhere, from what is left of it and its schema: its last number says it too, but that is what a cut
// takes away and what bytes behind it hide.

// FooterEnd is where a file of fragment metadata ends whose footer begins at an offset; 0 where nothing tells. Where what tells is cut off
// itself it is the least that the footer needs. Of the versions before 10 only those without a length are measured.
func FooterEnd(ctx context.Context, schemas *schema.Set, c *model.Content, at int64) (end int64, least bool) {
	b := make([]byte, min(c.Len()-at, 1<<16))
	if _, err := c.ReadAt(b, at); err != nil && err != io.EOF || len(b) < 13 {
		return 0, false
	}
	version := storage.Layout(binary.LittleEndian.Uint32(b))
	n := binary.LittleEndian.Uint64(b[4:])
	if old := schemas.Schema(ctx, schema.OldSchema); version >= 3 && version < 10 && old != nil && !footerHasLength(version, old) {
		return at + footerSize(version, old), false
	}
	if version < 10 || version == 11 || version > storage.VersionNewest || n > 1<<10 {
		return 0, false
	}
	s := schemaLike(ctx, schemas, string(b[12:min(12+n, uint64(len(b)))]), int(n))
	if s == nil {
		return 0, false
	}
	p := 12 + int(n)
	for len(b) < p+2 { // what is not there says nothing
		b, least = append(b, 0), true
	}
	null := b[p+1] != 0
	p += 2
	for i := 0; i < len(s.Dims) && !null; i++ {
		switch d := &s.Dims[i]; {
		case !d.Variable():
			p += 2 * filter.SizeOf(d.Datatype)
		case p+8 > len(b):
			p, least = p+16, true
		case binary.LittleEndian.Uint64(b[p:]) > uint64(len(b)):
			return 0, false
		default:
			p += 16 + int(binary.LittleEndian.Uint64(b[p:]))
		}
	}
	f := &Footer{Version: version, Schema: s}
	p += 16
	for _, x := range []struct {
		since uint32
		has   *bool
	}{{14, &f.Times}, {15, &f.Deletes}} {
		if version >= x.since {
			if p < len(b) {
				*x.has = b[p] != 0
			} else {
				least = true
			}
			p++
		}
	}
	p += f.afterFlags()
	if version >= 23 {
		if p += 4; p <= len(b) && binary.LittleEndian.Uint32(b[p-4:]) == 1 { // the one section that there is: the bounds
			p += 12 + 16*len(s.Dims)
		}
	}
	return at + int64(p) + 8, least
}

// schemaLike is the schema of a name of n bytes, or, where the name is cut, the only one whose name goes on from what is left of it.
func schemaLike(ctx context.Context, schemas *schema.Set, name string, n int) (s *schema.Schema) {
	if len(name) == n {
		return schemas.Schema(ctx, name)
	}
	for _, other := range schemas.Order {
		if len(other) == n && strings.HasPrefix(other, name) {
			if s != nil {
				return nil
			}
			s = schemas.Schema(ctx, other)
		}
	}
	return s
}

// footerFound is how long the footer of a file of fragment metadata is, by where its lists end and what it must hold; -1 where it is not as
// long as what is there.
func footerFound(ctx context.Context, schemas *schema.Set, c *model.Content) int64 {
	at := int64(0)
	for range storage.MostChained {
		end, _ := storage.TileEnd(c, at)
		if end <= at || end > c.Len() {
			break
		}
		at = end
	}
	if end, least := FooterEnd(ctx, schemas, c, at); at == 0 || least || end != c.Len() {
		return -1
	}
	return c.Len() - 8 - at
}

// afterFlags is how many bytes of a footer stand between its flags and its sections.
func (f *Footer) afterFlags() int {
	slots, words := f.countSlots(), 1 // the R-tree
	words += 3 * slots
	for i := range f.lists {
		if i <= ValidityOffsets || f.Version >= 11 {
			words += slots
		}
	}
	for _, since := range []uint32{12, 16} {
		if f.Version >= since {
			words++
		}
	}
	return 8 * words
}

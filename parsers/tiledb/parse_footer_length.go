package tiledb

import (
	"context"
	"encoding/binary"
	"io"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// How long a footer is that begins somewhere, from what is left of it and its schema: its last number says it too, but that is what a cut
// takes away and what bytes behind it hide.

// footerEnd is where a file of fragment metadata ends whose footer begins at an offset; 0 where too little is left to know. The footer of a
// version without a length is not measured.
func footerEnd(ctx context.Context, a *array, c *model.Content, at int64) int64 {
	b := make([]byte, min(c.Len()-at, 1<<16))
	if _, err := c.ReadAt(b, at); err != nil && err != io.EOF || len(b) < 14 {
		return 0
	}
	version := layout(binary.LittleEndian.Uint32(b))
	n := binary.LittleEndian.Uint64(b[4:])
	if version < 10 || version == 11 || version > versionNewest || n > uint64(len(b)-14) {
		return 0
	}
	s := a.schema(ctx, string(b[12:12+n]))
	if s == nil {
		return 0
	}
	p := 12 + int(n)
	null := b[p+1] != 0
	p += 2
	for i := 0; i < len(s.dims) && !null; i++ {
		switch d := &s.dims[i]; {
		case !d.variable():
			p += 2 * filter.SizeOf(d.datatype)
		case p+8 > len(b) || binary.LittleEndian.Uint64(b[p:]) > uint64(len(b)):
			return 0
		default:
			p += 16 + int(binary.LittleEndian.Uint64(b[p:]))
		}
	}
	f := &footer{version: version, schema: s}
	p += 16
	for _, x := range []struct {
		since uint32
		has   *bool
	}{{14, &f.times}, {15, &f.deletes}} {
		if version >= x.since {
			if p >= len(b) {
				return 0
			}
			*x.has = b[p] != 0
			p++
		}
	}
	p += f.afterFlags()
	if version >= 23 {
		if p += 4; p <= len(b) && binary.LittleEndian.Uint32(b[p-4:]) == 1 { // the one section that there is: the bounds
			p += 12 + 16*len(s.dims)
		}
	}
	return at + int64(p) + 8
}

// afterFlags is how many bytes of a footer stand between its flags and its sections.
func (f *footer) afterFlags() int {
	slots, words := f.countSlots(), 1 // the R-tree
	words += 3 * slots
	for i := range f.lists {
		if i <= lValidity || f.version >= 11 {
			words += slots
		}
	}
	for _, since := range []uint32{12, 16} {
		if f.version >= since {
			words++
		}
	}
	return 8 * words
}

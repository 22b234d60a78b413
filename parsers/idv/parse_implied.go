package idv

import (
	"context"
	"fmt"
	"slices"
)

// adopt restores an empty header from the directory that ends at the tail.
func adopt(ctx context.Context, s *stream) {
	if try, _, err := (lostColumns{s.in(ctx, s.t)}).implied(); err == nil {
		s.version, s.compatible = try.version, try.version
		s.toc, s.tail, s.bound, s.rows, s.columnCount = try.toc, try.tail, try.tail, try.rows, try.columnCount
	}
}

// implied reads the directory that ends at a tail, and the rows of its blocks: the content of the header. It is certain if the blocks of all
// columns that state it agree on the number of rows, or there are none.
func (s lostColumns) implied() (try *stream, sure bool, err error) {
	tail := s.tailNear()
	toc, cols := s.lastDirectory(tail, s.stream.columnCount, versionBase+5)
	if len(cols) == 0 {
		return nil, false, fmt.Errorf("no column directory ends at a tail signature")
	}
	try = &stream{division: division{directory: directory{base: s.stream.base, size: tail, space: s.stream.space, tail: tail, toc: toc, bound: tail,
		layout: 6, cols: cols, columnCount: int64(len(cols))}}}
	var regions regionMap
	for _, c := range try.cols {
		if c.meta != 0 {
			try.readMetadata(s.peek, c, &regions) // its values show where tables end
		}
	}
	try.starts = startsOf(try.toc, try.cols)
	tables := false
	try.version, sure = versionOf(try.cols)
	for _, c := range try.cols {
		tables = tables || try.tableEnd(c) > c.lookup
	}
	try.rows, err = try.in(s.ctx, s.t).agreedRows()
	return try, sure && (err == nil || !tables), nil
}

// versionOf is the version that the types of columns imply, and whether one of them does.
func versionOf(cols []*column) (version uint64, sure bool) {
	version = versionBase + 6
	for _, c := range cols {
		for k := c.codec; k != nil; k = k.Item {
			switch {
			case len(k.Name) > 2 && k.Name[:2] == "Dv":
				return versionBase + 5, true
			case slices.Contains([]string{"Boolean", "DateTime", "DateTimeOffset", "DataViewRowId", "RowId", "Key2"}, k.Name):
				sure = true
			}
		}
	}
	return version, sure
}

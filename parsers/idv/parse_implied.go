package idv

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"spandrel/model"
)

// adopt restores an empty header from the directory that ends at the tail.
func adopt(ctx context.Context, s *stream) {
	if try, _, err := (lostColumns{s.in(ctx, s.t)}).implied(s.columnCount); err == nil {
		s.version, s.compatible = try.version, try.version
		take(s, try)
	}
}

// take gives a stream the numbers that a directory implies.
func take(s, of *stream) {
	s.toc, s.tail, s.bound, s.rows, s.columnCount = of.toc, of.tail, of.tail, of.rows, of.columnCount
}

// replace recognises the header of another file: neither the directory nor the end mark is where it says, and no number of lost or inserted bytes
// explains both, while a directory ends with the file and its blocks are in place. The numbers are taken from that.
func replace(ctx context.Context, s *stream) {
	mark := s.size - 8
	in := lostColumns{s.in(ctx, s.t)}
	if head := in.peek(s.base, 8); len(head) < 8 || s.tail == mark || in.marked(s.tail) || !consistent(s) || binary.LittleEndian.Uint64(head) != headSignature || !in.marked(mark) {
		return
	}
	try, _, err := in.implied(0)
	if err != nil || try.toc == s.toc || try.tail != mark || try.rows == 0 || !(&shifted{in: in, cols: try.cols}).begins(0) {
		return
	}
	if try.toc-s.toc == mark-s.tail && try.columnCount == s.columnCount && try.rows == s.rows {
		return // both have moved
	}
	s.report(finding{rule: foreignHeader, at: s.base + directoryAt, n: columnsAt + 4 - directoryAt,
		found:    model.Words("%s, %s, end at %d", model.Count(s.rows, "rows"), model.Count(s.columnCount, "columns"), s.tail),
		expected: model.Words("%s, %s, end at %d", model.Count(try.rows, "rows"), model.Count(try.columnCount, "columns"), try.tail)})
	version, known := versionOf(try.cols)
	s.foreign, s.sure = true, s.compatible == s.version && (!known || version == s.version)
	take(s, try)
}

// consistent tells whether the numbers of a header are possible in some file, so that a writer may have written them together.
func consistent(s *stream) bool {
	return s.toc >= headerSize && s.columnCount > 0 && s.tail-s.toc >= s.columnCount*leastEntry && s.tail < 1<<50 && s.rows >= 0
}

// leastEntry is the least length of a column entry: a name and a type of one letter, and numbers.
const leastEntry = 23

// implied reads the directory of so many columns that ends at a tail (for 0, the longest), and the rows of its blocks: the content of the header. It is certain if the blocks of all
// columns that state it agree on the number of rows, or there are none.
func (s lostColumns) implied(columns int64) (try *stream, sure bool, err error) {
	tail := s.tailNear()
	toc, cols := s.lastDirectory(tail, columns, versionBase+5, 0)
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

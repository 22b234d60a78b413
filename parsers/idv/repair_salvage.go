package idv

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"spandrel/model"
)

// A writer leaves 256 zero bytes for the header and fills them in last, so an interrupted save leaves blocks and mostly
// no directory (§1.1). If there is a directory, only the header is missing; if the blocks are deflated, their ends
// can be found, and a directory with guessed types can be made.

// wipedHeader makes the beginning of a header whose first fields, or all of it, are zero, if the rest agrees with the directory that
// ends at a tail. It is certain if the blocks of all columns that state it agree on the number of rows, or there are none.
func (s lostColumns) wipedHeader() (edits []model.Edit, sure bool, err error) {
	try, sure, err := s.implied(s.stream.columnCount)
	if err != nil {
		return nil, false, err
	}
	was, is := s.peek(s.stream.base, headerSize), headerBytes(try.version, try.toc, try.tail, try.rows, len(try.cols))
	n := len(was) - len(bytes.TrimLeft(was, "\x00"))
	if left := min(n, columnsAt+4); n < 16 || len(was) < headerSize || !bytes.Equal(was[left:columnsAt+4], is[left:columnsAt+4]) {
		return nil, false, fmt.Errorf("more than its beginning differs")
	}
	more := n == headerSize && model.AllZero(s.peek(s.stream.base+headerSize, 64)) // the zeros continue after the header
	return []model.Edit{model.Replace(model.Range{Space: s.stream.space, Off: s.stream.base, Len: int64(n)}, is[:n])}, sure && !more, nil
}

// headerFront makes the beginning of a header of which only the end exists, if that agrees with the directory: its offsets are too large by the
// number of missing bytes. Without rows the offsets in the rest of the header give that number.
func (s lostColumns) headerFront() (edits []model.Edit, sure bool) {
	if s.stream.size < headerSize || !s.marked(s.stream.size-8) {
		return nil, false
	}
	toc, cols := s.lastDirectory(s.stream.size-8, 0, versionBase+6, 0)
	from, to, rows := int64(1), int64(tailAt), int64(0)
	if r := s.left(); r != nil && r.by > 0 && r.by < headerSize {
		from, to, rows = r.by, r.by, r.of.rows
	}
	for by := from; by <= to && len(cols) > 0; by++ {
		version, sure := versionOf(cols)
		if b := s.peek(s.stream.base+16-by, 8); by <= 16 && len(b) == 8 { // the second one is there
			version, sure = binary.LittleEndian.Uint64(b), true
		}
		head := headerBytes(version, toc+by, s.stream.size-8+by, rows, len(cols))
		if bytes.Equal(s.peek(s.stream.base, headerSize-by), head[by:]) {
			at := model.Range{Space: s.stream.space, Off: s.stream.base}
			return []model.Edit{model.Splice{Range: at, With: model.Memory(head[:by]), Into: s.stream.root.Path(), Loose: true}}, sure
		}
	}
	return nil, false
}

// rebuilt replaces a stream without a directory by one of the blocks that were found, with guessed types.
func (s contents) rebuilt() ([]model.Edit, error) {
	f, _, err := lostColumns{s}.fileOfLost()
	if err != nil {
		return nil, err
	}
	return []model.Edit{model.Splice{Range: model.Range{Space: s.stream.space, Off: s.stream.base, Len: s.stream.size}, With: f.write(),
		Into: s.stream.root.Path()}}, nil
}

package idv

import (
	"encoding/binary"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/inflate"
)

// maxWitnesses is how many columns are asked for the number of rows.
const maxWitnesses = 64

// columnRows is how many rows the blocks of a column contain: all blocks but the last are full.
func (s contents) columnRows(c *column) (int64, error) {
	if !c.readable() || c.rpb <= 0 || c.listed != nil {
		return 0, fmt.Errorf("column %q cannot be read", c.name.s)
	}
	n := (s.stream.tableEnd(c) - c.lookup) / 16
	if n <= 0 || n > 1<<31-1 {
		return 0, fmt.Errorf("column %q has no table of blocks", c.name.s)
	}
	last := s.ownRows(c, n-1)
	if last <= 0 || last > c.rpb || n > 1 && s.ownRows(c, 0) != c.rpb {
		return 0, fmt.Errorf("the blocks of column %q do not show how many rows they have", c.name.s)
	}
	return (n-1)*c.rpb + last, nil
}

// agreedRows is the number of rows on which the blocks of all columns that state it agree.
func (s contents) agreedRows() (rows int64, err error) {
	for _, c := range s.stream.cols[:min(len(s.stream.cols), maxWitnesses)] {
		n, err := s.columnRows(c)
		switch {
		case err != nil:
		case rows > 0 && n != rows:
			return 0, fmt.Errorf("the blocks of some columns have %d rows, those of others %d", rows, n)
		default:
			rows = n
		}
	}
	if rows == 0 {
		return 0, fmt.Errorf("no column shows how many rows there are")
	}
	return rows, nil
}

// ownRows is how many rows the k-th block of a column states, or seems, to contain; 0 if that cannot be told. It inflates only
// the beginning of the block.
func (s contents) ownRows(c *column, k int64) int64 {
	if at := c.lookup + 16*k; k > 1<<31 || at < headerSize || at > s.stream.tableEnd(c)-16 {
		return 0
	}
	b, err := s.entry(c, k)
	if err != nil || b.off < headerSize || b.n <= 0 || b.end() > s.stream.bound || b.dec <= 0 {
		return 0
	}
	switch base := c.codec.Base(); {
	case base == block.Text || base == block.Vector:
		in := s.peek(s.stream.base+b.off, min(int64(b.n), 64<<10))
		if c.compression == 1 {
			in = inflate.Front(inflate.Raw, in, 4)
		}
		if len(in) < 4 {
			return 0
		}
		return int64(int32(binary.LittleEndian.Uint32(in)))
	case base == block.DateZone && b.dec%10 == 0:
		return int64(b.dec) / 10
	case base.Width() > 0 && int64(b.dec)%base.Width() == 0:
		return int64(b.dec) / base.Width()
	}
	return 0
}

// headerSpan is a field of the header, or nil.
func (s *stream) headerSpan(f *model.Field) *model.Span {
	if s.root == nil {
		return nil
	}
	if h := s.root.Get(headerField.Name); h != nil {
		return h.Get(f.Name)
	}
	return nil
}

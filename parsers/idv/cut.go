package idv

import (
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model"
)

// cutRows keeps the first rows of a stream. At the border of blocks only the header changes; inside a block, the last block
// of every column is encoded anew.
func cutRows(_ context.Context, t *model.Tree, span *model.Span, args map[string]string) ([]model.Edit, error) {
	s := streamOf(t, span)
	if s == nil {
		return nil, fmt.Errorf("%s is not a stream", span.Path())
	}
	rows, err := number(args["rows"], 0, max(0, s.rows))
	if err != nil {
		return nil, err
	}
	c := s.change(t)
	c.rows = &rows
	whole := true
	for _, col := range s.cols {
		if col.rpb <= 0 || rows%col.rpb == 0 || rows == s.rows {
			continue
		}
		whole = false
		if !col.readable() {
			return nil, fmt.Errorf("the blocks of column %q cannot be cut: keep a multiple of %d rows", col.name.s, col.rpb)
		}
		k := rows / col.rpb
		b, err := s.decoded(t, col, k)
		if err != nil {
			return nil, err
		}
		cut, err := cutBlock(col.codec, b, s.rowsOf(col, k), rows-k*col.rpb)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", col.name.s, err)
		}
		stored := cut
		if col.compression == 1 {
			if stored, err = deflate(cut); err != nil {
				return nil, err
			}
		}
		c.block(col.index, k, stored, len(cut))
	}
	if whole {
		return s.setField("", 40, model.I64LE, rows)[0].Edits, nil
	}
	return c.edits()
}

// cutBlock keeps the first values of a decoded block of n.
func cutBlock(c *codec, b []byte, n, keep int64) ([]byte, error) {
	switch base := c.base(); base {
	case kindText:
		ix := newIdvIndex(c, b, n)
		if ix.trouble != "" {
			return nil, fmt.Errorf("%s", ix.trouble)
		}
		return encodeTexts(ix.all()[:keep]), nil
	case kindVector:
		return cutVectors(c, b, n, keep)
	case kindDateZone:
		if int64(len(b)) < 10*n {
			return nil, fmt.Errorf("the block ends early")
		}
		return append(append([]byte(nil), b[:2*keep]...), b[2*n:2*n+8*keep]...), nil
	default:
		size := plainBytes(base, keep)
		if int64(len(b)) < size {
			return nil, fmt.Errorf("the block ends early")
		}
		out := append([]byte(nil), b[:size]...)
		if used := keep % 8; base == kindBool && used > 0 {
			out[size-1] &= 1<<used - 1
		}
		if used := keep % 16; base == kindBool2 && used > 0 {
			last := out[size-4:]
			binary.LittleEndian.PutUint32(last, binary.LittleEndian.Uint32(last)&(1<<(2*used)-1))
		}
		return out, nil
	}
}

func cutVectors(c *codec, b []byte, n, keep int64) ([]byte, error) {
	ix := newIdvIndex(c, b, n)
	if ix.trouble != "" {
		return nil, fmt.Errorf("%s", ix.trouble)
	}
	put := binary.LittleEndian.AppendUint32
	out := put(put(nil, uint32(keep)), uint32(ix.size))
	if ix.lengths != nil {
		out = append(out, ix.lengths[:4*keep]...)
	}
	out = append(out, ix.counts[:4*keep]...)
	indices := ix.indexStart[keep]
	out = put(out, uint32(indices))
	out = append(out, ix.indices[:4*indices]...)
	items, err := cutBlock(c.item, b[ix.items.valuesAt:], ix.items.n, ix.itemStart[keep])
	return append(out, items...), err
}

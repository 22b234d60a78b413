package correct

import (
	"bytes"
	"context"
	"hash/crc32"
	"math/bits"
)

// CRC is a CRC-32 in the reflected form of ZIP, gzip and PNG.
type CRC struct {
	table *crc32.Table
	index [256]byte // index[t>>24] is the i with table[i] == t: the high bytes of a table are all different
}

// IEEE is the polynomial of ZIP, gzip, PNG and zlib's crc32.
var IEEE = NewCRC(crc32.IEEETable)

// NewCRC makes a CRC of a table of hash/crc32.
func NewCRC(t *crc32.Table) *CRC {
	c := &CRC{table: t}
	for i, v := range t {
		c.index[v>>24] = byte(i)
	}
	return c
}

// back undoes one zero byte: it returns the register before it.
func (c *CRC) back(s uint32) uint32 {
	i := c.index[s>>24]
	return (s^c.table[i])<<8 | uint32(i)
}

// Byte returns every change of one byte of a message of n bytes that changes the sum from got to want. A CRC-32 is
// linear: the difference of the sums is that of an error of one byte followed by zeros, so the zeros are undone one by one
// and the rest compared with the 255 differences that one byte can make. A message of a mebibyte takes milliseconds; by
// chance one of n·255/2³² wrong messages has an answer, beyond some 100 KiB one in hundreds.
func (c *CRC) Byte(ctx context.Context, n int64, want, got uint32) (found []Change, err error) {
	s := want ^ got
	if s == 0 {
		return nil, nil
	}
	for d := int64(0); d < n; d++ {
		if d%step == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e := c.index[s>>24]; s == c.table[e] {
			found = append(found, Change{n - 1 - d, []byte{e}})
		}
		s = c.back(s)
	}
	return found, nil
}

// Burst returns the shortest change of neighbouring bits, at most 32, of a message of n bytes that changes the sum from got to want,
// and how many as short are expected by chance. There is such a change at every byte, so only a very short one is significant:
// in a hundred bytes up to 16 bits, in a thousand up to 13. It is empty if several are equally short.
func (c *CRC) Burst(ctx context.Context, n int64, want, got uint32) (found Change, chance float64, err error) {
	s := want ^ got
	if s == 0 || n < 4 {
		return Change{}, 0, nil
	}
	r, shortest := s, 33
	for range 4 {
		r = c.back(r)
	}
	for at := n - 4; at >= 0; at-- { // r is the change of the four bytes at it
		if at%step == 0 && ctx.Err() != nil {
			return Change{}, 0, ctx.Err()
		}
		from, to := bits.TrailingZeros32(r), bits.Len32(r)
		x := []byte{byte(r), byte(r >> 8), byte(r >> 16), byte(r >> 24)}
		change := Change{at + int64(from/8), x[from/8 : (to+7)/8]}
		switch {
		case to-from < shortest:
			found, shortest = change, to-from
		case to-from == shortest && (change.At != found.At || !bytes.Equal(change.Xor, found.Xor)): // a short one is seen from several places
			found = Change{At: -1}
		}
		r = c.back(r)
	}
	if found.At < 0 {
		return Change{}, 1, nil
	}
	return found, float64(8*n) * float64(uint64(1)<<(shortest-1)) / (1 << 32), nil
}

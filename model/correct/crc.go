package correct

import (
	"context"
	"hash/crc32"
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

// back undoes one zero byte: the register before it.
func (c *CRC) back(s uint32) uint32 {
	i := c.index[s>>24]
	return (s^c.table[i])<<8 | uint32(i)
}

// Byte returns every change of one byte of a message of n bytes after which the sum would be want and not got. A CRC-32 is
// linear: the difference of the sums is that of an error of one byte followed by zeros, so the zeros are taken back one by one
// and the rest compared with the 255 differences that one byte can make. A message of a mebibyte takes milliseconds; by
// chance one of n·255/2³² wrong messages has an answer, and of more than some 100 KiB one out of hundreds.
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

// Bursts hands the change of up to 32 neighbouring bits to yield that ends at each byte of a message of n bytes and explains the
// difference of the sums, until it returns false. There is one for every position, and so another witness must choose.
func (c *CRC) Bursts(ctx context.Context, n int64, want, got uint32, yield func(Change) bool) error {
	s := want ^ got
	if s == 0 || n < 4 {
		return nil
	}
	r := s
	for range 4 {
		r = c.back(r)
	}
	for d := int64(0); d <= n-4; d++ {
		if d%step == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !yield(Change{n - 4 - d, []byte{byte(r), byte(r >> 8), byte(r >> 16), byte(r >> 24)}}) {
			return nil
		}
		r = c.back(r)
	}
	return nil
}

// Combine returns the sum of two messages, one behind the other, from theirs and the length of the second: the register is
// moved over the second's bytes by powers of x, each the square of the one before.
func (c *CRC) Combine(first, second uint32, length int64) uint32 {
	var zero [32]uint32 // what one zero byte makes of each bit of the register
	for i := range zero {
		s := uint32(1) << i
		zero[i] = s>>8 ^ c.table[byte(s)]
	}
	for ; length > 0; length >>= 1 {
		if length&1 != 0 {
			first = times(&zero, first)
		}
		var twice [32]uint32
		for i := range twice {
			twice[i] = times(&zero, zero[i])
		}
		zero = twice
	}
	return first ^ second
}

// times multiplies a matrix of bits with a vector.
func times(m *[32]uint32, v uint32) (r uint32) {
	for i := 0; v != 0; i, v = i+1, v>>1 {
		if v&1 != 0 {
			r ^= m[i]
		}
	}
	return r
}

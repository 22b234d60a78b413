package idv

import (
	"bytes"
	mathbits "math/bits"

	"spandrel/parsers/idv/block"
)

// leastMirrored is how many blocks must have bits where none belong, for each that has not, and how many bits must be expected where values belong but none is, before the Booleans
// of a stream are said to begin with the highest bit of each byte.
const leastMirrored = 8

// mirrored tells whether the Booleans of a stream begin with the highest bit of each byte: bits are set after the last one, but no lowest bits are that would be no
// values then, in nearly all blocks; sure means in all of them.
func mirrored(s contents) (is, sure bool) {
	spare, lowest, ones, all, against := 0, 0, 0, 0, 0
	for _, b := range s.stream.blocks {
		sh := s.stream.shape(b)
		in, used := booleans(s, &sh), sh.rows%8
		if len(in) == 0 || used == 0 {
			continue
		}
		last := in[len(in)-1]
		switch {
		case last&(1<<(8-used)-1) != 0:
			against++
		case last>>used != 0:
			spare++
		}
		for _, x := range in[:len(in)-1] {
			ones += mathbits.OnesCount8(x)
		}
		all += 8 * (len(in) - 1)
		lowest += 8 - int(used)
	}
	return spare >= leastMirrored*max(1, against) && lowest*ones >= leastMirrored*all, against == 0 // as many of the lowest bits would be true
}

// booleans are the bytes of a block of Booleans; nil if it is another block, or damaged.
func booleans(s contents, sh *shape) []byte {
	if sh.meta != nil || sh.compression > 1 || sh.codec == nil || sh.codec.Kind != block.Bool || sh.over() || s.ctx.Err() != nil {
		return nil
	}
	stored, err := s.t.Bytes(s.ctx, sh.at)
	if err != nil {
		return nil
	}
	in, _ := sh.decode(s.ctx, stored, nil)
	if int64(len(in)) != (sh.rows+7)/8 {
		return nil
	}
	return bytes.Clone(in)
}

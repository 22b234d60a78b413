package correct

import (
	"bytes"
	"errors"
	"slices"
)

// inflater decodes a deflate stream (RFC 1951) and can start in the middle of one, unlike the standard library.
type inflater struct {
	in     []byte
	bit    int // the next bit of in
	out    []byte
	limit  int // of out
	lit    *huffman
	dist   *huffman
	final  bool // the block is the last one
	inside bool // start of a block, after its header
}

var (
	errDeflate = errors.New("not a deflate stream")
	errEnd     = errors.New("the deflate stream is truncated")
	errFar     = errors.New("a copy from before the first byte")
	errLimit   = errors.New("more bytes than there should be")
)

// huffman is a canonical code: a table for short codes, counts and symbols for all.
type huffman struct {
	fast   [1 << fastBits]uint16 // symbol<<4 | length; 0: longer, or none
	count  [16]uint16
	symbol []uint16
}

const fastBits = 9

// newHuffman makes a code from the lengths of its symbols. An over-subscribed code is an error, and so is an incomplete one unless it
// has only short codes.
func newHuffman(lengths []uint8, short int) (*huffman, error) {
	h := &huffman{symbol: make([]uint16, len(lengths))}
	for _, n := range lengths {
		h.count[n]++
	}
	h.count[0] = 0
	left := 1
	var start, code [17]int
	for n := 1; n < 16; n++ {
		count := int(h.count[n])
		if left = left<<1 - count; left < 0 {
			return nil, errDeflate
		}
		start[n+1], code[n+1] = start[n]+count, (code[n]+count)<<1
	}
	if left > 0 && int(slices.Max(lengths)) > short {
		return nil, errDeflate
	}
	for s, n := range lengths {
		if n == 0 {
			continue
		}
		h.symbol[start[n]] = uint16(s)
		start[n]++
		if n <= fastBits {
			for r := reversed(code[n], int(n)); r < 1<<fastBits; r += 1 << n {
				h.fast[r] = uint16(s)<<4 | uint16(n)
			}
		}
		code[n]++
	}
	return h, nil
}

func reversed(v, n int) (r int) {
	for range n {
		r, v = r<<1|v&1, v>>1
	}
	return r
}

// bits reads n bits, n ≤ 16.
func (f *inflater) bits(n int) (int, error) {
	if f.bit+n > 8*len(f.in) {
		return 0, errEnd
	}
	v := f.peek() & (1<<n - 1)
	f.bit += n
	return v, nil
}

// peek returns at least 17 bits from here on, zeros after the end.
func (f *inflater) peek() int {
	i := f.bit >> 3
	if i+4 <= len(f.in) {
		b := f.in[i : i+4 : i+4]
		return int(uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24) >> (f.bit & 7)
	}
	v := 0
	for k := i; k < len(f.in); k++ {
		v |= int(f.in[k]) << (8 * (k - i))
	}
	return v >> (f.bit & 7)
}

// decode reads one symbol.
func (f *inflater) decode(h *huffman) (int, error) {
	v := f.peek()
	if e := h.fast[v&(1<<fastBits-1)]; e != 0 {
		if f.bit += int(e & 15); f.bit > 8*len(f.in) {
			return 0, errEnd
		}
		return int(e >> 4), nil
	}
	code, first, index := 0, 0, 0
	for n := 1; n < 16; n++ {
		code |= v & 1
		v >>= 1
		count := int(h.count[n])
		if code-count < first {
			if f.bit += n; f.bit > 8*len(f.in) {
				return 0, errEnd
			}
			return int(h.symbol[index+code-first]), nil
		}
		index, first, code = index+count, (first+count)<<1, code<<1
	}
	return 0, errDeflate
}

var (
	lengthBase  = [29]int{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra = [29]int{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distBase    = [30]int{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distExtra   = [30]int{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
	codeOrder   = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

	fixedLit, fixedDist = fixedCodes()
)

func fixedCodes() (lit, dist *huffman) {
	of := func(n uint8, count int) []uint8 { return bytes.Repeat([]byte{n}, count) }
	lit, _ = newHuffman(slices.Concat(of(8, 144), of(9, 112), of(7, 24), of(8, 8)), 15)
	dist, _ = newHuffman(of(5, 30), 15)
	return lit, dist
}

// ended tells whether the last block is at its end.
func (f *inflater) ended() bool { return f.final && !f.inside }

// step decodes the next symbol, or the header of the next block.
func (f *inflater) step() error {
	if f.inside {
		return f.symbol()
	}
	return f.header()
}

// header reads the header of a block. A stored block is read completely.
func (f *inflater) header() error {
	v, err := f.bits(3)
	if err != nil {
		return err
	}
	f.final = v&1 != 0
	switch v >> 1 {
	case 0:
		return f.stored()
	case 1:
		f.lit, f.dist, f.inside = fixedLit, fixedDist, true
		return nil
	case 2:
		return f.dynamic()
	}
	return errDeflate
}

func (f *inflater) stored() error {
	f.bit = (f.bit + 7) &^ 7
	i := f.bit >> 3
	if i+4 > len(f.in) {
		return errEnd
	}
	n := int(f.in[i]) | int(f.in[i+1])<<8
	if n^0xffff != int(f.in[i+2])|int(f.in[i+3])<<8 {
		return errDeflate
	}
	if i+4+n > len(f.in) {
		return errEnd
	}
	if len(f.out)+n > f.limit {
		return errLimit
	}
	f.out = append(f.out, f.in[i+4:i+4+n]...)
	f.bit, f.inside = (i+4+n)<<3, false
	return nil
}

// dynamic reads the codes of a block.
func (f *inflater) dynamic() error {
	v, err := f.bits(14)
	if err != nil {
		return err
	}
	nlit, ndist, ncode := v&31+257, v>>5&31+1, v>>10+4
	if nlit > 286 || ndist > 30 {
		return errDeflate
	}
	var lengths [320]uint8
	for i := range ncode {
		n, err := f.bits(3)
		if err != nil {
			return err
		}
		lengths[codeOrder[i]] = uint8(n)
	}
	codes, err := newHuffman(lengths[:19], -1)
	if err != nil {
		return err
	}
	clear(lengths[:19])
	if err := f.lengths(codes, lengths[:nlit+ndist]); err != nil {
		return err
	}
	if lengths[256] == 0 {
		return errDeflate
	}
	if f.lit, err = newHuffman(lengths[:nlit], 1); err != nil {
		return err
	}
	if f.dist, err = newHuffman(lengths[nlit:nlit+ndist], 1); err != nil {
		return err
	}
	f.inside = true
	return nil
}

// lengths reads the lengths of the codes, which are packed themselves.
func (f *inflater) lengths(codes *huffman, out []uint8) error {
	for i := 0; i < len(out); {
		length, n, err := f.run(codes, out[:i])
		if err != nil {
			return err
		}
		if i+n > len(out) {
			return errDeflate
		}
		for range n {
			out[i] = length
			i++
		}
	}
	return nil
}

// run reads how often a length follows those before: once if the length itself is stored; codes 16 to 18 repeat the last one, or 0.
func (f *inflater) run(codes *huffman, before []uint8) (length uint8, n int, err error) {
	s, err := f.decode(codes)
	switch {
	case err != nil || s < 16:
		return uint8(s), 1, err
	case s == 16 && len(before) == 0:
		return 0, 0, errDeflate
	case s == 16:
		length = before[len(before)-1]
	}
	n, err = f.bits([3]int{2, 3, 7}[s-16])
	return length, n + [3]int{3, 3, 11}[s-16], err
}

// symbol decodes one symbol of a block: a byte, a copy, or its end.
func (f *inflater) symbol() error {
	s, err := f.decode(f.lit)
	switch {
	case err != nil:
		return err
	case s < 256:
		if len(f.out) >= f.limit {
			return errLimit
		}
		f.out = append(f.out, byte(s))
		return nil
	case s == 256:
		f.inside = false
		return nil
	case s > 285:
		return errDeflate
	}
	extra, err := f.bits(lengthExtra[s-257])
	if err != nil {
		return err
	}
	n := lengthBase[s-257] + extra
	if s, err = f.decode(f.dist); err != nil {
		return err
	}
	if s > 29 {
		return errDeflate
	}
	if extra, err = f.bits(distExtra[s]); err != nil {
		return err
	}
	at := len(f.out) - distBase[s] - extra
	if at < 0 {
		return errFar
	}
	if len(f.out)+n > f.limit {
		return errLimit
	}
	for range n {
		f.out = append(f.out, f.out[at])
		at++
	}
	return nil
}

package filter

import (
	"encoding/binary"
	"math"
)

// undoParts undoes the filters whose block is u32 parts and one u32 stored length per part: the shuffles, XOR, SCALE_FLOAT
// and WEBP.
func (w *work) undoParts(md, data []byte) ([]byte, []byte, error) {
	r := &block{w: w, b: md}
	n := r.count(4, "number of parts")
	lengths := r.bytes(int64(n)*4, "part lengths")
	if r.err != nil {
		return nil, nil, r.err
	}
	var at, size int64
	for i := range n {
		length := int64(binary.LittleEndian.Uint32(lengths[4*i:]))
		if length > int64(len(data))-at {
			return nil, nil, w.bad(corrupt, "metadata", 4+4*i, "length of part "+Text(i), "at most "+Text(int64(len(data))-at)+" left",
				length)
		}
		full, err := w.partSize(i, length)
		if err != nil {
			return nil, nil, err
		}
		at, size = at+length, size+full
	}
	if at != int64(len(data)) {
		return nil, nil, w.bad(corrupt, "data", int(at), "bytes after the last part", 0, int64(len(data))-at)
	}
	out, err := w.room(size)
	if err != nil {
		return nil, nil, err
	}
	from, dst := 0, out
	for i := range n {
		length := int(binary.LittleEndian.Uint32(lengths[4*i:]))
		full, _ := w.partSize(i, int64(length))
		if err := (part{w, dst[:full], data[from : from+length : from+length], from}).arrange(); err != nil {
			return nil, nil, err
		}
		from, dst = from+length, dst[full:]
	}
	return r.rest(), out, nil
}

// arrange fills the destination of a part that is not compressed.
func (p part) arrange() error {
	switch p.s.op {
	case ByteShuffle:
		unshuffleBytes(p.dst, p.src, p.s.size)
	case BitShuffle:
		unshuffleBits(p.dst, p.src, p.s.size)
	case Xor:
		unxor(p.dst, p.src, p.s.size)
	case ScaleFloat:
		p.s.unscale(p.dst, p.src)
	case WebP:
		return p.webP()
	}
	return p.ctx.Err()
}

// partSize is the output size of a stored part of n bytes.
func (w *work) partSize(part int, n int64) (int64, error) {
	width := int64(1)
	size := n
	switch w.s.op {
	case Xor:
		width = int64(w.s.size)
	case ScaleFloat:
		width = int64(w.s.Width)
		size = n / width * int64(w.s.size)
	case WebP:
		size = int64(w.s.WebPExtentX) * int64(w.s.WebPExtentY)
	}
	if n%width != 0 {
		return 0, w.bad(corrupt, "metadata", 4+4*part, "length of part "+Text(part), "a multiple of "+Text(width), n)
	}
	return size, nil
}

// unshuffleBytes moves byte j of value i, stored at j*n+i, back to its place; a remainder shorter than a value is copied. Of values of four and eight
// bytes, the commonest, four are put together first.
func unshuffleBytes(dst, src []byte, size int) {
	n, done := len(src)/size, 0
	for ; size%4 == 0 && done < size; done += 4 {
		rows := src[done*n:]
		a, b, c, d := rows[:n], rows[n:][:n], rows[2*n:][:n], rows[3*n:][:n]
		for i := range a {
			binary.LittleEndian.PutUint32(dst[i*size+done:], uint32(a[i])|uint32(b[i])<<8|uint32(c[i])<<16|uint32(d[i])<<24)
		}
	}
	for j := done; j < size; j++ {
		for i, v := range src[j*n : (j+1)*n] {
			dst[i*size+j] = v
		}
	}
	copy(dst[n*size:], src[n*size:])
}

func shuffleBytes(dst, src []byte, size int) {
	n := len(src) / size
	for j := range size {
		row := dst[j*n:][:n]
		for i := range row {
			row[i] = src[i*size+j]
		}
	}
	copy(dst[n*size:], src[n*size:])
}

const bitBlock = 8192 // bytes shuffled together

// unshuffleBits undoes bit shuffling in blocks of 8192 bytes: row (byte b, bit c) of a block contains that bit of all its
// values. A part that is not whole values, or not a multiple of 8 bytes, is stored unshuffled.
func unshuffleBits(dst, src []byte, size int) {
	bitBlocks(dst, src, size, func(dst, src []byte, rows int) {
		for b := range size {
			in := src[8*b*rows:]
			r0, r1, r2, r3 := in[:rows], in[rows:][:rows], in[2*rows:][:rows], in[3*rows:][:rows]
			r4, r5, r6, r7 := in[4*rows:][:rows], in[5*rows:][:rows], in[6*rows:][:rows], in[7*rows:][:rows]
			at := b
			for i := range r0 {
				low := uint32(r0[i]) | uint32(r1[i])<<8 | uint32(r2[i])<<16 | uint32(r3[i])<<24
				high := uint32(r4[i]) | uint32(r5[i])<<8 | uint32(r6[i])<<16 | uint32(r7[i])<<24
				x := transpose(uint64(low) | uint64(high)<<32)
				for range 8 {
					dst[at] = byte(x)
					x >>= 8
					at += size
				}
			}
		}
	})
}

func shuffleBits(dst, src []byte, size int) {
	bitBlocks(dst, src, size, func(dst, src []byte, rows int) {
		for b := range size {
			out := dst[8*b*rows:]
			for i := range rows {
				in := src[8*i*size+b:]
				var x uint64
				for q := 7; q >= 0; q-- {
					x = x<<8 | uint64(in[q*size])
				}
				x = transpose(x)
				for c := range 8 {
					out[c*rows+i] = byte(x >> (8 * c))
				}
			}
		}
	})
}

// bitBlocks calls block for every run of whole groups of 8 values, rows being the bytes of one bit row, and copies the rest.
func bitBlocks(dst, src []byte, size int, block func(dst, src []byte, rows int)) {
	if len(src)%size != 0 || len(src)%8 != 0 {
		copy(dst, src)
		return
	}
	for len(src) > 0 {
		n := min(len(src), bitBlock)
		rows := n / size / 8
		if rows == 0 {
			copy(dst, src)
			return
		}
		n = rows * 8 * size
		block(dst[:n], src[:n], rows)
		dst, src = dst[n:], src[n:]
	}
}

// transpose swaps bit 8*r+c with bit 8*c+r.
func transpose(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00AA00AA00AA00AA
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000CCCC0000CCCC
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000F0F0F0F0
	return x ^ t ^ t<<28
}

// unxor restores values stored as the XOR with the previous value.
func unxor(dst, src []byte, size int) {
	var v uint64
	for i := 0; i < len(src); i += size {
		v ^= Uint(src[i:], size)
		putUint(dst[i:], size, v)
	}
}

// unscale restores floats stored as scaled integers: scale x stored + offset in f64, then cast.
func (s *stage) unscale(dst, src []byte) {
	width := int(s.Width)
	for i := 0; len(src) >= width; i, src = i+s.size, src[width:] {
		v := float64(s.Scale*float64(readInt(src, width))) + s.Offset // the conversion keeps the two steps from being fused
		if s.size == 4 {
			binary.LittleEndian.PutUint32(dst[i:], math.Float32bits(float32(v)))
		} else {
			binary.LittleEndian.PutUint64(dst[i:], math.Float64bits(v))
		}
	}
}

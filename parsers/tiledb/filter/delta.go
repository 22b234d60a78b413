package filter

import "encoding/binary"

// delta undoes DELTA: u64 count, the first value, then the differences; all wrap at the width of the type.
func (p part) delta() error {
	dst, src, off := p.dst, p.src, p.off
	size := p.s.size
	n, err := p.deltaCount(0)
	if err != nil {
		return err
	}
	src = src[8:]
	if len(src) != n*size {
		return p.bad(corrupt, "data", off+8, "bytes of "+Text(n)+" values", n*size, len(src))
	}
	var v uint64
	for i := 0; i < len(src); i += size {
		v += Uint(src[i:], size)
		putUint(dst[i:], size, v)
	}
	return nil
}

// deltaCount reads the u64 number of values at byte at and compares it with the length expected.
func (p part) deltaCount(at int) (int, error) {
	if len(p.src) < at+8 {
		return 0, p.bad(truncated, "data", p.off, "bytes of the header", at+8, len(p.src))
	}
	n, size := binary.LittleEndian.Uint64(p.src[at:]), p.s.size
	if n != uint64(len(p.dst)/size) || len(p.dst)%size != 0 {
		return 0, p.bad(corrupt, "data", p.off+at, "values of "+Text(size)+" bytes",
			Text(float64(len(p.dst))/float64(size))+" for "+Text(len(p.dst))+" bytes", n)
	}
	return int(n), nil
}

// doubleDelta undoes DOUBLE_DELTA: u8 bits, u64 count, two values, then for every further value a sign bit and bits of
// magnitude, most significant first, packed from the top of little-endian u64 words. Wide differences are stored as the input.
func (p part) doubleDelta() error {
	dst, src, off := p.dst, p.src, p.off
	size := p.s.size
	n, err := p.deltaCount(1)
	if err != nil {
		return err
	}
	bits := uint(src[0])
	src, off = src[9:], off+9
	if bits >= uint(8*size-1) {
		if len(src) != len(dst) {
			return p.bad(corrupt, "data", off, "bytes stored as they are", len(dst), len(src))
		}
		copy(dst, src)
		return nil
	}
	head := min(n, 2) * size
	if len(src) < head {
		return p.bad(truncated, "data", off, "bytes of the first values", head, len(src))
	}
	copy(dst, src[:head])
	if n <= 2 {
		return nil
	}
	src, off = src[head:], off+head
	width := bits + 1 // with the sign; at most 63
	if need := (uint64(n-2)*uint64(width) + 63) / 64; need > uint64(len(src)/8) {
		return p.bad(truncated, "data", off, "64-bit words of second differences", need, len(src)/8)
	}
	before, v := Uint(dst, size), Uint(dst[size:], size)
	sign := uint64(1) << bits
	var word uint64 // its top left bits are not used yet
	var left uint
	dst = dst[head:]
	for i := 0; i < len(dst); i += size {
		if i&0xfffff == 0 {
			if err := p.ctx.Err(); err != nil {
				return err
			}
		}
		x := word >> (64 - width)
		if left >= width {
			word, left = word<<width, left-width
		} else {
			next := binary.LittleEndian.Uint64(src)
			src = src[8:]
			x |= next >> (64 - width + left)
			word, left = next<<(width-left), 64-width+left
		}
		dd := x &^ sign
		if x&sign != 0 {
			dd = -dd
		}
		before, v = v, dd+2*v-before
		putUint(dst[i:], size, v)
	}
	return nil
}

// undoBitWidth undoes BIT_WIDTH_REDUCTION. Block: u32 input length, u32 windows, per window the offset value, u8 bits and
// u32 bytes of the window before reduction. A window that could not be reduced is raw, and its offset value is garbage.
func (w *work) undoBitWidth(md, data []byte) ([]byte, []byte, error) {
	size := w.s.size
	r := &block{w: w, b: md}
	total, n := r.u32("input length"), r.count(size+5, "number of windows")
	if r.err != nil {
		return nil, nil, r.err
	}
	if total > int64(len(data)*size) {
		return nil, nil, w.bad(corrupt, "metadata", 0, "input length", "at most "+Text(len(data)*size), total)
	}
	out, err := w.room(total)
	if err != nil {
		return nil, nil, err
	}
	at, dst := 0, out
	for i := range n {
		if i&0xfff == 0 {
			if err := w.ctx.Err(); err != nil {
				return nil, nil, err
			}
		}
		from := r.off
		base, bits, length := r.uint(size, "offset value"), int(r.uint(1, "bits")), int(r.u32("window length"))
		if length > len(dst) {
			return nil, nil, w.bad(corrupt, "metadata", from+size+1, "length of window "+Text(i), "at most "+Text(len(dst))+" left", length)
		}
		raw := bits >= 8*size || length%size != 0
		if !raw && bits != 8 && bits != 16 && bits != 32 {
			return nil, nil, w.bad(corrupt, "metadata", from+size, "bits of window "+Text(i), "8, 16, 32 or 64", bits)
		}
		packed := length
		if !raw {
			packed = length / size * (bits / 8)
		}
		if packed > len(data)-at {
			return nil, nil, w.bad(truncated, "data", at, "bytes of window "+Text(i), packed, len(data)-at)
		}
		if window := data[at : at+packed]; raw {
			copy(dst, window)
		} else {
			w.widen(dst, window, bits/8, base)
		}
		at, dst = at+packed, dst[length:]
	}
	if len(dst) > 0 {
		return nil, nil, w.bad(corrupt, "metadata", 0, "bytes of all windows", total, total-int64(len(dst)))
	}
	if at != len(data) {
		return nil, nil, w.bad(corrupt, "data", at, "bytes after the last window", 0, len(data)-at)
	}
	return r.rest(), out, nil
}

// widen restores one window: integers of width bytes become values of the filter, plus base.
func (w *work) widen(dst, src []byte, width int, base uint64) {
	size, signed := w.s.size, IsSigned(w.s.typ)
	for i := 0; len(src) >= width; i, src = i+size, src[width:] {
		v := Uint(src, width)
		if signed {
			v = uint64(readInt(src, width))
		}
		putUint(dst[i:], size, base+v)
	}
}

// undoPositiveDelta undoes POSITIVE_DELTA. Block: u32 windows, per window the first value and u32 bytes; the data holds the
// differences, the first of a window being 0. A window that is not whole values is raw.
func (w *work) undoPositiveDelta(md, data []byte) ([]byte, []byte, error) {
	size := w.s.size
	r := &block{w: w, b: md}
	n := r.count(size+4, "number of windows")
	if r.err != nil {
		return nil, nil, r.err
	}
	out, err := w.room(int64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	at := 0
	for i := range n {
		if i&0xfff == 0 {
			if err := w.ctx.Err(); err != nil {
				return nil, nil, err
			}
		}
		from := r.off
		v, length := r.uint(size, "first value"), int(r.u32("window length"))
		if length > len(data)-at {
			return nil, nil, w.bad(corrupt, "metadata", from+size, "length of window "+Text(i), "at most "+Text(len(data)-at)+" left",
				length)
		}
		if length%size != 0 {
			copy(out[at:], data[at:at+length])
			at += length
			continue
		}
		for end := at + length; at < end; at += size {
			v += Uint(data[at:], size)
			putUint(out[at:], size, v)
		}
	}
	if at != len(data) {
		return nil, nil, w.bad(corrupt, "data", at, "bytes after the last window", 0, len(data)-at)
	}
	return r.rest(), out, nil
}

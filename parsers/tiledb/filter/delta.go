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
	if n != uint64(len(p.dst)/size) || len(p.dst)%size != 0 && !p.asTheyAre() {
		return 0, p.bad(corrupt, "data", p.off+at, "values of "+Text(size)+" bytes",
			Text(float64(len(p.dst))/float64(size))+" for "+Text(len(p.dst))+" bytes", n)
	}
	return int(n), nil
}

// asTheyAre tells whether DOUBLE_DELTA stores its input unchanged, which may then end with a part of a value, as the output of a compressor does.
func (p part) asTheyAre() bool {
	return p.s.Type == DoubleDelta && len(p.src) > 0 && uint(p.src[0]) >= uint(8*p.s.size-1)
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
	bits, whole := uint(src[0]), p.asTheyAre()
	src, off = src[9:], off+9
	if whole {
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
	var word uint64 // its topmost left bits are still unused
	var left uint
	dst = dst[head:]
	for i := 0; i < len(dst); i += size {
		if err := p.due(i); err != nil {
			return err
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

// window describes a run of values in BIT_WIDTH_REDUCTION and POSITIVE_DELTA: a value, the bits per stored number, and its length in bytes.
type window struct {
	value        uint64
	bits, length int
	raw          bool // not whole values, or not reducible
}

// window reads the description of a window.
func (r *block) window() (x window) {
	size := r.w.s.size
	x.value, x.bits = r.uint(size, "value of a window"), 8*size
	if r.w.s.op == BitWidth {
		x.bits = int(r.uint(1, "bits"))
	}
	x.length = int(r.u32("window length"))
	x.raw = x.length%size != 0 || r.w.s.op == BitWidth && x.bits >= 8*size
	return x
}

// undoWindows undoes BIT_WIDTH_REDUCTION and POSITIVE_DELTA. Metadata: u32 input length (first filter only), u32 number of windows; per window a value,
// u8 bits (first filter only), and u32 length in bytes before the filter. The first filter adds the value to each stored integer; the second starts with
// it and stores differences, the first of which is 0 in each window.
func (w *work) undoWindows(md, data []byte) ([]byte, []byte, error) {
	size, total, note := w.s.size, int64(len(data)), w.s.size+4
	r := &block{w: w, b: md}
	if w.s.op == BitWidth {
		total, note = r.u32("input length"), note+1
	}
	n := r.count(note, "number of windows")
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
		x := r.window()
		packed := x.length
		if !x.raw {
			packed = x.length / size * (x.bits / 8)
		}
		switch err := w.due(i); {
		case err != nil:
			return nil, nil, err
		case x.length > len(dst):
			return nil, nil, w.bad(corrupt, "metadata", r.off-4, "length of window "+Text(i), "at most "+Text(len(dst))+" left", x.length)
		case !x.raw && (x.bits%8 != 0 || !IsWidth(uint64(x.bits/8))):
			return nil, nil, w.bad(corrupt, "metadata", r.off-5, "bits of window "+Text(i), "8, 16, 32 or 64", x.bits)
		case packed > len(data)-at:
			return nil, nil, w.bad(truncated, "data", at, "bytes of window "+Text(i), packed, len(data)-at)
		}
		w.restore(dst, data[at:at+packed], x)
		at, dst = at+packed, dst[x.length:]
	}
	if len(dst) > 0 && w.s.op == BitWidth {
		return nil, nil, w.bad(corrupt, "metadata", 0, "bytes of all windows", total, total-int64(len(dst)))
	}
	if at != len(data) {
		return nil, nil, w.bad(corrupt, "data", at, "bytes after the last window", 0, len(data)-at)
	}
	return r.rest(), out, nil
}

// restore decodes one window.
func (w *work) restore(dst, src []byte, x window) {
	size, width, signed := w.s.size, x.bits/8, IsSigned(w.s.typ)
	switch {
	case x.raw:
		copy(dst, src)
	case w.s.op == PositiveDelta:
		for i := 0; i < len(src); i += size {
			x.value += Uint(src[i:], size)
			putUint(dst[i:], size, x.value)
		}
	default:
		for i := 0; len(src) >= width; i, src = i+size, src[width:] {
			v := Uint(src, width)
			if signed {
				v = uint64(readInt(src, width))
			}
			putUint(dst[i:], size, x.value+v)
		}
	}
}

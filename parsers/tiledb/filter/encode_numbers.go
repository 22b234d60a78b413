package filter

import (
	"encoding/binary"
	"math"
)

// Encoders of the filters that work on numbers. They write the simplest form that readers accept, not the shortest: differences that do
// not save bits are stored unreduced.

// encodeDelta appends a count, the first value and the differences.
func (w *writer) encodeDelta(out, src []byte) ([]byte, error) {
	size := w.s.size
	if len(src)%size != 0 {
		return nil, w.bad(Unsupported, "data", 0, "bytes to encode", "whole values of "+Text(size), len(src))
	}
	out = binary.LittleEndian.AppendUint64(out, uint64(len(src)/size))
	last := uint64(0)
	for i := 0; i < len(src); i += size {
		v := Uint(src[i:], size)
		out = binary.LittleEndian.AppendUint64(out, v-last)[:len(out)+size]
		last = v
	}
	return out, nil
}

// encodeDoubleDelta appends the width of a difference, a count and, because that width is the whole value's, the values themselves.
func (w *writer) encodeDoubleDelta(out, src []byte) ([]byte, error) {
	size := w.s.size
	out = binary.LittleEndian.AppendUint64(append(out, byte(8*size-1)), uint64(len(src)/size))
	return append(out, src...), nil
}

// windows divides n bytes into windows of whole values, as long as the filter's option allows.
func (s *stage) windows(n int) (size, count int) {
	size = max(int(s.Window)/s.size, 1) * s.size
	return size, (n + size - 1) / size
}

// reduce is BIT_WIDTH_REDUCTION: for each window its minimum and the number of bits for the differences to it.
func (w *writer) reduce(md, data []byte) (block, out []byte) {
	size, n := w.s.windows(len(data))
	le := binary.LittleEndian
	block = le.AppendUint32(le.AppendUint32(nil, uint32(len(data))), uint32(n))
	for ; len(data) > 0; data = data[min(size, len(data)):] {
		win := data[:min(size, len(data))]
		base, bits := w.narrow(win)
		block = le.AppendUint64(block, base)[:len(block)+w.s.size]
		block = le.AppendUint32(append(block, byte(bits)), uint32(len(win)))
		if bits >= 8*w.s.size {
			out = append(out, win...)
			continue
		}
		for i := 0; i < len(win); i += w.s.size {
			out = le.AppendUint64(out, Uint(win[i:], w.s.size)-base)[:len(out)+bits/8]
		}
	}
	return append(block, md...), out
}

// narrow returns the base of a window and the number of bits for the non-negative differences to it. The full width means raw.
func (w *writer) narrow(win []byte) (base uint64, bits int) {
	size, signed := w.s.size, IsSigned(w.s.typ)
	if len(win)%size != 0 {
		return 0, 8 * size
	}
	high := Uint(win, size)
	base = high
	less := func(a, b uint64) bool {
		shift := 64 - 8*size
		return !signed && a < b || signed && int64(a<<shift) < int64(b<<shift)
	}
	for i := 0; i < len(win); i += size {
		v := Uint(win[i:], size)
		if less(v, base) {
			base = v
		}
		if less(high, v) {
			high = v
		}
	}
	room := 0 // of the stored differences, which are read with the sign of the type
	if signed {
		room = 1
	}
	spread := (high - base) & (math.MaxUint64 >> (64 - 8*size))
	for _, bits := range []int{8, 16, 32} {
		if bits < 8*size && spread>>(bits-room) == 0 {
			return base, bits
		}
	}
	return base, 8 * size
}

// ascend is POSITIVE_DELTA: for each window the first value, and differences. TileDB refuses to write values that descend inside a window,
// and could not consolidate them.
func (w *writer) ascend(md, data []byte) (block, out []byte, err error) {
	size, _ := w.s.windows(len(data))
	le := binary.LittleEndian
	block = make([]byte, 4)
	n, shift := uint32(0), 64-8*w.s.size
	for at := 0; at < len(data); n++ {
		end := at + w.s.size
		if end > len(data) { // not a whole value: raw
			block = le.AppendUint32(append(block, make([]byte, w.s.size)...), uint32(len(data)-at))
			out = append(out, data[at:]...)
			n++
			break
		}
		last := Uint(data[at:], w.s.size)
		block = le.AppendUint64(block, last)[:len(block)+w.s.size]
		out = append(out, make([]byte, w.s.size)...)
		for end-at < size && end+w.s.size <= len(data) {
			v := Uint(data[end:], w.s.size)
			if IsSigned(w.s.typ) && int64(v<<shift) < int64(last<<shift) || !IsSigned(w.s.typ) && v < last {
				return nil, nil, w.bad(Unsupported, "data", end, "value to write", "not less than the one before it: this filter stores only increasing values",
					numberText(w.s.typ, v, w.s.size)+" after "+numberText(w.s.typ, last, w.s.size))
			}
			out = le.AppendUint64(out, v-last)[:len(out)+w.s.size]
			last, end = v, end+w.s.size
		}
		block = le.AppendUint32(block, uint32(end-at))
		at = end
	}
	le.PutUint32(block, n)
	return append(block, md...), out, nil
}

// numberText is an integer of a type as text.
func numberText(typ uint8, v uint64, size int) string {
	if shift := 64 - 8*size; IsSigned(typ) {
		return Text(int64(v<<shift) >> shift)
	}
	return Text(v)
}

// scale is SCALE_FLOAT: integers of the option's width, rounded half away from zero.
func (w *writer) scale(md, data []byte) (block, out []byte, err error) {
	s, width := w.s, int(w.s.Width)
	if len(data)%s.size != 0 {
		return nil, nil, w.bad(Unsupported, "data", 0, "bytes to encode", "whole values of "+Text(s.size), len(data))
	}
	for i := 0; i < len(data); i += s.size {
		var v float64
		if s.size == 4 {
			x := math.Float32frombits(binary.LittleEndian.Uint32(data[i:]))
			v = float64((x - float32(s.Offset)) / float32(s.Scale))
		} else {
			v = (math.Float64frombits(binary.LittleEndian.Uint64(data[i:])) - s.Offset) / s.Scale
		}
		limit := math.Ldexp(1, 8*width-1)
		if v = math.Round(v); !(v >= -limit && v < limit) {
			return nil, nil, w.bad(Unsupported, "data", i, "value to scale", "one that fits "+Text(width)+" bytes", v)
		}
		out = binary.LittleEndian.AppendUint64(out, uint64(int64(v)))[:len(out)+width]
	}
	return partsBlock(md, len(out)), out, nil
}

// xor is XOR: the first value, then each XORed with the previous one.
func (w *writer) xor(md, data []byte) (block, out []byte, err error) {
	size := w.s.size
	if !IsWidth(uint64(size)) || len(data)%size != 0 {
		return nil, nil, w.bad(Unsupported, "data", 0, "bytes to encode", "whole values of "+Text(size), len(data))
	}
	last := uint64(0)
	for i := 0; i < len(data); i += size {
		v := Uint(data[i:], size)
		out = binary.LittleEndian.AppendUint64(out, v^last)[:len(out)+size]
		last = v
	}
	return partsBlock(md, len(data)), out, nil
}

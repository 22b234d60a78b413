package idv

import (
	"bytes"
	"encoding/binary"
	"maps"
)

// badMore makes samples of the rules about directories and places, by changing a stream of two columns and metadata.
func badMore() map[string][]byte {
	i32, single, boolean := typeSpec{load: "Int32"}, typeSpec{load: "Single"}, typeSpec{load: "Boolean"}
	vec := typeSpec{load: "VBuffer", item: &single, dims: []int32{4}}
	ranges := typeSpec{load: "VBuffer", item: &i32, dims: []int32{2, 2}}
	dense := func(items ...any) any { return vecSpec{n: len(items), items: items} }
	spec := func() fileSpec {
		return fileSpec{rpb: 2, rows: 4, cols: []columnSpec{
			{name: "first", typ: i32, values: []any{1, 2, 3, 4}},
			{name: "second", typ: vec, values: []any{dense(1.0, 2.0, 3.0, 4.0), dense(1.0, 2.0, 3.0, 4.0), dense(1.0, 2.0, 3.0, 4.0), dense(1.0, 2.0, 3.0, 4.0)},
				meta: []metaSpec{{"IsNormalized", boolean, true}, {"CategoricalSlotRanges", ranges, dense(0, 1, 2, 3)}}},
		}}
	}
	// at changes the bytes that stand behind a mark, which occurs once.
	at := func(mark string, skip int, to ...byte) []byte {
		b := spec().encode()
		i := bytes.Index(b, []byte(mark))
		copy(b[i+len(mark)+skip:], to)
		return b
	}
	insert := func(b []byte, off int, with ...byte) []byte {
		return append(append(bytes.Clone(b[:off]), with...), b[off:]...)
	}
	plain := spec().encode()
	find := func(mark string) int { return bytes.Index(plain, []byte(mark)) }
	entry := bytes.Index(plain, le(8, 256)) // the first lookup entry
	toc := find("\x05first")
	w := func(vs ...uint64) (b []byte) {
		for _, v := range vs {
			b = append(b, le(4, v)...)
		}
		return b
	}
	legacy := func(contiguous, min byte) []byte { // a key of the old type
		u32 := typeSpec{load: "UInt32"}
		b := one(typeSpec{load: "Key", item: &u32, count: 7}, w(1, 2), 2).encode()
		i := bytes.Index(b, []byte("\x06UInt32\x00"))
		b[i+8], b[i+9] = contiguous, min
		return b
	}
	// directoryFirst puts the lookup tables of a stream without metadata behind its column directory.
	directoryFirst := func(b []byte) []byte {
		first := bytes.Index(b, le(8, 256))
		toc, tail := int(binary.LittleEndian.Uint64(b[24:])), int(binary.LittleEndian.Uint64(b[32:]))
		lookups, dir := b[first:toc], bytes.Clone(b[toc:tail])
		for i := 0; i+8 <= len(dir); i++ {
			if at := int(binary.LittleEndian.Uint64(dir[i:])); at >= first && at < toc && i > 8 {
				copy(dir[i:], le(8, uint64(at+len(dir))))
			}
		}
		out := append(append(append(bytes.Clone(b[:first]), dir...), lookups...), b[tail:]...)
		copy(out[24:], le(8, uint64(first)))
		return out
	}
	grown := func(off int, with ...byte) []byte { // bytes put into the directory, which ends later then
		b := insert(plain, off, with...)
		tail := len(b) - 8
		copy(b[32:], le(8, uint64(tail)))
		return b
	}
	return map[string][]byte{
		"004-old-version.idv":    func() []byte { b := bytes.Clone(plain); b[8], b[16] = 1, 1; return b }(),
		"007-new-version.idv":    func() []byte { b := bytes.Clone(plain); b[8] = 9; return b }(),
		"011-toc-outside.idv":    func() []byte { b := bytes.Clone(plain); copy(b[24:], le(8, 1<<40)); return b }(),
		"022-endless-number.idv": grown(toc+14, bytes.Repeat([]byte{0xff}, 12)...),
		"023-long-number.idv": func() []byte {
			b := grown(toc+15, 0x80, 0)
			b[toc+14] = 0x82
			b = append(b[:toc+14], append([]byte{0x82, 0}, b[toc+17:]...)...)
			copy(b[32:], le(8, uint64(len(b)-8)))
			return b
		}(),
		"027-no-codec-name.idv":  func() []byte { b := bytes.Clone(plain); b[toc+6] = 0; return b }(),
		"028-parameters.idv":     at("\x05firstInt32"[:6]+"\x05Int32", 0, 0x7f),
		"033-rank.idv":           at("\x06Single\x00", 0, 9),
		"033-dimension.idv":      at("\x06Single\x00", 7, 0xff),
		"038-rows-per-block.idv": func() []byte { b := bytes.Clone(plain); b[toc+14] = 3; return b }(),
		"039-rows-wrap.idv":      func() []byte { b := grown(toc+15, 0x80, 0x80, 0x80, 0x10); b[toc+14] = 0x82; return b }(),
		"041-lookup.idv": func() []byte {
			f := spec()
			f.rows = 0
			b := f.encode()
			i := bytes.Index(b, []byte("\x05first"))
			copy(b[i+15:], le(8, 0))
			return b
		}(),
		"044-hidden-column.idv": func() []byte { b := bytes.Clone(plain); b[48] = 1; return b }(),
		"050-blocks.idv":        func() []byte { b := bytes.Clone(plain); copy(b[40:], le(8, 1<<40)); return b }(),
		"049-misplaced.idv":     func() []byte { b := bytes.Clone(plain); copy(b[entry+16:], le(8, 260)); return b }(),
		"051-length.idv":        func() []byte { b := bytes.Clone(plain); copy(b[entry+8:], le(4, 0xffffffff)); return b }(),
		"052-no-length.idv":     func() []byte { b := bytes.Clone(plain); copy(b[entry+12:], le(4, 0)); return b }(),
		"055-overlap.idv":       func() []byte { b := bytes.Clone(plain); copy(b[entry+16:], le(8, 312)); return b }(),
		"049-shared.idv":        func() []byte { b := bytes.Clone(plain); copy(b[entry+16:], le(8, 256)); return b }(),
		"080-no-entries.idv":    func() []byte { b := bytes.Clone(plain); b[find("\x0cIsNormalized")-1] = 0; return b }(),
		"081-too-many.idv":      func() []byte { b := bytes.Clone(plain); b[find("\x0cIsNormalized")-1] = 0x7f; return b }(),
		"082-no-kind.idv":       func() []byte { f := spec(); f.cols[1].meta[0].kind = ""; return f.encode() }(),
		"084-unknown.idv":       at("IsNormalized\x07", 0, 'X'),
		"085-compression.idv":   at("IsNormalized\x07Boolean\x00", 0, 7),
		"086-offset.idv":        at("IsNormalized\x07Boolean\x00\x00", 0, 9, 0),
		"087-length.idv":        at("IsNormalized\x07Boolean\x00\x00", 8, 0),
		"089-left-over.idv":     at("IsNormalized\x07Boolean\x00\x00", 8, 2),
		"093-ranges.idv":        func() []byte { f := spec(); f.cols[1].meta[1].value = dense(0, 2, 2, 3); return f.encode() }(),
		"101-same-metadata.idv": func() []byte {
			b := bytes.Clone(plain)
			copy(b[toc+23:], le(8, uint64(find("\x0cIsNormalized")-1)))
			return b
		}(),
		"103-mixed.idv": func() []byte { // the first column is deflated in fact
			f := spec()
			f.cols[0].values, f.cols[0].raw = nil, [][]byte{zip1(w(1, 2)), zip1(w(3, 4))}
			b := f.encode()
			for k := range 2 {
				copy(b[bytes.Index(b, le(8, 256))+16*k+12:], w(8))
			}
			b[bytes.Index(b, []byte("\x05first"))+13] = 1
			return b
		}(),
		"029-parameters.idv": at("\x05first", 6, 1),
		"029-too-few.idv":    at("\x06second\x07VBuffer", 0, 11),
		"029-too-many.idv": func() []byte {
			b := grown(find("\x06second\x07VBuffer")+32, 0)
			b[find("\x06second\x07VBuffer")+15]++
			return b
		}(),
		"035-contiguous.idv": legacy(0, 0),
		"035-min.idv":        legacy(1, 4),
		"043-legacy.idv":     legacy(1, 0),
		"102-order.idv":      func() []byte { f := spec(); f.cols[1].meta, f.reversed = nil, true; return directoryFirst(f.encode()) }(),
	}
}

func allBad() map[string][]byte {
	all := bad()
	maps.Copy(all, badMore())
	maps.Copy(all, badBoxes())
	for name, m := range repairSamples() {
		all[name] = m.bad
	}
	return all
}

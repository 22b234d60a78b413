package idv

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"reflect"
	"slices"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/parsers/internal/suite"
)

// one is a stream of one column and one block.
func one(typ typeSpec, raw []byte, n int) fileSpec {
	return fileSpec{rpb: n, rows: int64(n), cols: []columnSpec{{name: "c", typ: typ, raw: [][]byte{raw}}}}
}

// ofBooleans is twelve blocks of 11 Booleans each.
func ofBooleans(raw ...byte) fileSpec {
	return fileSpec{rpb: 11, rows: 132, deflate: true, cols: []columnSpec{{name: "c", typ: typeSpec{load: "Boolean"}, raw: slices.Repeat([][]byte{raw}, 12)}}}
}

// framed is two blocks that are compressed by zlib, frame and all.
func framed() fileSpec {
	f := fileSpec{rpb: 2, rows: 4, deflate: true, cols: []columnSpec{{name: "n", typ: typeSpec{load: "Int32"}, values: []any{1, 2, 3, 4}}}}
	f.store = func(b []byte) []byte {
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		w.Write(b)
		w.Close()
		return z.Bytes()
	}
	return f
}

// TestFramedBlocks: blocks in frames of zlib are read, and compressed again without them.
func TestFramedBlocks(t *testing.T) {
	sound, b := framed(), framed().encode()
	sound.store = nil
	d, want := open(t, "x.idv", b), rowsIn(t, sound.encode())
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Time: time.Minute})
	if err != nil || len(g.Causes) != 1 || g.Causes[0].Repairs[0].Label != "compress the blocks without a header and a checksum" || !reflect.DeepEqual(rowsIn(t, b), want) {
		t.Fatalf("%+v, %v", *g.Causes[0], err)
	}
	if err := g.Causes[0].Repairs[0].Make(t.Context(), d); err != nil || !reflect.DeepEqual(rowsIn(t, content(t, d)), want) {
		t.Error(err)
	}
}

// TestMirroredBits: Booleans that begin with the highest bit of each byte are restored. Bits after the last one alone do not show that, nor do columns that are
// mostly false.
func TestMirroredBits(t *testing.T) {
	d := open(t, "x.idv", ofBooleans(0xa5, 0xe0).encode())
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Time: time.Minute})
	if err != nil || len(g.Causes) != 1 || g.Causes[0].Grade != cause.Proven || len(g.Causes[0].Repairs) != 1 {
		t.Fatalf("%+v, %v", *g.Causes[0], err)
	}
	if err := g.Causes[0].Repairs[0].Make(t.Context(), d); err != nil || !reflect.DeepEqual(rowsIn(t, content(t, d)), rowsIn(t, ofBooleans(0xa5, 0x07).encode())) {
		t.Error(err)
	}
	for _, raw := range [][]byte{{0xa5, 0xe1}, {0x00, 0xe0}, {0xa5, 0x07}} {
		if _, all := rulesOf(t, open(t, "x.idv", ofBooleans(raw...).encode())); all["IDV-128"] {
			t.Errorf("%x are called mirrored", raw)
		}
	}
}

// bad makes samples that each break the rule in their name.
func bad() map[string][]byte {
	i32, text, single := typeSpec{load: "Int32"}, typeSpec{load: "TextSpan"}, typeSpec{load: "Single"}
	u32 := typeSpec{load: "UInt32"}
	vec := typeSpec{load: "VBuffer", item: &single, dims: []int32{2}}
	open := typeSpec{load: "VBuffer", item: &single, dims: []int32{0}}
	ints := le(8, 7)
	base := func() fileSpec { return one(i32, ints, 2) }
	head := func(off int, b ...byte) []byte {
		f := base()
		f.patch = func(out []byte) []byte { copy(out[off:], b); return out }
		return f.encode()
	}
	// field patches the bytes of the column entry, counted from the end of the directory.
	field := func(f fileSpec, back int, b ...byte) []byte {
		out := f.encode()
		copy(out[len(out)-8-back:], b)
		return out
	}
	cat := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	w := func(vs ...int) (b []byte) {
		for _, v := range vs {
			b = append(b, le(4, uint64(uint32(v)))...)
		}
		return b
	}
	meta := func(kind string, typ typeSpec, v any) fileSpec {
		f := base()
		f.cols[0].meta = []metaSpec{{kind, typ, v}}
		return f
	}
	deflated := base()
	deflated.deflate = true
	z := deflated.encode()
	lookup := 256 + len(zip1(ints))
	dec := func(v int) []byte { b := bytes.Clone(z); copy(b[lookup+12:], w(v)); return b }
	two := fileSpec{rpb: 2, rows: 2, cols: []columnSpec{{name: "a", typ: i32, raw: [][]byte{ints}}, {name: "a", typ: i32, raw: [][]byte{ints}}}}
	return map[string][]byte{
		"001-short.idv":                    base().encode()[:200],
		"002-signature.idv":                head(0, 'X'),
		"002-unfinished.idv":               append(make([]byte, 256), zip1(ints)...),
		"003-compatible-above-version.idv": head(8, 5),
		"005-compatible-too-old.idv":       head(16, 3),
		"006-too-new.idv":                  head(8, 7, 0, 1, 0, 1, 0, 1, 0, 7),
		"008-negative-rows.idv":            head(40, 255, 255, 255, 255, 255, 255, 255, 255),
		"009-negative-columns.idv":         head(48, 255, 255, 255, 255),
		"010-toc-in-header.idv":            head(24, 9, 0),
		"012-tail-in-header.idv":           head(32, 9, 0),
		"013-tail-outside.idv":             head(32, 0, 0, 1),
		"014-tail-signature.idv":           field(base(), -1, 'X'),
		"015-trailing.idv":                 append(base().encode(), "more"...),
		"016-unused.idv":                   head(100, 1),
		"017-rows-without-columns.idv":     fileSpec{rpb: 1, rows: 0, patch: func(b []byte) []byte { b[40] = 5; return b }}.encode(),
		"020-too-many-columns.idv":         head(48, 2),
		"021-name-length.idv":              field(base(), 26, 0xff, 0xff),
		"024-name-encoding.idv":            func() []byte { f := base(); f.cols[0].name = "\xff"; return f.encode() }(),
		"025-no-name.idv":                  func() []byte { f := base(); f.cols[0].name = ""; return f.encode() }(),
		"026-same-names.idv":               two.encode(),
		"030-unknown-codec.idv":            one(typeSpec{load: "Nope"}, ints, 2).encode(),
		"031-unknown-item.idv":             one(typeSpec{load: "VBuffer", item: &typeSpec{load: "Nope"}, dims: []int32{1}}, ints, 2).encode(),
		"032-key-over-signed.idv":          one(typeSpec{load: "Key2", item: &i32, count: 5}, ints, 2).encode(),
		"034-key-count.idv":                one(typeSpec{load: "Key2", item: &u32, count: 0}, w(0, 0), 2).encode(),
		"036-compression.idv":              field(base(), 18, 3),
		"037-rows-per-block.idv":           field(base(), 17, 0),
		"040-lookup.idv":                   field(base(), 16, 0xff, 0xff),
		"042-metadata-offset.idv":          field(base(), 8, 5),
		"053-block-offset.idv":             func() []byte { b := base().encode(); copy(b[264:], w(9, 0)); return b }(),
		"054-decompressed-length.idv":      func() []byte { b := base().encode(); copy(b[264+12:], w(9)); return b }(),
		"056-inflates-less.idv":            dec(9),
		"057-left-over-compressed.idv": func() []byte { // a second block type bit pattern behind the end
			f := one(i32, ints, 2)
			f.deflate = true
			out := f.encode()
			n := len(zip1(ints))
			copy(out[lookup+8:], w(n+2))
			return out
		}(),
		"104-more.idv": func() []byte {
			f := one(i32, w(1, 2, 3), 2)
			f.deflate = true
			out := f.encode()
			copy(out[256+len(zip1(w(1, 2, 3)))+12:], w(8))
			return out
		}(),
		"059-too-short.idv":     one(i32, w(1), 2).encode(),
		"058-left-over.idv":     one(i32, w(1, 2, 3), 2).encode(),
		"060-text-count.idv":    one(text, text.encode([]any{"a", "b", "c"}), 2).encode(),
		"061-bounds.idv":        one(text, cat(w(3, 2, 1, 2), []byte("\x02ab")), 3).encode(),
		"062-last-bound.idv":    one(text, cat(w(1, 2), []byte("\x03abc")), 1).encode(),
		"063-text-encoding.idv": one(text, cat(w(1, 2), []byte("\x02a\xff")), 1).encode(),
		"064-bool.idv":          one(typeSpec{load: "DvBool"}, w(3), 1).encode(),
		"065-unused-bits.idv":   one(typeSpec{load: "Boolean"}, []byte{0x80}, 2).encode(),
		"066-date.idv":          one(typeSpec{load: "DateTime"}, w(0, 0x7fffffff), 1).encode(),
		"067-zone.idv":          one(typeSpec{load: "DateTimeOffset"}, cat([]byte{0x49, 3}, w(0, 0x08000000)), 1).encode(),
		"068-vector-count.idv":  one(vec, vec.encode([]any{vecSpec{n: 2, items: []any{1.0, 2.0}}}), 2).encode(),
		"069-vector-size.idv":   one(vec, open.encode([]any{vecSpec{n: 3, items: []any{1.0, 2.0, 3.0}}}), 1).encode(),
		"070-vector-length.idv": one(open, w(2, 0, -1, 1, -1, -1, 0, 5), 2).encode(),
		"071-full-sparse.idv":   one(vec, w(1, 2, 2, 2, 0, 1, 5, 6), 1).encode(),
		"072-indices.idv":       one(vec, w(1, 2, 1, 1, 2, 5), 1).encode(),
		"073-index-count.idv":   one(vec, w(1, 2, 1, 2, 0, 1, 5), 1).encode(),
		"074-key.idv":           one(typeSpec{load: "Key2", item: &u32, count: 1}, w(1, 2), 2).encode(),
		"075-missing.idv":       one(typeSpec{load: "TimeSpan"}, w(0, -1<<31), 1).encode(),
		"083-same-kinds.idv": func() []byte {
			f := meta("IsNormalized", typeSpec{load: "Boolean"}, true)
			f.cols[0].meta = append(f.cols[0].meta, f.cols[0].meta[0])
			return f.encode()
		}(),
		"088-metadata-block.idv": func() []byte {
			b := meta("SlotNames", typeSpec{load: "VBuffer", item: &text, dims: []int32{2}}, vecSpec{n: 2, items: []any{"x", "y"}}).encode()
			at := bytes.Index(b, w(1, 2, -1, 0))
			b[at] = 2
			return b
		}(),
		"092-metadata-type.idv": meta("IsNormalized", i32, 1).encode(),
		"094-unknown-kind.idv":  meta("Mine", i32, 1).encode(),
		"100-gap.idv": func() []byte { // metadata that nothing refers to any more
			b := meta("Mine", i32, 1).encode()
			copy(b[len(b)-16:], w(0, 0))
			return b
		}(),
		"090-slot-names.idv": func() []byte {
			f := one(vec, vec.encode([]any{vecSpec{n: 2, items: []any{1.0, 2.0}}}), 1)
			f.cols[0].meta = []metaSpec{{"SlotNames", typeSpec{load: "VBuffer", item: &text, dims: []int32{3}}, vecSpec{n: 3, items: []any{"x", "y", "z"}}}}
			return f.encode()
		}(),
		"091-key-values.idv": func() []byte {
			f := one(typeSpec{load: "Key2", item: &u32, count: 3}, w(1, 3), 2)
			f.cols[0].meta = []metaSpec{{"KeyValues", typeSpec{load: "VBuffer", item: &text, dims: []int32{2}}, vecSpec{n: 2, items: []any{"x", "y"}}}}
			return f.encode()
		}(),
		"036-zlib.idv": func() []byte { // of two columns, one is zlib
			var z bytes.Buffer
			zw := zlib.NewWriter(&z)
			zw.Write(ints)
			zw.Close()
			f := fileSpec{rpb: 2, rows: 2, cols: []columnSpec{{name: "a", typ: i32, raw: [][]byte{ints}}, {name: "z", typ: i32, raw: [][]byte{z.Bytes()}}}}
			b := f.encode()
			copy(b[len(b)-8-18:], []byte{2})
			copy(b[256+8+z.Len()+16+12:], w(8))
			return b
		}(),
		"127-foreign-header.idv": withHeaderOf(base().encode(), two.encode()),
		"129-zlib-blocks.idv":    framed().encode(),
		"128-mirrored-bits.idv":  ofBooleans(0xa5, 0xe0).encode(),
		"bomb.idv":               func() []byte { b := bytes.Clone(z); copy(b[lookup+12:], w(0x7fffffff)); return b }(),
	}
}

// TestIDVBad checks that each sample breaks the rule in its name, and that the repairs offered for it work out.
func TestIDVBad(t *testing.T) {
	for name, b := range allBad() {
		d := open(t, name, b)
		_, all := rulesOf(t, d)
		suite.Tiles(t, d.Tree)
		if rule := "IDV-" + name[:3]; name != "bomb.idv" && !all[rule] {
			t.Errorf("%s: only %v", name, all)
		}
		fixAll(t, name, b)
	}
}

// TestIDVHuge checks that numbers of a hostile file cost nothing: counts and lengths to the end of their types.
func TestIDVHuge(t *testing.T) {
	b := sample(true).encode()
	for _, off := range []int{24, 32, 40, 48} {
		for _, v := range []uint64{1 << 31, 1<<31 - 1, 1 << 40, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
			c := bytes.Clone(b)
			binary.LittleEndian.PutUint64(c[off:], v)
			d := open(t, "x.idv", c)
			rulesOf(t, d)
			for _, tab := range format().Tables(context.Background(), d.Tree) {
				for _, first := range []int64{0, tab.Rows / 2, tab.Rows - 1} {
					if _, err := tab.Read(t.Context(), first, 3); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}

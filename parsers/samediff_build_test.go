package parsers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"
)

// The samples and tests of SameDiff write graphs with the FlatBuffers library, not with the code under test.

// sdT is a table for the builder: its fields by slot.
type sdT map[int]any

// sdE is an enum or a byte.
type sdE int8

// sdBuild writes a value of the kinds below and everything that it refers to, and returns what a table keeps of it.
func sdBuild(b *flatbuffers.Builder, v any) any {
	offsets := func(n int, at func(i int) any) flatbuffers.UOffsetT {
		offs := make([]flatbuffers.UOffsetT, n)
		for i := range offs {
			offs[i] = sdBuild(b, at(i)).(flatbuffers.UOffsetT)
		}
		b.StartVector(4, n, 4)
		for i := n - 1; i >= 0; i-- {
			b.PrependUOffsetT(offs[i])
		}
		return b.EndVector(n)
	}
	switch v := v.(type) {
	case string:
		return b.CreateString(v)
	case []byte:
		return b.CreateByteVector(v)
	case []string:
		return offsets(len(v), func(i int) any { return v[i] })
	case []sdT:
		return offsets(len(v), func(i int) any { return v[i] })
	case []int64:
		b.StartVector(8, len(v), 8)
		for i := len(v) - 1; i >= 0; i-- {
			b.PrependInt64(v[i])
		}
		return b.EndVector(len(v))
	case []int32:
		b.StartVector(4, len(v), 4)
		for i := len(v) - 1; i >= 0; i-- {
			b.PrependInt32(v[i])
		}
		return b.EndVector(len(v))
	case sdT:
		n := 0
		kept := map[int]any{}
		for slot := range v {
			n = max(n, slot+1)
		}
		for slot := range n {
			if x, ok := v[slot]; ok {
				kept[slot] = sdBuild(b, x)
			}
		}
		b.StartObject(n)
		for slot := range n {
			switch x := kept[slot].(type) {
			case flatbuffers.UOffsetT:
				b.PrependUOffsetT(x)
			case int32:
				b.PrependInt32(x)
			case int64:
				b.PrependInt64(x)
			case sdE:
				b.PrependInt8(int8(x))
			default:
				continue
			}
			b.Slot(slot)
		}
		return b.EndObject()
	}
	return v
}

// sdFB returns the buffer of a root table.
func sdFB(root sdT) []byte {
	b := flatbuffers.NewBuilder(1 << 10)
	b.Finish(sdBuild(b, root).(flatbuffers.UOffsetT))
	return bytes.Clone(b.FinishedBytes())
}

// sdInfo is a FlatArray of floats in the shapeInfo dialect, big-endian.
func sdInfo(dims []int64, v ...float32) sdT {
	info := append([]int64{int64(len(dims))}, dims...)
	info = append(append(info, sdDense(dims, 'c')...), 8192, 1, 99)
	var raw []byte
	for _, x := range v {
		raw = binary.BigEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return sdT{0: info, 1: raw, 2: sdE(5), 3: sdE(1)}
}

// sdStub is a FlatArray in the dims dialect whose n bytes are elsewhere.
func sdStub(typ sdE, dims []int64, off, n int64) sdT {
	t := sdT{0: dims, 2: typ, 5: n, 9: n}
	if off != 0 {
		t[8] = off
	}
	return t
}

// sdVarOf is a variable.
func sdVarOf(id int32, name string, kind sdE, rest sdT) sdT {
	t := sdT{0: sdT{0: id}, 1: name, 2: sdE(5), 5: int32(-1), 6: kind}
	for k, v := range rest {
		if a, ok := v.(sdT); !ok || a != nil {
			t[k] = v
		}
	}
	return t
}

// sdSmallGraph is y = x·w + b, with w and b as given.
func sdSmallGraph(w, b sdT) sdT {
	return sdT{
		1: []sdT{
			sdVarOf(1, "x", sdPlaceholder, sdT{3: []int64{-1, 2}}),
			sdVarOf(2, "w", sdVariable, sdT{4: w}),
			sdVarOf(3, "b", sdConstant, sdT{4: b}),
			sdVarOf(10, "y", sdArrayVar, nil),
		},
		2: []sdT{{0: int32(10), 1: "affine", 2: sdE(21), 3: int64(105708548226109), 6: []sdT{{0: int32(1)}, {0: int32(2)}, {0: int32(3)}},
			15: []string{"y"}, 16: "xw_plus_b", 17: []byte{5}}},
		3: []sdT{}, 4: sdT{0: int64(-1), 3: sdE(3), 4: sdE(1)}, 5: []string{"x"}, 6: []string{},
	}
}

func sdInline() sdT {
	return sdSmallGraph(sdInfo([]int64{2, 2}, 1, -2, 0.5, 3), sdInfo([]int64{2}, 0.25, -1))
}

// sdRec is a record of layout R1 with a CRC.
func sdRec(typ byte, data []byte) []byte {
	out := binary.BigEndian.AppendUint64([]byte{typ}, uint64(len(data)))
	out = append(append(out, 0x80), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
}

// sdBox is a container of records.
func sdBox(recs ...[]byte) []byte {
	return append([]byte(sdMagic+"\x00\x00\x00\x01"), bytes.Join(recs, nil)...)
}

func sdHead(n int32) []byte { return sdRec(0, sdFB(sdT{0: int32(1), 1: n})) }

func sdMetaOf(kv ...string) []byte {
	var entries []sdT
	for i := 0; i < len(kv); i += 2 {
		entries = append(entries, sdT{0: kv[i], 1: kv[i+1]})
	}
	return sdRec(1, sdFB(sdT{0: entries}))
}

// sdArraysOf is an ARRAYS payload: an index of stubs and blobs at multiples of 64.
func sdArraysOf(names []string, blobs [][]byte) []byte {
	var entries []sdT
	off := int64(0)
	var region []byte
	for i, b := range blobs {
		for len(region)%64 != 0 {
			region = append(region, 0)
		}
		off = int64(len(region))
		region = append(region, b...)
		entries = append(entries, sdT{0: names[i], 1: sdStub(5, []int64{int64(len(b) / 4)}, off, int64(len(b)))})
	}
	index := sdFB(sdT{0: entries})
	out := append(binary.BigEndian.AppendUint64(nil, uint64(len(index))), index...)
	for len(out)%64 != 0 {
		out = append(out, 0)
	}
	return append(out, region...)
}

func sdFloats(v ...float32) (out []byte) {
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// sdNBOf is an SDNB file of a graph and blobs.
func sdNBOf(graph []byte, names []string, blobs [][]byte) []byte {
	out := append([]byte("SDNB\x00\x00\x00\x01"), make([]byte, 16)...)
	out = append(binary.BigEndian.AppendUint64(out, 32), graph...)
	var entries []sdManifestEntry
	for i, b := range blobs {
		entries = append(entries, sdManifestEntry{name: names[i], offset: int64(len(out)), length: int64(len(b))})
		out = append(out, b...)
	}
	m := sdManifestBytes(entries)
	binary.BigEndian.PutUint64(out[8:], uint64(len(out)))
	binary.BigEndian.PutUint64(out[16:], uint64(len(m)))
	return append(out, m...)
}

func sdNBSmall() []byte {
	g := sdSmallGraph(sdStub(5, []int64{2, 2}, 0, 16), sdStub(5, []int64{2}, 16, 8))
	g[9], g[10] = []string{"nd4j.format.type", "nd4j.format.version"}, []string{"APPENDED_BLOB", "1"}
	return sdNBOf(sdFB(g), []string{"w", "b"}, [][]byte{sdFloats(1, -2, 0.5, 3), sdFloats(0.25, -1)})
}

// sdBig is a chain of n nodes with a variable each.
func sdBig(n int) []byte {
	vars := make([]sdT, n+1)
	nodes := make([]sdT, n)
	vars[0] = sdVarOf(1<<24, "x", sdPlaceholder, sdT{3: []int64{-1, 16}})
	for i := range nodes {
		in := int32(i)
		if i == 0 {
			in = 1 << 24
		}
		vars[i+1] = sdVarOf(int32(i+1), fmt.Sprintf("layer%d/out", i), sdArrayVar, nil)
		nodes[i] = sdT{0: int32(i + 1), 1: fmt.Sprintf("layer%d", i), 2: sdE(21), 3: int64(1234567891234), 5: []int32{}, 6: []sdT{{0: in}}, 7: []int32{},
			9: []int64{1, 2, 3}, 15: []string{fmt.Sprintf("layer%d/out", i)}, 16: "relu", 17: []byte{5}}
	}
	return sdFB(sdT{1: vars, 2: nodes, 3: []sdT{}, 5: []string{"x"}, 6: []string{}})
}

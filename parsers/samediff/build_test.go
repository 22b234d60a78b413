package samediff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/parsers/samediff/manifest"
)

// The samples and tests of SameDiff write graphs with the FlatBuffers library, not with the code under test.

// tableSpec is a table for the builder: its fields by slot.
type tableSpec map[int]any

// e is an enum or a byte.
type e int8

// build writes a value of the kinds below and everything that it refers to, and returns what a table keeps of it.
func build(b *flatbuffers.Builder, v any) any {
	offsets := func(n int, at func(i int) any) flatbuffers.UOffsetT {
		offs := make([]flatbuffers.UOffsetT, n)
		for i := range offs {
			offs[i] = build(b, at(i)).(flatbuffers.UOffsetT)
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
	case []tableSpec:
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
	case tableSpec:
		n := 0
		kept := map[int]any{}
		for slot := range v {
			n = max(n, slot+1)
		}
		for slot := range n {
			if x, ok := v[slot]; ok {
				kept[slot] = build(b, x)
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
			case e:
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

// fb returns the buffer of a root table.
func fb(root tableSpec) []byte {
	b := flatbuffers.NewBuilder(1 << 10)
	b.Finish(build(b, root).(flatbuffers.UOffsetT))
	return bytes.Clone(b.FinishedBytes())
}

// shapeInfoOf is a FlatArray of floats in the shapeInfo dialect, big-endian.
func shapeInfoOf(dims []int64, v ...float32) tableSpec {
	info := append([]int64{int64(len(dims))}, dims...)
	info = append(append(info, denseStrides(dims, 'c')...), 8192, 1, 99)
	var raw []byte
	for _, x := range v {
		raw = binary.BigEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return tableSpec{0: info, 1: raw, 2: e(5), 3: e(1)}
}

// stub is a FlatArray in the dims dialect whose n bytes are elsewhere.
func stub(typ e, dims []int64, off, n int64) tableSpec {
	t := tableSpec{0: dims, 2: typ, 5: n, 9: n}
	if off != 0 {
		t[8] = off
	}
	return t
}

// varOf is a variable.
func varOf(id int32, name string, kind e, rest tableSpec) tableSpec {
	t := tableSpec{0: tableSpec{0: id}, 1: name, 2: e(5), 5: int32(-1), 6: kind}
	for k, v := range rest {
		if a, ok := v.(tableSpec); !ok || a != nil {
			t[k] = v
		}
	}
	return t
}

// smallGraph is y = x·w + b, with w and b as given.
func smallGraph(w, b tableSpec) tableSpec {
	return tableSpec{
		1: []tableSpec{
			varOf(1, "x", placeholder, tableSpec{3: []int64{-1, 2}}),
			varOf(2, "w", varVariable, tableSpec{4: w}),
			varOf(3, "b", varConstant, tableSpec{4: b}),
			varOf(10, "y", varArrayKind, nil),
		},
		2: []tableSpec{{0: int32(10), 1: "affine", 2: e(21), 3: int64(105708548226109),
			6:  []tableSpec{{0: int32(1)}, {0: int32(2)}, {0: int32(3)}},
			15: []string{"y"}, 16: "xw_plus_b", 17: []byte{5}}},
		3: []tableSpec{}, 4: tableSpec{0: int64(-1), 3: e(3), 4: e(1)}, 5: []string{"x"}, 6: []string{},
	}
}

func inline() tableSpec {
	return smallGraph(shapeInfoOf([]int64{2, 2}, 1, -2, 0.5, 3), shapeInfoOf([]int64{2}, 0.25, -1))
}

// recordOf is a record of layout R1 with a CRC.
func recordOf(typ byte, data []byte) []byte {
	out := binary.BigEndian.AppendUint64([]byte{typ}, uint64(len(data)))
	out = append(append(out, 0x80), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
}

// box is a container of records.
func box(recs ...[]byte) []byte {
	return append([]byte(containerMagic+"\x00\x00\x00\x01"), bytes.Join(recs, nil)...)
}

func headOf(n int32) []byte { return recordOf(0, fb(tableSpec{0: int32(1), 1: n})) }

func metaOf(kv ...string) []byte {
	var entries []tableSpec
	for i := 0; i < len(kv); i += 2 {
		entries = append(entries, tableSpec{0: kv[i], 1: kv[i+1]})
	}
	return recordOf(1, fb(tableSpec{0: entries}))
}

// arraysOf is an ARRAYS payload: an index of stubs and blobs at multiples of 64.
func arraysOf(names []string, blobs [][]byte) []byte {
	var entries []tableSpec
	off := int64(0)
	var region []byte
	for i, b := range blobs {
		for len(region)%64 != 0 {
			region = append(region, 0)
		}
		off = int64(len(region))
		region = append(region, b...)
		entries = append(entries, tableSpec{0: names[i], 1: stub(5, []int64{int64(len(b) / 4)}, off, int64(len(b)))})
	}
	index := fb(tableSpec{0: entries})
	out := append(binary.BigEndian.AppendUint64(nil, uint64(len(index))), index...)
	for len(out)%64 != 0 {
		out = append(out, 0)
	}
	return append(out, region...)
}

func floats(v ...float32) (out []byte) {
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// nbOf is an SDNB file of a graph and blobs.
func nbOf(graph []byte, names []string, blobs [][]byte) []byte {
	out := append([]byte("SDNB\x00\x00\x00\x01"), make([]byte, 16)...)
	out = append(binary.BigEndian.AppendUint64(out, 32), graph...)
	var entries []manifest.Entry
	for i, b := range blobs {
		entries = append(entries, manifest.Entry{Name: names[i], Offset: int64(len(out)), Length: int64(len(b))})
		out = append(out, b...)
	}
	m := manifest.Write(entries)
	binary.BigEndian.PutUint64(out[8:], uint64(len(out)))
	binary.BigEndian.PutUint64(out[16:], uint64(len(m)))
	return append(out, m...)
}

func nbSmall() []byte {
	g := smallGraph(stub(5, []int64{2, 2}, 0, 16), stub(5, []int64{2}, 16, 8))
	g[9], g[10] = []string{"nd4j.format.type", "nd4j.format.version"}, []string{"APPENDED_BLOB", "1"}
	return nbOf(fb(g), []string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)})
}

// big is a chain of n nodes with a variable each.
func big(n int) []byte {
	vars := make([]tableSpec, n+1)
	nodes := make([]tableSpec, n)
	vars[0] = varOf(1<<24, "x", placeholder, tableSpec{3: []int64{-1, 16}})
	for i := range nodes {
		in := int32(i)
		if i == 0 {
			in = 1 << 24
		}
		vars[i+1] = varOf(int32(i+1), fmt.Sprintf("layer%d/out", i), varArrayKind, nil)
		nodes[i] = tableSpec{0: int32(i + 1), 1: fmt.Sprintf("layer%d", i), 2: e(21), 3: int64(1234567891234), 5: []int32{},
			6: []tableSpec{{0: in}}, 7: []int32{},
			9: []int64{1, 2, 3}, 15: []string{fmt.Sprintf("layer%d/out", i)}, 16: "relu", 17: []byte{5}}
	}
	return fb(tableSpec{1: vars, 2: nodes, 3: []tableSpec{}, 5: []string{"x"}, 6: []string{}})
}

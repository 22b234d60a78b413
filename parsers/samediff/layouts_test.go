package samediff

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"spandrel/parsers/internal/inflate"
)

// foreignRec writes a record of any layout (section 2.4).
func foreignRec(l layoutCode, o binary.ByteOrder, typ, code byte, data []byte) []byte {
	n := uint64(len(data))
	flags := code
	if l.sum > 0 && !l.always {
		flags |= 0x80
	}
	if l.inclusive {
		n += uint64(1 + l.sum)
	}
	out := make([]byte, l.head)
	if l.typeLen == 4 {
		o.PutUint32(out, uint32(typ))
	} else {
		out[0] = typ
	}
	o.PutUint64(out[l.lengthAt:], n)
	if l.flagAt >= 0 {
		out[l.flagAt] = flags
	}
	out = append(out, data...)
	sum := make([]byte, l.sum)
	switch l.sum {
	case 4:
		o.PutUint32(sum, crc32.ChecksumIEEE(data))
	case 8:
		o.PutUint64(sum, uint64(crc32.ChecksumIEEE(data)))
	}
	return append(out, sum...)
}

// TestSameDiffLayouts reads containers with every prologue, byte order and record layout of section 2.4, normalises them, and finds
// the same model.
func TestSameDiffLayouts(t *testing.T) {
	packed, err := inflate.Deflate(inflate.Zlib, 6, fb(inline()))
	if err != nil {
		t.Fatal(err)
	}
	for _, magic := range []string{"M14", "M16", "MU", "M12"} {
		for _, o := range []binary.ByteOrder{binary.BigEndian, binary.LittleEndian} {
			for _, l := range layouts {
				for _, code := range []byte{0, 1} {
					if code == 1 && l.flagAt < 0 {
						continue
					}
					file := []byte(map[string]string{"M14": containerMagic, "M16": containerMagic + "\x00\x00", "MU": "\x00\x0e" + containerMagic,
						"M12": containerMagic[:12]}[magic])
					version := make([]byte, 4)
					o.PutUint32(version, 1)
					file = append(file, version...)
					graph := fb(inline())
					if code == 1 {
						graph = packed
					}
					file = append(file, foreignRec(l, o, 0, 0, fb(tableSpec{0: int32(1), 1: int32(3)}))...)
					file = append(file, foreignRec(l, o, 1, 0, fb(tableSpec{0: []tableSpec{{0: "name", 1: "tiny"}}}))...)
					file = append(file, foreignRec(l, o, 2, code, graph)...)
					name := fmt.Sprintf("%s-%s-%v-%d.sdc", magic, l.code, o, code)
					d := openModel(t, name, file)
					same(t, name, d)
					k := main(d.Tree).con
					if k.layout.code != l.code || k.order != o || k.pro.code != magic {
						t.Errorf("%s is taken for %s-%s-%v", name, k.pro.code, k.layout.code, k.order)
					}
					want := "SDF-002 " + fmt.Sprint(magic != "M14") + " SDF-004 " + fmt.Sprint(o == binary.LittleEndian) + " SDF-005 " + fmt.Sprint(l.code != "R1")
					if got := fmt.Sprint("SDF-002 ", len(findings(d, "SDF-002")) > 0, " SDF-004 ", len(findings(d, "SDF-004")) > 0, " SDF-005 ",
						len(findings(d, "SDF-005")) > 0); got != want {
						t.Errorf("%s: %s, want %s", name, got, want)
					}
					actOn(t, d, "convert-normal", "")
					again := openModel(t, name, bytesOf(t, d, name))
					same(t, name+" normalised", again)
					if k := main(again.Tree).con; k.layout.code != "R1" || k.order != binary.BigEndian || k.pro.code != "M14" {
						t.Errorf("%s is not normalised: %s-%s-%v", name, k.pro.code, k.layout.code, k.order)
					}
				}
			}
		}
	}
}

// TestSameDiffNormal normalises sections whose payloads have numbers of the container's byte order in them.
func TestSameDiffNormal(t *testing.T) {
	o := binary.LittleEndian
	text := func(s string) []byte { return append(o.AppendUint16(nil, uint16(len(s))), s...) }
	array := fb(tableSpec{0: []int64{2}, 1: floats(3, 4), 2: e(5)})
	list := append(o.AppendUint64(append(o.AppendUint32(nil, 1), text("x")...), uint64(len(array))), array...)
	shard := append(append(o.AppendUint32(o.AppendUint32(nil, 0), 2), text("graph")...), text("base")...)
	meta := append(append(o.AppendUint32(nil, 1), text("k")...), text("v")...)
	file := append([]byte(containerMagic), 1, 0, 0, 0)
	for typ, data := range [][]byte{fb(tableSpec{0: int32(1), 1: int32(5)}), meta, fb(tableSpec{1: []tableSpec{varOf(1, "x", 0, nil)}}), list,
		shard} {
		file = append(file, foreignRec(layouts[0], o, byte(typ), 0, data)...)
	}
	d := openModel(t, "n.sdc", file)
	actOn(t, d, "convert-normal", "")
	k := main(d.Tree).con
	if got := elements(t, d, "x"); fmt.Sprint(got) != "[3 4]" {
		t.Errorf("elements %v", got)
	}
	if v, _ := k.meta.get("k"); v != "v" {
		t.Errorf("metadata %q", v)
	}
	if s := k.shard; s == nil || s.placed == nil || s.index != 0 || s.count != 2 || s.kind != "graph" || s.base != "base" {
		t.Errorf("shard %+v", s)
	}
	if bad := errorsOf(t, d); k.order != binary.BigEndian || len(bad) > 0 {
		t.Error(k.order, bad)
	}
	short := append([]byte(containerMagic), 1, 0, 0, 0)
	for typ, data := range [][]byte{fb(tableSpec{0: int32(1), 1: int32(3)}), 2: fb(inline()), 3: {1, 2, 3}} {
		if data != nil {
			short = append(short, foreignRec(layouts[0], o, byte(typ), 0, data)...)
		}
	}
	if _, err := normalise(t.Context(), openModel(t, "s.sdc", short).Tree, nil, nil); err == nil || !strings.Contains(err.Error(), "repair it first") {
		t.Errorf("a container with a damaged section is normalised: %v", err)
	}
}

// TestSameDiffTypes reads arrays of every type, in both dialects and orders, and finds nothing wrong with them.
func TestSameDiffTypes(t *testing.T) {
	for typ, x := range types {
		for _, order := range []int64{99, 102} {
			raw := make([]byte, 6*x.width)
			for i := range raw {
				raw[i] = byte(i & 1)
			}
			info := append([]int64{2, 2, 3}, denseStrides([]int64{2, 3}, byte(order))...)
			si := tableSpec{0: append(info, x.bit, 1, order), 1: raw, 2: e(typ), 3: e(1)}
			dim := tableSpec{0: []int64{2, 3}, 1: raw, 2: e(typ), 3: e(order&1 ^ 1)}
			g := smallGraph(si, shapeInfoOf([]int64{2}, 0.25, -1))
			g[1].([]tableSpec)[1][2] = e(typ)
			n := smallGraph(dim, tableSpec{0: []int64{2}, 1: floats(0.25, -1), 2: e(5)})
			n[1].([]tableSpec)[1][2] = e(typ)
			for name, file := range map[string][]byte{"g.fb": fb(g), "g.sdnb": nbOf(fb(n), nil, nil)} {
				d := openModel(t, name, file)
				errorsOf(t, d)
				found, _ := d.Tree.Findings()
				for _, f := range found {
					if id := f.Rule.ID; id >= "SDF-170" && id < "SDF-189" && id != "SDF-185" || strings.HasPrefix(id, "model.") {
						t.Errorf("%s of %s: %s %s", name, x.name, id, f.Text())
					}
				}
				if n := len(elements(t, d, "w")); n != 6 {
					t.Errorf("%s of %s: %d elements", name, x.name, n)
				}
			}
		}
	}
}

// TestSameDiffPrefix reads a graph behind its length in every layout and byte order; the length alone could be a root offset.
func TestSameDiffPrefix(t *testing.T) {
	graph := fb(inline())
	for _, o := range []binary.ByteOrder{binary.BigEndian, binary.LittleEndian} {
		for _, l := range layouts {
			for _, w := range []int{4, 8} {
				head := make([]byte, w)
				if w == 4 {
					o.PutUint32(head, uint32(len(graph)))
				} else {
					o.PutUint64(head, uint64(len(graph)))
				}
				file := append([]byte(containerMagic), 0, 0, 0, 0)
				o.PutUint32(file[14:], 1)
				file = append(file, foreignRec(l, o, 0, 0, fb(tableSpec{0: int32(1), 1: int32(2)}))...)
				file = append(file, foreignRec(l, o, 2, 0, append(head, graph...))...)
				name := fmt.Sprintf("%s-%v-%d.sdc", l.code, o, w)
				d := openModel(t, name, file)
				same(t, name, d)
				if k := main(d.Tree).con; k.layout.code != l.code || len(k.sections) != 2 || k.sections[1].variant != fmt.Sprintf("prefix%d", w) {
					t.Errorf("%s is taken for %s", name, k.layout.code)
				}
			}
		}
	}
}

// TestSameDiffTextDims reads an array of texts whose shape is dims, in a bare graph: the texts say how long they are.
func TestSameDiffTextDims(t *testing.T) {
	raw := append(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(make([]byte, 8), 1), 3), "aü"...)
	g := fb(tableSpec{1: []tableSpec{varOf(1, "s", 0, tableSpec{2: e(dtypeUTF8), 4: tableSpec{0: []int64{2}, 1: raw, 2: e(dtypeUTF8)}})}})
	d := openModel(t, "t.fb", g)
	if bad := errorsOf(t, d); len(bad) > 0 {
		t.Error(bad)
	}
}

// TestSameDiffShardTexts checks SHARD_INFO in the forms other than a buffer.
func TestSameDiffShardTexts(t *testing.T) {
	for name, x := range map[string]struct{ rule, info string }{
		"index": {"SDF-100", `{"shard_index":3,"shard_count":2,"shard_type":"weights"}`},
		"type":  {"SDF-107", `{"shard_index":0,"shard_count":2,"shard_type":"weights"}`},
		"one":   {"SDF-110", `{"shard_index":0,"shard_count":1}`},
		"plain": {"SDF-100", "\x00\x00\x00\x02\x00\x00\x00\x02\x00\x07weights"},
	} {
		d := openModel(t, name+".sdc", box(headOf(3), recordOf(2, fb(inline())), recordOf(4, []byte(x.info))))
		if len(findings(d, x.rule)) != 1 {
			t.Errorf("%s: no %s", name, x.rule)
		}
	}
}

// TestSameDiffMembers checks the members of an archive as the shards of a set.
func TestSameDiffMembers(t *testing.T) {
	nb := nbSmall()
	for _, x := range []struct {
		rule  string
		names []string
	}{
		{"SDF-102", []string{"model.shard0-of-2.sdnb", "model.shard1-of-3.sdnb"}},
		{"SDF-103", []string{"model.shard1-of-2.sdnb"}},
		{"SDF-104", []string{"model.shard0-of-3.sdnb", "model.shard2-of-3.sdnb"}},
		{"SDF-105", []string{"model.shard0-of-N.sdnb"}},
		{"SDF-108", []string{"model.shard0-of-2.sdnb", "model.shard1-of-2.sdnb"}},
	} {
		files := map[string][]byte{}
		for _, n := range x.names {
			files[n] = nb
		}
		d := openModel(t, "m.sdz", zipMany(t, files))
		errorsOf(t, d)
		if len(findings(d, x.rule)) == 0 {
			t.Errorf("%v: no %s", x.names, x.rule)
		}
	}
}

// TestSameDiffMissingShards checks that a missing shard is called by its name, and where to get it.
func TestSameDiffMissingShards(t *testing.T) {
	nb := nbSmall()
	for _, x := range []struct {
		has, lacks, rule string
		b                []byte
	}{
		{"m.shard0-of-2.sdc", "m.shard1-of-2.sdc is missing: get this file", "SDF-104", box(headOf(3), recordOf(2, fb(inline())))},
		{"m.shard1-of-3.sdnb", "m.shard0-of-3.sdnb, which contains the graph, is missing: get this file", "SDF-103", nb},
		{"m.shard2-of-3.sdnb", "m.shard1-of-3.sdnb is missing: get this file", "SDF-104", nb},
		{"m.shard1-of-N.sdnb", "m.shard0-of-N.sdnb, which contains the graph, is missing: get this file", "SDF-103", nb},
		{"m.sdz", "a.shard1-of-2.sdnb is missing in the archive: get a complete copy", "SDF-104", zipMany(t, map[string][]byte{"a.shard0-of-2.sdnb": nb})},
	} {
		d := openModel(t, x.has, x.b)
		errorsOf(t, d)
		found := findings(d, x.rule)
		if len(found) != 1 || !strings.HasPrefix(found[0].Text(), x.lacks) || strings.Contains(found[0].Expected, "-") {
			t.Errorf("%s: %v, want %q", x.has, found, x.lacks)
		}
	}
}

// TestSameDiffZipComment opens an archive whose comment holds the signature of an end record.
func TestSameDiffZipComment(t *testing.T) {
	b := zipOf(t, 0, nbSmall())
	const comment = "PK\x05\x06 and more than the 22 bytes of a record"
	b[len(b)-2] = byte(len(comment))
	d := openModel(t, "c.sdz", append(b, comment...))
	if bad := errorsOf(t, d); len(bad) > 0 {
		t.Error(bad)
	}
}

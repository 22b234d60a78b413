package samediff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"spandrel/parsers/internal/suite"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
)

// Graphs whose tables are one table, sections that are bombs, manifests that point everywhere, arrays in files elsewhere.
func TestSameDiffLimits(t *testing.T) {
	of := func(name string, f func(n int) []byte) func(int) map[string][]byte {
		return func(n int) map[string][]byte { return map[string][]byte{name: f(n)} }
	}
	packed := func(typ byte, n int) []byte {
		z, _ := suite.ZlibZeros(n)
		b := recordOf(typ, z)
		b[9] |= 1
		return b
	}
	suite.Limits(t, Format, suite.Hostile{
		"one-node":     of("a.fb", func(n int) []byte { return shared(n / 8) }),
		"one-variable": of("a.fb", func(n int) []byte { return sharedBy(flat.GraphVariables, n/4) }),
		"one-text":     of("a.fb", func(n int) []byte { return overlapping(min(n/16, 1<<20)) }),
		"inputs":       of("a.fb", func(n int) []byte { return inputsOfAll(n/80, n/10) }),
		"one-id": of("a.fb", func(n int) []byte {
			vars, nodes := make([]tableSpec, n/250), make([]tableSpec, n/250)
			for i := range nodes {
				vars[i] = varOf(1, "x", varArrayKind, nil)
				nodes[i] = tableSpec{0: int32(1), 1: "x", 2: e(21), 3: int64(1234567891234), 6: []tableSpec{{0: int32(1)}}, 15: []string{"x"}, 16: "relu"}
			}
			return fb(tableSpec{1: vars, 2: nodes, 3: []tableSpec{}, 5: []string{"x"}, 6: []string{}})
		}),
		"chain":   of("a.fb", func(n int) []byte { return big(n / 250) }),
		"nested":  of("a.fb", func(n int) []byte { return nest(max(4, min(n/2000, 2000))) }),
		"offsets": of("a.fb", func(n int) []byte { return append([]byte{16, 0, 0, 0}, bytes.Repeat([]byte{4, 0, 0, 0}, n/4)...) }),
		"names": of("a.fb", func(n int) []byte {
			g := inline()
			g[9] = strings.Fields(strings.Repeat("k ", n/16))
			g[10] = g[9]
			return fb(g)
		}),
		"records":  of("a.sdc", func(n int) []byte { return box(headOf(3), bytes.Repeat(recordOf(200, nil), n/14)) }),
		"bomb":     of("a.sdc", func(n int) []byte { return box(headOf(2), packed(2, n)) }),
		"bombs":    of("a.sdc", func(n int) []byte { one := packed(2, 5000); return box(headOf(3), bytes.Repeat(one, n/len(one))) }),
		"metadata": of("a.sdc", func(n int) []byte { return box(headOf(3), recordOf(1, sharedBy(0, n/4)), recordOf(2, fb(inline()))) }),
		"archive":  of("a.sdz", func(n int) []byte { return suite.ZipBomb("model.sdnb", n) }),
		"members":  of("a.sdz", func(n int) []byte { return suite.ZipNames("model.sdnb", nbSmall(), n) }),
		"manifest": of("a.sdnb", func(n int) []byte {
			var entries []manifest.Entry
			for i := range n / 40 {
				entries = append(entries, manifest.Entry{Name: fmt.Sprint("v", i), Offset: 40, Length: int64(n)})
			}
			b, m := nbOf(fb(inline()), nil, nil), manifest.Write(entries)
			b = append(b[:len(b)-len(manifest.Write(nil))], make([]byte, n/4)...)
			binary.BigEndian.PutUint64(b[8:], uint64(len(b)))
			binary.BigEndian.PutUint64(b[16:], uint64(len(m)))
			return append(b, m...)
		}),
		"manifest-nested": of("a.sdnb", func(n int) []byte {
			b := nbSmall()
			at := binary.BigEndian.Uint64(b[8:])
			b = append(b[:at+4], bytes.Repeat([]byte("sr\x00\x01a\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01L\x00\x01at\x00\x01Lxp"), n/30)...)
			binary.BigEndian.PutUint64(b[16:], uint64(len(b))-at)
			return b
		}),
		"manifest-arrays": of("a.sdnb", func(n int) []byte {
			b := nbSmall()
			at := binary.BigEndian.Uint64(b[8:])
			b = append(b[:at+4], bytes.Repeat([]byte("ur\x00\x02[B\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00xp\x7f\xff\xff\xff"), n/24)...)
			binary.BigEndian.PutUint64(b[16:], uint64(len(b))-at)
			return b
		}),
		"dimensions": of("a.fb", func(n int) []byte {
			dims := make([]int64, n/16)
			for i := range dims {
				dims[i] = 1 << 62
			}
			return fb(smallGraph(shapeInfoOf(dims, 1), shapeInfoOf([]int64{1 << 62}, 1)))
		}),
		"parts": func(n int) map[string][]byte {
			out := map[string][]byte{}
			for i := range min(n/500, 3000) {
				out[fmt.Sprintf("m.shard%d-of-%d.sdnb", i, min(n/500, 3000))] = nbSmall()
			}
			return out
		},
		"links": func(n int) map[string][]byte {
			return map[string][]byte{"m.shard0-of-4.sdnb": nbSmall(), "m.shard1-of-4.sdnb -> /dev/zero": nil,
				"m.shard2-of-4.sdnb -> m.shard2-of-4.sdnb": nil, "m.shard3-of-4.sdnb -> ../../../../../../etc/passwd": nil}
		},
	})
}

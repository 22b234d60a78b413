package tiledb

import (
	"crypto/md5"
	"encoding/binary"
	"math"
	"slices"

	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/storage"
)

// sampleDim writes a dimension of version 5 and later. extent nil: none.
func sampleDim(name string, datatype byte, num uint32, domain, extent any) func(*byteWriter) {
	return func(w *byteWriter) {
		w.text(name).put(datatype, num).pipe()
		var d byteWriter
		if domain != nil {
			d.put(domain)
		}
		w.put(uint64(d.Len()), d.Bytes())
		if extent == nil {
			w.put(byte(1))
		} else {
			w.put(byte(0), extent)
		}
	}
}

// sampleChunks is a generic tile of chunks that are made by hand.
func sampleChunks(size int, pipe []byte, chunks ...any) []byte {
	var tile, w byteWriter
	tile.put(chunks...)
	return w.put(uint32(23), uint64(tile.Len()), uint64(size), byte(4), uint64(1), byte(0), uint32(len(pipe)), pipe, tile.Bytes()).Bytes()
}

// brokenMore are more files that break one rule each: those that the fields of a sampleSpec alone do not make.
func brokenMore() map[string][]byte {
	v23 := func(f func(*sampleSpec)) []byte { s := sampleOf(23); s.attrs = 1; f(s); return sampleFile(s) }
	dims := func(sparse bool, list ...func(*byteWriter)) []byte {
		return v23(func(s *sampleSpec) { s.dims, s.sparse = list, sparse })
	}
	payload := sampleOf(23).payload()
	none := new(byteWriter).pipe().Bytes()
	sum := func(b byte) []byte {
		digest := md5.Sum(payload)
		digest[0] += b
		return digest[:]
	}
	summed := new(byteWriter).put(uint32(65536), uint32(1), byte(12), uint32(0)).Bytes()
	webp := func(format byte, y, x uint16) func(*byteWriter) {
		return func(w *byteWriter) {
			w.put(uint32(65536), uint32(1), byte(18), uint32(12), float32(50), format, byte(1), y, x, uint16(0))
		}
	}
	picture := func(format byte, y, x uint16) []byte {
		return v23(func(s *sampleSpec) {
			s.attrType, s.fill, s.filters = 6, []byte{255}, webp(format, y, x)
			s.dims = []func(*byteWriter){sampleDim("y", 0, 1, []int32{1, 8}, int32(4)), sampleDim("x", 0, 1, []int32{1, 24}, int32(12))}
		})
	}
	label := func(typ byte, num uint32) []byte {
		return v23(func(s *sampleSpec) {
			var w byteWriter
			w.put(uint32(0)).text("l").put(byte(1), uint64(11), "__labels/l0").text("label").put(byte(1), typ, num, byte(0))
			s.nlabels, s.labels = 1, w.Bytes()
		})
	}
	enum := func(typ byte, num uint32, ordered byte, data string, tail string) []byte {
		var w byteWriter
		w.put(uint32(0)).text("e").text("__0123456789abcdef0123456789abcdef_0").put(typ, num, ordered, uint64(len(data)), data, tail)
		return sampleTile(23, w.Bytes())
	}
	coords := func(filter ...byte) func(*byteWriter) {
		return func(w *byteWriter) {
			w.put(uint32(65536), uint32(len(filter)))
			for _, f := range filter {
				if w.put(f); f == 6 {
					w.put(uint32(6), f, int32(-1), byte(17))
				} else {
					w.put(uint32(5), f, int32(-1))
				}
			}
		}
	}
	crypt := sampleFile(sampleOf(23))
	crypt[29] = 2
	spare := append(sampleTile(23, payload), 0) // one byte more than the part takes
	spare[4]++
	spare[64]++
	kind := sampleOf(23).payload()
	kind[5] = 7
	trial := sampleOf(14).payload()
	binary.LittleEndian.PutUint32(trial, storage.VersionTrial)
	hilbert := func(w *byteWriter) {
		sampleDim(string(rune('a'+w.Len()%26))+filter.Text(w.Len()), 0, 1, []int32{1, 10}, int32(5))(w)
	}
	text := sampleDim("t", 11, 0xFFFFFFFF, nil, nil)
	return map[string][]byte{
		"TDB-012": crypt,
		"TDB-015": sampleChunks(len(payload), none, uint64(0)),
		"TDB-017": sampleChunks(len(payload), none, uint64(2), uint32(10), uint32(10), uint32(0), payload[:10], uint32(len(payload)-10),
			uint32(len(payload)-10), uint32(0), payload[10:]),
		"TDB-019": spare,
		"TDB-022": sampleChunks(len(payload), summed, uint64(1), uint32(len(payload)), uint32(len(payload)), uint32(32), uint32(0),
			uint32(1), uint64(len(payload)), sum(1), payload),
		"TDB-024": sampleTile(storage.VersionTrial, trial),
		"TDB-044": picture(1, 5, 12),
		"TDB-047": v23(func(s *sampleSpec) {
			s.sparse, s.coords = true, coords(6)
			s.dims = []func(*byteWriter){sampleDim("x", 2, 1, []float32{1, 2}, float32(1))}
		}),
		"TDB-048": v23(func(s *sampleSpec) { s.sparse, s.coords, s.dims = true, coords(1, 4), []func(*byteWriter){text} }),
		"TDB-055": sampleTile(23, kind),
		"TDB-060": v23(func(s *sampleSpec) {
			s.sparse, s.cellOrder, s.dims = true, 4, slices.Repeat([]func(*byteWriter){hilbert}, 17)
		}),
		"TDB-063": dims(true, []func(*byteWriter){}...),
		"TDB-082": dims(false, sampleDim("x", 0, 1, []int32{1, 10}, int32(5)), sampleDim("y", 1, 1, []int64{1, 10}, int64(5))),
		"TDB-084": v23(func(s *sampleSpec) {
			s.sparse = true
			s.dims = []func(*byteWriter){func(w *byteWriter) {
				w.text("x").put(byte(0), uint32(1)).pipe().put(uint64(16), []int64{1, 10}, byte(0), int32(5))
			}}
		}),
		"TDB-086": dims(true, sampleDim("x", 3, 1, []float64{1, math.Inf(1)}, 1.0)),
		"TDB-088": v23(func(s *sampleSpec) {
			s.sparse = true
			s.dims = []func(*byteWriter){func(w *byteWriter) {
				w.text("x").put(byte(11), uint32(0xFFFFFFFF)).pipe().put(uint64(0),
					byte(7))
			}}
		}),
		"TDB-089": dims(true, sampleDim("x", 0, 1, []int32{1, 10}, nil)),
		"TDB-090": dims(true, sampleDim("t", 11, 0xFFFFFFFF, nil, byte(5))),
		"TDB-093": dims(false, sampleDim("x", 1, 1, []int64{1, 1<<63 - 3}, int64(1<<62))),
		"TDB-094": dims(false, sampleDim("x", 1, 1, []int64{1, 1 << 40}, int64(1<<40)),
			sampleDim("y", 1, 1, []int64{1, 1 << 40}, int64(1<<40))),
		"TDB-123": label(12, 1),
		"TDB-134": enum(44, 1, 0, "abc", ""),
		"TDB-135": enum(0, 1, 0, "abcdef", ""),
		"TDB-138": enum(6, 1, 0, "abc", "tail"),
		"TDB-149": v23(func(s *sampleSpec) {
			s.sparse, s.dims = true, []func(*byteWriter){text}
			s.current = new(byteWriter).put(uint32(0), byte(0), byte(0), uint64(4), uint64(2), "zzaa").Bytes()
		}),
	}
}

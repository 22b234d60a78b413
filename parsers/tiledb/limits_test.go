package tiledb

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"testing"

	"spandrel/parsers/internal/suite"
)

// bombTile is a generic tile of one chunk that inflates to a thousand times its size.
func bombTile(version uint32, n int) []byte {
	z, size := suite.ZlibZeros(n)
	size = min(size, 1<<31-1)
	var tile, w byteWriter
	tile.put(uint64(1), uint32(size), uint32(len(z)), uint32(16), uint32(0), uint32(1), uint32(size), uint32(len(z)), z)
	w.put(version, uint64(tile.Len()), uint64(size), byte(4), uint64(1), byte(0), uint32(18))
	return w.put(uint32(65536), uint32(1), byte(1), uint32(5), byte(1), int32(1), tile.Bytes()).Bytes()
}

// Tiles that are bombs, schemas of many small things, arrays that hold themselves, fragments and commits without end.
func TestTDBLimits(t *testing.T) {
	tile := func(name string, f func(n int) []byte) func(int) map[string][]byte {
		return func(n int) map[string][]byte {
			files := sampleArray(23, true)
			files[name] = sampleTile(23, f(n))
			return files
		}
	}
	schema := func(change func(s *sampleSpec, n int)) func(int) map[string][]byte {
		return func(n int) map[string][]byte {
			files, s := sampleArray(23, true), sampleOf(23)
			s.sparse = true
			change(s, n)
			files["__schema/"+sampleName] = sampleTile(23, s.payload())
			return files
		}
	}
	data := func(chain []byte, chunk func(n int) []byte) func(int) map[string][]byte {
		return func(n int) map[string][]byte {
			files, s := sampleArray(23, true), sampleOf(23)
			s.sparse, s.capacity, s.coords = true, 5, func(w *byteWriter) { w.pipe() }
			s.filters = func(w *byteWriter) {
				w.put(uint32(65536), uint32(len(chain)))
				for _, f := range chain {
					if f == 6 || f == 19 {
						w.put(f, uint32(6), f, int32(-1), byte(0))
					} else {
						w.put(f, uint32(5), f, int32(-1))
					}
				}
			}
			files["__schema/"+sampleName] = sampleFile(s)
			for name := range files {
				if filepath.Base(name) == "a0.tdb" {
					files[name] = chunk(n)
				}
			}
			return files
		}
	}
	runs := func(n int) []byte { // four zero bytes, 65,535 times
		b := bytes.Repeat([]byte{0, 0, 0, 0, 255, 255}, n/6)
		return new(byteWriter).put(uint64(1), uint32(1<<31-1), uint32(len(b)), uint32(16), uint32(0), uint32(1), uint32(1<<31-1), uint32(len(b)), b).Bytes()
	}
	suite.Limits(t, Format, suite.Hostile{
		"schema-bomb": func(n int) map[string][]byte {
			f := sampleArray(23, true)
			f["__schema/"+sampleName] = bombTile(23, n)
			return f
		},
		"metadata-bomb": func(n int) map[string][]byte {
			f := sampleArray(23, true)
			f["__meta/"+sampleName] = bombTile(23, n)
			return f
		},
		"group-bomb": func(n int) map[string][]byte {
			return map[string][]byte{"__tiledb_group.tdb": nil, "__group/" + sampleName + "_2": bombTile(23, n)}
		},
		"metadata": tile("__meta/"+sampleName, func(n int) []byte {
			return bytes.Repeat(new(byteWriter).text("a").put(byte(0), byte(4), uint32(1), byte(7)).Bytes(), n/11)
		}),
		"metadata-random": tile("__meta/"+sampleName, func(n int) []byte { return bytes.Repeat([]byte{255}, 64*n) }),
		"enumeration": tile("__schema/__enumerations/__0123456789abcdef0123456789abcdef_0", func(n int) []byte {
			return new(byteWriter).put(uint32(0)).text("e").text("__0123456789abcdef0123456789abcdef_0").put(byte(11), uint32(1<<32-1), byte(0), uint64(0), uint64(8*n), make([]byte, 8*n)).Bytes()
		}),
		"conditions": tile("__commits/__1700000000002_1700000000002_"+sampleName[len(sampleName)-32:]+"_23.del", func(n int) []byte {
			return bytes.Repeat(new(byteWriter).put(byte(0), byte(0), uint64(1)).Bytes(), n)
		}),
		"attributes": schema(func(s *sampleSpec, n int) { s.attrs = n / 80 }),
		"dimensions": schema(func(s *sampleSpec, n int) {
			for range n / 60 {
				s.dims = append(s.dims, func(w *byteWriter) {
					w.text("x").put(s.dimType, s.dimNum).pipe().put(uint64(8), int32(1), int32(10), byte(0), int32(5))
				})
			}
		}),
		"filters": schema(func(s *sampleSpec, n int) {
			s.filters = func(w *byteWriter) { w.pipe(bytes.Repeat([]byte{2}, n/20)...) }
		}),
		"domain": schema(func(s *sampleSpec, n int) { s.low, s.high, s.extent = -1<<31, 1<<31-2, 1 }),
		"dense-domain": func(n int) map[string][]byte {
			files, s := sampleArray(23, false), sampleOf(23)
			s.low, s.high, s.extent = -1<<31, 1<<31-2, 1
			files["__schema/"+sampleName] = sampleFile(s)
			return files
		},
		"runs":         data([]byte{4}, runs),
		"runs-of-runs": data(bytes.Repeat([]byte{4}, 200), runs),
		"chunks":       data(nil, func(n int) []byte { return new(byteWriter).put(uint64(n/12), make([]byte, n)).Bytes() }),
		"most-chunks":  data(nil, func(n int) []byte { return new(byteWriter).put(uint64(1)<<63, make([]byte, n)).Bytes() }),
		"double-delta": data([]byte{6}, func(n int) []byte {
			var w byteWriter
			w.put(uint64(n / 64))
			for range n / 64 {
				b := new(byteWriter).put(byte(0), uint64(1)<<29, make([]byte, 8)).Bytes()
				w.put(uint32(1<<31-1), uint32(len(b)), uint32(16), uint32(0), uint32(1), uint32(1<<31-1), uint32(len(b)), b)
			}
			return w.Bytes()
		}),
		"members": func(n int) map[string][]byte {
			var w byteWriter
			w.put(uint32(2), uint64(n/30))
			for i := range n / 30 {
				uri := [...]string{".", "..", "../..", "/", "file:///etc", "a/../..", "__group", `C:\`}[i%8]
				w.put(uint32(2), byte(2), byte(1), uint64(len(uri)), uri, byte(0), byte(0))
			}
			return map[string][]byte{"__tiledb_group.tdb": nil, "__group/" + sampleName + "_2": sampleTile(23, w.Bytes()), "inner -> .": nil}
		},
		"labels": func(n int) map[string][]byte {
			files := sampleArray(23, true)
			maps.Copy(files, map[string][]byte{"__labels/l0 -> ../": nil, "__labels/l1 -> l1": nil, "__labels/l2 -> ../../../../../../../../etc": nil, "__fragments/again -> ..": nil,
				"__commits/__1700000000003_1700000000003_" + sampleName[len(sampleName)-32:] + "_23.wrt -> /dev/zero": nil,
				"__meta/" + sampleName + " -> /dev/zero": nil})
			return files
		},
		"commits": func(n int) map[string][]byte {
			files := sampleArray(23, true)
			for i := range min(n/60, 20_000) {
				files[fmt.Sprintf("__commits/__1700000%06d_1700000%06d_%s_23.wrt", i, i, sampleName[len(sampleName)-32:])] = nil
			}
			return files
		},
		"fragments": func(n int) map[string][]byte {
			files := sampleArray(23, true)
			for i := range min(n/120, 5000) {
				name := fmt.Sprintf("__1700000%06d_1700000%06d_%s_23", i, i, sampleName[len(sampleName)-32:])
				files["__fragments/"+name+"/__fragment_metadata.tdb"], files["__commits/"+name+".wrt"] = nil, nil
			}
			return files
		},
		"empty-files": func(n int) map[string][]byte {
			files := sampleArray(23, true)
			for i := range min(n/240, 4000) {
				stamp := fmt.Sprintf("__1700000%06d_1700000%06d_%s", i, i, sampleName[len(sampleName)-32:])
				for _, name := range []string{"__schema/" + stamp, "__meta/" + stamp, "__fragment_meta/" + stamp + "_23.meta", "__commits/" + stamp + "_23.del"} {
					files[name] = nil
				}
			}
			return files
		},
		"lists": func(n int) map[string][]byte {
			files := sampleArray(23, true)
			name := "__commits/__1700000000003_1700000000003_" + sampleName[len(sampleName)-32:] + "_23"
			files[name+".con"] = bytes.Repeat([]byte("__commits/../../../../etc/passwd\n"), n/33)
			files[name+".vac"], files[name+".ign"] = bytes.Repeat([]byte("\n"), n), bytes.Repeat([]byte("/__fragments/a\n"), n/15)
			return files
		},
		"footer": func(n int) map[string][]byte {
			files := sampleArray(23, true)
			for name, b := range files {
				if filepath.Base(name) == "__fragment_metadata.tdb" {
					files[name] = append(bytes.Clone(b), bytes.Repeat([]byte{255}, n)...)
				}
			}
			return files
		},
	})
}

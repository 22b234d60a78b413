package tiledb

import (
	"bytes"
	"context"
	"encoding/binary"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/parsers/internal/suite"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// brokenArrays are arrays that break one rule each.
func brokenArrays() map[string]map[string][]byte {
	out := map[string]map[string][]byte{}
	// broken adds an array of version 23; f may change its files, whose names start with these words.
	broken := func(rule string, sparse bool, f func(files map[string][]byte, named func(part string) string)) {
		files := sampleArray(23, sparse)
		f(files, func(part string) string {
			for name := range files {
				if strings.Contains(name, part) {
					return name
				}
			}
			panic(part)
		})
		out[rule] = files
	}
	type m = map[string][]byte
	type n = func(string) string
	put64 := func(b []byte, fromEnd int, v uint64) []byte {
		b = bytes.Clone(b)
		binary.LittleEndian.PutUint64(b[len(b)-fromEnd:], v)
		return b
	}
	const meta = "__fragment_metadata"
	out["TDB-181"] = otherSums()
	out["TDB-189"] = sampleMerged(true)
	delete(out["TDB-189"], "__fragments/"+mergedName+"/a0.tdb")
	broken("TDB-001", false, func(f m, _ n) { f["__schema/odd"] = []byte("odd") })
	broken("TDB-002", false, func(f m, _ n) { f["__schema/__2_1_"+sampleName[len(sampleName)-32:]] = sampleFile(sampleOf(23)) })
	broken("TDB-140", false, func(f m, _ n) {
		f["__schema/__enumerations/__"+sampleName[len(sampleName)-32:]+"_0"] = sampleEnum("__"+sampleName[len(sampleName)-32:]+"_0",
			"red", []uint64{0}, 0)
	})
	broken("TDB-131", false, func(f m, named n) {
		s := sampleOf(23)
		s.enum, s.enums = "e", [][2]string{{"e", "__" + sampleName[len(sampleName)-32:] + "_0"}}
		f["__schema/"+strings.ReplaceAll(sampleName, "1700000000000_", "1700000000009_")] = sampleFile(s)
	})
	broken("TDB-160", false, func(f m, named n) { delete(f, named("__schema/")); f["__schema/other/x"] = nil })
	broken("TDB-161", false, func(f m, named n) {
		old := named("__schema/")
		f["__schema/"+strings.Replace(sampleName, "0123", "ffff", 1)] = f[old]
		delete(f, old)
	})
	broken("TDB-191", false, func(f m, named n) {
		s := sampleOf(23)
		s.dims = []func(*byteWriter){sampleDim("plot", 0, 1, []int32{1, 10}, int32(5))}
		f["__schema/"+strings.ReplaceAll(sampleName, "1700000000000_", "1700000000009_")] = sampleFile(s)
	})
	broken("TDB-163", false, func(f m, named n) {
		for name, b := range maps.Clone(f) {
			if strings.HasPrefix(name, "__fragments/") {
				delete(f, name)
				f[strings.Replace(name, "_23/", "_22/", 1)] = b
			} else if strings.HasPrefix(name, "__commits/") {
				delete(f, name)
				f[strings.Replace(name, "_23.", "_22.", 1)] = b
			}
		}
	})
	broken("TDB-190", false, func(f m, named n) {
		b := bytes.Clone(f[named(meta)])
		b[bytes.LastIndex(b, []byte(sampleName))+len(sampleName)] = 0
		f[named(meta)] = b
	})
	broken("TDB-164", false, func(f m, named n) { f[named(meta)] = put64(f[named(meta)], 8, 100) })
	broken("TDB-165", false, func(f m, named n) { f[named(meta)] = put64(f[named(meta)], 8+4+8, 12345) })
	broken("TDB-166", false, func(f m, named n) { f[named(meta)] = append(bytes.Clone(f[named(meta)]), f[named(meta)]...) })
	broken("TDB-167", false, func(f m, named n) { f[named("a0")] = append(bytes.Clone(f[named("a0")]), 1) })
	broken("TDB-169", false, func(f m, named n) { // dense tiles of four cells, where there are five
		s := sampleOf(23)
		s.extent, s.coords = 4, func(w *byteWriter) { w.pipe() }
		f[named("__schema/")] = sampleFile(s)
	})
	out["TDB-172"] = sampleText(func(starts [][]uint64, _ [][]byte) { starts[1][2] = 99 })
	out["TDB-175"] = sampleText(func(_ [][]uint64, valid [][]byte) { valid[0][3] = 2 })
	out["TDB-188"] = sampleText(nil)
	for name, b := range out["TDB-188"] {
		out["TDB-188"][name] = bytes.Replace(b, []byte("seven"), []byte("s\xe9ven"), 1) // Latin-1
	}
	out["TDB-023"] = sampleArray(23, false)
	key := []byte("x123456789abcdefghijklmnopqrstuv") // not the one that the tests give
	if tile, err := storage.WriteTile(context.Background(), 23, sampleOf(23).payload(), key); err == nil {
		out["TDB-023"] = m{"__schema/" + sampleName: tile}
	}
	const enumFile = "__0123456789abcdef0123456789abcdef_0"
	enumerated := func(f m, named n, datatype byte, fill []byte, values int) {
		s := sampleOf(23)
		s.enum, s.enums, s.attrType, s.fill = "e", [][2]string{{"e", enumFile}}, datatype, fill
		s.coords = func(w *byteWriter) { w.pipe() }
		f[named("__schema/")] = sampleFile(s)
		var w, data byteWriter
		for i := range values {
			data.put(uint16(i))
		}
		w.put(uint32(0)).text("e").text(enumFile).put(byte(8), uint32(1), byte(0), uint64(data.Len()), data.Bytes())
		f["__schema/__enumerations/"+enumFile] = sampleTile(23, w.Bytes())
	}
	broken("TDB-113", false, func(f m, named n) {
		enumerated(f, named, 6, []byte{255}, 255)
		for name := range f {
			if !strings.HasPrefix(name, "__schema/") {
				delete(f, name)
			}
		}
	})
	broken("TDB-176", false, func(f m, named n) { enumerated(f, named, 0, []byte{0, 0, 0, 0x80}, 105) })
	broken("TDB-162", false, func(f m, named n) {
		for name, b := range sampleArray(9, false) {
			if name != schema.OldSchema {
				f[name] = b
			}
		}
	})
	broken("TDB-168", false, func(f m, named n) {
		b := bytes.Clone(f[named(meta)])
		a := f[named("a0")]
		list := new(byteWriter).put(uint64(2), uint64(0), uint64(len(a)/2)).Bytes()
		other := new(byteWriter).put(uint64(2), uint64(0), uint64(200)).Bytes()
		f[named(meta)] = bytes.Replace(b, sampleTile(23, list), sampleTile(23, other), 1)
	})
	broken("TDB-170", true, func(f m, named n) { // tiles of four cells each, where there are five
		s := sampleOf(23)
		s.sparse, s.capacity = true, 6
		s.coords = func(w *byteWriter) { w.pipe() }
		f[named("__schema/")] = sampleFile(s)
	})
	broken("TDB-171", true, func(f m, named n) { // one tile more than the R-tree has leaves
		b := bytes.Clone(f[named(meta)])
		at := bytes.LastIndex(b, new(byteWriter).put([]int32{1, 10}, uint64(2), uint64(5)).Bytes())
		b[at+8] = 3
		f[named(meta)] = b
	})
	broken("TDB-125", false, func(f m, named n) {
		s := sampleOf(23)
		var w byteWriter
		s.nlabels, s.labels = 1, w.put(uint32(0)).text("l").put(byte(1), uint64(11), "__labels/l0").text("label").put(byte(1), byte(3),
			uint32(1), byte(0)).Bytes()
		s.coords = func(w *byteWriter) { w.pipe() }
		f[named("__schema/")] = sampleFile(s)
		f["__labels/l0/__schema/"+sampleName] = sampleFile(sampleOf(23))
	})
	broken("TDB-182", true, func(f m, named n) { // the box ends in front of the last cell
		b := bytes.Clone(f[named(meta)])
		b[bytes.LastIndex(b, new(byteWriter).put([]int32{1, 10}, uint64(2), uint64(5)).Bytes())+4] = 9
		f[named(meta)] = b
	})
	broken("TDB-173", true, func(f m, named n) {
		s := sampleOf(23)
		s.sparse, s.capacity, s.low = true, 5, 2
		s.coords = func(w *byteWriter) { w.pipe() }
		f[named("__schema/")] = sampleFile(s)
	})
	broken("TDB-151", true, func(f m, named n) {
		s := sampleOf(23)
		s.sparse, s.capacity = true, 5
		s.coords = func(w *byteWriter) { w.pipe() }
		s.current = new(byteWriter).put(uint32(0), byte(0), byte(0), int32(2), int32(9)).Bytes()
		f[named("__schema/")] = sampleFile(s)
	})
	broken("TDB-174", false, func(f m, named n) { delete(f, named(".wrt")) })
	broken("TDB-177", false, func(f m, _ n) {
		f["__meta/"+sampleName] = sampleTile(23, new(byteWriter).text("a\x00b").put(byte(0), byte(0), uint32(1), int32(1)).Bytes())
	})
	broken("TDB-178", false, func(f m, _ n) {
		f["__group/"+sampleName+"_2"] = sampleTile(23,
			new(byteWriter).put(uint32(2), uint64(1), uint32(2), byte(3), byte(1), uint64(1), "m", byte(0), byte(0)).Bytes())
	})
	broken("TDB-187", true, func(f m, _ n) {
		for name, b := range maps.Clone(f) {
			delete(f, name)
			f["inner/"+name] = b
		}
		f["__group/"+sampleName+"_2"] = sampleTile(23, new(byteWriter).put(uint32(2), uint64(1), uint32(2), byte(2), byte(0),
			uint64(29), "file:///before/it/moved/inner", byte(0), byte(0)).Bytes())
	})
	broken("TDB-179", false, func(f m, _ n) {
		f["__commits/"+sampleName+"_23.con"] = []byte("__commits/__1_1_" + sampleName[len(sampleName)-32:] + "_23.wrt\n")
	})
	broken("TDB-180", false, func(f m, named n) {
		f["__schema/"+strings.Replace(sampleName, "0123", "ffff", 1)] = f[named("__schema/")]
	})
	return out
}

// samples are the files of testdata/tiledb.
func samples() map[string][]byte {
	out := map[string][]byte{}
	folder := func(dir string, files map[string][]byte) {
		for name, b := range files {
			out[dir+"/"+name] = b
		}
	}
	for _, v := range []uint32{1, 5, 10, 18, 23} {
		out["good/schema-v"+filter.Text(v)+".tdb"] = sampleFile(sampleOf(v))
	}
	out["good/enumeration.tdb"] = sampleEnum("__0123456789abcdef0123456789abcdef_0", "redgreenblue", []uint64{0, 3, 8}, 0)
	out["good/metadata.tdb"] = sampleTile(23,
		new(byteWriter).text("answer").put(byte(0), byte(0), uint32(1), int32(42)).text("gone").put(byte(1)).
			text("name").put(byte(0), byte(12), uint32(4), "cell").Bytes())
	out["good/group.tdb"] = sampleTile(23,
		new(byteWriter).put(uint32(2), uint64(1), uint32(2), byte(2), byte(1), uint64(1), "m", byte(1), uint64(4), "name", byte(0)).Bytes())
	folder("good/sparse-v4", sampleArray(4, true))
	folder("good/dense-v9", sampleArray(9, false))
	folder("good/sparse-v23", sampleArray(23, true))
	for rule, b := range brokenFiles() {
		if rule != "TDB-132" && rule != "TDB-003" && rule != "TDB-012" { // these depend on the name of the file
			out["bad/"+rule[4:]+"-broken.tdb"] = b
		}
	}
	for _, rule := range []string{"TDB-163", "TDB-166", "TDB-174"} {
		folder("bad/"+rule[4:]+"-array", brokenArrays()[rule])
	}
	return out
}

// The samples are what the code makes; -update writes them.
func TestTDBSamples(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "testdata", "tiledb")
	if *suite.Update {
		writeFiles(t, root, samples())
	}
	for name, want := range samples() {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
}

// otherSums is an array whose metadata say another sum of a tile than its cells have.
func otherSums() map[string][]byte {
	files := map[string][]byte{}
	root := filepath.Join("..", "..", "testdata", "tiledb", "good", "sparse-v22")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		panic(err)
	}
	for name, b := range files {
		if !strings.HasSuffix(name, metaFileF.Name) {
			continue
		}
		const slots, tiles = 6, 3
		at := int64(0)
		for range 1 + fragment.Sums*slots { // to the sums of the first attribute
			at += storage.ListLength(b[at:])
		}
		var w byteWriter // filters that do nothing, as many as make the tile as long as the one that is there
		w.put(uint32(22), uint64(8+12+32), uint64(32), byte(4), uint64(1), byte(0), uint32(23), uint32(65536), uint32(3), make([]byte, 15))
		w.put(uint64(1), uint32(32), uint32(32), uint32(0), uint64(tiles), uint64(1), uint64(2), uint64(3))
		files[name] = append(append(bytes.Clone(b[:at]), w.Bytes()...), b[at+storage.ListLength(b[at:]):]...)
	}
	return files
}

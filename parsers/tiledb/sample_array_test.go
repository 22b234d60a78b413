package tiledb

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// sampleData is a data tile of one chunk: through zlib, or as it is.
func sampleData(b []byte, gzip bool) []byte {
	var w byteWriter
	w.put(uint64(1), uint32(len(b)))
	if !gzip {
		return w.put(uint32(len(b)), uint32(0), b).Bytes()
	}
	z := sampleZlib(b, zlib.DefaultCompression)
	return w.put(uint32(len(z)), uint32(16), uint32(0), uint32(1), uint32(len(b)), uint32(len(z)), z).Bytes()
}

// sampleArray is the files of an array of a format version: two attributes of ten cells, in two tiles of five, over x from 1 to
// 10. Cell i of a says i, of b 100 + i.
func sampleArray(version uint32, sparse bool) map[string][]byte {
	s := sampleOf(version)
	s.sparse, s.capacity = sparse, 5
	s.coords = func(w *byteWriter) { w.pipe() }
	files := map[string][]byte{}
	named, fragment := "__schema/"+sampleName, "__fragments/__1700000000001_1700000000001_"+sampleName[len(sampleName)-32:]
	switch {
	case version < 3:
		fragment = "__" + sampleName[len(sampleName)-32:] + "_1700000000001"
	case version < 12:
		fragment = fragment[len("__fragments/"):]
	}
	if version < 10 {
		named = schema.OldSchema
	}
	if version >= 5 {
		fragment += fmt.Sprintf("_%d", version)
		if version < 12 {
			files[fragment+".ok"] = nil
		} else {
			files["__commits/"+fragment[len("__fragments/"):]+".wrt"] = nil
		}
	}
	files[named] = sampleFile(s)
	names := []string{"a", "b", "__coords", "x"}
	switch {
	case version >= 9:
		names = []string{"a0", "a1", "__coords", "d0"}
	case version < 5:
		names = names[:3]
	}
	stored := map[int]bool{0: true, 1: true}
	if sparse {
		stored[len(names)-1] = true
	}
	offsets, sizes := make([][]uint64, len(names)), make([]uint64, len(names))
	for i, name := range names {
		if !stored[i] {
			if !sparse && i > 1 && version >= 5 {
				offsets[i] = []uint64{0, 0} // dense fragments list zeros for fields without file
			}
			continue
		}
		var file []byte
		for k := range 2 {
			var tile byteWriter
			for j := range 5 {
				tile.put(int32(map[bool]int{false: 100 * i, true: 0}[i > 1] + 5*k + j + 1))
			}
			offsets[i] = append(offsets[i], uint64(len(file)))
			file = append(file, sampleData(tile.Bytes(), i < 2)...)
		}
		files[fragment+"/"+name+".tdb"], sizes[i] = file, uint64(len(file))
	}
	files[fragment+"/__fragment_metadata.tdb"] = sampleMeta(s, named, offsets, sizes, sampleVar{})
	return files
}

// sampleVar is what the metadata of a fragment say of values of varying size and of validity, by field.
type sampleVar struct {
	offsets, lengths, valid [][]uint64
	sizes, validSizes       []uint64
}

// sampleText is the files of a sparse array of version 23: a nullable attribute of texts in ten cells, in two tiles of five.
// change may break the starts of the cells or their validity.
func sampleText(change func(starts [][]uint64, valid [][]byte)) map[string][]byte {
	s := sampleTextSchema()
	words := [2]string{"onetwothreefourfive", "sixseveneightnineten"}
	starts := [][]uint64{{0, 3, 6, 11, 15}, {0, 3, 8, 13, 17}}
	valid := [][]byte{{1, 1, 0, 1, 1}, {1, 1, 1, 1, 0}}
	if change != nil {
		change(starts, valid)
	}
	fragment := "__1700000000001_1700000000001_" + sampleName[len(sampleName)-32:] + "_23"
	files := map[string][]byte{"__commits/" + fragment + ".wrt": nil}
	m := sampleVar{offsets: make([][]uint64, 3), lengths: make([][]uint64, 3), valid: make([][]uint64, 3), sizes: make([]uint64, 3),
		validSizes: make([]uint64, 3)}
	offsets, sizes := make([][]uint64, 3), make([]uint64, 3)
	put := func(name string, list *[]uint64, size *uint64, tile []byte) {
		name = "__fragments/" + fragment + "/" + name + ".tdb"
		*list = append(*list, uint64(len(files[name])))
		files[name] = append(files[name], tile...)
		*size = uint64(len(files[name]))
	}
	zstd := func(b []byte) []byte { // the offsets and the validity go through ZSTD and RLE
		tile, err := filter.Coding{Filters: []filter.Filter{{Type: 2, Compressor: 2, Level: -1}}, Tile: filter.TileType{Datatype: filter.Uint64, CellSize: 8, FormatVersion: 23}}.Filter(context.Background(), b)
		if err != nil {
			panic(err)
		}
		return tile
	}
	rle := func(b []byte) []byte {
		tile, err := filter.Coding{Filters: []filter.Filter{{Type: 4, Compressor: 4, Level: -1}}, Tile: filter.TileType{Datatype: 6, CellSize: 1, FormatVersion: 23}}.Filter(context.Background(), b)
		if err != nil {
			panic(err)
		}
		return tile
	}
	for k := range 2 {
		put("a0", &offsets[0], &sizes[0], zstd(new(byteWriter).put(starts[k]).Bytes()))
		put("a0_var", &m.offsets[0], &m.sizes[0], sampleData([]byte(words[k]), false))
		m.lengths[0] = append(m.lengths[0], uint64(len(words[k])))
		put("a0_validity", &m.valid[0], &m.validSizes[0], rle(valid[k]))
		var x byteWriter
		for i := range 5 {
			x.put(int32(5*k + i + 1))
		}
		put("d0", &offsets[2], &sizes[2], sampleData(x.Bytes(), false))
	}
	files["__schema/"+sampleName] = sampleFile(s)
	files["__fragments/"+fragment+"/__fragment_metadata.tdb"] = sampleMeta(s, sampleName, offsets, sizes, m)
	return files
}

// sampleTextSchema is the schema of sampleText.
func sampleTextSchema() *sampleSpec {
	s := sampleOf(23)
	s.sparse, s.capacity, s.attrs, s.attrType, s.attrNum, s.fill, s.nullable = true, 5, 1, filter.UtF8, storage.VariableCells, []byte{0}, 1
	s.coords = func(w *byteWriter) { w.pipe() }
	s.filters = s.coords
	return s
}

// boxes are the ends of the tiles of a sparse sample, each of as many cells as the extent says; nil of a dense one.
func (s *sampleSpec) boxes() (out []int32) {
	for at := s.low; s.sparse && at <= s.high; at += s.extent {
		out = append(out, at, at+s.extent-1)
	}
	return out
}

// sampleMeta is the fragment metadata of samples.
func sampleMeta(s *sampleSpec, schema string, offsets [][]uint64, sizes []uint64, m sampleVar) []byte {
	v, n := s.version, len(offsets)
	var w byteWriter
	domain := []int32{s.low, s.high}
	boxes := s.boxes()
	if v <= 2 {
		w.put(v, uint64(8), domain, uint64(len(boxes)/2), boxes, uint64(len(boxes)/2), boxes)
		for _, list := range offsets {
			w.put(uint64(len(list)), list)
		}
		return sampleTile(v, w.put([]uint64{0, 0, 0, 0}, uint64(5), sizes, []uint64{0, 0}).Bytes())
	}
	var at []uint64
	tile := func(vs ...any) {
		var p byteWriter
		at = append(at, uint64(w.Len()))
		w.put(sampleTile(v, p.put(vs...).Bytes()))
	}
	var levels []any
	if v < 5 {
		levels = append(levels, uint32(1), uint32(10), byte(0))
	} else {
		levels = append(levels, uint32(max(10, len(boxes)/2)))
	}
	if s.sparse {
		tile(append(levels, uint32(2), uint64(1), domain, uint64(len(boxes)/2), boxes)...)
	} else {
		tile(append(levels, uint32(0))...)
	}
	vars := n
	if v < 5 {
		vars--
	}
	for _, list := range offsets {
		tile(uint64(len(list)), list)
	}
	list := func(lists [][]uint64, n int) {
		for i := range n {
			if i < len(lists) {
				tile(uint64(len(lists[i])), lists[i])
			} else {
				tile(uint64(0))
			}
		}
	}
	list(m.offsets, vars)
	list(m.lengths, vars)
	if v >= 7 {
		list(m.valid, n)
	}
	if v >= 11 {
		for range 2 {
			for range n {
				tile(uint64(0), uint64(0))
			}
		}
		if v >= 23 && s.sparse {
			tile(uint64(8), uint64(0), []int32{1, 6})
			tile(uint64(8), uint64(0), []int32{5, 10})
		}
		for range 2 * n {
			tile(uint64(0))
		}
	}
	if v >= 12 {
		var p byteWriter
		for range n {
			p.put(uint64(0), uint64(0), uint64(0), uint64(0))
		}
		tile(p.Bytes())
	}
	if v >= 16 {
		tile(uint64(0))
	}
	start := w.Len()
	w.put(v)
	if v >= 10 {
		name := filepath.Base(schema)
		w.put(uint64(len(name)), name)
	}
	dense, tiles := byte(1), uint64(0)
	if s.sparse {
		dense, tiles = 0, uint64(len(boxes)/2)
	}
	w.put(dense, byte(0), domain, tiles, uint64(s.extent))
	if v >= 14 {
		w.put(byte(0))
	}
	if v >= 15 {
		w.put(byte(0))
	}
	if m.sizes == nil {
		m.sizes, m.validSizes = make([]uint64, vars), make([]uint64, n)
	}
	w.put(sizes, m.sizes)
	if v >= 7 {
		w.put(m.validSizes)
	}
	next := func(n int) { w.put(at[:n]); at = at[n:] }
	next(1 + n + 2*vars)
	if v >= 7 {
		next(n)
	}
	var bounds []uint64
	if v >= 11 {
		next(2 * n)
		if v >= 23 && s.sparse {
			bounds, at = at[:2], at[2:]
		}
		next(2 * n)
	}
	if v >= 12 {
		next(1)
	}
	if v >= 16 {
		next(1)
	}
	if v >= 23 {
		w.put(uint32(min(1, len(bounds))))
		if bounds != nil {
			w.put(uint64(0), uint32(16), bounds)
		}
	}
	if v >= 10 {
		w.put(uint64(w.Len() - start))
	}
	return w.Bytes()
}

// writeFiles writes files into a folder of their own.
func writeFiles(t testing.TB, dir string, files map[string][]byte) string {
	t.Helper()
	for name, b := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Arrays of every format version are read to their last byte and cell.
func TestTDBArrayVersions(t *testing.T) {
	for version := uint32(1); version <= storage.VersionNewest; version++ {
		for _, sparse := range []bool{false, true} {
			d := open(t, writeFiles(t, t.TempDir(), sampleArray(version, sparse)))
			if rules := rulesOf(t, d); len(rules) > 0 {
				found, _ := d.Tree.Findings()
				t.Errorf("version %d sparse %v: %v %s %s", version, sparse, rules, found[0].Path(), found[0].Text())
				continue
			}
			rows := rowsOf(t, readTable(t, d, "cells"), "")
			if len(rows) != 10 {
				t.Errorf("version %d sparse %v: %d rows", version, sparse, len(rows))
				continue
			}
			for i, r := range rows {
				if got, want := fmt.Sprint(r[0], r[1], r[2]), fmt.Sprint(i+1, i+1, 100+i+1); got != want {
					t.Errorf("version %d sparse %v row %d: %s, not %s", version, sparse, i, got, want)
				}
			}
		}
	}
}

// filesOf lists the regular files below a folder of an array.
func filesOf(s *model.Snapshot, dir string) (files []model.Entry) {
	list, _, _ := s.List(dir)
	for _, e := range list {
		if e.Dir {
			files = append(files, filesOf(s, e.Name)...)
		} else {
			files = append(files, e)
		}
	}
	return files
}

// Damage in any file of an array ends in findings, not in a defect or without end.
func TestTDBMutateArray(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 6
	}
	ctx := context.Background()
	for _, version := range []uint32{2, 4, 9, 23} {
		d := open(t, writeFiles(t, t.TempDir(), sampleArray(version, true)))
		files := filesOf(d.Tree.Snapshot, ".")
		for _, e := range files {
			content, err := d.Tree.Snapshot.Content(e.Name)
			if err != nil {
				t.Fatal(err)
			}
			b := make([]byte, content.Len())
			content.ReadAt(b, 0)
			for round := range rounds {
				m := damage(b, round)
				tree := model.Parse(ctx, d.Tree.Snapshot.With(e.Name, model.BytesContent(m)), d.Format)
				suite.ReadAll(ctx, t, d, tree)
			}
		}
	}
}

// damage changes a few bytes of a copy of b, or cuts it.
func damage(b []byte, round int) []byte {
	m := bytes.Clone(b)
	if len(m) == 0 {
		return []byte{1, 2, 3}
	}
	x := uint32(round*2654435761 + 12345)
	for range 1 + round%4 {
		x = x*1664525 + 1013904223
		m[int(x>>8)%len(m)] = []byte{0, 255, byte(x), byte(x >> 16)}[x>>28&3]
	}
	if round%7 == 6 {
		m = m[:int(x>>4)%len(m)]
	}
	return m
}

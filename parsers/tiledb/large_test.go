package tiledb

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// largeArray writes an array of one fragment of so many bytes into a folder: cell i of a says i, over x from 1.
func largeArray(t *testing.T, dir string, size int64, sparse bool) {
	t.Helper()
	const cells = 1 << 14 // 64 KiB of values, one chunk
	names := []string{"a0"}
	if sparse {
		names = append(names, "d0")
	}
	s := sampleOf(22)
	tiles := int(size) / (4 * cells * len(names))
	s.sparse, s.capacity, s.attrs, s.low, s.high, s.extent = sparse, cells, 1, 1, int32(cells*tiles), cells
	s.coords = func(w *byteWriter) { w.pipe() }
	s.filters = s.coords
	schema, fragment := "__schema/"+sampleName, "__1700000000001_1700000000001_"+sampleName[len(sampleName)-32:]+"_22"
	writeFiles(t, dir, map[string][]byte{schema: sampleFile(s), "__commits/" + fragment + ".wrt": nil, "__fragments/" + fragment + "/a0.tdb": nil})
	const slots = 3 // a, the coordinates of old versions, x
	offsets, sizes := make([][]uint64, slots), make([]uint64, slots)
	offsets[1], offsets[2] = make([]uint64, tiles), make([]uint64, tiles)
	for i, name := range names {
		slot := 2 * i
		offsets[slot] = nil
		file, err := os.Create(filepath.Join(dir, "__fragments", fragment, name+".tdb"))
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriterSize(file, 1<<20)
		tile := sampleData(make([]byte, 4*cells), false)
		for k := range tiles {
			for j := range cells {
				binary.LittleEndian.PutUint32(tile[len(tile)-4*cells+4*j:], uint32(k*cells+j+1))
			}
			offsets[slot] = append(offsets[slot], sizes[slot])
			sizes[slot] += uint64(len(tile))
			if _, err := w.Write(tile); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		file.Close()
	}
	if sparse {
		offsets[1] = nil
	}
	writeFiles(t, dir, map[string][]byte{"__fragments/" + fragment + "/__fragment_metadata.tdb": sampleMeta(s, schema, offsets, sizes, sampleVar{})})
}

// A cell of a large fragment is edited as one of a small array is: in the time and the memory of its tile. What both cost is printed.
func TestTDBEditLarge(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		name := fmt.Sprintf("tiledb-sparse-%v", sparse)
		dir, size := suite.Large(t, name)
		largeArray(t, dir, size, sparse)
		row, a := size/8/3, 0
		suite.Cost(t, name, func() error {
			d := open(t, dir)
			cells := readTable(t, d, "cells")
			a = slices.IndexFunc(cells.Columns, func(c model.Column) bool { return c.Name == "a" })
			return suite.SetAndSave(t, d, cells, model.Typed{Row: row, Column: a, Text: "-7"})
		})
		again := open(t, dir)
		cells := readTable(t, again, "stored")
		rows, err := cells.Read(t.Context(), cells.Rows-1, 1) // what was written last is stored last
		if err != nil || len(rows) != 1 || rows[0][a].String() != "-7" {
			t.Errorf("the last row is %v, %v", rows, err)
		}
	}
}

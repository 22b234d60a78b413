package headless_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers"
	"spandrel/ui/headless"
)

// TestImportColumns takes numbers, texts and times of arrays in each format of files: no cell becomes text, and the array is the given one, byte by byte.
func TestImportColumns(t *testing.T) {
	dir := t.TempDir()
	for dtype, width := range map[string]int{"<f8": 8, ">f4": 4, "<f2": 2, "<i2": 2, ">i4": 4, "|u1": 1, "|b1": 1, "|S5": 5, "<U2": 8, "<M8[s]": 8} {
		const n = 70_000 // more than a page
		was, is := make([]byte, n*width), make([]byte, n*width)
		for i := range n {
			switch v := uint64(i % 60); dtype {
			case "|b1":
				is[i] = byte(i % 2)
			case "|S5", "<U2":
				is[i*width] = byte('a' + v%26)
			case "<M8[s]":
				binary.LittleEndian.PutUint64(is[i*8:], v<<20)
				if v == 7 {
					binary.LittleEndian.PutUint64(is[i*8:], 1<<63) // not a time
				}
			default: // one byte of it, at either end
				is[i*width+(width-1)*(i%2)] = byte(v)
			}
		}
		copy(is[:n/4*width], was) // these stay
		a, b := filepath.Join(dir, "a.npy"), filepath.Join(dir, "b.npy")
		header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", dtype, n)
		header = fmt.Sprintf("\x93NUMPY\x01\x00\x76\x00%-117s\n", header)
		os.WriteFile(a, append([]byte(header), was...), 0o600)
		os.WriteFile(b, append([]byte(header), is...), 0o600)
		for _, to := range []string{"arrow", "parquet", "csv"} {
			file, out := filepath.Join(dir, "x."+to), filepath.Join(dir, "out.npy")
			if status, _, said := run(nil, "table", b, "values", "--to", to, "-o", file); status != headless.Done {
				t.Fatalf("%s: %s", dtype, said)
			}
			changed := int64(0)
			for i := range n {
				if !bytes.Equal(was[i*width:(i+1)*width], is[i*width:(i+1)*width]) {
					changed++
				}
			}
			d, err := model.Open(t.Context(), a, parsers.All(), nil)
			if err != nil {
				t.Fatal(err)
			}
			x, err := headless.PlanImport(t.Context(), &d.Tree.Tables(t.Context())[0], file, "", false)
			d.Close()
			if err != nil || len(x.Cells) > 0 || x.Count != changed {
				t.Errorf("%s, %s: %d cells as text, %d of %d changes, %v", dtype, to, len(x.Cells), x.Count, changed, err)
			}
			os.Remove(out)
			if _, _, said := run(nil, "table", a, "values", "--from", file, "-o", out); !strings.Contains(said, model.Thousands(changed)+" cells of "+model.Thousands(changed)+" rows") {
				t.Errorf("%s, %s: %s", dtype, to, said)
			}
			if got, _ := os.ReadFile(out); !bytes.Equal(got, append([]byte(header), is...)) {
				t.Errorf("%s, %s: the array differs", dtype, to)
			}
		}
	}
}

// Names that stay, such as those of fragments, are compared as columns: no cell is read.
func TestImportNames(t *testing.T) {
	path := "../../testdata/tiledb/good/grid-v22"
	for _, to := range []string{"arrow", "parquet"} {
		file := filepath.Join(t.TempDir(), "x."+to)
		run(nil, "table", path, "cells", "--to", to, "-o", file)
		d, err := model.Open(t.Context(), path, parsers.All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		tables := d.Tree.Tables(t.Context())
		table := tables[slices.IndexFunc(tables, func(t model.Table) bool { return t.Name == "cells" })]
		table.Read = func(context.Context, int64, int64) ([]model.Row, error) { return nil, errors.New("rows are read") }
		if x, err := headless.PlanImport(t.Context(), &table, file, "", false); err != nil || x.Count != 0 {
			t.Errorf("%s: %v", to, err)
		}
		d.Close()
	}
}

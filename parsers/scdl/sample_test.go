package scdl

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// fileset is an archive folder: bytes by name.
type fileset map[string][]byte

// clone copies the names; the bytes are never changed in place.
func (f fileset) clone() fileset {
	g := fileset{}
	for k, v := range f {
		g[k] = v
	}
	return g
}

// patch replaces bytes of a file.
func (f fileset) patch(name string, off int, with ...byte) {
	b := bytes.Clone(f[name])
	copy(b[off:], with)
	f[name] = b
}

// write makes the folder on disk.
func (f fileset) write(t testing.TB, dir string) {
	for name, b := range f {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// open writes the folder to a place of its own and opens it.
func (f fileset) open(t testing.TB) *model.Document {
	t.Helper()
	dir := t.TempDir()
	f.write(t, dir)
	return open(t, dir)
}

func open(t testing.TB, path string) *model.Document {
	t.Helper()
	d, err := model.Open(context.Background(), path, formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	if d.Format == nil || d.Format.Name != "scdl" {
		t.Fatalf("%s opens as %v", path, d.Format)
	}
	return d
}

// le is numbers as raw memory of a little-endian machine.
func le(w int, v ...uint64) (b []byte) {
	for _, n := range v {
		b = append(b, binary.LittleEndian.AppendUint64(nil, n)[:w]...)
	}
	return b
}

// npy makes a one-dimensional NPY file of signed integers.
func npy(v ...int64) []byte {
	head := fmt.Sprintf("{'descr': '<i8', 'fortran_order': False, 'shape': (%d,), }", len(v))
	b := append([]byte("\x93NUMPY\x01\x00\x76\x00"), head...)
	b = append(b, bytes.Repeat([]byte{' '}, 127-len(b))...)
	b = append(b, '\n')
	for _, n := range v {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// table makes a Parquet file with a text column of as many names.
func table(column string, names ...string) []byte {
	schema := arrow.NewSchema([]arrow.Field{{Name: column, Type: arrow.BinaryTypes.String},
		{Name: "score", Type: arrow.PrimitiveTypes.Float64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i, n := range names {
		b.Field(0).(*array.StringBuilder).Append(n)
		b.Field(1).(*array.Float64Builder).Append(float64(i) / 2)
	}
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err == nil {
		err = w.Write(b.NewRecordBatch())
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return out.Bytes()
}

// head makes a header: arrays by name, length and dtype, and feature indices with all files below their folders, the tables behind the others
// as writers list them.
func head(f fileset, arrays []item, folders []item) []byte {
	w := &writer{}
	w.raw("SCDL", 0, 1, 0, 1)
	w.u32(1, uint32(len(arrays)))
	for _, a := range arrays {
		w.desc(descriptor{name: a.name, length: a.length, dtype: a.dtype})
		w.shape(a.shape)
	}
	w.u32(uint32(len(folders)))
	for _, a := range folders {
		var names []string
		for n := range f {
			if filepath.Dir(n) == a.name {
				names = append(names, n)
			}
		}
		sort.Slice(names, func(i, j int) bool {
			if x, y := filepath.Ext(names[i]) == ".parquet", filepath.Ext(names[j]) == ".parquet"; x != y {
				return y
			}
			return names[i] < names[j]
		})
		w.desc(descriptor{name: a.name, length: a.length, dtype: texts})
		w.paths(names)
		w.shape(a.shape)
	}
	return w.b
}

type item struct {
	name   string
	length uint64
	dtype  uint32
	shape  []uint32
}

// The matrix of the samples: 4 cells × 5 genes, 7 values, rows of 2, 0, 3 and 2 values.
var (
	sampleArrays  = []item{{name: "DATA", length: 7, dtype: 2}, {name: "ROWPTR", length: 5, dtype: 1}, {name: "COLPTR", length: 7, dtype: 1}}
	sampleFolders = []item{{name: "var_features", length: 4}, {name: "obs_features", length: 4}}
)

// good is an archive as the reference package writes it.
func good() fileset {
	f := fileset{
		"data.npy": le(2, 5, 300, 7, 1, 2, 9, 4), "row_ptr.npy": le(1, 0, 2, 2, 5, 7), "col_ptr.npy": le(1, 0, 3, 1, 2, 4, 0, 4),
		"metadata.json": []byte(`{"num_rows": 4}`), "version.json": []byte(`"0.1.3"`),
		"var_features/cumulative_sum_index.npy": npy(-1,
			4), "var_features/labels.json": []byte(`["a.h5ad"]`), "var_features/version.npy": npyfile.Text("0.1.3"),
		"var_features/dataframe_0.parquet": table("feature_name", "ACTB", "CD4", "GAPDH", "IL2", "TP53"),
		"obs_features/cumulative_sum_index.npy": npy(-1,
			4), "obs_features/labels.json": []byte(`[null]`), "obs_features/version.npy": npyfile.Text("0.1.3"),
		"obs_features/dataframe_0.parquet": table("cell_type", "B", "B", "T", "NK"),
	}
	f["header.sch"] = head(f, sampleArrays, sampleFolders)
	return f
}

// long is an archive of n cells with one value each, all of the first gene.
func long(n int) fileset {
	f := good()
	ptr, cells, ones := []uint64{0}, []string{}, []uint64{}
	for i := range n {
		ptr, cells, ones = append(ptr, uint64(i+1)), append(cells, fmt.Sprintf("cell%d", i)), append(ones, uint64(i%200+1))
	}
	f["row_ptr.npy"], f["col_ptr.npy"], f["data.npy"] = le(2, ptr...), le(1, make([]uint64, n)...), le(1, ones...)
	f["metadata.json"] = fmt.Appendf(nil, `{"num_rows": %d}`, n)
	f["var_features/cumulative_sum_index.npy"], f["obs_features/cumulative_sum_index.npy"] = npy(-1, int64(n)), npy(-1, int64(n))
	f["obs_features/dataframe_0.parquet"] = table("cell_type", cells...)
	f["header.sch"] = head(f, []item{{name: "DATA", length: uint64(n), dtype: 1}, {name: "ROWPTR", length: uint64(n + 1), dtype: 2},
		{name: "COLPTR", length: uint64(n), dtype: 1}}, []item{{name: "var_features", length: uint64(n)}, {name: "obs_features", length: uint64(n)}})
	return f
}

// ragged is an archive of n gene tables of one cell each: cell i has the value i+1 at gene i.
func ragged(n int) fileset {
	f := fileset{"metadata.json": fmt.Appendf(nil, `{"num_rows": %d}`, n), "version.json": []byte(`"0.1.3"`)}
	var ptr, col, val []uint64
	ends, cells, labels := []int64{-1}, []string{}, "["
	for i := range n {
		ptr, col, val = append(ptr, uint64(i)), append(col, uint64(i)), append(val, uint64(i+1))
		names := make([]string, i+1)
		for k := range names {
			names[k] = fmt.Sprintf("g%d_%d", i, k)
		}
		f[fmt.Sprintf("var_features/dataframe_%0*d.parquet", len(fmt.Sprint(n)), i)] = table("var_feature_id", names...)
		ends, cells = append(ends, int64(i+1)), append(cells, fmt.Sprintf("cell%d", i))
		labels += `"part", `
	}
	f["row_ptr.npy"], f["col_ptr.npy"], f["data.npy"] = le(1, append(ptr, uint64(n))...), le(1, col...), le(1, val...)
	for _, dir := range []string{"var_features", "obs_features"} {
		f[dir+"/version.npy"] = npyfile.Text("0.1.3")
	}
	f["var_features/cumulative_sum_index.npy"], f["obs_features/cumulative_sum_index.npy"] = npy(ends...), npy(-1, int64(n))
	f["var_features/labels.json"], f["obs_features/labels.json"] = []byte(labels[:len(labels)-2]+"]"), []byte(`["all"]`)
	f["obs_features/dataframe_0.parquet"] = table("obs_feature_id", cells...)
	f["header.sch"] = head(f, []item{{name: "DATA", length: uint64(n), dtype: 1}, {name: "ROWPTR", length: uint64(n + 1), dtype: 1},
		{name: "COLPTR", length: uint64(n), dtype: 1}},
		[]item{{name: "var_features", length: uint64(n)}, {name: "obs_features", length: uint64(n)}})
	return f
}

// chunks is the good archive in chunks of two rows.
func chunks() fileset {
	f := good()
	for _, n := range []string{"data.npy", "row_ptr.npy", "col_ptr.npy"} {
		delete(f, n)
	}
	f["chunk_00000/data.npy"], f["chunk_00000/row_ptr.npy"], f["chunk_00000/col_ptr.npy"] = le(2, 5, 300), le(1, 0, 2, 2), le(1, 0, 3)
	f["chunk_00001/data.npy"], f["chunk_00001/row_ptr.npy"], f["chunk_00001/col_ptr.npy"] = le(2, 7, 1, 2, 9, 4), le(1, 0, 3, 5), le(1, 1,
		2, 4, 0, 4)
	w := &writer{b: f["header.sch"]}
	w.b[11] = 2
	w.raw("", 1)
	w.u32(2, 2, 0, 4)
	f["header.sch"] = w.b
	return f
}

// neighbors is the good archive with a second matrix of cells by cells.
func neighbors() fileset {
	f := good()
	f["neighbor_indptr.npy"], f["neighbor_indices.npy"] = le(8, 0, 1, 1, 2, 3), le(4, 1, 0, 2)
	f["neighbor_values.npy"] = le(4, 0x3f800000, 0x40000000, 0x3f000000)
	return f
}

// legacy is the good archive as releases before October 2025 wrote it, without a header and with wide pointers.
func legacy() fileset {
	f := fileset{}
	for n, b := range good() {
		if dir, base := filepath.Split(n); dir == "var_features/" {
			f["features/"+base] = b
		} else if dir == "" {
			f[n] = b
		}
	}
	delete(f, "header.sch")
	f["data.npy"] = le(4, 0x40a00000, 0x40c00000, 0x40e00000, 0x3f800000, 0x40000000, 0x41100000, 0x40800000)
	f["row_ptr.npy"], f["col_ptr.npy"] = le(8, 0, 2, 2, 5, 7), le(4, 0, 3, 1, 2, 4, 0, 4)
	return f
}

// bothOf puts archives into one collection.
func bothOf(a, b fileset) fileset {
	f := fileset{"version.json": []byte(`"0.1.3"`)}
	for n := range a {
		f["first/"+n] = a[n]
	}
	for n := range b {
		f["second/"+n] = b[n]
	}
	return f
}

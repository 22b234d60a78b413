package scdl

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"spandrel/model"
)

// billion makes an archive of 10⁶ cells and 10⁹ non-zeros of holes: the disk holds its pointers only.
func billion(t testing.TB) string {
	const rows, each = 1_000_000, 1000
	dir := t.TempDir()
	f := ragged(1)
	ptr := make([]byte, 0, 8*(rows+1))
	for i := range uint64(rows + 1) {
		ptr = binary.LittleEndian.AppendUint64(ptr, i*each)
	}
	f["row_ptr.npy"], f["metadata.json"] = ptr, fmt.Appendf(nil, `{"num_rows": %d}`, rows)
	f["var_features/cumulative_sum_index.npy"] = npy(-1, rows)
	f["header.sch"] = head(f, []item{{name: "DATA", length: rows * each, dtype: 6}, {name: "ROWPTR", length: rows + 1, dtype: 4},
		{name: "COLPTR", length: rows * each, dtype: 3}},
		[]item{{name: "var_features", length: rows}})
	f.write(t, dir)
	for _, name := range []string{"data.npy", "col_ptr.npy"} {
		if err := os.Truncate(filepath.Join(dir, name), 4*rows*each); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// An archive of 10⁹ non-zeros opens without reading them, and any of its rows is at hand.
func TestScdlBillion(t *testing.T) {
	dir := billion(t)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := open(t, dir)
	runtime.ReadMemStats(&after)
	if mem := after.TotalAlloc - before.TotalAlloc; mem > 64<<20 {
		t.Errorf("opened with %d bytes allocated", mem)
	}
	for _, tab := range d.Tree.Tables(context.Background()) {
		if tab.Name != "matrix" {
			continue
		}
		for _, row := range []int64{0, 123_456, tab.Rows - 1} {
			if rows, err := tab.Read(context.Background(), row, 1); err != nil || len(rows) != 1 || len(rows[0][3].Items) != 1000 {
				t.Errorf("row %d: %d rows, %v", row, len(rows), err)
			}
		}
	}
}

func BenchmarkScdlOpenBillion(b *testing.B) {
	dir := billion(b)
	b.ReportAllocs()
	for b.Loop() {
		d, err := model.Open(context.Background(), dir, formats, nil)
		if err != nil {
			b.Fatal(err)
		}
		d.Close()
	}
}

func BenchmarkScdlMatrixRow(b *testing.B) {
	d := open(b, billion(b))
	for _, tab := range d.Tree.Tables(context.Background()) {
		if tab.Name == "matrix" {
			for i := int64(0); b.Loop(); i++ {
				if _, err := tab.Read(context.Background(), i*7919%tab.Rows, 1); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

// dense makes an archive of rows × each values whose columns ascend, as real ones do.
func dense(t testing.TB, rows, each int) string {
	dir := t.TempDir()
	f := ragged(1)
	ptr, col := make([]byte, 0, 4*(rows+1)), make([]byte, 0, 4*rows*each)
	for i := range rows + 1 {
		ptr = binary.LittleEndian.AppendUint32(ptr, uint32(i*each))
	}
	for i := range rows * each {
		col = binary.LittleEndian.AppendUint32(col, uint32(i%each*3+i/each%3))
	}
	f["row_ptr.npy"], f["col_ptr.npy"], f["data.npy"] = ptr, col, make([]byte, rows*each)
	f["header.sch"] = head(f, []item{{name: "DATA", length: uint64(rows * each), dtype: 1}, {name: "ROWPTR", length: uint64(rows + 1),
		dtype: 3}, {name: "COLPTR", length: uint64(rows * each), dtype: 3}}, nil)
	drop(f, "var_features/")
	f.write(t, dir)
	return dir
}

// The deep check of pointers and columns against a plain loop over the same bytes that does nothing but compare neighbours.
func BenchmarkScdlDeep(b *testing.B) {
	for _, each := range []int{1000, 50} {
		rows := 32_000_000 / each
		d := open(b, dense(b, rows, each))
		a := d.Tree.State.(*archiveState).archives[0]
		ptr, col := a.raws["row_ptr.npy"], a.raws["col_ptr.npy"]
		b.Run(fmt.Sprintf("check/%d", each), func(b *testing.B) {
			b.SetBytes(ptr.size + col.size)
			b.ReportAllocs()
			for b.Loop() {
				pass := &passes{a: a, ctx: context.Background(), p: &model.Probe{Report: func(d model.Finding) { b.Fatal(d.Text()) },
					Progress: func(int64, int64, string) {}}}
				if err := pass.matrix(matrix{ptr: ptr, col: col}, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("loop/%d", each), func(b *testing.B) {
			b.SetBytes(ptr.size + col.size)
			for b.Loop() {
				for _, r := range []*rawArray{ptr, col} {
					prev, falls := uint32(0), 0
					d.Tree.Stream(context.Background(), r.span.Range, step, func(_ int64, p []byte) error {
						for ; len(p) >= 4; p = p[4:] {
							n := binary.LittleEndian.Uint32(p)
							if n < prev {
								falls++
							}
							prev = n
						}
						return nil
					})
					if falls > rows {
						b.Fatal(falls)
					}
				}
			}
		})
	}
}

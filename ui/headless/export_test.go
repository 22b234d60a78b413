package headless_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"spandrel/model"
	"spandrel/ui/headless"
)

// TestExportLists reads the matrix and the cells of an archive back from Parquet and Arrow: columns of lists, numbers and text.
func TestExportLists(t *testing.T) {
	archive, dir := samples+"../scdl/good/archive", t.TempDir()
	want := map[string][]string{
		"matrix": {`0 2 ["ACTB","IL2"] [5,300]`, `1 0 [] []`, `2 3 ["CD4","GAPDH","TP53"] [7,1,2]`, `3 2 ["ACTB","TP53"] [9,4]`},
		"cells":  {"0 B 0", "0 B 0.5", "0 T 1", "0 NK 1.5"},
	}
	for table, rows := range want {
		for _, to := range []string{"parquet", "arrow"} {
			path := filepath.Join(dir, table+"."+to)
			if status, _, err := run(nil, "table", archive, table, "--to", to, "-o", path); status != 0 {
				t.Fatal(err)
			}
			var got []string
			for _, r := range readBack(t, path, to) {
				for i := range int(r.NumRows()) {
					line := ""
					for k := range int(r.NumCols()) {
						line += " " + r.Column(k).ValueStr(i)
					}
					got = append(got, line[1:])
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(rows) {
				t.Errorf("%s in %s: %v", table, to, got)
			}
		}
	}
}

// TestExportTypes reads the types of columns and some values back: widths, keys as dictionaries, times with their units, vectors of one length.
func TestExportTypes(t *testing.T) {
	list := strings.NewReplacer(" ", "", "element", "item")
	for _, c := range []struct{ path, table, columns, types, row string }{
		{"../idv/good/stored.idv", "rows", "SByte,UInt16,Single,Boolean,Text,Key,TimeSpan,Vector,Any", "int8 uint16 float32 bool utf8 " +
			"dictionary<values=utf8,indices=int32,ordered=false> duration[ns] fixed_size_list<item:float32,nullable>[4] list<item:utf8,nullable>",
			`-51 31 0.25 false a red -5100ns [0,1,0,0.5] ["1.0"]`},
		{"../tiledb/good/dense-v22", "cells", "day,n,fragment", "date32 int32 dictionary<values=utf8,indices=int32,ordered=false>",
			"2022-01-09 -23 __1700000000000_1700000000000_169cacc93506b3324eac8aff97ccc610_22"},
		{"../npy/good/vector.npy", "values", "value", "int32", "2"}, // with the high byte first in the file
		{"../safetensors/good/model.safetensors", "layer.0/weight", "value,position", "float32 utf8", "0.25 0,1"},
		{"../gguf/good/types.gguf", "number.float16", "value", "float16", "-2.125"},
	} {
		for _, to := range []string{"arrow", "parquet"} {
			if strings.Contains(c.columns, "TimeSpan") && to == "parquet" {
				continue // the library that reads it here has no lengths of time
			}
			path := filepath.Join(t.TempDir(), "x")
			if status, _, err := run(nil, "table", samples+c.path, c.table, "--columns", c.columns, "--to", to, "-o", path); status != 0 {
				t.Fatal(err)
			}
			var types, row []string
			for _, r := range readBack(t, path, to)[:1] {
				for k := range int(r.NumCols()) {
					types = append(types, list.Replace(r.Schema().Field(k).Type.String()))
					row = append(row, strings.ReplaceAll(r.Column(k).ValueStr(1), ", ", ","))
				}
			}
			if got := strings.Join(types, " "); got != c.types {
				t.Errorf("%s %s: types\n%s\nwant\n%s", c.path, to, got, c.types)
			}
			if got := strings.Join(row, " "); got != c.row {
				t.Errorf("%s %s: %s\nwant %s", c.path, to, got, c.row)
			}
		}
	}
}

// TestArrowStream prints Arrow as a stream on standard output, which is read as it comes.
func TestArrowStream(t *testing.T) {
	_, out, _ := run(nil, "table", samples+"../npy/good/vector.npy", "values", "--to", "arrow")
	r, err := ipc.NewReader(strings.NewReader(out))
	if err != nil || !r.Next() || r.RecordBatch().NumRows() == 0 {
		t.Fatalf("%v, of %d bytes", err, len(out))
	}
}

func readBack(t *testing.T, path, to string) (out []arrow.RecordBatch) {
	if to == "parquet" {
		p, err := file.OpenParquetFile(path, false)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		r, err := pqarrow.NewFileReader(p, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		tab, err := r.ReadTable(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for read := array.NewTableReader(tab, 0); read.Next(); {
			b := read.RecordBatch()
			b.Retain()
			out = append(out, b)
		}
		return out
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.NumRecords() {
		b, err := a.RecordBatchAt(i)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

// TestOneLine prints a name that holds the line ends of Unicode: some readers of JSON lines end a line at them.
func TestOneLine(t *testing.T) {
	b := []byte("SCDL\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x07a\u0085\u2028b\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00")
	for _, command := range []string{"dump", "check"} {
		_, out, err := run(b, command, "--json", "-")
		if err != "" || !strings.Contains(out, `a\u0085\u2028b`) || strings.ContainsAny(out, "\u0085\u2028") {
			t.Errorf("%s: %q %s", command, out, err)
		}
	}
}

// The rows of a damaged file are those after a repair that is proven, unless they are wanted as they stand.
func TestTableOfDamaged(t *testing.T) {
	b, err := os.ReadFile("../../testdata/idv/good/stored.idv")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.idv")
	packed := &bytes.Buffer{}
	z := gzip.NewWriter(packed)
	z.Write(b)
	z.Close()
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	_, want, _ := run(nil, "table", "../../testdata/idv/good/stored.idv", "rows")
	status, got, said := run(nil, "table", path, "rows")
	if status != 0 || got != want || !strings.Contains(said, "unpack the file") {
		t.Errorf("status %d: %s\n%s", status, said, got)
	}
	if status, got, _ := run(nil, "table", path, "rows", "--as-is"); status == 0 && got == want {
		t.Error("--as-is repairs it too")
	}
}

// With --labels keys, enumerations and dates are written as their names; without it as the file has them, and what has a type of its own keeps it.
func TestTableLabels(t *testing.T) {
	path := "../../testdata/idv/good/deflated.idv"
	for _, c := range []struct{ to, plain, named string }{
		{"csv", "Key,DateTime\n1,31\n", "Key,DateTime\nred,0001-01-01T00:00:00.0000031\n"},
		{"jsonl", `{"Key":1,"DateTime":31}` + "\n", `{"Key":"red","DateTime":"0001-01-01T00:00:00.0000031"}` + "\n"},
	} {
		args := []string{"table", "--to", c.to, "--rows", "1:2", "--columns", "Key,DateTime", path, "rows"}
		if _, out, _ := run(nil, args...); out != c.plain {
			t.Errorf("%s: %q", c.to, out)
		}
		if _, out, _ := run(nil, append(args, "--labels")...); out != c.named {
			t.Errorf("%s with names: %q", c.to, out)
		}
	}
	if status, _, err := run(nil, "table", "--to", "arrow", "--labels", path, "rows"); status == 0 || !strings.Contains(err, "csv and jsonl") {
		t.Errorf("status %d: %s", status, err)
	}
}

// TestExportFits exports a table that says that it has more rows than any disk has room for: nothing is written, and none is read.
func TestExportFits(t *testing.T) {
	dir := t.TempDir()
	if _, known := model.Room(dir); !known {
		t.Skip("the system does not say what is left on the disk")
	}
	tab := model.Table{Name: "rows", Rows: 1 << 62, Columns: []model.Column{{Name: "a"}}, Read: func(context.Context, int64, int64) ([]model.Row, error) {
		return nil, errors.New("a row was read")
	}}
	for _, to := range []string{"csv", "jsonl"} {
		if err := headless.Export(t.Context(), filepath.Join(dir, "a."+to), tab, to); err == nil || !strings.Contains(err.Error(), "do not fit") {
			t.Errorf("%s: %v", to, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("it leaves %s", left[0].Name())
	}
}

// TestTableTypes reads the types of columns, by which a program that reads JSON lines makes numbers of what JSON has no number for.
func TestTableTypes(t *testing.T) {
	status, out, err := run(nil, "table", "--json", samples+"../scdl/good/archive")
	first, _, _ := strings.Cut(out, "\n")
	want := `{"columns":["cell","count","genes","values"],"document":"../../testdata/taridx/../scdl/good/archive","kind":"table","name":"matrix","rows":4,"title":"matrix: one cell per row","types":["u64","u64","utf8[]","u16[]"]}`
	if status != 0 || first != want {
		t.Errorf("status %d, %s%s\nwant %s", status, first, err, want)
	}
}

// A table is printed as it was at a time, where the document has a history.
func TestTableAtTime(t *testing.T) {
	array := "../../testdata/tiledb/good/dense-v22" // written at 1700000000000, 2023-11-14 22:13:20
	_, all, _ := run(nil, "table", array, "cells")
	for at, want := range map[string]string{"1700000000000": all, "2023-11-14T22:13:20": all, "2023-11-15": all, "2023-11-14T22:13:20+00:00": all,
		"1699999999999": strings.SplitAfter(all, "\n")[0], "2023-11-14": strings.SplitAfter(all, "\n")[0]} {
		if status, got, said := run(nil, "table", "--at", at, array, "cells"); status != 0 || got != want {
			t.Errorf("%s: status %d, %s, %d bytes, not %d", at, status, said, len(got), len(want))
		}
	}
	for _, args := range [][]string{{"--at", "yesterday", array, "cells"}, {"--at", "-1", array, "cells"}, {"--at", "1", array, "dimensions"}, {"--at", "1", array}} {
		if status, _, said := run(nil, append([]string{"table"}, args...)...); status != headless.Failed || !strings.Contains(said, "--at") {
			t.Errorf("%v: status %d, %s", args, status, said)
		}
	}
}

// A unit of time that does not hold the times of the first page is not chosen for those of a later one.
func TestUnitHoldsEveryPage(t *testing.T) {
	const rows = 1000
	read := func(_ context.Context, row int64) (model.Row, error) {
		if row < 64 { // the first page
			return model.Row{{Value: model.I(10)}}, nil // in the year 1: microseconds hold it, nanoseconds do not
		}
		return model.Row{{Value: model.I(621_355_968_000_000_001)}}, nil // in 1970, with a tenth of a microsecond
	}
	tab := model.Table{Name: "t", Rows: rows, Read: model.RowsOf(rows, read),
		Columns: []model.Column{{Name: "at", Type: "i64", Kind: model.Int, Clock: &model.Clock{Step: 100 * time.Nanosecond, Epoch: -62_135_596_800}}}}
	path := filepath.Join(t.TempDir(), "t.arrow")
	if err := headless.Export(t.Context(), path, tab, "arrow"); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if typ := r.Schema().Field(0).Type; typ.ID() != arrow.INT64 {
		t.Errorf("the times are written as %s, in which the first rows have none", typ)
	}
}

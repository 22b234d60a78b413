package headless_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"spandrel/model"
	"spandrel/parsers"
	"spandrel/ui/headless"
)

// TestImportBack exports every table of every good sample and takes it back: in each format of files nothing changes.
func TestImportBack(t *testing.T) {
	for _, f := range parsers.All() {
		entries, err := os.ReadDir(filepath.Join("../../testdata", f.Name, "good"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".tree") || strings.HasSuffix(e.Name(), ".md") {
				continue
			}
			path := filepath.Join("../../testdata", f.Name, "good", e.Name())
			d, err := model.Open(t.Context(), path, parsers.All(), nil)
			if err != nil || d.Format == nil {
				continue // a folder of documents, of which others are samples
			}
			tables := d.Tree.Tables(t.Context())
			d.Close()
			for _, table := range tables[:min(len(tables), 12)] {
				t.Run(e.Name()+"/"+strings.ReplaceAll(table.Name, "/", "|"), func(t *testing.T) { takenBack(t, path, table) })
			}
		}
	}
}

// Texts that are no UTF-8, which Arrow and Parquet cannot hold, are exported as in JSON with a warning, and change nothing when they come back.
func TestTextsOfNoEncoding(t *testing.T) {
	path, dir := "../../testdata/npy/good/texts.npy", t.TempDir()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(strings.Replace(string(b), "'>U2'", "'|S8'", 1), "\n")
	latin := filepath.Join(dir, "latin.npy")
	if err := os.WriteFile(latin, []byte(header+"\na\xff\x00\x00\x00\x00\x00\x00\xc3\xa9\x00\x00\x00\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"csv", "jsonl", "arrow", "parquet"} {
		out := filepath.Join(dir, "out."+to)
		status, _, said := run(nil, "table", latin, "values", "--to", to, "-o", out)
		if status != headless.Done {
			t.Fatalf("%s: %s", to, said)
		}
		if told := strings.Contains(said, "some texts are not UTF-8"); told != (to == "arrow" || to == "parquet") {
			t.Errorf("%s: %q", to, said)
		}
		if to == "arrow" || to == "parquet" {
			if got := readBack(t, out, to)[0].Column(1).(*array.String); got.Value(0) != "a\uFFFD" || got.Value(1) != "é" {
				t.Errorf("%s: %q", to, got)
			}
		}
		if status, _, said := run(nil, "table", latin, "values", "--from", out, "--dry-run"); status != headless.Done || !strings.Contains(said, "0 cells of 0 rows would change") {
			t.Errorf("%s: %d, %s", to, status, said)
		}
	}
}

// --to says what a file is whose name does not; what is on standard input is read from there.
func TestImportKind(t *testing.T) {
	rows := filepath.Join(t.TempDir(), "rows.txt")
	if err := os.WriteFile(rows, []byte("value\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{{rows, "csv", "3 rows removed"}, {rows, "jsonl", "not a JSON object"}, {rows, "", "choose one with --to"}, {"-", "csv", "3 rows removed"}, {"s3://a/b.csv", "", "a local file"}} {
		args := []string{"table", "../../testdata/npy/good/vector.npy", "values", "--dry-run", "--from", c.from}
		if c.to != "" {
			args = append(args, "--to", c.to)
		}
		if _, _, said := run([]byte("value\n1\n"), args...); !strings.Contains(said, c.want) {
			t.Errorf("%s %s: %q", c.from, c.to, said)
		}
	}
}

func takenBack(t *testing.T, path string, table model.Table) {
	seen := map[string]bool{}
	for _, c := range table.Columns {
		if seen[c.Name] {
			t.Skip("two columns have one name")
		}
		seen[c.Name] = true
	}
	for _, to := range []string{"arrow", "parquet", "jsonl", "csv"} {
		if to == "jsonl" && table.Rows == 0 {
			continue // it has no names of columns then
		}
		file := filepath.Join(t.TempDir(), "x."+to)
		if status, _, err := run(nil, "table", "--as-is", path, table.Name, "--to", to, "-o", file); status != 0 {
			t.Fatalf("%s: %s", to, err)
		}
		status, out, err := run(nil, "table", "--dry-run", "--json", path, table.Name, "--from", file)
		want := `"added":0,"cells":0,"document":`
		if status != 0 || !strings.Contains(out, want) || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: status %d: %.600s %s", to, status, out, err)
		}
	}
}

// TestImportChanges gives tables other rows: by place, by key, behind the last one. What is read then is what was given, and the document is sound.
func TestImportChanges(t *testing.T) {
	for _, c := range []struct{ path, table, columns, file, flags, want string }{
		{"idv/good/stored.idv", "rows", "Text,Int16,Key", "Text,Int16,Key\nx,1,red\ny,2,\nz,3,blue\n", "", "x,1,1\ny,2,0\nz,3,3\n"},
		{"npy/good/vector.npy", "values", "value", `{"value":7}` + "\n" + `{"value":2}` + "\n" + `{"value":-9}` + "\n" + `{"value":4}` + "\n", "", "7\n2\n-9\n4\n"},
		{"safetensors/good/model.safetensors", "layer.0/weight", "value", "position,value\n\"1,1\",8\n", "--key position", ""},
		{"tiledb/good/dense-v22", "cells", "x,n", "x,n\n6,70\n5,71\n", "--key x", "5,71\n6,70\n7,-16\n"},
		{"taridx/good/one-shard/train.taridx", "rows", "size", "stem,extension,size\n", "--key offset", ""},
		{"taridx/good/one-shard/train.taridx", "rows", "member", "fid,offset,member\n0,0,s0000.jpg\n0,2560,s0001.jpg\n", "", "s0000.jpg\ns0001.jpg\n"},
		{"taridx/good/one-shard/train.taridx", "rows", "member", "fid,offset,member\n0,0,s0000.jpg\n0,2560,s0001.cls\n", "", ""},
		{"taridx/good/one-shard/train.taridx", "payloads", "member,payload", "member,payload\ns0001.cls,0aff\ns0000.cls,00\n", "--key member", "*s0000.cls,00\n*s0001.cls,0aff\n"},
		{"taridx/good/one-shard/train.taridx", "payloads", "member", "member,payload\nnone.cls,0aff\n", "--key member", ""},
		{"scdl/good/archive", "matrix", "cell,genes,values", "genes,values\n\"[\"\"TP53\"\",\"\"CD4\"\"]\",\"[1,2]\"\n", "--append",
			"0,\"[\"\"ACTB\"\",\"\"IL2\"\"]\",\"[5,300]\"\n1,[],[]\n2,\"[\"\"CD4\"\",\"\"GAPDH\"\",\"\"TP53\"\"]\",\"[7,1,2]\"\n" +
				"3,\"[\"\"ACTB\"\",\"\"TP53\"\"]\",\"[9,4]\"\n4,\"[\"\"CD4\"\",\"\"TP53\"\"]\",\"[2,1]\"\n"},
		{"scdl/good/archive", "matrix", "cell", "genes,values\n\"[\"\"none\"\"]\",[1]\n", "--append", ""},
		{"scdl/good/archive", "cells", "cell_type,score", "block,cell_type,score\n0,B,0\n0,T,1\n", "", "B,0\nT,1\n"},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("../../testdata/"+filepath.Dir(c.path))); err != nil {
			t.Fatal(err)
		}
		path, file := filepath.Join(dir, filepath.Base(c.path)), filepath.Join(dir, "x.csv")
		if strings.HasPrefix(c.file, "{") {
			file = filepath.Join(dir, "x.jsonl")
		}
		if c.path == "idv/good/stored.idv" { // rows that come need all columns
			c.flags = "--key Int16"
			c.file, c.want = "Int16,Text,Key\n-68,x,red\n-34,z,blue\n", "x,-68,1\na,-51,1\nz,-34,3\n"
		}
		os.WriteFile(file, []byte(c.file), 0o600)
		status, _, said := run(nil, append([]string{"table", path, c.table, "--from", file, "--no-backup"}, strings.Fields(c.flags)...)...)
		if c.want == "" {
			if status != headless.Failed || !strings.Contains(said, filepath.Base(file)) {
				t.Errorf("%s: status %d: %s", c.path, status, said)
			}
			continue
		}
		if strings.HasPrefix(c.want, "*") { // rows here and there
			_, out, _ := run(nil, "table", path, c.table, "--columns", c.columns)
			for _, row := range strings.Split(strings.TrimPrefix(c.want, "*"), "*") {
				if !strings.Contains(out, row) || status != 0 {
					t.Errorf("%s: status %d, %s\n%s", c.path, status, said, out)
				}
			}
			continue
		}
		_, out, _ := run(nil, "table", path, c.table, "--columns", c.columns, "--rows", fmt.Sprintf("0:%d", strings.Count(c.want, "\n")))
		if _, rows, _ := strings.Cut(out, "\n"); status != 0 || rows != c.want {
			t.Errorf("%s: status %d, %s\n%s\nwant\n%s", c.path, status, said, rows, c.want)
		}
		if status, out, _ := run(nil, "check", "--deep", path); status != 0 {
			t.Errorf("%s: %s", c.path, out)
		}
	}
}

// TestImportTypes takes columns of other types than the table's: numbers that fit are converted, and others refused with their row and column.
func TestImportTypes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "deflated.idv")
	if err := copied("../../testdata/idv/good/deflated.idv", path); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "x.arrow")
	for _, c := range []struct{ from, says string }{
		{"Int32", "0 cells of 0 rows"}, {"Byte", "8 cells of 8 rows"}, {"Double", `row 1, column "Int16": `}, {"UInt64", "8 cells of 8 rows"}, {"Text", `row 0, column "Int16": "" is not a whole number`},
	} {
		run(nil, "table", path, "rows", "--columns", c.from, "--to", "arrow", "-o", file)
		renameColumn(t, file, "Int16")
		if _, _, said := run(nil, "table", path, "rows", "--dry-run", "--from", file); !strings.Contains(said, c.says) {
			t.Errorf("%s: %s", c.from, said)
		}
	}
}

// TestImportTimes takes dates and durations as people and pandas write them. Dates that Arrow can represent leave as such.
func TestImportTimes(t *testing.T) {
	dir := t.TempDir()
	path, file := filepath.Join(dir, "deflated.idv"), filepath.Join(dir, "x.csv")
	if err := copied("../../testdata/idv/good/deflated.idv", path); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ date, span, says string }{
		{"2024-03-05T12:30:00.1234567", "1h2m3.5s", "16 cells of 8 rows changed"},
		{"2024-03-05 12:30:00.1234567+00:00", "1h2m3.5s", "0 cells of 0 rows changed"},
		{"2024-03-05 12:30:00.12345678", "1s", `row 0, column "DateTime"`},
		{"2024-03-05", "1ns", `row 0, column "TimeSpan"`},
	} {
		text := "DateTime,TimeSpan\n" + strings.Repeat(c.date+","+c.span+"\n", 8)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, said := run(nil, "table", path, "rows", "--no-backup", "--from", file); !strings.Contains(said, c.says) {
			t.Errorf("%s, %s: %s", c.date, c.span, said)
		}
	}
	out := filepath.Join(dir, "x.arrow")
	run(nil, "table", path, "rows", "--columns", "DateTime", "--to", "arrow", "-o", out)
	rec := readBack(t, out, "arrow")[0]
	if typ := rec.Schema().Field(0).Type; typ.String() != "timestamp[ns]" || !strings.Contains(rec.Column(0).ValueStr(0), "2024-03-05") {
		t.Errorf("%s: %s", typ, rec.Column(0).ValueStr(0))
	}
}

// renameColumn gives the only column of an Arrow file another name.
func renameColumn(t *testing.T, file, name string) {
	rec := readBack(t, file, "arrow")[0]
	schema := arrow.NewSchema([]arrow.Field{{Name: name, Type: rec.Column(0).DataType(), Nullable: true}}, nil)
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(array.NewRecordBatch(schema, rec.Columns(), rec.NumRows())), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestImportRows appends rows and cuts them off again, and refuses what does not fit with the row and the column.
func TestImportRows(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/idv/good")); err != nil {
		t.Fatal(err)
	}
	path, file := filepath.Join(dir, "deflated.idv"), filepath.Join(dir, "rows.parquet")
	rows := func() string { _, out, _ := run(nil, "table", path, "rows"); return out }
	first := rows()
	run(nil, "table", path, "rows", "--to", "parquet", "-o", file)
	for _, step := range []struct {
		flags string
		times int
	}{{"--append", 2}, {"--append", 3}, {"", 1}} {
		args := append([]string{"table", path, "rows", "--from", file, "--no-backup"}, strings.Fields(step.flags)...)
		if status, _, said := run(nil, args...); status != 0 {
			t.Fatal(said)
		}
		head, body, _ := strings.Cut(first, "\n")
		if got := rows(); got != head+"\n"+strings.Repeat(body, step.times) {
			t.Errorf("%q: %s", step.flags, got)
		}
		if status, out, _ := run(nil, "check", "--deep", path); status != 0 {
			t.Error(out)
		}
	}
	if status, out, said := run(nil, "diff", "../../testdata/idv/good/deflated.idv", path); status != 0 {
		t.Errorf("what came back differs: %s%s", out, said)
	}
	bad := filepath.Join(dir, "bad.csv")
	for _, c := range []struct{ text, says string }{
		{"SByte\n1\n500\n", `row 1, column "SByte": 500 does not fit in i8`},
		{"SByte\n1\nmany\n", `row 1, column "SByte": "many" is not a whole number`},
		{"Nothing\n1\n", `has no column "Nothing"`},
		{"SByte\n1\n", "has no column \"Vector\", which new rows need"},
		{"Vector\n\"[1,2]\"\n", `row 0, column "Vector": it has 2 items, but the vectors of the column have 4`},
	} {
		os.WriteFile(bad, []byte(c.text), 0o600)
		before := rows()
		flags := []string{"table", path, "rows", "--from", bad}
		if status, _, said := run(nil, flags...); status != headless.Failed || !strings.Contains(said, c.says) || rows() != before {
			t.Errorf("%q: status %d: %s", c.text, status, said)
		}
	}
}

// A line end in a text is what it was.
func TestImportReturns(t *testing.T) {
	dir := t.TempDir()
	path, file := filepath.Join(dir, "texts.npy"), filepath.Join(dir, "x.csv")
	if err := copied("../../testdata/npy/good/texts.npy", path); err != nil {
		t.Fatal(err)
	}
	_, out, _ := run(nil, "table", path, "values", "--to", "csv")
	lines := strings.SplitAfter(out, "\n")
	for i, cell := range []string{"\"\r\n\"", "\"\"\"\r\""} {
		at := strings.IndexByte(lines[i+1], ',') + 1
		lines[i+1] = lines[i+1][:at] + cell + "\n"
	}
	want := strings.Join(lines, "")
	os.WriteFile(file, []byte(want), 0o600)
	if status, _, said := run(nil, "table", path, "values", "--from", file, "--no-backup"); status != headless.Done {
		t.Fatal(said)
	}
	if _, out, _ := run(nil, "table", path, "values", "--to", "csv"); out != want {
		t.Errorf("%q, want %q", out, want)
	}
	os.WriteFile(file, []byte("\ufeff\"value\"\n\"\"\nb\n"), 0o600)
	if status, _, said := run(nil, "table", path, "values", "--from", file, "--no-backup"); status != headless.Done {
		t.Fatal(said)
	}
	if _, out, _ := run(nil, "table", path, "values", "--to", "csv", "--columns", "value"); out != "value\n\"\"\nb\n" {
		t.Errorf("%q", out)
	}
	for text, why := range map[string]string{"value\n\x1a\n": "U+001A", "value\na\r\n\r\nb\n": "line 3 is empty", "value\n\"a\n\nb\"\n\n": "line 5 is empty"} {
		os.WriteFile(file, []byte(text), 0o600)
		if status, _, said := run(nil, "table", path, "values", "--from", file); status != headless.Failed || !strings.Contains(said, why) {
			t.Errorf("%q: %s", text, said)
		}
	}
}

// Rows come from the same table of another document: the rows get new numbers, and labels stand for keys.
func TestImportDocument(t *testing.T) {
	dir := t.TempDir()
	for _, x := range []struct {
		name, table string
		rows        int
	}{{"idv/good/deflated.idv", "rows", 8}, {"npy/good/vector.npy", "values", 4}, {"tiledb/good/sparse-v22", "stored", 20}, {"scdl/good/archive", "matrix", 4}} {
		from := "../../testdata/" + x.name
		path := filepath.Join(dir, filepath.Base(from))
		if err := copied(from, path); err != nil {
			t.Fatal(err)
		}
		into := strings.Replace(x.table, "stored", "cells", 1)
		if status, out, said := run(nil, "table", path, into, "--append", "--from", from, "--no-backup"); status != headless.Done {
			t.Fatalf("%s: %d %s%s", x.name, status, out, said)
		}
		_, out, _ := run(nil, "table", "--to", "csv", path, x.table)
		if n := strings.Count(out, "\n") - 1; n != 2*x.rows {
			t.Errorf("%s has %d rows", x.name, n)
		}
		if status, out, _ := run(nil, "check", "--deep", path); status != headless.Done {
			t.Errorf("%s: %s", x.name, out)
		}
	}
	path := filepath.Join(dir, "deflated.idv")
	for from, says := range map[string]string{"npy/good/vector.npy": `no table "rows"`, "idv/bad/001-short.idv": "repair it first", "SOURCES.md": "known format"} {
		if status, _, said := run(nil, "table", path, "rows", "--append", "--from", "../../testdata/"+from); status != headless.Failed || !strings.Contains(said, says) {
			t.Errorf("%s: %d %s", from, status, said)
		}
	}
}

// copied copies a file or a folder.
func copied(from, to string) error {
	st, err := os.Stat(from)
	if err == nil && st.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}

// TestEmptyFile: a dry run says that a new file is empty.
func TestEmptyFile(t *testing.T) {
	status, out, said := run(nil, "set", "--dry-run", "--table", "cells", "../../testdata/tiledb/good/dense-v22", "0/n=5")
	if status != headless.Done || !strings.Contains(out, ".wrt 0x00000000 bytes: nothing -> an empty file") {
		t.Errorf("%d: %s%s", status, out, said)
	}
}

package headless_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet/file"

	"spandrel/parsers"
	"spandrel/ui/headless"
)

const samples = "../../testdata/taridx/"

// run runs a command and returns the exit status and what it printed.
func run(stdin []byte, args ...string) (status int, out, err string) {
	var o, e bytes.Buffer
	status = headless.Run(headless.Env{Formats: parsers.All(), In: bytes.NewReader(stdin), Out: &o, Err: &e, Version: "test"}, args)
	return status, o.String(), e.String()
}

// lines reads JSON lines.
func lines(t *testing.T, s string) (out []map[string]any) {
	t.Helper()
	for _, l := range strings.Split(strings.TrimSpace(s), "\n") {
		var m map[string]any
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatalf("%v: %s", err, l)
		}
		out = append(out, m)
	}
	return out
}

// copyOf copies a sample folder and returns the path of its index.
func copyOf(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "d")
	if err := os.CopyFS(dir, os.DirFS(samples+name)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "train.taridx")
}

// nested is a span of dump --tree.
type nested struct {
	Path  string
	Spans []nested
}

// flattened lists the paths in a tree of JSON, parents before children.
func flattened(t *testing.T, out string) (paths []string) {
	t.Helper()
	var root nested
	must(t, json.Unmarshal([]byte(out), &root))
	var walk func(n nested)
	walk = func(n nested) {
		paths = append(paths, n.Path)
		for _, k := range n.Spans {
			walk(k)
		}
	}
	walk(root)
	return paths
}

// pathsOf lists the paths in lines of JSON.
func pathsOf(t *testing.T, out string) (paths []string) {
	t.Helper()
	for line := range strings.Lines(out) {
		var n nested
		must(t, json.Unmarshal([]byte(line), &n))
		paths = append(paths, n.Path)
	}
	return paths
}

func TestDump(t *testing.T) {
	status, out, _ := run(nil, "dump", "--json", "--elements", "2", samples+"good/one-shard/train.taridx")
	if status != headless.Done {
		t.Fatalf("status %d", status)
	}
	byPath := map[string]map[string]any{}
	for _, l := range lines(t, out) {
		for _, key := range []string{"path", "file", "space", "offset", "length", "type", "state", "children"} {
			if _, ok := l[key]; !ok {
				t.Fatalf("%v has no %s", l, key)
			}
		}
		byPath[l["path"].(string)] = l
	}
	row := byPath["rows[1]/offset"]
	if row == nil || row["type"] != "u64" || row["endian"] != "le" || row["value"] != 1536.0 || row["file"] != "train.taridx" || row["space"] != "file" {
		t.Errorf("%v", row)
	}
	if byPath["rows[2]"] != nil || byPath["rows"]["children"] != 6.0 {
		t.Error("--elements 2 does not end after two elements")
	}
	if hash := byPath["rows[0]/keyhash"]; hash["value"] != "11440372652284926954" {
		t.Errorf("a number beyond 2^53 is not a string: %v", hash["value"])
	}
	_, out, _ = run(nil, "dump", "--json", "--all", "../../testdata/idv/good/stored.idv")
	if !slices.ContainsFunc(lines(t, out), func(l map[string]any) bool { return l["text"] == `"größer"` && l["type"] == "i32" }) {
		t.Error("no bound has the text that ends there")
	}
	for _, depth := range []string{"-1", "0", "2"} {
		args := []string{"dump", "--json", "--all", "--depth", depth, "../../testdata/idv/good/deflated.idv"}
		_, lines, _ := run(nil, args...)
		_, out, _ = run(nil, append(args, "--tree")...)
		if got := flattened(t, out); !slices.Equal(got, pathsOf(t, lines)) {
			t.Errorf("--depth %s: the tree has %d spans, and there are %d lines", depth, len(got), strings.Count(lines, "\n"))
		}
	}
	if status, out, _ = run(nil, "dump", "--path", "header", "--depth", "1", samples+"good/one-shard/train.taridx"); status != 0 || !strings.Contains(out, "n_rows = 6") || strings.Contains(out, "rows [") {
		t.Errorf("%d %s", status, out)
	}
}

func TestCheck(t *testing.T) {
	if status, out, _ := run(nil, "check", "--deep", "--json", samples+"good/one-shard/train.taridx"); status != headless.Done {
		t.Errorf("status %d: %s", status, out)
	}
	status, out, _ := run(nil, "check", "--json", samples+"bad/005-rec-size/train.taridx")
	var found map[string]any
	for _, l := range lines(t, out) {
		if l["rule"] == "TIX-005" {
			found = l
		}
	}
	if status != headless.Found || found == nil {
		t.Fatalf("status %d: %s", status, out)
	}
	fix := found["fixes"].([]any)[0].(map[string]any)
	if found["severity"] != "error" || found["path"] != "header/rec_size" || found["offset"] != 12.0 || found["length"] != 2.0 || found["found"] != "40" ||
		found["expected"] != "32" || found["file"] != "train.taridx" || found["space"] != "file" || found["message"] == "" || fix["safe"] != true || fix["label"] != "set rec_size to 32" {
		t.Errorf("%v", found)
	}
}

// What was found, what was expected and the repair say numbers alike; JSON has them as they are.
func TestCheckSaysNumbersAlike(t *testing.T) {
	path := samples + "bad/010-off-arr/train.taridx"
	for _, args := range [][]string{{"check", "--all", "--effort", "0", path}, {"check", "--effort", "0", "--format", "sarif", path}} {
		if _, out, _ := run(nil, args...); !strings.Contains(out, "found 0x42, expected 0x47") {
			t.Errorf("%v: %s", args, out)
		}
	}
	_, out, _ := run(nil, "check", "--json", "--effort", "0", path)
	for _, l := range lines(t, out) {
		if l["rule"] == "TIX-010" && (l["found"] != "66" || l["expected"] != "71") {
			t.Errorf("%v", l)
		}
	}
}

func TestGetAndSet(t *testing.T) {
	path := copyOf(t, "good/one-shard")
	if status, out, _ := run(nil, "get", path, "ext[0]/name"); status != 0 || out != "jpg\n" {
		t.Errorf("%d %q", status, out)
	}
	before, _ := os.ReadFile(path)
	if status, out, _ := run(nil, "set", "--dry-run", path, "ext[0]/name=jpeg", "rows[0]/size=7"); status != 0 || strings.Count(out, "\n") != 4 {
		t.Errorf("%d %s", status, out)
	}
	for _, args := range [][]string{{"header/n_ext=4294967296"}, {"header/n_ext=x"}, {"nowhere=1"}, {"rows=1"}, {"ext[0]/name=two words"}, {"header/n_ext"}} {
		status, out, err := run(nil, append([]string{"set", path}, args...)...)
		if status != headless.Failed || strings.Count(err, "\n") != 1 || out != "" {
			t.Errorf("%v: status %d, %q", args, status, err)
		}
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, before) {
		t.Fatal("something was written")
	}
	if _, _, err := run(nil, "set", path, "header/n_ext=4294967296"); !strings.Contains(err, "0x20") || !strings.Contains(err, "4294967295") || !strings.Contains(err, "train.taridx") {
		t.Errorf("the error names no file, offset or limit: %s", err)
	}
	if status, _, err := run(nil, "set", path, "rows[0]/size=7"); status != headless.Failed || !strings.Contains(err, "--force") || !strings.Contains(err, "size") {
		t.Errorf("an edit that readers refuse: status %d, %s", status, err)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, before) {
		t.Fatal("something was written")
	}
	if status, _, err := run(nil, "set", "--force", path, "ext[0]/name=jpeg", "rows[0]/size=7"); status != 0 {
		t.Fatal(err)
	}
	if _, out, _ := run(nil, "get", path, "header/off_arr"); out != "72\n" {
		t.Errorf("off_arr is %s", out)
	}
	if backups, _ := filepath.Glob(path + ".*.bak"); len(backups) != 1 {
		t.Errorf("backups: %v", backups)
	}
	if status, _, _ := run(nil, "set", "--no-backup", path, "rows[0]/size=600"); status != 0 {
		t.Error(status)
	}
	if backups, _ := filepath.Glob(path + ".*.bak"); len(backups) != 1 {
		t.Errorf("--no-backup made one: %v", backups)
	}
}

func TestFix(t *testing.T) {
	path := copyOf(t, "bad/005-rec-size")
	before, _ := os.ReadFile(path)
	if _, out, _ := run(nil, "fix", "--dry-run", path); !strings.Contains(out, "0x0000000c") {
		t.Errorf("%s", out)
	}
	out := filepath.Join(t.TempDir(), "fixed.taridx")
	if status, _, err := run(nil, "fix", "-o", out, path); status != headless.Done {
		t.Fatalf("status %d: %s", status, err)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, before) {
		t.Error("-o changed the file itself")
	}
	if status, got, _ := run(nil, "get", out, "header/rec_size"); status != 0 || got != "32\n" {
		t.Errorf("%d %s", status, got)
	}
	if status, _, _ := run(nil, "fix", "--no-backup", path); status != headless.Done {
		t.Errorf("status %d", status)
	}
	if status, _, _ := run(nil, "check", "--deep", path); status != headless.Done {
		t.Errorf("status %d after the fix", status)
	}
	alone := filepath.Join(t.TempDir(), "train.taridx") // without the shards that it could be made of again
	if err := os.WriteFile(alone, []byte("TARIDX\x00\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := run(nil, "fix", alone); status != headless.Found {
		t.Errorf("status %d with an error that has no fix", status)
	}
}

func TestStandardInput(t *testing.T) {
	b, err := os.ReadFile(samples + "good/one-shard/train.taridx")
	if err != nil {
		t.Fatal(err)
	}
	if status, out, _ := run(b, "get", "-", "header/n_rows"); status != 0 || out != "6\n" {
		t.Errorf("%d %s", status, out)
	}
	if status, _, err := run(b, "set", "-", "header/n_rows=7"); status != headless.Failed || strings.Count(err, "\n") != 1 {
		t.Errorf("status %d without -o: %s", status, err)
	}
	status, out, _ := run(b, "set", "--force", "-o", "-", "-", "header/n_rows=7")
	if status != 0 || len(out) != len(b) || out[24] != 7 {
		t.Errorf("status %d, %d bytes", status, len(out))
	}
}

func TestTable(t *testing.T) {
	path := samples + "good/one-shard/train.taridx"
	if _, out, _ := run(nil, "table", path); !strings.Contains(out, "rows\t6 rows\tfid, offset") || !strings.Contains(out, "samples") || !strings.Contains(out, "shards") {
		t.Errorf("%s", out)
	}
	if _, out, _ := run(nil, "table", path, "rows", "--rows", "1:3", "--columns", "member,size"); out != "member,size\ns0000.cls,1\ns0001.jpg,601\n" && out != "size,member\n1,s0000.cls\n601,s0001.jpg\n" {
		t.Errorf("%q", out)
	}
	_, out, _ := run(nil, "table", path, "rows", "--to", "jsonl")
	if l := lines(t, out); len(l) != 6 || l[0]["stem"] != "s0000" || l[0]["keyhash"] != "11440372652284926954" {
		t.Errorf("%v", l)
	}
	dir := t.TempDir()
	for _, to := range []string{"parquet", "arrow"} {
		if status, _, err := run(nil, "table", path, "rows", "--to", to, "-o", filepath.Join(dir, to)); status != 0 {
			t.Fatal(err)
		}
	}
	p, err := file.OpenParquetFile(filepath.Join(dir, "parquet"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.NumRows() != 6 {
		t.Errorf("%d rows in Parquet", p.NumRows())
	}
	f, err := os.Open(filepath.Join(dir, "arrow"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := a.RecordBatchAt(0); err != nil || r.NumRows() != 6 || r.NumCols() != 10 {
		t.Errorf("%v, %v", r, err)
	}
	for _, args := range [][]string{{"nothing"}, {"rows", "--columns", "nothing"}, {"rows", "--rows", "x"}, {"rows", "--to", "xml"}} {
		if status, _, err := run(nil, append([]string{"table", path}, args...)...); status != headless.Failed || strings.Count(err, "\n") != 1 {
			t.Errorf("%v: status %d %s", args, status, err)
		}
	}
}

func TestOtherCommands(t *testing.T) {
	good, bad := samples+"good/one-shard/train.taridx", samples+"bad/005-rec-size/train.taridx"
	if status, out, _ := run(nil, "diff", good, good); status != headless.Done || out != "" {
		t.Errorf("%d %s", status, out)
	}
	if status, out, _ := run(nil, "diff", "--layout", "--json", good, bad); status != headless.Found || !strings.Contains(out, `"path":"header/rec_size","a":32,"b":40}`) {
		t.Errorf("%d %s", status, out)
	}
	if _, out, _ := run(nil, "diff", "--layout", samples+"../idv/good/deflated.idv", samples+"../idv/good/stored.idv"); !strings.Contains(out, "blocks[0]/data: da73f61e200000ffff -> bccdde\n") {
		t.Errorf("stored bytes: %s", out)
	}
	packed := samples + "../samediff/good/packed.sdc"
	b, err := os.ReadFile(packed)
	if err != nil {
		t.Fatal(err)
	}
	torn := filepath.Join(t.TempDir(), "torn.sdc")
	if err := os.WriteFile(torn, bytes.Replace(b, []byte{0x78, 0x9c}, []byte{0x78, 0x9c, 0xff}, 1)[:len(b)], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := run(nil, "diff", torn, packed); strings.Count(err, "torn.sdc, records[") != 1 || strings.Contains(err, "packed.sdc") {
		t.Errorf("what is compared in part is not said: %s", err)
	}
	if _, out, _ := run(nil, "formats", "--json"); len(lines(t, out)) != len(parsers.All()) {
		t.Errorf("%s", out)
	}
	if status, out, _ := run(nil, "version"); status != 0 || !strings.HasPrefix(out, "spandrel test (commit ") {
		t.Errorf("%d %s", status, out)
	}
	path := copyOf(t, "good/interleaved")
	if status, _, err := run(nil, "convert", path, "make-contiguous"); status != 0 {
		t.Errorf("%s", err)
	}
	if _, out, _ := run(nil, "get", path, "header/flags"); out != "1\n" {
		t.Errorf("flags %s", out)
	}
	for _, args := range [][]string{{}, {"nonsense"}, {"dump"}, {"dump", "--nonsense", good}, {"dump", "/nowhere"}, {"get", good}, {"convert", good, "nothing"}, {"shot", good, "-o", "x.png"},
		{"dump", "--format", "nothing", good}, {"check", "--deep", t.TempDir()}} {
		if status, _, err := run(nil, args...); status != headless.Failed || err == "" {
			t.Errorf("%v: status %d %s", args, status, err)
		}
	}
}

// A cell of a table that shows fields is set as its field; what follows from others is refused with the reason.
func TestSetCellThatIsField(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	if err := os.CopyFS(dir, os.DirFS(samples+"../scdl/good/archive")); err != nil {
		t.Fatal(err)
	}
	if status, _, err := run(nil, "set", "--no-backup", "--table", "data.npy", dir, "1/value=77"); status != 0 {
		t.Fatal(status, err)
	}
	if _, out, _ := run(nil, "table", "--to", "csv", "--rows", "1:2", dir, "data.npy"); !strings.HasSuffix(out, "1,77\n") {
		t.Errorf("%q", out)
	}
	for cell, why := range map[string]string{"1/index=5": "not stored", "0/value=x": "not a value", "99999/value=1": "row"} {
		if status, _, err := run(nil, "set", "--no-backup", "--table", "data.npy", dir, cell); status != headless.Failed || !strings.Contains(err, why) {
			t.Errorf("%s: %d %s", cell, status, err)
		}
	}
	if status, _, err := run(nil, "set", "--no-backup", "--table", "matrix", dir, "0/genes=CD4"); status != headless.Failed || !strings.Contains(err, "table of genes") {
		t.Errorf("%d %s", status, err)
	}
}

// What is refused says the other way that the format knows.
func TestSwapOfExtensionsNamesTheWay(t *testing.T) {
	status, _, said := run(nil, "set", copyOf(t, "good/three-shards"), "ext[0]/name=cls", "ext[1]/name=jpg")
	if status != headless.Failed || !strings.Contains(said, "--force saves it") || !strings.Contains(said, "rename-extension") || strings.Count(said, "\n") != 1 {
		t.Errorf("status %d: %s", status, said)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// An error as JSON says which document it is about, whatever its name; of several, which each is about.
func TestErrorDocument(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"get --json a?%20b.idv x", `{"kind":"error","document":"a?%20b.idv",`},
		{"diff --json " + samples + "../npy/good/vector.npy none.npy", `{"kind":"error","document":"none.npy",`},
		{"check --json none.npy nor.npy", `"errors":[{"document":"none.npy","message":"none.npy: no such file or directory"},{"document":"nor.npy",`},
		{"rules --json nope", `{"kind":"error","message":`},
	} {
		if status, _, said := run(nil, strings.Fields(c.args)...); status != headless.Failed || !strings.Contains(said, c.want) {
			t.Errorf("%s: status %d: %s", c.args, status, said)
		}
	}
}

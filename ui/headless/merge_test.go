package headless_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/ui/headless"
)

// variant is a copy of a document that a command changed.
func variant(t *testing.T, dir, name, from string, args ...string) string {
	t.Helper()
	to := filepath.Join(dir, name)
	if st, err := os.Stat(from); err == nil && st.IsDir() {
		must(t, os.CopyFS(to, os.DirFS(from)))
	} else {
		b, err := os.ReadFile(from)
		must(t, err)
		must(t, os.WriteFile(to, b, 0o600))
	}
	for len(args) > 0 {
		n := 0
		for n < len(args) && args[n] != "|" {
			n++
		}
		one := append([]string{args[0], "--no-backup", to}, args[1:n]...)
		if status, out, said := run(nil, one...); status != headless.Done {
			t.Fatalf("%v: %s%s", one, out, said)
		}
		args = args[min(len(args), n+1):]
	}
	return to
}

// TestMerge: what A and B each changed of one file is in the merged one, of cells, rows and fields; what both changed is told and written by no one.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	rowsOf := func(path, table string) string {
		t.Helper()
		status, out, said := run(nil, "table", "--to", "csv", path, table)
		if status != headless.Done {
			t.Fatal(path, said)
		}
		return out
	}
	merged := func(args ...string) (string, string) {
		t.Helper()
		out := filepath.Join(dir, "merged"+filepath.Ext(args[len(args)-1]))
		os.RemoveAll(out)
		status, printed, said := run(nil, append(append([]string{"merge"}, args...), "-o", out)...)
		if status != headless.Done {
			t.Fatalf("%v: %d: %s%s", args, status, printed, said)
		}
		if status, out, said := run(nil, "check", "--deep", out); status != headless.Done {
			t.Errorf("%v: %s%s", args, out, said)
		}
		return out, said
	}
	base := variant(t, dir, "base.npy", "../../testdata/npy/good/vector.npy")
	was := rowsOf(base, "values")
	more := file("more.csv", strings.SplitN(was, "\n", 2)[0]+"\n"+strings.Join(strings.SplitN(was, "\n", 4)[1:3], "\n")+"\n")
	a := variant(t, dir, "a.npy", base, "set", "--table", "values", "0/value=41")
	b := variant(t, dir, "b.npy", base, "set", "--table", "values", "2/value=43", "|", "table", "values", "--append", "--from", more)
	out, _ := merged(base, a, b)
	is := strings.Split(strings.TrimSpace(rowsOf(out, "values")), "\n")
	lines := strings.Split(strings.TrimSpace(was), "\n")
	if len(is) != len(lines)+2 || !strings.HasSuffix(is[1], "41") || !strings.HasSuffix(is[3], "43") || is[2] != lines[2] {
		t.Errorf("%q\nof %q", is, lines)
	}
	other, _ := merged(base, b, a)
	if status, said, _ := run(nil, "diff", out, other); status != headless.Done {
		t.Errorf("the order of A and B matters: %s", said)
	}
	c := variant(t, dir, "c.npy", base, "set", "--table", "values", "0/value=99")
	gone := filepath.Join(dir, "none.npy")
	status, printed, _ := run(nil, "merge", base, a, c, "-o", gone)
	if _, err := os.Stat(gone); status != headless.Found || !strings.Contains(printed, "A: 41, B: 99") || err == nil {
		t.Errorf("%d: %s", status, printed)
	}
	for prefer, want := range map[string]string{"a": "41", "b": "99"} {
		out, _ := merged("--prefer", prefer, base, a, c)
		if is := strings.Split(rowsOf(out, "values"), "\n"); !strings.HasSuffix(is[1], want) {
			t.Errorf("--prefer %s: %q", prefer, is[1])
		}
	}
	base = "../../testdata/idv/good/deflated.idv"
	head, rows, _ := strings.Cut(rowsOf(base, "rows"), "\n")
	added := file("added.csv", head+"\n"+strings.Split(rows, "\n")[4]+"\n")
	a = variant(t, dir, "a.idv", base, "set", "--table", "rows", "0/Int32=7", "|", "table", "rows", "--append", "--from", added)
	b = variant(t, dir, "b.idv", base, "set", "--table", "rows", "0/Text=other", "1/Int16=8")
	out, _ = merged(base, a, b)
	if status, printed, said := run(nil, "diff", "--stat", base, out); status != headless.Found || !strings.Contains(printed, "3 cells, 1 row added") {
		t.Errorf("%s%s", printed, said)
	}
	renamed := variant(t, dir, "renamed.idv", base, "convert", "--path", `columns["Int64"]`, "rename-column", "name=Neu")
	out, said := merged(base, renamed, b)
	again, _ := merged(base, b, renamed)
	if !strings.Contains(rowsOf(out, "rows"), "Neu") || !strings.Contains(rowsOf(again, "rows"), "other") || !strings.Contains(said, "changes of B applied to A") {
		t.Errorf("%s%s", said, rowsOf(again, "rows"))
	}
	model := "../../testdata/safetensors/good/model.safetensors"
	if status, printed, said := run(nil, "merge", base, a, model, "-o", gone); status != headless.Failed || !strings.Contains(said, "the same format") {
		t.Errorf("%d: %s%s", status, printed, said)
	}
	if status, printed, said := run(nil, "merge", base, base, base, "--json", "--dry-run"); status != headless.Done || !strings.Contains(printed, `"cells":0`) {
		t.Errorf("%d: %s%s", status, printed, said)
	}
}

// TestMergeLayout: rows that come in a table which keeps its number of rows are taken from the document that has them; where both have some, it is a conflict.
func TestMergeLayout(t *testing.T) {
	dir := t.TempDir()
	base := "../../testdata/samediff/good/plain.sdc"
	a := variant(t, dir, "a.sdc", base, "set", "--table", "w", "0/value=7")
	b := variant(t, dir, "b.sdc", base)
	if status, out, said := run(nil, "convert", "--no-backup", b, "set-metadata", "key=who", "value=me"); status != headless.Done {
		t.Fatal(out, said)
	}
	merged := filepath.Join(dir, "merged.sdc")
	if status, out, said := run(nil, "merge", base, a, b, "-o", merged); status != headless.Done || !strings.Contains(said, "changes of A applied to B") {
		t.Fatalf("%d: %s%s", status, out, said)
	}
	if _, out, _ := run(nil, "diff", "--stat", base, merged); !strings.Contains(out, "w: 1 cell") || !strings.Contains(out, "metadata: 1 row added") {
		t.Error(out)
	}
	c := variant(t, dir, "c.sdc", base)
	run(nil, "convert", "--no-backup", c, "set-metadata", "key=what", "value=you")
	if status, out, said := run(nil, "merge", base, c, b, "-o", merged+"2"); status != headless.Found || !strings.Contains(out, "metadata: ") {
		t.Errorf("%d: %s%s", status, out, said)
	}
}

// TestMergeOfDamaged: what is missing from a damaged document is not merged as if someone had removed it.
func TestMergeOfDamaged(t *testing.T) {
	dir, from := t.TempDir(), "../../testdata/idv/good/stored.idv"
	a := variant(t, dir, "a.idv", from, "set", "--table", "rows", "1/Text=longer")
	b, err := os.ReadFile(from)
	must(t, err)
	cut := filepath.Join(dir, "b.idv")
	must(t, os.WriteFile(cut, b[:2*len(b)/3], 0o600))
	for _, list := range [][]string{{from, a, cut}, {from, cut, a}, {cut, a, from}} {
		out := filepath.Join(dir, "m.idv")
		status, _, said := run(nil, append([]string{"merge", "-o", out}, list...)...)
		if _, err := os.Stat(out); status != headless.Failed || !strings.Contains(said, cut+": what is damaged") || err == nil {
			t.Errorf("%v: %d %s", list, status, said)
		}
	}
}

// TestMergeOfDropped: if one document drops, renames or adds what the other changes or adds too, that is a conflict in either order, and no change is lost silently.
func TestMergeOfDropped(t *testing.T) {
	good := "../../testdata/"
	for what, c := range map[string]struct {
		base     string
		a, b     []string
		conflict string
	}{
		"tensor dropped":     {"safetensors/good/model.safetensors", []string{"convert", "drop-tensor", "--path", `tensors["ids"]`}, []string{"set", "--table", "ids", "0/value=9"}, "ids: 4 rows; A: missing, B: 1 change"},
		"variable renamed":   {"samediff/good/plain.sdc", []string{"convert", "rename-variable", "from=w", "to=w2"}, []string{"set", "--table", "w", "0/value=9"}, "w: 4 rows; A: missing, B: 1 change"},
		"column renamed":     {"idv/good/deflated.idv", []string{"convert", "rename-column", "--path", `columns["Int64"]`, "name=Neu"}, []string{"set", "--table", "rows", "0/Int64=9"}, "rows/Int64: i64; A: missing, B: 1 change"},
		"column dropped":     {"idv/good/deflated.idv", []string{"convert", "drop-column", "--path", `columns["Int64"]`}, []string{"set", "--table", "rows", "0/Int64=9"}, "rows/Int64: i64; A: missing, B: 1 change"},
		"variable added":     {"samediff/good/plain.sdc", added("1"), added("2"), "v: missing; A: 2 rows, v[0]/value: 1, B: 2 rows, v[0]/value: 2"},
		"columns renamed":    {"idv/good/deflated.idv", renamedColumn("1"), renamedColumn("2"), "rows[0]/Neu: missing; A: 1, B: 2"},
		"same column":        {"idv/good/deflated.idv", renamedColumn("1"), renamedColumn("1"), ""},
		"same variable":      {"samediff/good/plain.sdc", added("1"), added("1"), ""},
		"array reshaped":     {"npy/good/matrix.npy", []string{"convert", "reshape", "shape=3, 2"}, []string{"set", "--table", "values", "3/value=9"}, "values/value/shape: 2, 3; A: 3, 2, B: 1 change"},
		"NaN with bits":      {"npy/good/matrix.npy", []string{"set", "--table", "values", "3/value=NaN(0x7ff0248680000000)"}, []string{"set", "--table", "values", "3/value=NaN"}, "values[3]/value: 1.5; A: NaN, B: NaN"},
		"item of an array":   {"gguf/good/types.gguf", []string{"set", "--table", "metadata", "1/value=other"}, []string{"set", "header/metadata[14]/items[0]=9"}, ""},
		"other cells change": {"idv/good/deflated.idv", []string{"convert", "drop-column", "--path", `columns["Int64"]`}, []string{"set", "--table", "rows", "0/Int32=9"}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			dir, ext := t.TempDir(), filepath.Ext(c.base)
			a, b := variant(t, dir, "a"+ext, good+c.base, c.a...), variant(t, dir, "b"+ext, good+c.base, c.b...)
			want := headless.Found
			if c.conflict == "" {
				want = headless.Done
			}
			status, out, said := run(nil, "merge", good+c.base, a, b, "-o", filepath.Join(dir, "m"+ext))
			if status != want || !strings.Contains(out, c.conflict) {
				t.Errorf("%d: %s%s", status, out, said)
			}
			if status, out, said := run(nil, "merge", good+c.base, b, a, "-o", filepath.Join(dir, "n"+ext)); status != want {
				t.Errorf("in the other order: %d: %s%s", status, out, said)
			}
			if status, out, _ := run(nil, "diff", filepath.Join(dir, "m"+ext), filepath.Join(dir, "n"+ext)); c.conflict == "" && status != headless.Done {
				t.Errorf("the order matters: %s", out)
			}
			for prefer, from := range map[string]string{"a": a, "b": b} {
				m := filepath.Join(dir, prefer+"-wins"+ext)
				if status, out, said := run(nil, "merge", "--prefer", prefer, good+c.base, a, b, "-o", m); status != headless.Done {
					t.Errorf("--prefer %s: %d: %s%s", prefer, status, out, said)
				}
				if status, out, _ := run(nil, "diff", from, m); status != headless.Done && c.conflict != "" {
					t.Errorf("--prefer %s: %s", prefer, out)
				}
			}
		})
	}
}

// TestMergeOfEqualRows: of equal rows, one side removes one and the other changes one: whether it is the same is unknown.
func TestMergeOfEqualRows(t *testing.T) {
	dir := t.TempDir()
	base := variant(t, dir, "base.idv", "../../testdata/idv/good/deflated.idv", "convert", "add-rows", "count=6")
	a, b := variant(t, dir, "a.idv", base, "convert", "drop-rows", "first=9", "count=1"), variant(t, dir, "b.idv", base, "set", "--table", "rows", "12/Boolean=true")
	for _, x := range [][2]string{{a, b}, {b, a}} {
		if status, out, said := run(nil, "merge", base, x[0], x[1], "-o", filepath.Join(dir, "m.idv")); status != headless.Found || !strings.Contains(out, "equal rows") {
			t.Errorf("%d: %s%s", status, out, said)
		}
	}
}

func added(value string) []string {
	return []string{"convert", "add-variable", "name=v", "kind=CONSTANT", "type=FLOAT", "shape=[2]", "value=" + value}
}

func renamedColumn(value string) []string {
	return []string{"convert", "rename-column", "--path", `columns["Int64"]`, "name=Neu", "|", "set", "--table", "rows", "0/Neu=" + value}
}

// TestMergeInvalid: a merge that makes valid documents invalid is not saved, nor is such an edit with -o, unless --force is given.
func TestMergeInvalid(t *testing.T) {
	dir, set := t.TempDir(), func(key, value, typ string) []string {
		return []string{"convert", "set-metadata", "key=" + key, "value=" + value, "type=" + typ}
	}
	base := variant(t, dir, "base", "../../testdata/tiledb/good/dense-v22", set("n", "7", "INT64")...)
	a := variant(t, dir, "a", base, set("k", "1", "INT64")...)
	b := variant(t, dir, "b", base, set("n", "5", "INT32")...)
	for _, args := range [][]string{{"merge", base, a, b}, {"set", "../../testdata/idv/good/stored.idv", "header/rowCount=9"}} {
		out := filepath.Join(dir, args[0])
		status, _, said := run(nil, append(args, "-o", out)...)
		if _, err := os.Stat(out); status != headless.Failed || !strings.Contains(said, "would become invalid") || err == nil {
			t.Errorf("%v: %d, %s", args, status, said)
		}
		if status, _, said := run(nil, append(args, "--force", "-o", out)...); status != headless.Done {
			t.Errorf("%v --force: %d, %s", args, status, said)
		}
	}
}

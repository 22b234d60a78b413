package headless_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhere chooses rows and adds groups of them up.
func TestWhere(t *testing.T) {
	index, idv := samples+"good/three-shards/train.taridx", samples+"../idv/good/stored.idv"
	for _, c := range []struct {
		path, table string
		flags       []string
		want        string
	}{
		{index, "rows", []string{"--where", "size > 600 and extension = 'jpg'", "--columns", "stem,size"}, "stem,size\ns0001,601\ns0002,602\ns0003,603\ns0004,604\n"},
		{index, "rows", []string{"--where", "size > 600", "--rows", "0:4", "--columns", "size"}, "size\n601\n"},
		{index, "rows", []string{"--group-by", "extension", "--agg", "count,sum(size),mean(size),max(stem)"}, "extension,count,sum(size),mean(size),max(stem)\njpg,5,3010,602,s0004\ncls,5,5,1,s0004\n"},
		{index, "rows", []string{"--where", "size > 9000", "--agg", "count,min(size)"}, "count,min(size)\n0,\n"},
		{idv, "rows", []string{"--where", "Key = red", "--columns", "Key,Text"}, "Key,Text\n1,a\n1,\n"},
		{idv, "rows", []string{"--group-by", "Key", "--labels"}, "Key,count\nmissing,2\nred,2\ngreen,2\nblue,2\n"},
	} {
		status, out, err := run(nil, append([]string{"table", c.path, c.table}, c.flags...)...)
		if status != 0 || out != c.want {
			t.Errorf("%v: status %d: %s%s\nwant %s", c.flags, status, out, err, c.want)
		}
		file := filepath.Join(t.TempDir(), "x.arrow")
		if status, _, err := run(nil, append([]string{"table", c.path, c.table, "--to", "arrow", "-o", file}, without(c.flags, "--labels")...)...); status != 0 {
			t.Errorf("%v as Arrow: %s", c.flags, err)
		} else if n := readBack(t, file, "arrow"); strings.Count(c.want, "\n") > 1 && len(n) == 0 {
			t.Errorf("%v as Arrow: no rows", c.flags)
		}
	}
	for _, flags := range [][]string{{"--where", "nothing = 1"}, {"--where", "jpg"}, {"--agg", "sum"}, {"--agg", "sum(nothing)"}, {"--agg", "most(size)"}, {"--agg", "sum(stem)"}, {"--agg", "mean(stem)"},
		{"--group-by", "nothing"}, {"--group-by", "size", "--columns", "size"}} {
		if status, out, err := run(nil, append([]string{"table", index, "rows"}, flags...)...); status != 2 || out != "" || strings.Count(err, "\n") != 1 {
			t.Errorf("%v: status %d: %s%s", flags, status, out, err)
		}
	}
}

func without(list []string, word string) (out []string) {
	for _, s := range list {
		if s != word {
			out = append(out, s)
		}
	}
	return out
}

// TestSetFrom makes all edits of a file as one change, or none.
func TestSetFrom(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/idv/good")); err != nil {
		t.Fatal(err)
	}
	path, edits := filepath.Join(dir, "deflated.idv"), filepath.Join(dir, "edits.jsonl")
	set := func(text string) (int, string) {
		os.WriteFile(edits, []byte(text), 0o600)
		status, _, err := run(nil, "set", "--no-backup", path, "--from", edits)
		return status, err
	}
	if status, err := set(`{"table":"rows","row":0,"column":"Text","value":"one"}` + "\n\n" + `{"table":"rows","row":1,"column":"Int16","value":7}` + "\n" +
		`{"table":"rows","row":2,"column":"Key","value":null}` + "\n"); status != 0 {
		t.Fatal(err)
	}
	want := "Text,Int16,Key\none,-68,0\na,7,1\ngrößer,-34,0\n"
	table := func() string {
		_, out, _ := run(nil, "table", path, "rows", "--columns", "Text,Int16,Key", "--rows", "0:3")
		return out
	}
	if table() != want {
		t.Error(table())
	}
	for text, says := range map[string]string{
		`{"path":"header/nothing","value":1}`:                                               "line 1: no field",
		`{"table":"rows","row":0,"column":"Text","value":"x"}` + "\n" + `{"path":"header"}`: "line 2: it has no value",
		`{"table":"rows","row":99,"column":"Text","value":"x"}`:                             "rows from 0 to 7",
		`{"table":"rows","row":0,"column":"Int16","value":1e9}`:                             "row 0 of column \"Int16\"",
		`{"where":1}`: `an edit has no "where"`,
	} {
		if status, err := set(text); status != 2 || !strings.Contains(err, says) || table() != want {
			t.Errorf("%s: status %d: %s", text, status, err)
		}
	}
}

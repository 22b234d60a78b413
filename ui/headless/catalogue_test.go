package headless_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spandrel/parsers"
	"spandrel/ui/headless"
)

// shaOf is the SHA-256 of a file.
func shaOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return fmt.Sprintf("%x", sha256.Sum256(b))
}

// rowsOf are the lines of a catalogue by their paths.
func rowsOf(t *testing.T, args ...string) map[string]map[string]any {
	t.Helper()
	status, out, said := run(nil, append([]string{"catalogue", "--json"}, args...)...)
	if status == headless.Failed {
		t.Fatal(said)
	}
	rows := map[string]map[string]any{}
	for _, l := range lines(t, out) {
		if path := l["document"].(string); rows[path] == nil {
			rows[path] = l
		} else {
			t.Errorf("%s stands twice", path)
		}
	}
	return rows
}

// A catalogue has a row for each dataset: a folder that is one is one, and what is damaged or cannot be read has its cause.
func TestCatalogue(t *testing.T) {
	dir := collection(t)
	rows := rowsOf(t, dir, filepath.Join(dir, "nothing.npy"))
	want := map[string]string{"good": "ok taridx 2 files", "a/bad": "damaged taridx 2 files", "b/scdl": "ok scdl 14 files", "torn <&\x01>.idv": "damaged idv 1 files", "nothing.npy": "unreadable  0 files"}
	for name, is := range want {
		row := rows[filepath.Join(dir, name)]
		if got := fmt.Sprintf("%v %v %v files", row["state"], row["format"], row["files"]); row == nil && name != "torn <&\x01>.idv" || row != nil && got != is {
			t.Errorf("%s: %s, not %s: %v", name, got, is, row)
		}
		if row != nil && (len(row["causes"].([]any)) > 0) != (row["state"] != "ok") {
			t.Errorf("%s: %v", name, row)
		}
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows", len(rows))
	}
	group := filepath.Join(t.TempDir(), "group")
	must(t, os.MkdirAll(filepath.Join(group, "__group"), 0o700))
	must(t, os.WriteFile(filepath.Join(group, "__tiledb_group.tdb"), nil, 0o600))
	must(t, copied("../../testdata/tiledb/good/group.tdb", filepath.Join(group, "__group", "__1708362383727_1708362383727_a464f3a3a7e740c8856a476ee4c66ce1")))
	if row := rowsOf(t, group)[group]; row["format"] != "tiledb" || row["files"] != 2.0 || row["size"] == 0.0 {
		t.Errorf("a group: %v", row)
	}
	sum := rowsOf(t, "../../testdata/npy/good/matrix.npy")["../../testdata/npy/good/matrix.npy"]
	if sum["fingerprint"] != "sha256:"+shaOf(t, "../../testdata/npy/good/matrix.npy") || sum["rows"] != 6.0 || sum["size"] != 152.0 {
		t.Errorf("%v", sum)
	}
	if a, b := rows[filepath.Join(dir, "good")]["fingerprint"], rowsOf(t, "../../testdata/taridx/good/one-shard")["../../testdata/taridx/good/one-shard"]["fingerprint"]; a != b || a == "" {
		t.Errorf("the fingerprint of a copy: %v, %v", a, b)
	}
}

// Rows of what did not change are kept, in each kind of file; those of what changed are made again, also where it is a file that belongs to it.
func TestCatalogueGoesOn(t *testing.T) {
	dir := t.TempDir()
	must(t, os.CopyFS(filepath.Join(dir, "npy"), os.DirFS("../../testdata/npy/good")))
	must(t, os.CopyFS(filepath.Join(dir, "tar"), os.DirFS("../../testdata/taridx/good/three-shards")))
	must(t, os.CopyFS(filepath.Join(dir, "bad"), os.DirFS("../../testdata/npy/bad")))
	for _, ext := range []string{"parquet", "arrow", "csv", "jsonl"} {
		out := filepath.Join(t.TempDir(), "all."+ext)
		made := func() string {
			t.Helper()
			if status, _, said := run(nil, "catalogue", dir, "-o", out); status != headless.Found {
				t.Fatalf("%d %s", status, said)
			}
			b, err := os.ReadFile(out)
			must(t, err)
			return string(b)
		}
		if first := made(); made() != first || len(first) < 1000 {
			t.Errorf("%s: a second run writes something else", ext)
		}
	}
	out := filepath.Join(t.TempDir(), "all.csv")
	made := func(args ...string) []string {
		t.Helper()
		run(nil, append([]string{"catalogue", dir, "-o", out}, args...)...)
		b, err := os.ReadFile(out)
		must(t, err)
		marked := strings.ReplaceAll(string(b), "sha256:", "kept:") // what is made again has not this mark
		must(t, os.WriteFile(out, []byte(marked), 0o600))
		return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")[1:]
	}
	isNew := func(rows []string) (names []string) {
		for _, r := range rows {
			if strings.Contains(r, "sha256:") {
				path, _, _ := strings.Cut(r, ",")
				names = append(names, filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator))))
			}
		}
		return names
	}
	all := made()
	if got := isNew(all); len(got) != len(all) {
		t.Fatalf("%d of %d are new", len(got), len(all))
	}
	if got := isNew(made()); len(got) > 0 {
		t.Errorf("without a change %v are new", got)
	}
	soon := time.Now().Add(time.Hour)
	must(t, os.Chtimes(filepath.Join(dir, "npy", "matrix.npy"), soon, soon))
	must(t, os.Chtimes(filepath.Join(dir, "tar", "train_0001.tar"), soon, soon))
	must(t, os.Rename(filepath.Join(dir, "npy", "vector.npy"), filepath.Join(dir, "npy", "renamed.npy")))
	rows := made()
	if got, want := isNew(rows), []string{"npy/matrix.npy", "npy/renamed.npy", "tar"}; !slices.Equal(got, want) || len(rows) != len(all) {
		t.Errorf("%v are new, not %v; %d rows", got, want, len(rows))
	}
	must(t, os.Chtimes(filepath.Join(dir, "npy", "matrix.npy"), soon.Add(time.Hour), soon.Add(time.Hour)))
	must(t, os.Chtimes(filepath.Join(dir, "npy", "renamed.npy"), time.Unix(1, 0), time.Unix(1, 0)))
	since := fmt.Sprint(soon.UnixMilli())
	rows = made("--changed-since", since)
	if got := isNew(rows); !slices.Equal(got, []string{"npy/matrix.npy"}) || len(rows) != len(all) {
		t.Errorf("%v are new since then; %d rows", got, len(rows))
	}
	if n := len(rowsOf(t, dir, "--changed-since", since)); n != 2 { // the changed shard is of that time
		t.Errorf("%d rows of what changed", n)
	}
}

// An interrupted run leaves the rows that there were.
func TestCatalogueInterrupted(t *testing.T) {
	out := filepath.Join(t.TempDir(), "all.jsonl")
	args := []string{"catalogue", "../../testdata/npy/good", "-o", out}
	if status, _, said := run(nil, args...); status != headless.Done {
		t.Fatal(said)
	}
	before, err := os.ReadFile(out)
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var said bytes.Buffer
	if status := headless.RunIn(ctx, headless.Env{Formats: parsers.All(), Out: io.Discard, Err: &said}, args); status != headless.Failed || !strings.Contains(said.String(), "again to continue") {
		t.Errorf("%d %s", status, &said)
	}
	after, err := os.ReadFile(out)
	must(t, err)
	if !slices.Equal(slices.Sorted(strings.Lines(string(after))), slices.Sorted(strings.Lines(string(before)))) {
		t.Errorf("other rows: %s", after)
	}
}

// What is no catalogue is not written over, and what cannot be is refused before anything is read.
func TestCatalogueRefuses(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.csv")
	must(t, os.WriteFile(other, []byte("path,size\na,1\n"), 0o600))
	torn := filepath.Join(dir, "torn.parquet")
	must(t, os.WriteFile(torn, []byte("PAR1 and no more"), 0o600))
	for _, args := range [][]string{{"-o", other}, {"-o", torn}, {"-o", filepath.Join(dir, "x.txt")}, {"--changed-since", "yesterday"}, {"--shard", "4/3"}, {"--shard", "1"},
		{"--shard", "-1/3"}, {"--shard", "1/0"}, {"--json", "--to", "csv"}, {"--to", "xls"}, {"--effort", "-1"}} {
		if status, out, said := run(nil, append([]string{"catalogue", "../../testdata/npy/good"}, args...)...); status != headless.Failed || out != "" || said == "" {
			t.Errorf("%v: %d %.100s %s", args, status, out, said)
		}
	}
	if b, _ := os.ReadFile(other); string(b) != "path,size\na,1\n" {
		t.Errorf("it wrote %s", b)
	}
	if list, _ := os.ReadDir(dir); len(list) != 2 {
		t.Errorf("it left %v", list)
	}
}

// The shares of all shards are together what there is, each once, whatever I counts from.
func TestShards(t *testing.T) {
	for _, command := range []string{"check", "catalogue"} {
		paths := []string{command, "--json", "--quiet", "--effort", "0", "../../testdata/npy", "../../testdata/tiledb/good", "../../testdata/taridx/good", "../../testdata/idv"}
		_, whole, _ := run(nil, paths...)
		want, got := slices.Sorted(strings.Lines(whole)), []string(nil)
		for i := range 5 {
			status, part, said := run(nil, append(paths, "--shard", fmt.Sprintf("%d/5", i))...)
			if status == headless.Failed || said != "" || len(part) == 0 || len(part) > len(whole)*2/5 {
				t.Errorf("%s, share %d: %d %s, %d of %d bytes", command, i, status, said, len(part), len(whole))
			}
			got = append(got, slices.Collect(strings.Lines(part))...)
		}
		if slices.Sort(got); !slices.Equal(got, want) || len(want) < 30 {
			t.Errorf("%s: %d lines, not %d", command, len(got), len(want))
		}
		_, first, _ := run(nil, append(paths, "--shard", "0/5")...)
		if _, last, _ := run(nil, append(paths, "--shard", "5/5")...); last != first {
			t.Errorf("%s: 5/5 is not 0/5", command)
		}
	}
	if status, out, said := run(nil, "check", "../../testdata/npy/bad/001-magic.npy", "--shard", "1/2"); out == "" == (status == headless.Found) || said != "" {
		t.Errorf("one file: %d %s %s", status, out, said)
	}
}

package headless_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/ui/headless"
)

// TestNumbersAsNames: a number in a file is the number of a key; with --labels, or in another document, its name.
func TestNumbersAsNames(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.idv")
	if err := copied("../../testdata/idv/good/deflated.idv", path); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"3", "1", "2"} {
		if status, _, said := run(nil, "convert", "--path", "toc[16]", path, "set-key-value", fmt.Sprint("key=", i+1), "value="+name, "--no-backup"); status != headless.Done {
			t.Fatal(said)
		}
	}
	_, rows, _ := run(nil, "table", path, "rows", "--columns", "Text", "--to", "jsonl")
	missing := filepath.Join(dir, "missing.jsonl")
	must(t, os.WriteFile(missing, []byte(strings.Replace(rows, `"a"`, "null", 1)), 0o600))
	if status, _, said := run(nil, "table", path, "rows", "--from", missing, "--no-backup"); status != headless.Done || !strings.Contains(said, "1 cell") {
		t.Fatal(said)
	}
	for _, column := range []string{"Key", "Text"} { // a label "missing" could be a text
		for _, with := range [][]string{{"--to", "csv"}, {"--to", "jsonl"}, {"--to", "csv", "--labels"}, {"--to", "jsonl", "--labels"}} {
			_, out, _ := run(nil, append([]string{"table", path, "rows", "--columns", column}, with...)...)
			file := filepath.Join(dir, "rows."+with[1])
			os.WriteFile(file, []byte(out), 0o600)
			status, out, said := run(nil, append([]string{"table", path, "rows", "--from", file, "--dry-run"}, with[2:]...)...)
			if status != headless.Done || !strings.Contains(said+out, "0 cells") {
				t.Errorf("%s: %s%s", with, out, said)
			}
		}
	}
	if status, out, said := run(nil, "table", path, "rows", "--from", path, "--dry-run"); status != headless.Done || !strings.Contains(said+out, "0 cells") {
		t.Errorf("%s%s", out, said)
	}
}

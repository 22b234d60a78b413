package headless_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exampleFiles are what the files of the examples are made from.
var exampleFiles = map[string]string{
	"train.idv": "idv/good/stored.idv", "old.idv": "idv/good/stored.idv", "new.idv": "idv/good/deflated.idv", "base.idv": "idv/good/stored.idv",
	"mine.idv": "idv/good/stored.idv", "theirs.idv": "idv/good/deflated.idv", "data": "npy/good", "archive": "scdl/good/archive",
	"model.fb":  "samediff/good/inline.fb",
	"model.sdz": "samediff/good/stored.sdz", "model.safetensors": "safetensors/good/model.safetensors", "train.npy": "npy/bad/003-cut.npy",
	".": "taridx/good/one-shard", "cut.taridx": "taridx/bad/054-cut/train.taridx", "train_0000.tar": "taridx/bad/054-cut/train_0000.tar",
}

// TestExamples runs the examples of the help of every command: each can be done.
func TestExamples(t *testing.T) {
	from, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	_, all, _ := run(nil, "help")
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+) `).FindAllStringSubmatch(all, -1) {
		_, help, _ := run(nil, m[1], "--help")
		_, examples, _ := strings.Cut(help, "Examples:\n")
		examples, _, _ = strings.Cut(examples, "\n\n")
		for _, line := range strings.Split(examples, "\n") {
			line, input, _ := strings.Cut(line, " < ")
			line, _, _ = strings.Cut(line, " > ")
			command, ok := strings.CutPrefix(line, "spandrel ")
			if !ok || strings.Contains(line, "/mnt") {
				continue
			}
			t.Run(line, func(t *testing.T) {
				t.Chdir(exampleFolder(t, from))
				stdin, _ := os.ReadFile(input)
				command = strings.Replace(command, "*.idv", "train.idv new.idv", 1)
				if m[1] == "recover" {
					command = strings.Replace(command, "archive", interrupted(t), 1)
				}
				if status, out, err := run(stdin, words(command)...); status == 2 {
					t.Errorf("%s%s", out, err)
				}
			})
		}
	}
}

// exampleFolder is a new folder with the files of the examples.
func exampleFolder(t *testing.T, from string) string {
	dir := t.TempDir()
	for name, sample := range exampleFiles {
		sample, to := filepath.Join(from, sample), filepath.Join(dir, name)
		if err := filepath.WalkDir(sample, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			at := filepath.Join(to, strings.TrimPrefix(path, sample))
			os.MkdirAll(filepath.Dir(at), 0o700)
			return os.WriteFile(at, b, 0o600)
		}); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(filepath.Join(dir, "edits.jsonl"), []byte(`{"path":"header/reserved","value":"00000000000000"}`+"\n"), 0o600)
	os.WriteFile(filepath.Join(dir, "trace.txt"), []byte("SafetensorError: HeaderTooLarge\n"), 0o600)
	t.Chdir(dir)
	for _, args := range [][]string{
		{"convert", "--no-backup", "--path", "toc[0]", "train.idv", "rename-column", "name=Id"},
		{"convert", "--no-backup", "--path", "toc[1]", "train.idv", "rename-column", "name=Years"},
		{"convert", "--no-backup", "--path", "toc[2]", "train.idv", "rename-column", "name=Age"},
		{"table", "train.idv", "rows", "--columns", "Id,Text", "-o", "new.parquet", "--to", "parquet"},
	} {
		if status, _, err := run(nil, args...); status != 0 {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"old.idv", "new.idv", "base.idv", "mine.idv", "theirs.idv"} {
		if status, _, err := run(nil, "convert", "--no-backup", "--path", "toc[0]", name, "rename-column", "name=Id"); status != 0 {
			t.Fatal(err)
		}
	}
	return dir
}

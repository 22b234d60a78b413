package headless_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/xeipuuv/gojsonschema"
)

// TestSchema runs commands with --json: each line is of a kind that docs/schema tells, and fits; and every kind is printed by one of them.
func TestSchema(t *testing.T) {
	schemas := map[string]*gojsonschema.Schema{}
	files, _ := filepath.Glob("../../docs/schema/*.json")
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(b))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		schemas[strings.TrimSuffix(filepath.Base(path), ".json")] = s
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	os.WriteFile("rows.csv", []byte("Int16,Text\n-68,x\n"), 0o600)
	tar, _ := os.ReadFile("tar/good/ustar.tar")
	tar[520] ^= 1
	os.WriteFile("other.tar", tar, 0o600)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	seen := map[string]bool{}
	commands := append(strings.Split(schemaCommands, "\n"), "check "+server.URL+"/idv/good/stored.idv", "recover "+interrupted(t))
	_, all, _ := run(nil, "help")
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+) `).FindAllStringSubmatch(all, -1) {
		_, help, _ := run(nil, m[1], "--help")
		if strings.Contains(help, "--json") && !slices.ContainsFunc(commands, func(c string) bool { return strings.HasPrefix(c+" ", m[1]+" ") }) {
			t.Errorf("%s takes --json, and no line of it is compared with a schema", m[1])
		}
	}
	for _, command := range commands {
		_, out, said := run(nil, append(strings.Fields(command), "--json")...)
		for _, line := range strings.Split(out+said, "\n") {
			if line == "" {
				continue
			}
			var l struct {
				Kind string `json:"kind"`
			}
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Errorf("%s: %.200s: %v", command, line, err)
				continue
			}
			seen[l.Kind] = true
			s := schemas[l.Kind]
			if s == nil {
				t.Errorf("%s: no schema of the kind %q: %.200s", command, l.Kind, line)
				continue
			}
			if r, err := s.Validate(gojsonschema.NewStringLoader(line)); err != nil || !r.Valid() {
				t.Errorf("%s: %.300s: %v %v", command, line, err, r.Errors())
			}
		}
	}
	for kind := range schemas {
		if !seen[kind] {
			t.Errorf("no command printed %q", kind)
		}
	}
}

// schemaCommands are what the test runs, without --json.
const schemaCommands = `dump taridx/good/one-shard/train.taridx
dump --all idv/good/deflated.idv
dump --tree idv/good/deflated.idv
dump --depth -7 idv/good/deflated.idv
check npy/bad/001-magic.npy idv/bad/008-negative-rows.idv tiledb/good/dense-v22
check --why idv/bad/005-compatible-too-old.idv
check --for numpy@2.4 npy/bad/003-cut.npy
check nothing.idv
check nothing.idv neither.idv
catalogue nothing.idv npy/bad taridx/good scdl/good/archive idv/bad/001-short.idv SOURCES.md
explain npy/bad/003-cut.npy ValueError: mmap length is greater than file size
explain nothing known
get idv/good/stored.idv nothing
convert --force -o copy.idv --path toc[0] idv/bad/008-negative-rows.idv rename-column name=Neu
fix --dry-run idv/bad/008-negative-rows.idv
fix idv/bad/008-negative-rows.idv
fix --no-backup --choose def08ee0 idv/bad/005-compatible-too-old.idv
fix --with idv/bad/005-compatible-too-old.idv --dry-run idv/bad/001-short.idv
fix --rule NOPE idv/good/stored.idv
salvage --dry-run idv/bad/013-tail-outside.idv
salvage -o nowhere/x.idv idv/bad/013-tail-outside.idv
slice tar/bad/002-no-header.tar -o small.tar
set --dry-run safetensors/good/model.safetensors header/entries[2]/name=tokens
set safetensors/good/model.safetensors header/entries[2]/name=tokens
set idv/good/stored.idv header/rowCount=9
set --force --no-backup idv/good/stored.idv header/rowCount=9
convert idv/good/legacy.idv
convert --no-backup idv/good/prefixed.idv nothing
convert --no-backup tiledb/good/sparse-v22 add-cell nothing
table idv/good/deflated.idv
table npy/good/vector.npy
table npy/good/dates.npz
table taridx/bad/054-cut/train.taridx
find --most 1 taridx/good/three-shards/train.taridx jpg
table --to arrow idv/good/deflated.idv rows
table idv/good/deflated.idv rows --from rows.csv --key Int16 --dry-run
table idv/good/deflated.idv rows --from rows.csv --key Int16
table idv/good/deflated.idv rows --from rows.csv
diff npy/good/vector.npy npy/good/python2.npy
set --dry-run --table dimensions tiledb/good/dense-v22 0/low=1
diff idv/good/deflated.idv idv/good/legacy.idv
diff --stat idv/good/deflated.idv idv/good/legacy.idv
diff idv/good/deflated.idv tar/good/ustar.tar
diff tar/good/ustar.tar other.tar
diff --layout idv/good/deflated.idv idv/good/legacy.idv
merge --dry-run idv/good/deflated.idv idv/good/deflated.idv idv/good/deflated.idv
merge --dry-run tar/good/ustar.tar tar/good/ustar.tar other.tar
set -o one.npy --table values npy/good/vector.npy 0/value=41
set -o two.npy --table values npy/good/vector.npy 0/value=42
merge --dry-run npy/good/vector.npy one.npy two.npy
find taridx/good/three-shards/train.taridx jpg
protect tar/good/ustar.tar
rules
formats
version
version x`

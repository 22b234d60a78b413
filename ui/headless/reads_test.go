package headless_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers"
	"spandrel/ui/headless"
)

// An edit reads the document as it was and as it is then, and nothing twice: what is held against its errors is what was read for the edit.
func TestSetReadsOnce(t *testing.T) {
	b, err := os.ReadFile("../../testdata/idv/good/stored.idv")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.idv")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	read, formats := 0, parsers.All()
	for i, f := range formats {
		one := *f
		one.Parse = func(c *model.Cursor) {
			read++
			f.Parse(c)
		}
		formats[i] = &one
	}
	var said bytes.Buffer
	env := headless.Env{Formats: formats, In: &said, Out: &said, Err: &said, Version: "test"}
	if status := headless.Run(env, []string{"set", "--no-backup", "--table", "rows", path, "0/SByte=7"}); status != headless.Done || read != 2 {
		t.Errorf("status %d, read %d times, not before and after:\n%s", status, read, said.String())
	}
}

// What the readers make of a document in which something is wrong comes first, those that do not open it before others; of a sound one, and as data
// where no one asked, nothing is said.
func TestReadersFirst(t *testing.T) {
	for path, want := range map[string]string{
		"taridx/bad/022-n-rows":            `glzn refuses this file: "n_rows in data do not match header!"`,
		"tar/bad/009-same-name.tar":        `webdataset opens this file, but fails when it reads the damaged part: "duplicate file name in tar file"`,
		"npy/bad/007-no-line-feed.npy":     "numpy opens this file: [2, 3], 6 values",
		"npy/good/matrix.npy":              "",
		"tiledb/good/sparse-v23":           "",
		"gguf/bad/001-magic.gguf":          `gguf (Python) refuses this file: "GGUF magic invalid"`,
		"safetensors/bad/checkpoint-zeros": `safetensors refuses model-00003-of-00003.safetensors: "invalid JSON in header"`,
	} {
		_, out, _ := run(nil, "check", "../../testdata/"+path)
		first, _, _ := strings.Cut(out, "\n")
		_, said, _ := strings.Cut(first, ": ")
		if spoke := strings.Contains(out, " refuses ") || strings.Contains(out, " opens this "); spoke != (want != "") || want != "" && said != want {
			t.Errorf("%s begins with %q", path, first)
		}
		if _, out, _ := run(nil, "check", "--json", "../../testdata/"+path); strings.Contains(out, `"reader"`) {
			t.Errorf("%s: a reader's line where none is asked for", path)
		}
	}
}

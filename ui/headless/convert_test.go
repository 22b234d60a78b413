package headless_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConvertOut writes what a conversion creates to -o, to a file and to a pipe, and leaves what it comes from alone.
func TestConvertOut(t *testing.T) {
	was, err := os.ReadFile("../../testdata/samediff/good/deflated.sdz")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.sdz")
	if err := os.WriteFile(path, was, 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "model.fb")
	if status, _, text := run(nil, "convert", "-o", out, path, "convert-fb"); status != 0 {
		t.Fatalf("%d %s", status, text)
	}
	if status, text, _ := run(nil, "check", out); status != 0 {
		t.Error(text)
	}
	status, piped, told := run(nil, "convert", "-o", "-", path, "convert-fb")
	if b, _ := os.ReadFile(out); status != 0 || piped != string(b) || len(b) == 0 {
		t.Errorf("the pipe has %d bytes, not %d: %s", len(piped), len(b), told)
	}
	list, _ := os.ReadDir(filepath.Dir(path))
	if is, _ := os.ReadFile(path); !bytes.Equal(is, was) || len(list) != 1 {
		t.Errorf("the model changed, or %d files lie in its folder", len(list))
	}
}

// TestConvertWarns says what of an archive is not in the converted model.
func TestConvertWarns(t *testing.T) {
	nb, err := os.ReadFile("../../testdata/samediff/good/blobs.sdnb")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range map[string][]byte{"model": nb, "tokenizer.json": []byte("{}")} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "m.sdz")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	status, out, text := run(nil, "convert", "--json", "-o", filepath.Join(dir, "m.fb"), path, "convert-fb")
	if status != 0 || !strings.Contains(out+text, "tokenizer.json") || !strings.Contains(out+text, `"warning"`) {
		t.Errorf("%d %s%s", status, out, text)
	}
}

package gguf

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// script prints what the Python package reads of files: metadata, and of each tensor the bytes and the values.
const script = `
import json, sys
from gguf import GGUFReader
from gguf.quants import dequantize
for path in sys.argv[1:]:
    try:
        r = GGUFReader(path)
        out = {"pairs": {k: str(f.contents()) for k, f in r.fields.items()}, "tensors": {}, "values": {}}
        for t in r.tensors:
            out["tensors"][t.name] = t.data.tobytes().hex()
            if r.byte_order == "I":
                try:
                    out["values"][t.name] = [float(v) for v in (t.data if t.data.dtype != "uint8" else dequantize(t.data,
	t.tensor_type)).ravel()]
                except NotImplementedError:
                    pass
    except Exception as e:
        out = {"error": f"{type(e).__name__}: {e}"}
    print(json.dumps(out))
`

type readBack struct {
	Error   string
	Pairs   map[string]string
	Tensors map[string]string
	Values  map[string][]float64
}

// reader has the format's own software read files; the test is left out where it is not installed.
func reader(t *testing.T, files ...[]byte) (out []readBack) {
	t.Helper()
	if exec.Command("python3", "-c", "import gguf.quants").Run() != nil {
		t.Skip("the Python package gguf is not installed")
	}
	args := []string{"-c", script}
	for i, b := range files {
		path := filepath.Join(t.TempDir(), string(rune('a'+i))+".gguf")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	printed, err := exec.Command("python3", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(printed)); d.More(); {
		var r readBack
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func good(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "gguf", "good", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The tables have the values that the format's own software computes with, of quantised tensors too.
func TestValuesOfReader(t *testing.T) {
	for i, r := range reader(t, good(t, "types.gguf"), good(t, "blocks.gguf")) {
		d := opened(t, good(t, []string{"types.gguf", "blocks.gguf"}[i]))
		compared := 0
		for _, tab := range d.Tree.Tables(context.Background()) {
			want, ok := r.Values[tab.Name]
			if !ok {
				continue
			}
			compared++
			for _, first := range []int64{0, min(40, tab.Rows-1)} {
				rows, err := tab.Read(context.Background(), first, tab.Rows-first)
				if err != nil || int64(len(rows)) != tab.Rows-first || int64(len(want)) != tab.Rows {
					t.Fatalf("%s: %d rows of %d, want %d: %v", tab.Name, len(rows), tab.Rows, len(want), err)
				}
				for k, row := range rows {
					if got, w := row[1].Value.Float(), want[first+int64(k)]; math.Abs(got-w) > 1e-6*math.Abs(w) {
						t.Fatalf("%s[%d] is %v, the reader has %v", tab.Name, first+int64(k), got, w)
					}
				}
			}
		}
		if compared < []int{13, 8}[i] {
			t.Errorf("%d tables compared", compared)
		}
	}
}

// What is edited, and what is salvaged, the format's own software reads: the metadata that was set, and every tensor with its bytes.
func TestReader(t *testing.T) {
	whole := good(t, "types.gguf")
	edited := opened(t, whole)
	set(t, edited, "header/metadata[1]/value", model.S("a name that is longer than the one before"))
	set(t, edited, "header/metadata[13]/items[3]/value", model.S("another"))
	set(t, edited, "header/tensors[0]/name", model.S("renamed"))
	files := [][]byte{whole, suite.Bytes(t, edited)}
	for _, cut := range []int{1, 100, 500, 800} {
		s, err := model.Salvage(context.Background(), opened(t, whole[:len(whole)-cut]).Tree)
		if err != nil {
			t.Fatal(err)
		}
		if !s.Valid() {
			t.Errorf("without %d bytes: %s", cut, s.Verdict())
		}
		out := s.Files["x.gguf"]
		b, err := io.ReadAll(io.NewSectionReader(out, 0, out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, b)
	}
	read := reader(t, files...)
	for i, r := range read {
		if r.Error != "" {
			t.Fatalf("file %d: %s", i, r.Error)
		}
		for name, b := range r.Tensors {
			if was := read[0].Tensors[strings.Replace(name, "renamed", "number.float32", 1)]; was != b {
				t.Errorf("file %d: tensor %s is another", i, name)
			}
		}
	}
	if read[1].Pairs["general.name"] != "a name that is longer than the one before" ||
		!strings.Contains(read[1].Pairs["tokenizer.ggml.tokens"], "'another'") || read[1].Tensors["renamed"] == "" {
		t.Errorf("%v", read[1].Pairs)
	}
	for i, n := range []int{13, 13, 13, 12, 8, 2} {
		if len(read[i].Tensors) != n {
			t.Errorf("file %d has %d tensors, want %d", i, len(read[i].Tensors), n)
		}
	}
}

// What the format's own software refuses has an error. (The package takes some of what llama.cpp refuses, such as offsets that leave
// gaps.)
func TestRefused(t *testing.T) {
	var names []string
	var files [][]byte
	for name, b := range samples() {
		if !strings.Contains(strings.TrimPrefix(name, "bad/"), "/") {
			names, files = append(names, name), append(files, b)
		}
	}
	for i, r := range reader(t, files...) {
		errors := 0
		found, _ := opened(t, files[i]).Tree.Findings()
		for k := range found {
			if found[k].Grade() == model.Error {
				errors++
			}
		}
		if r.Error != "" && errors == 0 {
			t.Errorf("%s: the reader says %s, and nothing is wrong", names[i], r.Error)
		}
	}
}

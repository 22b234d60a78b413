package parsers

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
)

// outlineOf prints what a document means, a node a line, and fails where one leads outside the document.
func outlineOf(t *testing.T, d *model.Document) string {
	t.Helper()
	ctx := context.Background()
	list, err := d.Format.Outline(ctx, d.Tree)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(list []model.Meaning, depth int)
	walk = func(list []model.Meaning, depth int) {
		for _, m := range list {
			icon := [...]string{model.IconNumber: "# ", model.IconText: "T ", model.IconArray: "[] ", model.IconImage: "<> "}[m.Icon]
			b.WriteString(strings.Repeat(" ", depth) + icon + strings.TrimSpace(m.Label+" "+m.Text) + "\n")
			if m.Label == "" {
				t.Errorf("a node without a name, below\n%s", b.String())
			}
			if m.Span != nil && m.At.Len > 0 {
				t.Errorf("%s has a span and bytes", m.Label)
			}
			if n, err := d.Tree.Size(ctx, m.At.Space); m.At.Len > 0 && (err != nil || m.At.Off < 0 || m.At.End() > n) {
				t.Errorf("%s is at %+v of %d bytes: %v", m.Label, m.At, n, err)
			}
			walk(m.Kids, depth+1)
			if m.More == nil {
				continue
			}
			kids, err := m.More(ctx)
			if err != nil {
				t.Errorf("%s: %v", m.Label, err)
			}
			walk(kids, depth+1)
		}
	}
	walk(list, 0)
	return b.String()
}

// What documents mean leads to their bytes, in every sample that is whole, and says what its users call it.
func TestOutlines(t *testing.T) {
	for _, x := range []struct{ path, want string }{
		{"idv/good/deflated.idv", "columns 20, 8 rows each\n # SByte "},
		{"taridx/good/three-shards/train.taridx", "samples 5\n s0000 jpg, cls\n  <> jpg 600 bytes in train_0000.tar\n"},
		{"scdl/good/archive", "cells 4\n cell 0 2 genes\n  # ACTB 5\n  # IL2 300\n cell 1 0 genes\n"},
		{"tiledb/good/sparse-v22", "dimensions 1\n # x INT64, "},
		{"npy/good/matrix.npy", "dtype <f4\nshape [2, 3]\norder C\n[] values 6\n"},
		{"npy/good/arrays.npz", "arrays 2\n [] weights <f4 [2, 3]\n [] ids >i4 [4]\n"},
		{"safetensors/good/model.safetensors", "tensors 4\n [] layer.0/weight F32 [2, 3]\n"},
		{"safetensors/good/checkpoint", "tensors 4\n [] embed.weight F32 [2, 2] in model-00001-of-00003.safetensors\n"},
		{"safetensors/bad/checkpoint-cut", "tensors 4\n [] embed.weight F32 [2, 2] in model-00001-of-00003.safetensors\n"},
		{"tar/good/pax.tar", "members 2\n T a long name a long name"},
		{"tar/bad/002-no-header.tar", "members "},
		{"gguf/good/vocabulary.gguf", "metadata 3\n T general.architecture llama\n T general.name sample\n [] tokenizer.ggml.tokens ["},
		{"gguf/good/types.gguf", "metadata "},
	} {
		d, err := model.Open(context.Background(), filepath.Join("../testdata", x.path), All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := outlineOf(t, d); !strings.HasPrefix(got, x.want) {
			t.Errorf("%s:\n%s", x.path, got)
		} else if os.Getenv("OUTLINES") != "" {
			t.Log(x.path + "\n" + got)
		}
		d.Close()
	}
	for _, kind := range []string{"good", "bad"} {
		paths, _ := filepath.Glob("../testdata/*/" + kind + "/*")
		for _, path := range paths {
			d, err := model.Open(context.Background(), path, All(), nil)
			if err != nil {
				continue
			}
			if d.Format != nil && d.Format.Outline != nil && kind == "good" {
				outlineOf(t, d)
			} else if d.Format != nil && d.Format.Outline != nil { // damaged: it may say little, but it ends
				_, _ = d.Format.Outline(context.Background(), d.Tree)
			}
			d.Close()
		}
	}
}

package scdl

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/parsers/internal/suite"
)

// onDisk is the rules whose bad archives are kept in testdata; the other rules of archives are tried on folders made on
// the spot.
var onDisk = []string{"041", "042", "043", "047", "048", "051", "054", "062", "064", "069", "084", "094", "102"}

// samples returns all samples of testdata by path: files of a header alone, and those of archives.
func samples() map[string][]byte {
	out := map[string][]byte{}
	add := func(name string, f fileset) {
		if b, ok := f["header.sch"]; ok && len(f) == 1 {
			out[name+".sch"] = b
			return
		}
		for n, b := range f {
			out[name+"/"+n] = b
		}
	}
	chunked := chunks()
	for name, f := range map[string]fileset{"archive": good(), "ragged": ragged(3), "neighbors": neighbors(), "chunked": chunked,
		"legacy":     legacy(),
		"collection": bothOf(good(), ragged(2)), "empty": {"header.sch": headOf()}, "shapes": {"header.sch": headOf(one,
			item{name: "größe.dat", length: 1 << 40, dtype: 7, shape: []uint32{1 << 20, 1 << 20}})},
		"chunks": {"header.sch": chunked["header.sch"]}} {
		add("good/"+name, f)
	}
	seen := map[string]int{}
	for _, b := range bads {
		f := good()
		if b.base != nil {
			f = b.base()
		}
		if b.change(f); len(f) > 1 && !slices.Contains(onDisk, b.rule) {
			continue
		}
		name := b.rule + "-sample"
		if seen[name]++; seen[name] == 1 {
			add("bad/"+name, f)
		}
	}
	return out
}

// TestScdlSamples checks that testdata holds what the code makes, or writes it.
func TestScdlSamples(t *testing.T) {
	root := filepath.Join("..", "..", "testdata", "scdl")
	want := samples()
	if *suite.Update {
		for name, b := range want {
			p := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(p, ".tree") || d.Name() == "rules.txt" {
			return err
		}
		name, _ := filepath.Rel(root, p)
		name = filepath.ToSlash(name)
		b, err := os.ReadFile(p)
		if w, ok := want[name]; !ok || !bytes.Equal(b, w) {
			t.Errorf("%s is not what the code makes (made at all: %v)", name, ok)
		}
		delete(want, name)
		return err
	})
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}

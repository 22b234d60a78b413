package scdl

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// What is salvaged of a damaged archive is an archive without an error, with all cells whose values are there.
func TestSalvage(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(f fileset)
		cells  int64
	}{
		{"header lost", func(f fileset) { delete(f, "header.sch") }, 4},
		{"header zeroed", func(f fileset) { f["header.sch"] = make([]byte, len(f["header.sch"])) }, 4},
		{"metadata lost", func(f fileset) { delete(f, "metadata.json") }, 4},
		{"columns cut", func(f fileset) { f["col_ptr.npy"] = f["col_ptr.npy"][:5] }, 3},
		{"values cut", func(f fileset) { f["data.npy"] = f["data.npy"][:5] }, 2},
		{"pointers cut", func(f fileset) { f["row_ptr.npy"] = f["row_ptr.npy"][:3] }, 2},
	} {
		f := good()
		f.patch("header.sch", 35, 2)
		c.damage(f)
		d := f.open(t)
		s, err := salvage(t.Context(), d.Tree)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if s.Parts[0].Saved != c.cells {
			t.Errorf("%s: %s, want %d", c.name, s.Parts[0], c.cells)
		}
		saved := fileset{}
		for name, src := range s.Files {
			b := make([]byte, src.Len())
			src.ReadAt(b, 0)
			saved[name] = b
		}
		if !bytes.HasPrefix(good()["data.npy"], saved["data.npy"]) || len(saved["data.npy"]) == 0 {
			t.Errorf("%s: values % x", c.name, saved["data.npy"])
		}
		for _, x := range deepOf(t, saved.open(t)) {
			if x.Grade() == model.Error {
				t.Errorf("%s: %s %s: %s; found %s, expected %s", c.name, x.Rule.ID, x.Path(), x.Text(), x.Found, x.Expected)
			}
		}
	}
}

func deepOf(t *testing.T, d *model.Document) []model.Finding {
	findings(t, d, "")
	return allOf(d)
}

// Cells on both sides of a damaged row pointer are saved, each with its own values and its own row of the table of cells.
func TestSalvageAround(t *testing.T) {
	f := good()
	f.patch("row_ptr.npy", 2, 200) // of cells 1 and 2
	d := f.open(t)
	s, err := salvage(t.Context(), d.Tree)
	if err != nil {
		t.Fatal(err)
	}
	saved := fileset{}
	for name, src := range s.Files {
		b := make([]byte, src.Len())
		src.ReadAt(b, 0)
		saved[name] = b
	}
	if want := le(2, 5, 300, 9, 4); s.Parts[0].Saved != 2 || s.Parts[0].Of != 4 || !bytes.Equal(saved["data.npy"], want) || !bytes.Equal(saved["row_ptr.npy"], le(1, 0, 2, 4)) {
		t.Errorf("%s: values % x, want % x; pointers % x", s.Parts[0], saved["data.npy"], want, saved["row_ptr.npy"])
	}
	open := saved.open(t)
	for _, x := range deepOf(t, open) {
		if x.Grade() != model.Note {
			t.Errorf("%s %s: %s; found %s, expected %s", x.Rule.ID, x.Path(), x.Text(), x.Found, x.Expected)
		}
	}
	if got := rowsOf(t, open, "cells"); !slices.Equal(got, []string{"0 B 0", "0 NK 1.5"}) {
		t.Errorf("the table of cells has the rows %q", got)
	}
}

// Zeros that were written over row pointers are no pointers.
func TestAscending(t *testing.T) {
	for _, c := range []struct {
		ptr  []uint64
		want [][2]int64
	}{
		{[]uint64{0, 2, 2, 5}, [][2]int64{{0, 3}}},
		{[]uint64{0, 0, 1, 9}, [][2]int64{{0, 2}}},
		{[]uint64{0, 2, 0, 0, 0, 0, 4, 5}, [][2]int64{{0, 1}, {6, 7}}},
		{[]uint64{7, 2, 3, 3}, [][2]int64{{1, 3}}},
		{[]uint64{0, 2, 1, 3, 4}, [][2]int64{{3, 4}}},
		{[]uint64{9}, nil},
	} {
		got := ascending(c.ptr, 6)
		if !slices.EqualFunc(got, c.want, func(g interval, want [2]int64) bool { return [2]int64{g.from, g.to} == want }) {
			t.Errorf("%d: %d, want %d", c.ptr, got, c.want)
		}
	}
}

// An array whose length contradicts its type is not read by that type: it is saved by the type that its length shows, or not at all.
func TestSalvageOtherType(t *testing.T) {
	for _, c := range []struct {
		name, file string
		is         []byte
		says       string // "" if it cannot be saved
	}{
		{"wider columns", "col_ptr.npy", le(8, 0, 3, 1, 2, 4, 0, 4), "col_ptr.npy was read as UINT64_ARRAY"},
		{"wider pointers", "row_ptr.npy", le(4, 0, 2, 2, 5, 7), "row_ptr.npy was read as UINT32_ARRAY"},
		{"wider values", "data.npy", le(8, 5, 300, 7, 1, 2, 9, 4), "data.npy was read as UINT64_ARRAY"},
		{"half of the values, or narrower ones", "data.npy", le(1, 5, 30, 7, 1, 2, 9, 4), ""},
	} {
		f := good()
		f[c.file] = c.is
		d := f.open(t)
		for _, row := range rowsOf(t, d, "matrix") {
			if !strings.Contains(row, "the length of "+c.file+" does not match its type") {
				t.Errorf("%s: the table shows %s", c.name, row)
			}
		}
		s, err := model.Salvage(t.Context(), d.Tree)
		if c.says == "" {
			if err == nil {
				t.Errorf("%s: saved %v", c.name, s.Parts)
			}
			continue
		}
		if err != nil || !strings.HasPrefix(s.Parts[0].Says, c.says) || s.Parts[0].Saved != 4 {
			t.Errorf("%s: %v, %v", c.name, s, err)
			continue
		}
		saved, whole := rowsOf(t, &model.Document{Tree: s.Tree(t.Context(), d.Tree)}, "matrix"), rowsOf(t, good().open(t), "matrix")
		if !slices.Equal(saved, whole) {
			t.Errorf("%s: saved %q, want %q", c.name, saved, whole)
		}
	}
}

// Without their first pointer, 0, every pointer is that of the cell before: it is put back, and cells keep their own values. Where one from inside is
// missing, or the first is wrong, nothing is put in front.
func TestFirstPointerMissing(t *testing.T) {
	f := good()
	whole := f["row_ptr.npy"]
	for _, c := range []struct {
		name  string
		ptr   []byte
		front bool
		cells int64
	}{{"the first is missing", whole[1:], true, 4}, {"one inside is missing", slices.Delete(slices.Clone(whole), 2, 3), false, 3}, {"the first is wrong", append([]byte{1}, whole[1:]...), false, 3},
		{"the first two are missing", whole[2:], false, 2}} {
		f["row_ptr.npy"] = c.ptr
		d := f.open(t)
		front := slices.ContainsFunc(deepOf(t, d), func(x model.Finding) bool {
			return slices.ContainsFunc(d.Tree.Fixes(t.Context(), &x), func(fix model.Fix) bool { return fix.Label == "add the first row pointer, 0" })
		})
		s, err := salvage(t.Context(), d.Tree)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if front != c.front || s.Parts[0].Saved != c.cells || s.Parts[0].Of != 4 {
			t.Errorf("%s: %v, %s", c.name, front, s.Parts[0])
		}
		b := make([]byte, s.Files["data.npy"].Len())
		if s.Files["data.npy"].ReadAt(b, 0); !bytes.HasSuffix(f["data.npy"], b) && !bytes.HasPrefix(f["data.npy"], b) {
			t.Errorf("%s: values % x", c.name, b)
		}
	}
}

// Lengths of rows in place of row pointers are added up.
func TestRowLengths(t *testing.T) {
	f := good()
	whole := f["row_ptr.npy"]
	lengths := make([]byte, len(whole)-1)
	for i := range lengths {
		lengths[i] = whole[i+1] - whole[i]
	}
	f["row_ptr.npy"] = lengths
	d := f.open(t)
	for _, x := range deepOf(t, d) {
		for _, fix := range d.Tree.Fixes(t.Context(), &x) {
			if fix.Label != "add up the lengths" {
				continue
			}
			if with := fix.Edits[0].(model.Splice).With; with.Len() != int64(len(whole)) {
				t.Errorf("%d bytes, want %d", with.Len(), len(whole))
			} else if b := make([]byte, len(whole)); fix.Safe {
				if with.ReadAt(b, 0); !bytes.Equal(b, whole) {
					t.Errorf("% x, want % x", b, whole)
				}
				return
			}
		}
	}
	t.Errorf("the lengths % x are not added up", lengths)
}

// TestSalvageText: of damaged labels and metadata the readable front is saved, and the rest named as lost.
func TestSalvageText(t *testing.T) {
	f := long(9)
	f["metadata.json"] = []byte(`{"num_rows": 9, "id": 9007199254740993, "x`)
	s, err := model.Salvage(t.Context(), f.open(t).Tree)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, s.Files["metadata.json"].Len())
	s.Files["metadata.json"].ReadAt(b, 0)
	if !strings.Contains(string(b), `"id":9007199254740993`) || !slices.ContainsFunc(s.Parts, func(p model.SalvagedPart) bool { return p.What == "entries of metadata.json" && p.Lost != "" }) {
		t.Errorf("%s %+v", b, s.Parts)
	}
}

// TestSalvageOldLabels: labels that only older readers look for stay where they look.
func TestSalvageOldLabels(t *testing.T) {
	f := long(9)
	for _, dir := range []string{"var_features", "obs_features"} {
		delete(f, dir+"/labels.json")
		f[dir+"/labels.npy"] = npyfile.Texts([]string{"run.h5ad"})
	}
	f["row_ptr.npy"] = f["row_ptr.npy"][:len(f["row_ptr.npy"])-2]
	for range 2 {
		s, err := model.Salvage(t.Context(), f.open(t).Tree)
		if err != nil {
			t.Fatal(err)
		}
		is, was := s.Files["var_features/labels.npy"], f["var_features/labels.npy"]
		if is == nil || s.Files["var_features/labels.json"] != nil {
			t.Fatalf("saved are %v", slices.Sorted(maps.Keys(s.Files)))
		}
		b := make([]byte, is.Len())
		if is.ReadAt(b, 0); !bytes.Equal(b, was) {
			t.Errorf("%q", b)
		}
		if s.Valid() == (f["var_features/dataframe_0.parquet"] == nil) {
			t.Errorf("problems: %q", s.Problems)
		}
		delete(f, "var_features/dataframe_0.parquet") // the number of cells stays, and the result is not called valid
	}
}

package scdl

import (
	"bytes"
	"slices"
	"testing"

	"spandrel/model"
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

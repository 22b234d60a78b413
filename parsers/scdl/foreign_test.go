package scdl

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// A header that describes other files than those beside it is rebuilt from them, and then nothing is wrong.
func TestForeignHeader(t *testing.T) {
	copyOf := func(g fileset) func(f fileset) { return func(f fileset) { f["header.sch"] = g["header.sch"] } }
	big := func(v uint64) func(f fileset) {
		return func(f fileset) {
			copyOf(long(9))(f)
			f["data.npy"] = le(2, v, v+1, v+2, v+3, v+4, v+5, v+6)
		}
	}
	other := good()
	other["header.sch"] = head(other, []item{{name: "DATA", length: 9, dtype: 7}, {name: "ROWPTR", length: 3, dtype: 1}}, []item{{name: "cells", length: 9}})
	for name, c := range map[string]struct {
		base   fileset
		change func(f fileset)
		types  []string // of the values, one for each repair
		copies bool     // the files determine everything
	}{
		"ragged":        {good(), copyOf(ragged(2)), []string{""}, true},
		"many cells":    {good(), copyOf(long(300)), []string{""}, true},
		"other names":   {good(), copyOf(other), []string{""}, true},
		"no arrays":     {good(), func(f fileset) { f["header.sch"] = headOf() }, []string{""}, true},
		"either type":   {good(), big(2000), []string{"UINT16_ARRAY", "FLOAT16_ARRAY"}, false},
		"floats":        {good(), big(0x3c00), []string{""}, true},
		"small numbers": {good(), big(3), []string{""}, true},
		"concat": {ragged(3), func(f fileset) {
			copyOf(ragged(2))(f)
			f["metadata.json"] = []byte(`{"num_rows": 2}`)
		}, []string{""}, false},
	} {
		c.change(c.base)
		d := c.base.open(t)
		hits := findings(t, d, "056")
		if len(hits) != 1 {
			t.Errorf("%s: %v", name, allOf(d))
			continue
		}
		fixes := d.Tree.Fixes(t.Context(), &hits[0])
		var labels []string
		for _, x := range fixes {
			_, values, _ := strings.Cut(x.Label, "with values of type ")
			labels = append(labels, values)
			if x.Safe || x.Copies != c.copies {
				t.Errorf("%s: %q is safe: %v, copies: %v", name, x.Label, x.Safe, x.Copies)
			}
		}
		slices.Sort(labels)
		if want := slices.Sorted(slices.Values(c.types)); !slices.Equal(labels, want) {
			t.Errorf("%s: values of the types %q, want %q", name, labels, want)
		}
		apply(t, d, fixes[0])
		for _, x := range deepOf(t, d) {
			if x.Grade() != model.Note && x.Rule != rowCount {
				t.Errorf("%s: left %s %s: %s", name, x.Rule.ID, x.Path(), x.Text())
			}
		}
	}
}

// A header that others confirm, or that differs in one place, is not replaced.
func TestOwnHeader(t *testing.T) {
	for name, change := range map[string]func(f fileset){
		"one length": func(f fileset) { f.patch("header.sch", 31, 9) },
		"a cast":     func(f fileset) { f["data.npy"] = le(8, 1, 2, 3, 4, 5, 6, 7) },
		"other arrays": func(f fileset) {
			for _, k := range keys[:3] {
				f[k.file] = ragged(3)[k.file]
			}
		},
		"arrays cut":     func(f fileset) { f["data.npy"], f["col_ptr.npy"] = f["data.npy"][:4], f["col_ptr.npy"][:2] },
		"a folder moved": func(f fileset) { drop(f, "obs_features/"); f.patch("header.sch", 31, 9) },
	} {
		f := good()
		change(f)
		d := f.open(t)
		if hits := findings(t, d, "056"); len(hits) > 0 {
			t.Errorf("%s: %s; found %s, expected %s", name, hits[0].Text(), hits[0].Found, hits[0].Expected)
		}
	}
}

// What is salvaged beside the header of another archive is read as the files fit each other.
func TestSalvageForeign(t *testing.T) {
	f := good()
	f["header.sch"] = ragged(2)["header.sch"]
	s, err := salvage(t.Context(), f.open(t).Tree)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, s.Files["data.npy"].Len())
	s.Files["data.npy"].ReadAt(b, 0)
	if want := good()["data.npy"]; !bytes.Equal(b, want) || !s.Parts[0].Whole() {
		t.Errorf("% x, want % x; %s", b, want, s.Parts[0])
	}
}

// TestSalvageInDisorder: cells whose genes are not in order may be those of another save, and are not saved without saying so.
func TestSalvageInDisorder(t *testing.T) {
	f := good()
	f.patch("col_ptr.npy", 2, 2, 1)
	delete(f, "obs_features/dataframe_0.parquet")
	s, err := model.Salvage(t.Context(), f.open(t).Tree)
	if err != nil {
		t.Fatal(err)
	}
	if s.Valid() || len(s.Doubts) == 0 {
		t.Errorf("%s, %q", s.Parts[0], s.Doubts)
	}
}

// The type that the values suggest is offered first, whatever the header says.
func TestLikelyType(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f fileset)
		want   string
	}{
		"whole numbers, described as floats": {func(f fileset) { f.patch("header.sch", 35, 7) }, "UINT16"},
		"floats, described as whole numbers": {func(f fileset) {
			f["data.npy"] = le(4, 0x40a00000, 0x40c00000, 0x40e00000, 0x3f800000, 0x40000000, 0x41100000, 0x40800000)
		}, "FLOAT32"},
		"whole numbers, of other length and type": {func(f fileset) { f.patch("header.sch", 31, 9, 0, 0, 0, 7) }, "UINT16"},
	} {
		f := good()
		c.change(f)
		d := f.open(t)
		for _, hit := range findings(t, d, "047") {
			if fixes := d.Tree.Fixes(t.Context(), &hit); len(fixes) == 0 || !strings.Contains(fixes[0].Label, c.want) {
				t.Errorf("%s: %+v, want %s first", name, fixes, c.want)
			}
		}
	}
}

// The defects of the reference writer (section 9) that have one repair are repaired without a question.
func TestScdlStaleHeaders(t *testing.T) {
	longer := ragged(3) // a concat onto a loaded archive: header and num_rows are those of the first part
	longer["header.sch"], longer["metadata.json"] = ragged(2)["header.sch"], []byte(`{"num_rows": 2}`)
	wider := good() // and the row pointers had to widen
	wider["row_ptr.npy"] = le(2, 0, 2, 2, 5, 7)
	all := good() // the development header: all arrays with the dtype of DATA
	all.patch("header.sch", 58, 2)
	all.patch("header.sch", 81, 2)
	for name, f := range map[string]fileset{"concat": longer, "widened": wider, "one dtype": all} {
		d := f.open(t)
		before, _ := d.Tree.Findings()
		fixAll(t, d)
		after, _ := d.Tree.Findings()
		for _, x := range after {
			if x.Grade() != model.Note {
				t.Errorf("%s: %s %s: %s", name, x.Rule.ID, x.Path(), x.Text())
			}
		}
		if len(before) == 0 {
			t.Errorf("%s: nothing was found", name)
		}
	}
	cast := good()
	cast["data.npy"] = le(8, 1, 2, 3, 4, 5, 6, 7)
	d := cast.open(t)
	hits := findings(t, d, "047")
	if fixes := d.Tree.Fixes(t.Context(), &hits[0]); len(hits) != 1 || !strings.Contains(hits[0].Text(), "as after a cast") ||
		len(fixes) == 0 {
		t.Errorf("after a cast: %+v", hits)
	}
}

// TestLostType: without a header, only values whose bits rule out the other type of their width say which one they have.
func TestLostType(t *testing.T) {
	for first, sure := range map[uint64]bool{3: true, 0x3c00: false, 20000: false} {
		f := long(9)
		delete(f, "header.sch")
		var values []uint64
		for i := range uint64(9) {
			values = append(values, first+i)
		}
		f["data.npy"] = le(2, values...)
		f["col_ptr.npy"] = le(2, 0, 1, 2, 3, 4, 5, 6, 7, 8)
		d := f.open(t)
		hits := findings(t, d, "040")
		if len(hits) != 1 {
			t.Fatal(allOf(d))
		}
		if fixes := d.Tree.Fixes(t.Context(), &hits[0]); len(fixes) != 1 || fixes[0].Copies != sure {
			t.Errorf("%d: %v", first, fixes)
		}
	}
}

package scdl

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// What the reference package refuses to read has an error.
func TestRefused(t *testing.T) {
	at := func(b []byte, off int, with ...byte) []byte {
		b = bytes.Clone(b)
		copy(b[off:], with)
		return b
	}
	for name, change := range map[string]func(f fileset){
		"a head of NPY that is no Python": func(f fileset) {
			f["var_features/version.npy"] = at(f["var_features/version.npy"], 101, 'G')
		},
		"a page of Parquet that cannot be read": func(f fileset) {
			f["obs_features/dataframe_0.parquet"] = at(f["obs_features/dataframe_0.parquet"], 8, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f)
		},
		"a text of a table that is not UTF-8": func(f fileset) {
			f["obs_features/dataframe_0.parquet"] = bytes.Replace(f["obs_features/dataframe_0.parquet"], []byte("NK"), []byte("N\xff"), 1)
		},
		"a name of a column that is not UTF-8": func(f fileset) {
			f["obs_features/dataframe_0.parquet"] = bytes.ReplaceAll(f["obs_features/dataframe_0.parquet"], []byte("score"), []byte("sc\xffre"))
		},
		"labels that are not UTF-8":   func(f fileset) { f["obs_features/labels.json"] = []byte("[\"\xff\"]") },
		"metadata that are not UTF-8": func(f fileset) { f["metadata.json"] = []byte("{\"num_rows\": 4, \"x\": \"\xff\"}") },
		"data inside the header":      func(f fileset) { alone(f, append(headOf(one)[:49], "abcdef"...)) },
		"a header without its first byte": func(f fileset) {
			alone(f, headOf(one)[1:])
		},
		"a header with a wrong second byte": func(f fileset) { alone(f, at(headOf(one), 1, 'Q')) },
	} {
		f := good()
		change(f)
		d := f.open(t)
		findings(t, d, "")
		if !slices.ContainsFunc(allOf(d), func(x model.Finding) bool { return x.Grade() == model.Error }) {
			t.Errorf("%s is no error", name)
		}
	}
}

// What Arrow says of the columns of a table is read by readers before all else: a letter of it that is none of base64 is an error, and so is a length
// beyond its end; whole it is none.
func TestArrowSchema(t *testing.T) {
	whole := typedTable(t)
	table, err := openParquet(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := table.Lookup(arrowKey)
	for with, errors := range map[string]int{text: 0, "A\xff" + text[2:]: 1, text[:len(text)-8] + "AAAA====": 1, text[:8] + "//" + text[10:]: 1} {
		f := good()
		f["obs_features/dataframe_0.parquet"] = bytes.Replace(whole, []byte(text), []byte(with), 1)
		if hits := findings(t, f.open(t), "073"); len(hits) != errors {
			t.Errorf("%q: %v", with, hits)
		}
	}
}

// An array with a header of its own is not as long as it seems: no repair that needs no asking makes the archive's header agree with it.
func TestHeadedArrayKeepsLength(t *testing.T) {
	f := good()
	f["data.npy"] = append(npy(), f["data.npy"]...)
	d := f.open(t)
	fixAll(t, d)
	if !bytes.Equal(bytesOf(t, d, "header.sch"), good()["header.sch"]) || !bytes.Equal(bytesOf(t, d, "data.npy"), good()["data.npy"]) {
		t.Error("the archive is not what it was before numpy wrote the values")
	}
}

// After a cast of floats the wider floats are the first answer.
func TestCastOfFloats(t *testing.T) {
	f := good()
	f["data.npy"] = le(8, 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000, 0x3fe0000000000000, 0x3ff8000000000000,
		0x4010000000000000, 0x4014000000000000)
	f.patch("header.sch", 35, 6)
	d := f.open(t)
	hits := findings(t, d, "047")
	if len(hits) == 0 {
		t.Fatal("nothing was found")
	}
	if fixes := d.Tree.Fixes(t.Context(), &hits[0]); len(fixes) == 0 || !strings.Contains(fixes[0].Label, "FLOAT64") {
		t.Errorf("%+v", fixes)
	}
}

// tablesLast puts the tables of a header's folders behind their other files, as writers do.
func tablesLast(header []byte) []byte {
	s := string(header)
	for _, dir := range []string{"var_features", "obs_features"} {
		table, rest := "\x00\x00\x00\x20"+dir+"/dataframe_0.parquet", "\x00\x00\x00\x18"+dir+"/labels.json\x00\x00\x00\x18"+dir+"/version.npy"
		s = strings.Replace(s, table+rest, rest+table, 1)
	}
	return []byte(s)
}

// Of a header or a text that was cut all that is left is kept, and what comes back is what was there.
func TestCutTexts(t *testing.T) {
	for file, cuts := range map[string][]int{"header.sch": {90, 120, 150, 215}, "metadata.json": {13, 14}} {
		for _, n := range cuts {
			f := good()
			want := tablesLast(f[file])
			if file == "metadata.json" {
				want = []byte(`{"num_rows": 4}`)
			}
			f[file] = want[:n]
			d := f.open(t)
			fixAll(t, d)
			got := bytesOf(t, d, file)
			if n == 13 { // the number itself is gone: nothing of it is guessed
				want = f[file]
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s cut to %d bytes: %q, want %q", file, n, got, want)
			}
		}
	}
}

// Where row pointers are cut, the cells are those that everything else speaks of: nothing is made to agree with what is left.
func TestCutPointers(t *testing.T) {
	f := good()
	f["row_ptr.npy"] = f["row_ptr.npy"][:3]
	d := f.open(t)
	findings(t, d, "")
	for _, x := range allOf(d) {
		if x.Rule != arrayLength && x.Grade() != model.Note {
			t.Errorf("%s: %s; found %s, expected %s", x.Rule.ID, x.Text(), x.Found, x.Expected)
		}
	}
	fixAll(t, d)
	for name, b := range f {
		if !bytes.Equal(bytesOf(t, d, name), b) {
			t.Errorf("%s was changed", name)
		}
	}
}

// An index of blocks that is cut is written again.
func TestCutIndex(t *testing.T) {
	for _, dir := range []string{"var_features", "obs_features"} {
		f := good()
		name := dir + "/cumulative_sum_index.npy"
		want := f[name]
		f[name] = want[:20]
		d := f.open(t)
		hits := findings(t, d, "061")
		apply(t, d, d.Tree.Fixes(t.Context(), &hits[0])[0])
		if !bytes.Equal(bytesOf(t, d, name), want) {
			t.Errorf("%s: %q", name, bytesOf(t, d, name))
		}
	}
}

// apply makes a repair.
func apply(t *testing.T, d *model.Document, f model.Fix) {
	t.Helper()
	edits, err := f.Make(t.Context(), d.Tree)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Plan(t.Context(), f.Label, edits...)
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(t.Context(), p, nil)
}

// Other programs have files called header.sch: alone in a folder, one that is none of a header makes it no archive; beside arrays it is damaged.
func TestOtherHeader(t *testing.T) {
	other := []byte("EESchema Schematic File Version 2  date Tue 05 Aug 2013\n")
	for name, c := range map[string]struct {
		files fileset
		is    bool
	}{"a board": {fileset{"header.sch": other, "board.sch": other}, false}, "an archive": {good(), true},
		"a damaged header": {fileset{"header.sch": other, "data.npy": {0, 0, 0, 0}}, true}, "a header alone": {fileset{"header.sch": good()["header.sch"]}, true}} {
		dir := t.TempDir()
		c.files.write(t, dir)
		d, err := model.Open(t.Context(), dir, formats, nil)
		if (err == nil) != c.is {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			d.Close()
		}
	}
}

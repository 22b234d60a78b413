package scdl

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// bad is one sample that breaks a rule: an archive made worse, or a header alone.
type bad struct {
	rule   string
	change func(f fileset)
	fixed  bool // its first fix removes the finding
	base   func() fileset
}

// alone leaves the header only.
func alone(f fileset, b []byte) {
	clear(f)
	f["header.sch"] = b
}

// headOf makes a header of any arrays and feature indices.
func headOf(arrays ...item) []byte { return head(nil, arrays, nil) }

func fileIndex(name string, paths ...string) []byte {
	w := &writer{b: headOf()[:16]}
	w.u32(1)
	w.folder(descriptor{name, 1, texts, paths})
	return w.b
}

func insert(b []byte, off int, with ...byte) []byte {
	return append(append(bytes.Clone(b[:off]), with...), b[off:]...)
}

var one = item{name: "DATA", length: 6, dtype: 1, shape: []uint32{2, 3}}

// bads has a sample for every rule.
var bads = []bad{
	{"001", func(f fileset) { alone(f, []byte("SCDL\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00")) }, false, nil},
	{"002", func(f fileset) { alone(f, append([]byte("SCDX"), headOf(one)[4:]...)) }, true, nil},
	{"003", func(f fileset) { f.patch("header.sch", 7, 2); alone(f, f["header.sch"]) }, true, nil},
	{"004", func(f fileset) { f.patch("header.sch", 11, 3) }, true, nil},
	{"004", func(f fileset) {}, false, chunks},
	{"005", func(f fileset) { f.patch("header.sch", 4, 1) }, false, nil},
	{"006", func(f fileset) { f.patch("header.sch", 5, 0, 9) }, false, nil},
	{"007", func(f fileset) { f.patch("header.sch", 15, 4) }, true, nil},
	{"008", func(f fileset) { f.patch("header.sch", 12, 255, 255, 255, 255) }, true, nil},
	{"010", func(f fileset) { alone(f, headOf(one)); f.patch("header.sch", 16, 255, 255, 255, 255) }, false, nil},
	{"011", func(f fileset) { alone(f, headOf(item{name: " ", dtype: 1})) }, false, nil},
	{"012", func(f fileset) { alone(f, headOf(item{name: "\xff\xfe", dtype: 1})) }, false, nil},
	{"013", func(f fileset) { alone(f, headOf(item{name: strings.Repeat("é", 600), dtype: 1})) }, false, nil},
	{"014", func(f fileset) { alone(f, headOf(one, one)) }, false, nil},
	{"015", func(f fileset) { f.patch("header.sch", 35, 0) }, true, nil},
	{"016", func(f fileset) { alone(f, headOf(one)); f.patch("header.sch", 36, 7) }, false, nil},
	{"017", func(f fileset) {
		alone(f, insert(headOf(item{name: "DATA", dtype: 1}), 37, 0, 0, 0, 0))
		f.patch("header.sch", 36, 1)
	}, false, nil},
	{"018", func(f fileset) { alone(f, headOf(item{name: "DATA", dtype: 1, shape: []uint32{0}})) }, false, nil},
	{"019", func(f fileset) { alone(f, headOf(one)); f.patch("header.sch", 37, 255, 255, 255, 255) }, false, nil},
	{"020", func(f fileset) {
		alone(f, headOf(item{name: "DATA", length: 7, dtype: 1, shape: []uint32{2, 3}}))
	}, false, nil},
	{"021", func(f fileset) { alone(f, headOf(item{name: "../etc/passwd", dtype: 1})) }, false, nil},
	{"021", func(f fileset) { alone(f, headOf(item{name: "a\x00b", dtype: 1})) }, false, nil},
	{"030", func(f fileset) { alone(f, headOf(one)[:49]) }, false, nil},
	{"031", func(f fileset) { alone(f, headOf(one)[:51]) }, false, nil},
	{"032", func(f fileset) { f.patch("header.sch", 86, 9) }, false, nil},
	{"033", func(f fileset) { alone(f, head(nil, nil, []item{{name: "x"}, {name: "x"}})) }, false, nil},
	{"034", func(f fileset) { alone(f, head(nil, []item{one}, []item{{name: "DATA"}})) }, false, nil},
	{"035", func(f fileset) { alone(f, fileIndex("x", "")) }, false, nil},
	{"036", func(f fileset) { alone(f, fileIndex("x", "../up")) }, false, nil},
	{"036", func(f fileset) { alone(f, fileIndex("x", "x/a", "x/a")) }, false, nil},
	{"037", func(f fileset) { alone(f, append(headOf(one), "junk"...)) }, false, nil},
	{"038", func(f fileset) {
		alone(f, append(headOf(one), 1, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 4))
		f.patch("header.sch", 11, 2)
	}, true, nil},
	{"038", func(f fileset) { alone(f, headOf(one)); f.patch("header.sch", 11, 2) }, true, nil},
	{"039", func(f fileset) { alone(f, append(headOf(one)[:49], "abcdef"...)) }, false, nil},
	{"039", func(f fileset) {
		w := &writer{b: head(f, sampleArrays, nil)}
		w.b = w.b[:len(w.b)-4]
		w.raw("\x00\x05\x01\x2c\x00\x07\x00\x01\x00\x02\x00\x09\x00\x04", 0, 2, 2, 5, 7, 0, 3, 1, 2, 4, 0, 4)
		f["header.sch"] = w.b
		delete(f, "data.npy")
		delete(f, "row_ptr.npy")
		delete(f, "col_ptr.npy")
	}, true, nil},
	{"040", func(f fileset) { delete(f, "header.sch") }, true, legacy},
	{"041", func(f fileset) {
		f["header.sch"] = bytes.Replace(f["header.sch"], []byte("\x04DATA"), []byte("\x08data.npy"), 1)
	}, true, nil},
	{"042", func(f fileset) { f.patch("header.sch", 35, 8) }, true, nil},
	{"043", func(f fileset) { f["header.sch"] = head(f, sampleArrays[:2], sampleFolders) }, true, nil},
	{"044", func(f fileset) { f.patch("header.sch", 58, 6) }, true, nil},
	{"045", func(f fileset) { delete(f, "col_ptr.npy") }, false, nil},
	{"046", func(f fileset) { f["data.npy"] = f["data.npy"][:13] }, false, nil},
	{"046", func(f fileset) { f["data.npy"] = []byte{} }, false, nil},
	{"046", func(f fileset) { f["chunk_00001/data.npy"] = le(1, 1, 2, 3) }, false, chunks},
	{"046", func(f fileset) { f.patch("header.sch", 35, 6) }, true, nil},
	{"047", func(f fileset) { f["data.npy"] = le(8, 1, 2, 3, 4, 5, 6, 7) }, true, nil}, // cast
	{"047", func(f fileset) { f["row_ptr.npy"] = le(2, 0, 2, 2, 5, 7) }, true, nil},    // widened
	{"048", func(f fileset) { f["data.npy"] = append(npy(), f["data.npy"]...) }, true, nil},
	{"048", func(f fileset) {
		f["data.npy"] = bytes.Replace(npy(1, 2, 3, 4, 5, 6, 7), []byte("<i8"), []byte("<u8"), 1)
	}, true, nil}, // as another type
	{"048", func(f fileset) { f["chunk_00001/data.npy"] = npy(1, 2) }, true, chunks},
	{"049", func(f fileset) { f["col_ptr.npy"] = append(bytes.Clone(f["col_ptr.npy"]), 9) }, false, nil},
	{"050", func(f fileset) { delete(f, "metadata.json") }, true, nil},
	{"050", func(f fileset) { f["metadata.json"] = []byte(`[]`) }, true, nil},
	{"051", func(f fileset) { f["metadata.json"] = []byte(`{"num_rows": 3}`) }, true, nil},
	{"051", func(f fileset) { f["metadata.json"] = []byte(`{"num_rows": 4.5}`) }, true, nil},
	{"052", func(f fileset) { f["version.json"] = []byte(`null`) }, true, nil},
	{"052", func(f fileset) { delete(f, "version.json") }, true, nil},
	{"053", func(f fileset) { f["data.npy.tmp"] = []byte{1} }, true, nil},
	{"053", func(f fileset) { f["chunk_00000/data.npy.tmp"] = []byte{1} }, true, chunks},
	{"054", bigEndian, true, nil},
	{"054", func(f fileset) { // so few values that the pointers ascend in either order
		f["row_ptr.npy"] = []byte{0, 0, 0, 2, 0, 2, 0, 5, 0, 7}
		f.patch("header.sch", 58, 2)
	}, true, nil},
	{"055", func(f fileset) {
		f["row_ptr.npy"] = le(4, 0, 2, 2, 5, 7)
		f.patch("header.sch", 58, 3)
	}, false, nil},
	{"055", func(f fileset) { f["col_ptr.npy"] = le(4, 0, 3, 1, 2, 4, 0, 4); f.patch("header.sch", 81, 3) }, false, nil},
	{"056", func(f fileset) { f["header.sch"] = ragged(2)["header.sch"] }, true, nil},
	{"057", func(f fileset) { stopAppend(f) }, true, nil},
	{"058", joinTo, true, nil},
	{"060", func(f fileset) { drop(f, "var_features/") }, false, nil},
	{"060", func(f fileset) { move(f, "obs_features/", "obs/") }, true, nil},
	{"061", func(f fileset) { f["var_features/cumulative_sum_index.npy"] = npyfile.Text("x") }, false, nil},
	{"062", func(f fileset) { f["var_features/cumulative_sum_index.npy"] = npy(0, 4) }, true, nil},
	{"063", func(f fileset) { f["obs_features/cumulative_sum_index.npy"] = npy(-1, 2, 4) }, false, nil},
	{"064", func(f fileset) { f["var_features/labels.json"] = []byte(`[]`) }, true, nil},
	{"064", func(f fileset) { delete(f, "var_features/labels.json") }, true, nil},
	{"065", func(f fileset) {
		delete(f, "obs_features/labels.json")
		f["obs_features/labels.npy"] = bytes.Replace(npy(1), []byte("'<i8'"), []byte("'|O' "), 1)
	}, true, nil},
	{"066", func(f fileset) { delete(f, "var_features/version.npy") }, true, nil},
	{"067", func(f fileset) { f["var_features/cumulative_sum_index.npy"] = npy(-1, 9) }, true, nil},
	{"068", func(f fileset) {
		f["header.sch"] = head(f, sampleArrays, []item{{name: "var_features", length: 5}})
	}, true, nil},
	{"069", func(f fileset) { f["var_features/notes.txt"] = []byte("hello") }, true, nil},
	{"070", func(f fileset) { f["obs_features/dataframe_0.parquet"] = table("x", "1", "2") }, false, nil},
	{"071", func(f fileset) { f["var_features/dataframe_0.parquet"] = f["var_features/dataframe_00.parquet"] }, true,
		func() fileset { return ragged(11) }},
	{"072", func(f fileset) { f["features/version.npy"] = npyfile.Text("0.1.0") }, false, nil},
	{"073", func(f fileset) { f["var_features/dataframe_0.parquet"] = []byte("PAR1 damaged PAR1") }, false, nil},
	{"080", func(f fileset) { f.patch("row_ptr.npy", 0, 1) }, false, nil},
	{"080", func(f fileset) { f.patch("chunk_00001/row_ptr.npy", 0, 1) }, false, chunks},
	{"080", func(f fileset) { f["row_ptr.npy"] = le(1, 1, 3, 3, 6, 8) }, true, nil}, // from 1
	{"080", func(f fileset) { // the columns too
		f["row_ptr.npy"], f["col_ptr.npy"] = le(1, 1, 3, 3, 6, 8), le(1, 1, 4, 2, 3, 5, 1, 5)
	}, true, nil},
	{"081", func(f fileset) { f.patch("row_ptr.npy", 2, 1) }, false, nil},
	{"081", func(f fileset) { f.patch("row_ptr.npy", 3, 200) }, true, nil}, // larger than the next one
	{"082", func(f fileset) { f.patch("row_ptr.npy", 4, 6) }, false, nil},
	{"082", func(f fileset) { f.patch("chunk_00001/row_ptr.npy", 2, 9) }, false, chunks},
	{"083", func(f fileset) { f.patch("col_ptr.npy", 4, 5) }, false, nil},
	{"083", func(f fileset) { f["col_ptr.npy"] = le(1, 1, 4, 2, 3, 5, 1, 5) }, true, nil}, // from 1
	{"084", func(f fileset) { f.patch("col_ptr.npy", 2, 2, 1) }, false, nil},
	{"085", func(f fileset) {
		f["data.npy"] = le(2, 0x3c00, 0x7c00, 0x7e00, 1, 1, 1, 1)
		f.patch("header.sch", 35, 5)
	}, false, nil},
	{"086", func(f fileset) { f.patch("data.npy", 0, 0, 0) }, false, nil},
	{"087", func(f fileset) { copy(f["data.npy"][700:], make([]byte, 700)) }, false, func() fileset { return long(1400) }},
	{"090", func(f fileset) { delete(f, "neighbor_values.npy") }, false, neighbors},
	{"091", func(f fileset) { f["neighbor_indptr.npy"] = le(8, 0, 1, 3) }, false, neighbors},
	{"092", func(f fileset) { f.patch("neighbor_indptr.npy", 8, 3) }, false, neighbors},
	{"093", func(f fileset) { f["neighbor_values.npy"] = le(4, 1) }, false, neighbors},
	{"094", func(f fileset) { f.patch("neighbor_indices.npy", 0, 4) }, false, neighbors},
	{"100", func(f fileset) { drop(f, "chunk_00001/") }, false, chunks},
	{"101", func(f fileset) { f["chunk_00001/row_ptr.npy"] = le(1, 0, 3, 3, 5) }, false, chunks},
	{"102", func(f fileset) { f.patch("header.sch", 31, 9) }, true, chunks},
	{"110", func(f fileset) {}, false, func() fileset { return bothOf(good(), ragged(2)) }},
	{"111", func(f fileset) { f["second/version.json"] = []byte(`"0.1.0"`) }, false, func() fileset { return bothOf(good(), ragged(2)) }},
}

// move renames a folder.
func move(f fileset, from, to string) {
	for n := range f.clone() {
		if rest, ok := strings.CutPrefix(n, from); ok {
			f[to+rest] = f[n]
			delete(f, n)
		}
	}
}

func drop(f fileset, dir string) {
	for n := range f {
		if strings.HasPrefix(n, dir) {
			delete(f, n)
		}
	}
}

// bigEndian makes the good archive again on a big-endian machine, with 300 cells.
func bigEndian(f fileset) {
	var ptr, one []byte
	for i := range 301 {
		ptr = append(ptr, byte(i>>8), byte(i))
	}
	for range 300 {
		one = append(one, 0, 1)
	}
	f["row_ptr.npy"], f["col_ptr.npy"], f["data.npy"] = ptr, bytes.Repeat([]byte{1}, 300), one
	f["header.sch"] = head(f, []item{{name: "DATA", length: 300, dtype: 2}, {name: "ROWPTR", length: 301, dtype: 2},
		{name: "COLPTR", length: 300, dtype: 1}}, nil)
}

func findings(t *testing.T, d *model.Document, rule string) (hits []model.Finding) {
	t.Helper()
	if err := d.Deep(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	for _, f := range found {
		if f.Rule.ID == "SCDL-"+rule {
			hits = append(hits, f)
		}
		if f.Rule == model.RuleInternal {
			t.Errorf("%s: %s", f.Message, f.Found)
		}
	}
	return hits
}

func (b *bad) open(t testing.TB) *model.Document {
	f := good()
	if b.base != nil {
		f = b.base()
	}
	b.change(f)
	if len(f) > 1 {
		return f.open(t)
	}
	dir := t.TempDir()
	f.write(t, dir)
	return open(t, dir+"/header.sch")
}

// Every rule has a sample that breaks it, and where the sheet offers a repair, the first one removes the finding.
func TestScdlRules(t *testing.T) {
	covered := map[string]bool{}
	for _, b := range bads {
		covered["SCDL-"+b.rule] = true
		t.Run(b.rule, func(t *testing.T) {
			d := b.open(t)
			hits := findings(t, d, b.rule)
			known := map[*model.Rule]bool{}
			for _, f := range allOf(d) {
				known[f.Rule] = true
			}
			if len(hits) == 0 {
				found, _ := d.Tree.Findings()
				t.Fatalf("not found; instead %v", found)
			}
			if !b.fixed {
				return
			}
			fixes := d.Tree.Fixes(t.Context(), &hits[0])
			if len(fixes) == 0 {
				t.Fatalf("%s: no fix", hits[0].Text())
			}
			fix := fixes[0]
			edits, err := fix.Make(t.Context(), d.Tree)
			if err != nil {
				t.Fatal(err)
			}
			p, err := d.Plan(context.Background(), fix.Label, edits...)
			if err != nil {
				t.Fatalf("%s: %v", fix.Label, err)
			}
			d.Apply(context.Background(), p, nil)
			if left := findings(t, d, b.rule); len(left) >= len(hits) {
				t.Errorf("%q leaves %s: found %s, expected %s", fix.Label, left[0].Text(), left[0].Found, left[0].Expected)
			}
			for _, f := range allOf(d) {
				if !known[f.Rule] && f.Grade() == model.Error {
					t.Errorf("%q makes %s: %s", fix.Label, f.Rule.ID, f.Text())
				}
			}
		})
	}
	for _, r := range rules.All() {
		if !covered[r.ID] {
			t.Errorf("%s has no sample", r.ID)
		}
	}
}

func allOf(d *model.Document) []model.Finding {
	found, _ := d.Tree.Findings()
	return found
}

// One defect is one finding: what cannot be known because of it is not reported too, and no safe fix makes it worse.
func TestScdlOneDefect(t *testing.T) {
	for _, c := range []struct {
		rule, not string
		change    func(f fileset)
		base      func() fileset
	}{
		{"061", "064", func(f fileset) { f["var_features/cumulative_sum_index.npy"] = []byte("x") }, good},
		{"046", "093", func(f fileset) { f["neighbor_values.npy"] = make([]byte, 11) }, neighbors},
		{"100", "083", func(f fileset) { delete(f, "chunk_00000/row_ptr.npy") }, chunks},
	} {
		b := bad{c.rule, c.change, false, c.base}
		d := b.open(t)
		if len(findings(t, d, c.rule)) == 0 || len(findings(t, d, c.not)) > 0 {
			t.Errorf("%s is to be found, and not %s: %v", c.rule, c.not, allOf(d))
		}
	}
	b := bad{"102", func(f fileset) { drop(f, "chunk_00001/") }, false, chunks}
	d := b.open(t)
	for _, f := range findings(t, d, "102") {
		if fixes := d.Tree.Fixes(t.Context(), &f); len(fixes) > 0 {
			t.Errorf("%q would give up the missing chunk", fixes[0].Label)
		}
	}
	b = bad{"068", func(f fileset) { f["var_features/cumulative_sum_index.npy"] = npy(-1, 9) }, false, good}
	d = b.open(t)
	for _, f := range findings(t, d, "068") {
		if fixes := d.Tree.Fixes(t.Context(), &f); fixes[0].Safe {
			t.Errorf("%q takes a wrong index for right", fixes[0].Label)
		}
	}
}

// Sound archives of all kinds have no finding above a note.
func TestScdlSound(t *testing.T) {
	for name, f := range map[string]fileset{"good": good(), "ragged": ragged(3), "eleven": ragged(11), "neighbours": neighbors()} {
		d := f.open(t)
		findings(t, d, "")
		found, _ := d.Tree.Findings()
		for _, x := range found {
			if x.Grade() != model.Note {
				t.Errorf("%s: %s %s: %s", name, x.Rule.ID, x.Path(), x.Text())
			}
		}
	}
}

// fixAll applies safe fixes until none is left, as the fix command does.
func fixAll(t *testing.T, d *model.Document) {
	t.Helper()
	ctx := context.Background()
	for range 50 {
		findings(t, d, "")
		found, _ := d.Tree.Findings()
		var plan *model.Plan
		for i := range found {
			if fix := d.Tree.Safe(&found[i], d.Tree.Fixes(ctx, &found[i])); fix != nil && plan == nil {
				if edits, err := fix.Make(ctx, d.Tree); err == nil {
					plan, _ = d.Plan(ctx, fix.Label, edits...)
				}
			}
		}
		if plan == nil {
			return
		}
		d.Apply(ctx, plan, nil)
	}
	t.Fatal("the fixes do not end")
}

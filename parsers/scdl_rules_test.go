package parsers

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"spandrel/model"
)

// scdlBad is one sample that breaks a rule: an archive made worse, or a header alone.
type scdlBad struct {
	rule   string
	change func(f scdlFileset)
	fixed  bool // its first fix removes the finding
	base   func() scdlFileset
}

// alone leaves the header only.
func alone(f scdlFileset, b []byte) {
	clear(f)
	f["header.sch"] = b
}

// headOf makes a header of any arrays and feature indices.
func headOf(arrays ...scdlItem) []byte { return scdlHead(nil, arrays, nil) }

func fileIndex(name string, paths ...string) []byte {
	w := &scdlWriter{b: headOf()[:16]}
	w.u32(1)
	w.desc(name, 1, 8)
	w.paths(paths)
	w.shape(nil)
	return w.b
}

func insert(b []byte, off int, with ...byte) []byte {
	return append(append(bytes.Clone(b[:off]), with...), b[off:]...)
}

var scdlOne = scdlItem{name: "DATA", length: 6, dtype: 1, shape: []uint32{2, 3}}

// scdlBads has a sample for every rule.
var scdlBads = []scdlBad{
	{"001", func(f scdlFileset) { alone(f, []byte("SCDL\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00")) }, false, nil},
	{"002", func(f scdlFileset) { alone(f, append([]byte("SCDX"), headOf(scdlOne)[4:]...)) }, true, nil},
	{"003", func(f scdlFileset) { f.patch("header.sch", 7, 2); alone(f, f["header.sch"]) }, true, nil},
	{"004", func(f scdlFileset) { f.patch("header.sch", 11, 3) }, true, nil},
	{"004", func(f scdlFileset) {}, false, scdlChunks},
	{"005", func(f scdlFileset) { f.patch("header.sch", 4, 1) }, false, nil},
	{"006", func(f scdlFileset) { f.patch("header.sch", 5, 0, 9) }, false, nil},
	{"007", func(f scdlFileset) { f.patch("header.sch", 15, 4) }, true, nil},
	{"008", func(f scdlFileset) { f.patch("header.sch", 12, 255, 255, 255, 255) }, true, nil},
	{"010", func(f scdlFileset) { alone(f, headOf(scdlOne)); f.patch("header.sch", 16, 255, 255, 255, 255) }, false, nil},
	{"011", func(f scdlFileset) { alone(f, headOf(scdlItem{name: " ", dtype: 1})) }, false, nil},
	{"012", func(f scdlFileset) { alone(f, headOf(scdlItem{name: "\xff\xfe", dtype: 1})) }, false, nil},
	{"013", func(f scdlFileset) { alone(f, headOf(scdlItem{name: strings.Repeat("é", 600), dtype: 1})) }, true, nil},
	{"014", func(f scdlFileset) { alone(f, headOf(scdlOne, scdlOne)) }, true, nil},
	{"015", func(f scdlFileset) { f.patch("header.sch", 35, 0) }, true, nil},
	{"016", func(f scdlFileset) { alone(f, headOf(scdlOne)); f.patch("header.sch", 36, 7) }, true, nil},
	{"017", func(f scdlFileset) {
		alone(f, insert(headOf(scdlItem{name: "DATA", dtype: 1}), 37, 0, 0, 0, 0))
		f.patch("header.sch", 36, 1)
	}, true, nil},
	{"018", func(f scdlFileset) { alone(f, headOf(scdlItem{name: "DATA", dtype: 1, shape: []uint32{0}})) }, false, nil},
	{"019", func(f scdlFileset) { alone(f, headOf(scdlOne)); f.patch("header.sch", 37, 255, 255, 255, 255) }, false, nil},
	{"020", func(f scdlFileset) {
		alone(f, headOf(scdlItem{name: "DATA", length: 7, dtype: 1, shape: []uint32{2, 3}}))
	}, true, nil},
	{"021", func(f scdlFileset) { alone(f, headOf(scdlItem{name: "../etc/passwd", dtype: 1})) }, false, nil},
	{"021", func(f scdlFileset) { alone(f, headOf(scdlItem{name: "a\x00b", dtype: 1})) }, false, nil},
	{"030", func(f scdlFileset) { alone(f, headOf(scdlOne)[:49]) }, true, nil},
	{"031", func(f scdlFileset) { alone(f, headOf(scdlOne)[:51]) }, true, nil},
	{"032", func(f scdlFileset) { f.patch("header.sch", 86, 9) }, false, nil},
	{"033", func(f scdlFileset) { alone(f, scdlHead(nil, nil, []scdlItem{{name: "x"}, {name: "x"}})) }, true, nil},
	{"034", func(f scdlFileset) { alone(f, scdlHead(nil, []scdlItem{scdlOne}, []scdlItem{{name: "DATA"}})) }, true, nil},
	{"035", func(f scdlFileset) { alone(f, fileIndex("x", "")) }, true, nil},
	{"036", func(f scdlFileset) { alone(f, fileIndex("x", "../up")) }, false, nil},
	{"036", func(f scdlFileset) { alone(f, fileIndex("x", "x/a", "x/a")) }, true, nil},
	{"037", func(f scdlFileset) { alone(f, append(headOf(scdlOne), "junk"...)) }, true, nil},
	{"038", func(f scdlFileset) {
		alone(f, append(headOf(scdlOne), 1, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 4))
		f.patch("header.sch", 11, 2)
	}, true, nil},
	{"038", func(f scdlFileset) { alone(f, headOf(scdlOne)); f.patch("header.sch", 11, 2) }, true, nil},
	{"039", func(f scdlFileset) { alone(f, append(headOf(scdlOne)[:49], "abcdef"...)) }, false, nil},
	{"039", func(f scdlFileset) {
		w := &scdlWriter{b: scdlHead(f, scdlSampleArrays, nil)}
		w.b = w.b[:len(w.b)-4]
		w.raw("\x00\x05\x01\x2c\x00\x07\x00\x01\x00\x02\x00\x09\x00\x04", 0, 2, 2, 5, 7, 0, 3, 1, 2, 4, 0, 4)
		f["header.sch"] = w.b
		delete(f, "data.npy")
		delete(f, "row_ptr.npy")
		delete(f, "col_ptr.npy")
	}, true, nil},
	{"040", func(f scdlFileset) { delete(f, "header.sch") }, true, scdlLegacy},
	{"041", func(f scdlFileset) {
		f["header.sch"] = bytes.Replace(f["header.sch"], []byte("\x04DATA"), []byte("\x08data.npy"), 1)
	}, true, nil},
	{"042", func(f scdlFileset) { f.patch("header.sch", 35, 8) }, true, nil},
	{"043", func(f scdlFileset) { f["header.sch"] = scdlHead(f, scdlSampleArrays[:2], scdlSampleFolders) }, true, nil},
	{"044", func(f scdlFileset) { f.patch("header.sch", 58, 6) }, true, nil},
	{"045", func(f scdlFileset) { delete(f, "col_ptr.npy") }, false, nil},
	{"046", func(f scdlFileset) { f["data.npy"] = f["data.npy"][:13] }, false, nil},
	{"046", func(f scdlFileset) { f["data.npy"] = []byte{} }, false, nil},
	{"046", func(f scdlFileset) { f["chunk_00001/data.npy"] = scdlLE(1, 1, 2, 3) }, false, scdlChunks},
	{"046", func(f scdlFileset) { f.patch("header.sch", 35, 6) }, true, nil},
	{"047", func(f scdlFileset) { f["data.npy"] = scdlLE(8, 1, 2, 3, 4, 5, 6, 7) }, true, nil}, // cast
	{"047", func(f scdlFileset) { f["row_ptr.npy"] = scdlLE(2, 0, 2, 2, 5, 7) }, true, nil},    // widened
	{"048", func(f scdlFileset) { f["data.npy"] = append(scdlNPY(), f["data.npy"]...) }, true, nil},
	{"048", func(f scdlFileset) { f["chunk_00001/data.npy"] = scdlNPY(1, 2) }, true, scdlChunks},
	{"049", func(f scdlFileset) { f["col_ptr.npy"] = append(bytes.Clone(f["col_ptr.npy"]), 9) }, false, nil},
	{"050", func(f scdlFileset) { delete(f, "metadata.json") }, true, nil},
	{"050", func(f scdlFileset) { f["metadata.json"] = []byte(`[]`) }, true, nil},
	{"051", func(f scdlFileset) { f["metadata.json"] = []byte(`{"num_rows": 3}`) }, true, nil},
	{"051", func(f scdlFileset) { f["metadata.json"] = []byte(`{"num_rows": 4.5}`) }, true, nil},
	{"052", func(f scdlFileset) { f["version.json"] = []byte(`null`) }, true, nil},
	{"052", func(f scdlFileset) { delete(f, "version.json") }, true, nil},
	{"053", func(f scdlFileset) { f["data.npy.tmp"] = []byte{1} }, true, nil},
	{"053", func(f scdlFileset) { f["chunk_00000/data.npy.tmp"] = []byte{1} }, true, scdlChunks},
	{"054", scdlBigEndian, true, nil},
	{"054", func(f scdlFileset) { // so few values that the pointers ascend in either order
		f["row_ptr.npy"] = []byte{0, 0, 0, 2, 0, 2, 0, 5, 0, 7}
		f.patch("header.sch", 58, 2)
	}, true, nil},
	{"055", func(f scdlFileset) {
		f["row_ptr.npy"] = scdlLE(4, 0, 2, 2, 5, 7)
		f.patch("header.sch", 58, 3)
	}, false, nil},
	{"055", func(f scdlFileset) { f["col_ptr.npy"] = scdlLE(4, 0, 3, 1, 2, 4, 0, 4); f.patch("header.sch", 81, 3) }, false, nil},
	{"060", func(f scdlFileset) { drop(f, "var_features/") }, false, nil},
	{"061", func(f scdlFileset) { f["var_features/cumulative_sum_index.npy"] = npyText("x") }, false, nil},
	{"062", func(f scdlFileset) { f["var_features/cumulative_sum_index.npy"] = scdlNPY(0, 4) }, true, nil},
	{"063", func(f scdlFileset) { f["obs_features/cumulative_sum_index.npy"] = scdlNPY(-1, 2, 4) }, false, nil},
	{"064", func(f scdlFileset) { f["var_features/labels.json"] = []byte(`[]`) }, true, nil},
	{"064", func(f scdlFileset) { delete(f, "var_features/labels.json") }, true, nil},
	{"065", func(f scdlFileset) {
		delete(f, "obs_features/labels.json")
		f["obs_features/labels.npy"] = bytes.Replace(scdlNPY(1), []byte("'<i8'"), []byte("'|O' "), 1)
	}, true, nil},
	{"066", func(f scdlFileset) { delete(f, "var_features/version.npy") }, true, nil},
	{"067", func(f scdlFileset) { f["var_features/cumulative_sum_index.npy"] = scdlNPY(-1, 9) }, true, nil},
	{"068", func(f scdlFileset) {
		f["header.sch"] = scdlHead(f, scdlSampleArrays, []scdlItem{{name: "var_features", length: 5}})
	}, true, nil},
	{"069", func(f scdlFileset) { f["var_features/notes.txt"] = []byte("hello") }, true, nil},
	{"070", func(f scdlFileset) { f["obs_features/dataframe_0.parquet"] = scdlTable("x", "1", "2") }, false, nil},
	{"071", func(f scdlFileset) { f["var_features/dataframe_0.parquet"] = f["var_features/dataframe_00.parquet"] }, true, func() scdlFileset { return scdlRagged(11) }},
	{"072", func(f scdlFileset) { f["features/version.npy"] = npyText("0.1.0") }, false, nil},
	{"073", func(f scdlFileset) { f["var_features/dataframe_0.parquet"] = []byte("PAR1 damaged PAR1") }, false, nil},
	{"080", func(f scdlFileset) { f.patch("row_ptr.npy", 0, 1) }, false, nil},
	{"080", func(f scdlFileset) { f.patch("chunk_00001/row_ptr.npy", 0, 1) }, false, scdlChunks},
	{"081", func(f scdlFileset) { f.patch("row_ptr.npy", 2, 1) }, false, nil},
	{"082", func(f scdlFileset) { f.patch("row_ptr.npy", 4, 6) }, false, nil},
	{"082", func(f scdlFileset) { f.patch("chunk_00001/row_ptr.npy", 2, 9) }, false, scdlChunks},
	{"083", func(f scdlFileset) { f.patch("col_ptr.npy", 4, 5) }, false, nil},
	{"084", func(f scdlFileset) { f.patch("col_ptr.npy", 2, 2, 1) }, false, nil},
	{"085", func(f scdlFileset) {
		f["data.npy"] = scdlLE(2, 0x3c00, 0x7c00, 0x7e00, 1, 1, 1, 1)
		f.patch("header.sch", 35, 5)
	}, false, nil},
	{"086", func(f scdlFileset) { f.patch("data.npy", 0, 0, 0) }, false, nil},
	{"090", func(f scdlFileset) { delete(f, "neighbor_values.npy") }, false, scdlNeighbors},
	{"091", func(f scdlFileset) { f["neighbor_indptr.npy"] = scdlLE(8, 0, 1, 3) }, false, scdlNeighbors},
	{"092", func(f scdlFileset) { f.patch("neighbor_indptr.npy", 8, 3) }, false, scdlNeighbors},
	{"093", func(f scdlFileset) { f["neighbor_values.npy"] = scdlLE(4, 1) }, false, scdlNeighbors},
	{"094", func(f scdlFileset) { f.patch("neighbor_indices.npy", 0, 4) }, false, scdlNeighbors},
	{"100", func(f scdlFileset) { drop(f, "chunk_00001/") }, false, scdlChunks},
	{"101", func(f scdlFileset) { f["chunk_00001/row_ptr.npy"] = scdlLE(1, 0, 3, 3, 5) }, false, scdlChunks},
	{"102", func(f scdlFileset) { f.patch("header.sch", 31, 9) }, true, scdlChunks},
	{"110", func(f scdlFileset) {}, false, func() scdlFileset { return scdlBothOf(scdlGood(), scdlRagged(2)) }},
	{"111", func(f scdlFileset) { f["second/version.json"] = []byte(`"0.1.0"`) }, false, func() scdlFileset { return scdlBothOf(scdlGood(), scdlRagged(2)) }},
}

func drop(f scdlFileset, dir string) {
	for n := range f {
		if strings.HasPrefix(n, dir) {
			delete(f, n)
		}
	}
}

// scdlBigEndian makes the good archive again on a big-endian machine, with 300 cells.
func scdlBigEndian(f scdlFileset) {
	var ptr, one []byte
	for i := range 301 {
		ptr = append(ptr, byte(i>>8), byte(i))
	}
	for range 300 {
		one = append(one, 0, 1)
	}
	f["row_ptr.npy"], f["col_ptr.npy"], f["data.npy"] = ptr, bytes.Repeat([]byte{1}, 300), one
	f["header.sch"] = scdlHead(f, []scdlItem{{name: "DATA", length: 300, dtype: 2}, {name: "ROWPTR", length: 301, dtype: 2}, {name: "COLPTR", length: 300, dtype: 1}}, nil)
}

func scdlFindings(t *testing.T, d *model.Document, rule string) (hits []model.Finding) {
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

func (b *scdlBad) open(t *testing.T) *model.Document {
	f := scdlGood()
	if b.base != nil {
		f = b.base()
	}
	b.change(f)
	if len(f) > 1 {
		return f.open(t)
	}
	dir := t.TempDir()
	f.write(t, dir)
	return scdlOpen(t, dir+"/header.sch")
}

// Every rule has a sample that breaks it, and where the sheet offers a repair, the first one removes the finding.
func TestScdlRules(t *testing.T) {
	covered := map[string]bool{}
	for _, b := range scdlBads {
		covered["SCDL-"+b.rule] = true
		t.Run(b.rule, func(t *testing.T) {
			d := b.open(t)
			hits := scdlFindings(t, d, b.rule)
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
			if len(hits[0].Fixes) == 0 {
				t.Fatalf("%s: no fix", hits[0].Text())
			}
			fix := hits[0].Fixes[0]
			edits := fix.Edits
			var err error
			if fix.Build != nil {
				if edits, err = fix.Build(d.Tree); err != nil {
					t.Fatal(err)
				}
			}
			p, err := d.Plan(context.Background(), fix.Label, edits...)
			if err != nil {
				t.Fatalf("%s: %v", fix.Label, err)
			}
			d.Apply(context.Background(), p, nil)
			if left := scdlFindings(t, d, b.rule); len(left) >= len(hits) {
				t.Errorf("%q leaves %s: found %s, expected %s", fix.Label, left[0].Text(), left[0].Found, left[0].Expected)
			}
			for _, f := range allOf(d) {
				if !known[f.Rule] && f.Grade() == model.Error {
					t.Errorf("%q makes %s: %s", fix.Label, f.Rule.ID, f.Text())
				}
			}
		})
	}
	for _, r := range scdlRules {
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
		change    func(f scdlFileset)
		base      func() scdlFileset
	}{
		{"061", "064", func(f scdlFileset) { f["var_features/cumulative_sum_index.npy"] = []byte("x") }, scdlGood},
		{"046", "093", func(f scdlFileset) { f["neighbor_values.npy"] = make([]byte, 11) }, scdlNeighbors},
		{"100", "083", func(f scdlFileset) { delete(f, "chunk_00000/row_ptr.npy") }, scdlChunks},
	} {
		b := scdlBad{c.rule, c.change, false, c.base}
		d := b.open(t)
		if len(scdlFindings(t, d, c.rule)) == 0 || len(scdlFindings(t, d, c.not)) > 0 {
			t.Errorf("%s is to be found, and not %s: %v", c.rule, c.not, allOf(d))
		}
	}
	b := scdlBad{"102", func(f scdlFileset) { drop(f, "chunk_00001/") }, false, scdlChunks}
	for _, f := range scdlFindings(t, b.open(t), "102") {
		if len(f.Fixes) > 0 {
			t.Errorf("%q would give up the missing chunk", f.Fixes[0].Label)
		}
	}
	b = scdlBad{"068", func(f scdlFileset) { f["var_features/cumulative_sum_index.npy"] = scdlNPY(-1, 9) }, false, scdlGood}
	for _, f := range scdlFindings(t, b.open(t), "068") {
		if f.Fixes[0].Safe {
			t.Errorf("%q takes a wrong index for right", f.Fixes[0].Label)
		}
	}
}

// Sound archives of all kinds have no finding above a note.
func TestScdlSound(t *testing.T) {
	for name, f := range map[string]scdlFileset{"good": scdlGood(), "ragged": scdlRagged(3), "eleven": scdlRagged(11), "neighbours": scdlNeighbors()} {
		d := f.open(t)
		scdlFindings(t, d, "")
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
		scdlFindings(t, d, "")
		found, _ := d.Tree.Findings()
		var plan *model.Plan
		for _, f := range found {
			for _, fix := range f.Fixes {
				if p, err := d.Plan(ctx, fix.Label, fix.Edits...); fix.Safe && plan == nil && fix.Build == nil && err == nil {
					plan = p
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

// The defects of the reference writer (section 9) that have one repair are repaired without a question.
func TestScdlStaleHeaders(t *testing.T) {
	longer := scdlRagged(3) // a concat onto a loaded archive: header and num_rows are those of the first part
	longer["header.sch"], longer["metadata.json"] = scdlRagged(2)["header.sch"], []byte(`{"num_rows": 2}`)
	wider := scdlGood() // and the row pointers had to widen
	wider["row_ptr.npy"] = scdlLE(2, 0, 2, 2, 5, 7)
	all := scdlGood() // the development header: all arrays with the dtype of DATA
	all.patch("header.sch", 58, 2)
	all.patch("header.sch", 81, 2)
	for name, f := range map[string]scdlFileset{"concat": longer, "widened": wider, "one dtype": all} {
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
	cast := scdlGood()
	cast["data.npy"] = scdlLE(8, 1, 2, 3, 4, 5, 6, 7)
	d := cast.open(t)
	hits := scdlFindings(t, d, "047")
	if len(hits) != 1 || !strings.Contains(hits[0].Text(), "stale after a cast") || len(hits[0].Fixes) != 2 || hits[0].Fixes[0].Safe {
		t.Errorf("after a cast: %+v", hits)
	}
}

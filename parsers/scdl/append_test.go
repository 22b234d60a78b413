package scdl

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
)

// stopAppend appends three values and two columns that belong to no cell.
func stopAppend(f fileset) {
	f["data.npy"] = append(bytes.Clone(f["data.npy"]), le(2, 8, 8, 8)...)
	f["col_ptr.npy"] = append(bytes.Clone(f["col_ptr.npy"]), le(1, 1, 2)...)
}

// joinTo appends the arrays of another archive of three cells as cat does.
func joinTo(f fileset) {
	f["data.npy"] = append(bytes.Clone(f["data.npy"]), le(2, 1, 2, 3)...)
	f["col_ptr.npy"] = append(bytes.Clone(f["col_ptr.npy"]), le(1, 2, 0, 4)...)
	f["row_ptr.npy"] = append(bytes.Clone(f["row_ptr.npy"]), le(1, 0, 0, 1, 3)...)
}

// Archives whose arrays were joined, also without the first pointer of the second, are one problem; its repair keeps all values. A pointer that is damaged,
// or zeros after the last one, are something else.
func TestJoinedArchives(t *testing.T) {
	for _, x := range []struct{ pointers, want []byte }{{le(1, 0, 0, 1, 3), le(1, 0, 2, 2, 5, 7, 7, 8, 10)}, {le(1, 1, 3), le(1, 0, 2, 2, 5, 7, 8, 10)}} {
		f := good()
		joinTo(f)
		f["row_ptr.npy"] = append(bytes.Clone(good()["row_ptr.npy"]), x.pointers...)
		d := f.open(t)
		all := deepOf(t, d)
		i := slices.IndexFunc(all, func(f model.Finding) bool { return f.Rule == startsOver })
		if i < 0 || slices.ContainsFunc(extents(t.Context(), d.Tree), func(e model.Extent) bool { return strings.HasSuffix(e.File, "_ptr.npy") }) {
			t.Fatalf("found %v", all)
		}
		fix := d.Tree.Fixes(t.Context(), &all[i])[0]
		edits, err := fix.Make(t.Context(), d.Tree)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := d.Plan(t.Context(), fix.Label, edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(t.Context(), plan, nil)
		is := make([]byte, 16)
		c, _ := d.Tree.Snapshot.Content("row_ptr.npy")
		n, _ := c.ReadAt(is, 0)
		if !bytes.Equal(is[:n], x.want) {
			t.Errorf("row pointers %v, not %v", is[:n], x.want)
		}
		if left := deepOf(t, d); len(left) > 0 || fix.Safe {
			t.Errorf("left: %v, safe %t", left, fix.Safe)
		}
	}
	for _, pointers := range [][]byte{le(1, 0, 2, 0, 5, 7), le(1, 0, 2, 2, 5, 7, 0), le(1, 0, 2, 2, 5, 7, 0, 1, 2)} {
		f := good()
		f["row_ptr.npy"] = pointers
		if _, ok := joinedOf(judge{archivesOf(f.open(t).Tree)[0]}); ok {
			t.Errorf("%v are called pointers of two archives", pointers)
		}
	}
}

// Row pointers that were counted in 8 bits and start over at 256, twice, count on as they were; with the last one damaged, nothing shows that they did.
func TestPointersStartOver(t *testing.T) {
	want, f := long(700), long(700)
	f["row_ptr.npy"] = nil
	for i := range 701 {
		f["row_ptr.npy"] = append(f["row_ptr.npy"], byte(i))
	}
	f.patch("header.sch", 58, 1)
	d := f.open(t)
	g, err := cause.Find(t.Context(), d, cause.Options{Time: time.Minute})
	if err != nil || len(g.Causes) != 1 || g.Causes[0].Grade != cause.Proven || !strings.HasPrefix(g.Causes[0].Text, "The row pointers were counted in 8 bits") {
		t.Fatalf("%+v, %v", g.Causes, err)
	}
	for name, b := range want {
		is := make([]byte, len(b))
		if c, err := g.Causes[0].Repairs[0].To.Content(name); err != nil || c.Len() != int64(len(b)) {
			t.Errorf("%s: %v", name, err)
		} else if c.ReadAt(is, 0); !bytes.Equal(is, b) {
			t.Errorf("%s differs", name)
		}
	}
	f["row_ptr.npy"][700]--
	if _, ok := joinedOf(judge{archivesOf(f.open(t).Tree)[0]}); ok {
		t.Error("pointers that do not end at the number of values are said to start over")
	}
}

// An append that stopped is one problem; its repair restores the state before and says that it loses what was appended, and salvage leaves that out.
func TestStoppedAppend(t *testing.T) {
	f := good()
	stopAppend(f)
	d := f.open(t)
	if all := deepOf(t, d); len(all) != 1 || all[0].Rule != stoppedAppend || !strings.Contains(all[0].Text(), "data.npy has 3 values more, col_ptr.npy has 2 columns more") {
		t.Fatalf("found %v", all)
	}
	if e := extents(t.Context(), d.Tree); slices.ContainsFunc(e, func(e model.Extent) bool { return e.File == "data.npy" || e.File == "col_ptr.npy" }) {
		t.Error("one array alone is called too long")
	}
	s, err := salvage(t.Context(), d.Tree)
	if err != nil || s.Parts[0].Saved != 4 || !strings.Contains(s.Parts[0].Says, "an append stopped") || s.Files["data.npy"].Len() != 14 {
		t.Errorf("salvaged %v, %v", s, err)
	}
	x, _ := judge{archivesOf(d.Tree)[0]}.appended()
	found := deepOf(t, d)[0]
	found.About = x
	fix := repairAppend(t.Context(), d.Tree, &found)[0]
	plan, err := d.Plan(t.Context(), fix.Label, fix.Edits...)
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(t.Context(), plan, nil)
	for name, want := range good() {
		if c, err := d.Tree.Snapshot.Content(name); err != nil || c.Len() != int64(len(want)) {
			t.Errorf("%s is not as before", name)
		}
	}
	if left := deepOf(t, d); len(left) > 0 || fix.Loses == "" {
		t.Errorf("left: %v, loses %q", left, fix.Loses)
	}
	f = good()
	f["data.npy"], f["col_ptr.npy"] = le(4, 5, 300, 7, 1, 2, 9, 4), le(2, 0, 3, 1, 2, 4, 0, 4)
	if _, ok := (judge{archivesOf(f.open(t).Tree)[0]}).appended(); ok {
		t.Error("wider values and columns are called an append")
	}
}

package scdl

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// stopAppend appends three values and two columns that belong to no cell.
func stopAppend(f fileset) {
	f["data.npy"] = append(bytes.Clone(f["data.npy"]), le(2, 8, 8, 8)...)
	f["col_ptr.npy"] = append(bytes.Clone(f["col_ptr.npy"]), le(1, 1, 2)...)
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

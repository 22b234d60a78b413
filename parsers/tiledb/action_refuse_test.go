package tiledb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/tiledb/rule"
)

// folderOf writes the files of an array, and opens it.
func folderOf(t *testing.T, files map[string][]byte) *model.Document {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "array")
	for name, b := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, dir)
}

// planned is what an action on the newest schema answers, and what planning its edits does.
func planned(t *testing.T, d *model.Document, name string, args map[string]string) error {
	t.Helper()
	a := d.Tree.State.(*doc).array("")
	at, err := d.Tree.Find(t.Context(), "schemas/"+a.schemas.Order[len(a.schemas.Order)-1]+"/schema")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range d.Format.Actions {
		if a.Name != name {
			continue
		}
		edits, err := a.Plan(t.Context(), d.Tree, at, args)
		if err == nil {
			_, err = d.Plan(t.Context(), name, edits...)
		}
		return err
	}
	t.Fatalf("no action %s", name)
	return nil
}

func mustSay(t *testing.T, err error, what, words string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: %v, where %q is expected", what, err, words)
	}
}

// A field that a deletion names keeps its name and its place, be it an attribute or a dimension; the others are free.
func TestDeletionKeepsFields(t *testing.T) {
	ctx := t.Context()
	for field, where := range map[string]string{"n": "n<-5", "x": "x<3"} {
		d, _ := written(t, "sparse-v22")
		planAction(t, d, "delete-cells", "", map[string]string{"where": where})
		a := d.Tree.State.(*doc).array("")
		sc := a.schemas.Current()
		rename := func(at model.Node) error {
			_, err := d.Plan(ctx, "rename", model.SetValue(at.Span, model.S("other")))
			return err
		}
		for i := range sc.Attrs {
			name := sc.Attrs[i].Name
			if got := rename(name); name.Text() == field {
				mustSay(t, got, "renaming "+field, "deletion of cells uses")
				mustSay(t, planned(t, d, "evolve-schema", map[string]string{"drop": field}), "dropping "+field, "deletion of cells uses")
			} else if got != nil {
				t.Errorf("renaming %s: %v", name.Text(), got)
			}
		}
		for i := range sc.Dims {
			name := sc.Dims[i].Name
			if got := rename(name); name.Text() == field {
				mustSay(t, got, "renaming "+field, "deletion of cells uses")
			} else if got != nil {
				t.Errorf("renaming %s: %v", name.Text(), got)
			}
		}
	}
}

// Before version 9 data files have the names of fields, and before version 10 fragments are read by the newest schema.
func TestOldFragmentsKeepTheirSchema(t *testing.T) {
	for _, version := range []uint32{8, 9, 10} {
		d := folderOf(t, sampleArray(version, false))
		sc := d.Tree.State.(*doc).array("").schemas.Current()
		_, err := d.Plan(t.Context(), "rename", model.SetValue(sc.Attrs[0].Name.Span, model.S("other")))
		if version < 9 {
			mustSay(t, err, "renaming", "are named after their fields")
		} else if err != nil {
			t.Errorf("renaming in version %d: %v", version, err)
		}
		for _, do := range []struct{ action, arg, value string }{
			{"evolve-schema", "add", "new:INT8"}, {"evolve-schema", "drop", sc.Attrs[0].Name.Text()}} {
			err := planned(t, d, do.action, map[string]string{do.arg: do.value})
			if version < 10 {
				mustSay(t, err, do.arg, "older than version 10")
			} else if err != nil {
				t.Errorf("%s in version %d: %v", do.arg, version, err)
			}
		}
	}
}

// Cells that are no whole values of their datatype are told: readers that give numbers refuse them.
func TestCellsAreWholeValues(t *testing.T) {
	files := sampleText(nil)
	s := sampleTextSchema()
	s.attrType, s.fill = 8, []byte{0, 0} // of two bytes, and the texts are of three, five and four
	files["__schema/"+sampleName] = sampleFile(s)
	d := folderOf(t, files)
	if err := d.Deep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	for _, f := range found {
		if f.Rule == rule.CellOffsetsBad && strings.Contains(f.Found, "UINT16") {
			return
		}
	}
	t.Errorf("not among %d findings", len(found))
}

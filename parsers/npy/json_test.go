package npy

import (
	"bytes"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// A header that is JSON is written as numpy's.
func TestHeaderJSON(t *testing.T) {
	for json, want := range map[string]string{
		`{"descr": "<f4", "fortran_order": false, "shape": [2, 3]}`:                          dict("'<f4'", "False", "(2, 3)"),
		`{"descr":"<f4","fortran_order":true,"shape":[6]}`:                                   dict("'<f4'", "True", "(6,)"),
		`{"descr": [["a", "<f4"], ["b", "<f4", [2]]], "fortran_order": false, "shape": [2]}`: dict("[('a', '<f4'), ('b', '<f4', (2,))]", "False", "(2,)"),
		`{"descr": "<f4", "fortran_order": false, "shape": [2, 4]}`:                          dict("'<f4'", "False", "(2, 4)"), // and the file is truncated
		`{"descr": "<f4", "fortran_order": false, "shape": [2, 3], "x": 1}`:                  "",
	} {
		d, err := model.OpenBytes(t.Context(), "a.npy", array(json, floats(6)), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		found, _ := d.Tree.Findings()
		fixes := d.Tree.Fixes(t.Context(), &found[0])
		if want == "" {
			if len(fixes) > 0 {
				t.Errorf("%s: %v", json, fixes)
			}
			continue
		}
		if len(fixes) != 1 {
			t.Errorf("%s: %v", json, fixes)
			continue
		}
		p, err := d.Plan(t.Context(), "repair", fixes[0].Edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(t.Context(), p, nil)
		if got := suite.Bytes(t, d); !bytes.Contains(got, []byte(want)) || !bytes.HasSuffix(got, []byte(floats(6))) {
			t.Errorf("%s: %q", json, got)
		}
	}
}

package scdl

import (
	"bytes"
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

package npy

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// The text of a header became longer or shorter while header_len stayed: the repair gives numpy all values back.
func TestHeaderTextEdited(t *testing.T) {
	for name, x := range map[string]struct {
		dict, from, to string
		rule           *model.Rule
	}{
		"longer":              {dict("'<f4'", "False", "(2, 3)"), "(2, 3)", "(3, 2, 1)", wrongLength},
		"other spaces":        {dict("'<f4'", "False", "(2, 3)"), "(2, 3)", "(2,3)", badHeader},
		"shorter":             {dict("'<f4'", "False", "(2, 3)"), "(2, 3)", "(6,)", badHeader},
		"longer than padding": {dict("'<f4'", "False", "(2, 3)"), ", }", "," + strings.Repeat(" ", 80) + "}", badHeader},
		"another key order":   {"{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}", "False", "True", badHeader},
		"a structure":         {dict("[('a}', '<f4'), ('b', '<f4')]", "False", "(3,)"), "a}", "name}", wrongLength},
	} {
		b := array(x.dict, floats(6))
		edited := bytes.Replace(b, []byte(x.from), []byte(x.to), 1)
		for _, file := range []string{"a.npy", "stored.npz", "deflated.npz"} {
			in := edited
			if method, ok := map[string]uint16{"stored.npz": zip.Store, "deflated.npz": zip.Deflate}[file]; ok {
				in = archived(method, "a.npy", string(edited))
			}
			d, err := model.OpenBytes(t.Context(), file, in, []*model.Format{Format}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if err := d.Deep(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			found, _ := d.Tree.Findings()
			if len(found) != 1 || found[0].Rule != x.rule || !strings.Contains(found[0].Message, "bytes long, but its length says") {
				t.Errorf("%s, %s: %v", name, file, found)
				continue
			}
			fix := d.Tree.Safe(&found[0], d.Tree.Fixes(t.Context(), &found[0]))
			if fix == nil {
				t.Errorf("%s, %s: no safe repair", name, file)
				continue
			}
			p, err := d.Plan(t.Context(), "repair", fix.Edits...)
			if err != nil {
				t.Fatal(err)
			}
			d.Apply(t.Context(), p, nil)
			if err := d.Deep(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if found, _ = d.Tree.Findings(); len(found) > 0 {
				t.Errorf("%s, %s: %s remains", name, file, found[0].Text())
			}
			if got := suite.Bytes(t, d); file == "a.npy" && !bytes.HasSuffix(got, append([]byte("\n"), floats(6)...)) {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

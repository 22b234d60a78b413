package npy

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/parsers/internal/npyfile"
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

// The shape was edited in place to more or fewer digits, so that header_len is wrong, and the editor may have added a line end after the values. The repair
// restores the file, which is not called truncated, and no displaced rows are salvaged. Often another dimension
// may have had the digit.
func TestShapeEdited(t *testing.T) {
	for name, x := range map[string]struct {
		order, from, to, end, says string
		grade                      cause.Grade
	}{
		"longer":             {"False", "(100, 32)", "(1000, 32)", "", "1 byte longer than its length says: dimension 0 of the shape was edited to 1000, but the values are those of 100", cause.Proven},
		"much longer":        {"False", "(100, 32)", "(100000, 32)", "\n", "3 bytes longer", cause.Proven},
		"longer, vim":        {"False", "(100, 32)", "(1000, 32)", "\n", "1 byte longer", cause.Proven},
		"longer, notepad":    {"False", "(100, 32)", "(1000, 32)", "\r\n", "1 byte longer", cause.Proven},
		"shorter":            {"False", "(100, 32)", "(10, 32)", "", "1 byte shorter", cause.Possible},
		"shorter, vim":       {"False", "(100, 32)", "(50, 32)", "\n", "1 byte shorter", cause.Proven},
		"another column":     {"False", "(100, 32)", "(100, 320)", "\n", "dimension", cause.Possible},
		"columns of Fortran": {"True", "(32, 100)", "(32, 1000)", "\n", "dimension 1 of the shape was edited to 1000", cause.Proven},
	} {
		good := array(dict("'<f4'", x.order, x.from), floats(3200))
		d, err := model.OpenBytes(t.Context(), "a.npy", append(bytes.Replace(good, []byte(x.from), []byte(x.to), 1), x.end...), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if s, err := model.Salvage(t.Context(), d.Tree); err == nil {
			t.Errorf("%s: %v is salvaged", name, s.Parts)
		}
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
		if err != nil || len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%s: %v %+v", name, err, g.Findings)
			continue
		}
		c := g.Causes[0]
		if !strings.Contains(c.Text, x.says) || strings.Contains(c.Text, "truncated") || c.Grade != x.grade {
			t.Errorf("%s: %s %s %v", name, c.Grade, c.Text, c.Evidence)
		}
		if !slices.ContainsFunc(c.Repairs, func(r *cause.Repair) bool {
			is, err := r.To.Content("a.npy")
			b := make([]byte, len(good)+1)
			n, _ := is.ReadAt(b, 0)
			return err == nil && bytes.Equal(b[:n], good)
		}) {
			t.Errorf("%s: no repair restores the file", name)
		}
	}
}

// An editor of text trimmed the spaces at the end of a header in which the shape was edited: the repair restores both, but is not proven.
func TestShapeEditedAndTrimmed(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 2))
	for range 12 {
		rows, columns := 20+r.IntN(900), 16+r.IntN(80)
		shape, other := fmt.Sprintf("(%d, %d)", rows, columns), fmt.Sprintf("(%d, %d)", rows+1+r.IntN(3), columns)
		if r.IntN(2) == 0 {
			other = fmt.Sprintf("(%d, %d)", rows, columns*(2+r.IntN(9)))
		}
		good := array(dict("'<f4'", "False", shape), floats(rows*columns))
		head, values := good[:len(good)-4*rows*columns], good[len(good)-4*rows*columns:]
		bad := slices.Concat(bytes.TrimRight(bytes.Replace(head, []byte(shape), []byte(other), 1), " \n"), []byte("\n"), values)
		d, err := model.OpenBytes(t.Context(), "a.npy", bad, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
		if err != nil || len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%s to %s: %v %+v", shape, other, err, g.Findings)
			continue
		}
		c := g.Causes[0]
		restored := slices.ContainsFunc(c.Repairs, func(x *cause.Repair) bool { // another dimension may have had the digits
			is, err := x.To.Content("a.npy")
			got := make([]byte, len(good)+1)
			n, _ := is.ReadAt(got, 0)
			return err == nil && bytes.Equal(got[:n], good)
		})
		if !restored || c.Grade == cause.Proven || !strings.Contains(c.Text, "were trimmed") {
			t.Errorf("%s to %s: %s %s", shape, other, c.Grade, c.Text)
		}
	}
}

// The text of a header was edited without changing the shape, and the editor added a line end after the values: the repair gives numpy all values back.
func TestHeaderTextEditedInEditor(t *testing.T) {
	for _, to := range []string{"(100,32)", "(100,  32)", "(3200,)", "(100, 32, 1)"} {
		b := append(bytes.Replace(array(dict("'<f4'", "False", "(100, 32)"), floats(3200)), []byte("(100, 32)"), []byte(to), 1), '\n')
		d, err := model.OpenBytes(t.Context(), "a.npy", b, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
		if err != nil || len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%s: %v %+v", to, err, g.Findings)
			continue
		}
		is, err := g.Causes[0].Repairs[0].To.Content("a.npy")
		got := make([]byte, is.Len())
		if _, bad := is.ReadAt(got, 0); err != nil || bad != nil || !bytes.HasSuffix(got, append([]byte("\n"), floats(3200)...)) || !strings.Contains(string(got), to) ||
			!strings.Contains(g.Causes[0].Text, "a line end was added") {
			t.Errorf("%s: %s: %q", to, g.Causes[0].Text, got[:140])
		}
		if _, err := npyfile.Parse(got); err != nil {
			t.Errorf("%s: %v", to, err)
		}
	}
}

// Rows of a file that is cut, and whose header does not end with a line feed, may be displaced: none is salvaged.
func TestNoFeedNoRows(t *testing.T) {
	b := array(dict("'<f4'", "False", "(100, 32)"), floats(3200))
	b[bytes.IndexByte(b, '\n')] = ' '
	if _, s := saved(t, "a.npy", b[:len(b)-5]); s != nil {
		t.Errorf("%v is salvaged", s.Parts)
	}
	if _, s := saved(t, "a.npy", b); s == nil {
		t.Error("all rows are there, and nothing is salvaged")
	}
}

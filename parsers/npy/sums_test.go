package npy

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// Two arrays of an archive do not match their checksums, in more bytes than a search can find: the advice is another copy or what is intact, and the repair
// that only makes the checksums match says so.
func TestDamagedMembers(t *testing.T) {
	one := func(n int) string { return string(array(dict("'<f4'", "False", "(64,)"), floats(64 + n)[4*n:])) }
	b := archived(zip.Store, "a.npy", one(0), "b.npy", one(7), "c.npy", one(14))
	for _, name := range []string{"a.npy", "c.npy"} {
		at := bytes.Index(b, []byte(name)) + len(name) + 150
		copy(b[at:], "0123456789abcdef")
	}
	d, err := model.OpenBytes(t.Context(), "x.npz", b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
	if err != nil || len(g.Causes) != 1 {
		t.Fatalf("%v %+v", err, g.Findings)
	}
	c := g.Causes[0]
	for _, want := range []string{"damaged, or was changed without its checksum", "a.npy", "c.npy"} {
		if !strings.Contains(c.Text, want) {
			t.Errorf("%s: not %s", c.Text, want)
		}
	}
	if !strings.Contains(c.Means, "download or copy it again, or save the intact data: 1 of 3 members") || len(c.Repairs) > 0 || len(c.Explains) != 2 || c.Grade != cause.Possible {
		t.Errorf("%s %v", c.Means, c.Repairs)
	}
	for _, f := range g.Findings {
		if fixes := g.Tree.Fixes(t.Context(), &f); len(fixes) != 1 || !strings.HasPrefix(fixes[0].Label, "accept the values as they are, damaged or not") {
			t.Errorf("%+v", fixes)
		}
	}
}

package parsers

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// pointers opens the SCDL sample with other row pointers.
func pointers(t *testing.T, change func(b []byte)) (d *model.Document, was []byte) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "archive")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "testdata", "scdl", "good", "archive"))); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "row_ptr.npy")
	was, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	is := bytes.Clone(was)
	change(is)
	if err := os.WriteFile(at, is, 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err = model.Open(t.Context(), dir, All(), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d, was
}

// firstOf diagnoses a document, and returns the first cause and what its first repair makes of a file.
func firstOf(t *testing.T, d *model.Document, file string) (*cause.Cause, []byte) {
	t.Helper()
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: All()})
	if err != nil || len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
		t.Fatalf("no repair: %v, %+v", err, g)
	}
	c := g.Causes[0]
	is, err := c.Repairs[0].To.Content(file)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(io.NewSectionReader(is, 0, is.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return c, b
}

// Row pointers that count from 1 are what another program meant: that they should count from 0 is offered, and no more than possible.
func TestForeignPointers(t *testing.T) {
	d, was := pointers(t, func(b []byte) {
		for i := range b {
			b[i]++
		}
	})
	c, is := firstOf(t, d, "row_ptr.npy")
	if c.Grade != cause.Possible || c.Repairs[0].Safe {
		t.Errorf("%s: %s", c.Grade, c.Text)
	}
	if !bytes.Equal(is, was) {
		t.Errorf("%s: %v, not %v", c.Repairs[0].Label, is, was)
	}
}

// One bit of a row pointer: what it was comes first, and nothing proves it.
func TestFlippedPointer(t *testing.T) {
	for _, bit := range []byte{8, 64} { // the 2 is a 10 or a 66 then, more than there are values
		d, was := pointers(t, func(b []byte) { b[2] ^= bit })
		c, is := firstOf(t, d, "row_ptr.npy")
		if c.Grade == cause.Proven || !bytes.Equal(is, was) {
			t.Errorf("bit %d, %s: %s: %v, not %v", bit, c.Grade, c.Text, is, was)
		}
	}
}

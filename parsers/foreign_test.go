package parsers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// TestOwnText: a long text of the file's own that has a problem did not take the place of data.
func TestOwnText(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "('f%d', '<i4'), ", i)
	}
	head := "{'descr': [" + strings.TrimSuffix(text.String(), ", ") + "], 'fortran_order': False, 'shape': (2,), }"
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
	b := append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(head))), head...)
	d, err := model.OpenBytes(t.Context(), "many.npy", append(b, make([]byte, 8000)...), All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: All(), Time: time.Second})
	if err != nil || len(g.Findings) == 0 {
		t.Fatal(err, g.Findings)
	}
	for _, c := range g.Causes {
		t.Errorf("%s cause: %s", c.Grade, c.Text)
	}
}

package npy

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestJoined joins arrays as cat does, and edits the shape of the first: the headers among the values are removed. Bytes may be those of a file.
func TestJoined(t *testing.T) {
	of := func(shape string, n int) []byte { return array(dict("'<f4'", "False", shape), floats(n)) }
	blob := array(dict("'|u1'", "False", "(4,)"), make([]byte, 4))
	inside := array(dict("'|u1'", "False", "(100,)"), append(bytes.Clone(blob), make([]byte, 100)...)[:100])
	for name, x := range map[string]struct{ is, want []byte }{
		"the shape of both": {bytes.Join([][]byte{of("(4, 3)", 6), of("(2, 3)", 6)}, nil), array(dict("'<f4'", "False", "(4, 3)"), append(floats(6), floats(6)...))},
		"another shape":     {bytes.Join([][]byte{of("(3, 3)", 6), of("(2, 3)", 6)}, nil), array(dict("'<f4'", "False", "(4, 3)"), append(floats(6), floats(6)...))},
		"its own shape":     {bytes.Join([][]byte{of("(2, 3)", 6), of("(2, 3)", 6)}, nil), nil},
		"a file as bytes":   {inside, nil},
	} {
		d, err := model.OpenBytes(t.Context(), "a.npy", x.is, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
		if err != nil {
			t.Fatal(err)
		}
		told := len(g.Causes) > 0 && strings.HasPrefix(g.Causes[0].Text, "Files of arrays were joined")
		if told != (x.want != nil) {
			t.Fatalf("%s: %+v", name, g.Causes)
		}
		if told {
			c, err := g.Causes[0].Repairs[0].To.Content("a.npy")
			if err != nil || c.Len() != int64(len(x.want)) {
				t.Fatal(name, err)
			}
			got := make([]byte, c.Len())
			if _, err := c.ReadAt(got, 0); err != nil || !bytes.Equal(got, x.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestSpilled wipes the last byte of a header: the bytes after it may have been wiped with it if they are the same.
func TestSpilled(t *testing.T) {
	for n, want := range map[int]cause.Grade{1: cause.Proven, 2: cause.Likely, 8: cause.Likely} {
		b := array(dict("'<u2'", "False", "(64,)"), bytes.Repeat([]byte{7}, 128))
		clear(b[len(b)-129:][:n])
		d, err := model.OpenBytes(t.Context(), "a.npy", b, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
		if err != nil || len(g.Causes) != 1 || g.Causes[0].Grade != want {
			t.Errorf("%d bytes: %v %+v", n, err, g.Causes)
		}
	}
}

// TestPitch: rows are called further apart only if nothing but zeros is between them, and hardly any elsewhere.
func TestPitch(t *testing.T) {
	b := bytes.Repeat([]byte{1, 2, 3, 0, 0}, 40)
	for name, x := range map[string]struct {
		b    []byte
		cols int64
		want int64
	}{
		"padded":             {b, 3, 5},
		"as the shape says":  {b, 5, 0},
		"too few rows":       {b[:35], 3, 0},
		"a value in between": {slices.Concat(b[:104], []byte{1}, b[105:]), 3, 0},
		"zeros":              {make([]byte, 200), 3, 0},
		"wide rows of zeros": {make([]byte, 1<<20), 10_000, 0}, // not every distance is tried
		"columns of zeros":   {bytes.Repeat([]byte{1, 0, 0, 0}, 40), 4, 0},
	} {
		if got := pitchOf(x.b, 1, x.cols); got != x.want {
			t.Errorf("%s: %d, want %d", name, got, x.want)
		}
	}
}

package npy

import (
	"encoding/binary"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"spandrel/model"
	"spandrel/model/cause"
)

// The header names another type than that of the values: it is offered before other shapes, and salvage does not call such values sound.
func TestOtherType(t *testing.T) {
	var doubles, longs, singles []byte
	for i := range 400 {
		v := math.Sin(float64(i + 1))
		doubles = binary.LittleEndian.AppendUint64(doubles, math.Float64bits(v))
		singles = binary.LittleEndian.AppendUint32(singles, math.Float32bits(float32(v/50)))
		longs = binary.LittleEndian.AppendUint64(longs, uint64(i*i*i-5000))
	}
	look := func(b []byte) (*cause.Diagnosis, *model.Document) {
		d, err := model.OpenBytes(t.Context(), "a.npy", b, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true, Warnings: true})
		if err != nil {
			t.Fatal(err)
		}
		return g, d
	}
	for _, x := range []struct {
		said, is, shape string
		values          []byte
		grade           cause.Grade
	}{
		{"<f4", "<f8", "(20, 20)", doubles, cause.Likely},
		{"<i4", "<f8", "(400,)", doubles, cause.Likely},
		{"<f4", "<i8", "(20, 20)", longs, cause.Possible},
		{"<i8", "<f4", "(20, 20)", singles, cause.Likely}, // or the file is truncated
	} {
		g, d := look(array(dict("'"+x.said+"'", "False", x.shape), x.values))
		if len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
			t.Fatalf("%s: %+v", x.said, g)
		}
		c := g.Causes[0]
		if first := c.Repairs[0].Label; c.Grade > x.grade || first != "set descr to "+x.is || !strings.Contains(c.Text, "values are those of "+x.is) {
			t.Errorf("%s, not %s: %s %s: %s", x.said, x.is, c.Grade, c.Text, first)
		}
		s, err := model.Salvage(t.Context(), d.Tree)
		if err != nil || x.said != "<i8" && !strings.Contains(s.Verdict(), "may be wrong: the header says "+x.said) {
			t.Errorf("%s, not %s: %v, %v", x.said, x.is, s, err)
		}
	}
	g, _ := look(array(dict("'<f4'", "False", "(20, 40)"), doubles))
	if len(g.Findings) != 1 || g.Findings[0].Rule != otherType || g.Findings[0].Grade() != model.Warning {
		t.Errorf("with a shape that fits: %+v", g.Findings)
	}
	for _, b := range [][]byte{array(dict("'<f8'", "False", "(500,)"), doubles), array(dict("'<f8'", "False", "(200,)"), doubles), array(dict("'<f4'", "False", "(200,)"), singles),
		array(dict("'<f4'", "False", "(800,)"), singles), array(dict("'>i8'", "False", "(400,)"), longs)} {
		g, _ := look(b)
		for _, f := range g.Findings {
			if f.Rule == otherType {
				t.Errorf("%s", f.Text())
			}
		}
	}
}

// A type with the name that another library gives it: numpy reads some names, which mean the same; of others the right one is offered.
func TestNamedType(t *testing.T) {
	values := make([]byte, 400*4)
	for i := range 400 {
		binary.LittleEndian.PutUint32(values[4*i:], math.Float32bits(float32(math.Sin(float64(i+1)))))
	}
	good := array(dict("'<f4'", "False", "(20, 20)"), values)
	for _, name := range []string{"FP32", "f32", "torch.float32", "<F4", "float32", "=f4"} {
		reads := name == "float32" || name == "=f4"
		longer := strings.Replace(string(good), "<f4", name, 1) // with the length left
		for _, b := range []string{string(array(dict("'"+name+"'", "False", "(20, 20)"), values)), longer} {
			if reads && b == longer && len(longer) > len(good) {
				continue
			}
			d, err := model.OpenBytes(t.Context(), "a.npy", []byte(b), []*model.Format{Format}, nil)
			if err != nil {
				t.Fatal(err)
			}
			g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
			if err != nil {
				t.Fatal(err)
			}
			if reads {
				if tables := d.Tree.Tables(t.Context()); len(g.Findings) > 0 || len(tables) != 1 || tables[0].Rows != 400 {
					t.Errorf("%s: %v", name, g.Findings)
				}
				continue
			}
			if len(g.Causes) == 0 || g.Causes[0].Grade != cause.Likely || g.Causes[0].Text != "The type of the elements is "+name+", which numpy calls <f4." {
				t.Errorf("%s: %+v", name, g.Causes)
				continue
			}
			to, err := g.Causes[0].Repairs[0].To.Content("a.npy")
			is := make([]byte, to.Len())
			if _, bad := to.ReadAt(is, 0); err != nil || bad != nil && bad != io.EOF || string(is) != string(good) {
				t.Errorf("%s: %q", name, is[:128])
			}
		}
	}
}

// Strings in UTF-16, as C++ on Windows writes them, are widened; the first half of strings of numpy is not taken for them.
func TestWideStrings(t *testing.T) {
	for order, by := range map[string]binary.ByteOrder{"<": binary.LittleEndian, ">": binary.BigEndian} {
		var half, whole []byte
		for _, name := range []string{"Zürich", "Bern", "a😀b", "", "x", "Chur"} {
			narrow, wide := make([]byte, 2*7), make([]byte, 4*7)
			for i, x := range utf16.Encode([]rune(name)) {
				by.PutUint16(narrow[2*i:], x)
			}
			for i, r := range []rune(name) {
				by.PutUint32(wide[4*i:], uint32(r))
			}
			half, whole = append(half, narrow...), append(whole, wide...)
		}
		head := dict("'"+order+"U7'", "False", "(6,)")
		for b, want := range map[string]cause.Grade{string(array(head, half)): cause.Proven, string(array(head, whole[:len(whole)/2])): cause.Likely} {
			d, err := model.OpenBytes(t.Context(), "a.npy", []byte(b), []*model.Format{Format}, nil)
			if err != nil {
				t.Fatal(err)
			}
			g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
			if err != nil || len(g.Causes) == 0 || g.Causes[0].Grade != want || strings.HasPrefix(g.Causes[0].Text, "The strings have 2 bytes") != (want == cause.Proven) {
				t.Fatalf("%v, %+v", err, g.Causes)
			}
			if want < cause.Proven {
				continue
			}
			to, err := g.Causes[0].Repairs[0].To.Content("a.npy")
			is := make([]byte, to.Len())
			if _, bad := to.ReadAt(is, 0); err != nil || bad != nil && bad != io.EOF || string(is) != string(array(head, whole)) {
				t.Errorf("%q", is)
			}
		}
	}
}

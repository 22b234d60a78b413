package npy

import (
	"archive/zip"
	"bytes"
	"io"
	"strconv"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// What elements are made of, each in a column; dates with what they stand for, and long doubles only where they are those of x86.
func TestElements(t *testing.T) {
	long := func(b string) string { return b + strings.Repeat("\x00", 16-len(b)) }
	for _, c := range []struct{ descr, shape, data, want string }{
		{"[('x', '<i2'), ('', '|V1'), ('y', '>f4')]", "(2,)", "\x01\x00?\x3f\x80\x00\x00\xff\xff!\x40\x00\x00\x00", "position x 1 y|0 1 3f 1|1 -1 21 2"},
		{"[(('title', 'a'), [('b', '|i1', (2, 2))])]", "()", "\x01\x02\x03\x04", "position a.b[0, 0] a.b[0, 1] a.b[1, 0] a.b[1, 1]| 1 2 3 4"},
		{"('|u1', (2,))", "(2,)", "\x01\x02\x03\x04", "position [0] [1]|0 1 2|1 3 4"},
		{"'>c8'", "(1, 1)", "\x3f\x80\x00\x00\xc0\x00\x00\x00", "position real imag|0, 0 1 -2"},
		{"'|S3'", "(2,)", "ab\x00c\x00\x00", "position value|0 ab|1 c"},
		{"'>U2'", "()", "\x00\x00\x00\xe4\x00\x00\x00\x00", "position value| ä"},
		{"'|V2'", "(1,)", "\xab\xcd", "position value|0 abcd"},
		{"'<M8[D]'", "(2,)", "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80", "position value|0 1 (1970-01-02)|1 -9223372036854775808 (NaT)"},
		{"'<M8[M]'", "(1,)", "\x01\x00\x00\x00\x00\x00\x00\x00", "position value|0 1"},
		{"'>m8[25ms]'", "(2,)", "\x00\x00\x00\x00\x00\x00\x00\x03\x7f\x00\x00\x00\x00\x00\x00\x00", "position value|0 3 (75ms)|1 9151314442816847872"},
		{"'<f16'", "(2,)", long("\x00\x00\x00\x00\x00\x00\x00\xc0\xff\xbf??") + long("\x00\x00\x00\x00\x00\x00\x00\xc0\xff\x7f"), "position value|0 -1.5|1 NaN"},
		{"'<f16'", "(1,)", "\x00\x00\x00\x00\x00\x00\x00\xc0\xff\xbf of the", "position value|0 -1.5"}, // what was in memory before
		{"'<f16'", "(1,)", strings.Repeat("\x00", 13) + "\x80\xff\x3f", "position value|0 !"},
		{"[('many', '|u1', (1001,))]", "(1,)", strings.Repeat("a", 1001), ""},
		{"[('far', '<f8', (1000000, 1000000))]", "(1,)", "a", ""},
		{"[('none', '|V0')]", "(3,)", "", ""},
		{"[('a', '|V70000', ())]", "(1,)", strings.Repeat("a", 70000), ""},
		{"[('a', '|u1', ())]", "(1,)", "\x07", "position a|0 7"},
		{"[('" + strings.Repeat("long", 70) + "', '|u1', (900,))]", "(1,)", strings.Repeat("a", 900), ""},
	} {
		d, err := model.OpenBytes(t.Context(), "x.npy", array(dict(c.descr, "False", c.shape), []byte(c.data)), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		var got []string
		for _, tab := range d.Tree.Tables(t.Context()) {
			var names []string
			for _, col := range tab.Columns {
				names = append(names, col.Name)
			}
			got = append(got, strings.Join(names, " "))
			if (tab.Tensor != nil) != (len(names) == 2 && c.shape != "()" && c.descr[0] == '\'' && !strings.Contains(c.want, "(")) {
				t.Errorf("%s %s: indexed as an array: %v", c.descr, c.shape, tab.Tensor)
			}
			rows, err := tab.Read(t.Context(), 0, tab.Rows)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				var cells []string
				for _, x := range r {
					switch text := x.Value.String(); {
					case x.Trouble != "":
						cells = append(cells, "!")
					case x.Label != "":
						cells = append(cells, text+" ("+x.Label+")")
					default:
						cells = append(cells, text)
					}
				}
				got = append(got, strings.Join(cells, " "))
			}
		}
		if text := strings.Join(got, "|"); text != c.want {
			t.Errorf("%s %s: %s, not %s", c.descr, c.shape, text, c.want)
		}
	}
}

// Fields of structures have names and types that are edited in the header, and values of every type are written as they were read.
func TestEditElements(t *testing.T) {
	for _, c := range []struct {
		descr, data, path string
		to                model.Value
		want              string
	}{
		{"[('x', '|S2')]", "ab", "header/field 1", model.S("y"), string(array(dict("[('y', '|S2')]", "False", "(1,)"), []byte("ab")))},
		{"[('x', '<i2'), ('y', '>i2')]", "\x01\x00\x00\x01", "data[0]/y", model.I(258), string(array(dict("[('x', '<i2'), ('y', '>i2')]", "False", "(1,)"), []byte("\x01\x00\x01\x02")))},
		{"'>U2'", "\x00\x00\x00a\x00\x00\x00b", "data[0]", model.S("c"), string(array(dict("'>U2'", "False", "(1,)"), []byte("\x00\x00\x00c\x00\x00\x00\x00")))},
		{"'>f16'", strings.Repeat("\x00", 16), "data[0]", model.F(-1.5), string(array(dict("'>f16'", "False", "(1,)"), []byte("\x00\x00\x00\x00\x00\x00\xbf\xff\xc0\x00\x00\x00\x00\x00\x00\x00")))},
	} {
		if b := set(t, "x.npy", array(dict(c.descr, "False", "(1,)"), []byte(c.data)), c.path, c.to); string(b) != c.want {
			t.Errorf("%s: %q, not %q", c.path, b, c.want)
		}
	}
}

// Rows come and go in arrays of one dimension; its number in the header, and in an archive sizes and checksums, follow.
func TestFillRows(t *testing.T) {
	structure := "[('x', '<i2'), ('y', '|S1')]"
	whole := array(dict(structure, "False", "(3,)"), []byte("\x01\x00a\x02\x00b\x03\x00c"))
	for _, c := range []struct {
		name, table string
		file        []byte
		from        int64
		rows        []string // x and y
		want        string   // shape and data
	}{
		{"x.npy", "values", whole, 3, []string{"4 d"}, "(4,)\x01\x00a\x02\x00b\x03\x00c\x04\x00d"},
		{"x.npy", "values", whole, 1, nil, "(1,)\x01\x00a"},
		{"x.npy", "values", whole, 2, []string{"9 e", "10 f"}, "(4,)\x01\x00a\x02\x00b\x09\x00e\x0a\x00f"},
		{"x.npz", "s", archived(8, "s.npy", string(whole)), 3, []string{"4 d"}, "(4,)\x01\x00a\x02\x00b\x03\x00c\x04\x00d"},
		{"x.npy", "values", whole, 3, []string{"40000 d"}, ""},
		{"x.npy", "values", whole, 4, nil, ""},
	} {
		d, err := model.OpenBytes(t.Context(), c.name, c.file, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		list := d.Tree.Tables(t.Context())
		tab := list[len(list)-1]
		edits, err := tab.Fill(t.Context(), model.GivenRows{From: c.from, N: int64(len(c.rows)), Cell: func(row int64, column int) model.Typed {
			return model.Typed{Row: row, Column: column, Text: strings.Fields(c.rows[row-c.from])[column-1]}
		}})
		if (err != nil) != (c.want == "") {
			t.Errorf("from %d %v: %v", c.from, c.rows, err)
		}
		if err != nil {
			continue
		}
		p, err := d.Plan(t.Context(), "fill", edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(t.Context(), p, nil)
		if err := d.Deep(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if found, _ := d.Tree.Findings(); len(found) > 0 {
			t.Errorf("from %d %v: %s", c.from, c.rows, found[0].Text())
		}
		shape, data, _ := strings.Cut(c.want, ")")
		want := string(array(dict(structure, "False", shape+")"), []byte(data)))
		if got := suite.Bytes(t, d); c.name == "x.npy" && string(got) != want {
			t.Errorf("from %d %v:\n%q, not\n%q", c.from, c.rows, got, want)
		} else if c.name == "x.npz" {
			z, err := zip.NewReader(bytes.NewReader(got), int64(len(got)))
			if err != nil {
				t.Fatal(err)
			}
			f, err := z.Open("s.npy")
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(f); err != nil || string(b) != want {
				t.Errorf("%q: %v", b, err)
			}
		}
	}
}

// Elements of arrays of several dimensions come and go by whole slices of the one that changes slowest, which is the last where the order is Fortran's.
func TestFillSlices(t *testing.T) {
	for _, c := range []struct {
		fortran, shape string
		from, n        int64
		want           string // the shape then; "": refused
	}{
		{"False", "(2, 3)", 6, 3, "(3, 3)"},
		{"True", "(2, 3)", 6, 2, "(2, 4)"},
		{"True", "(2, 3)", 4, 0, "(2, 2)"},
		{"False", "(3, 2, 1)", 1, 3, "(2, 2, 1)"},
		{"False", "(2, 3)", 6, 2, ""},
		{"True", "(2, 3)", 3, 0, ""},
	} {
		whole := array(dict("'|u1'", c.fortran, c.shape), []byte{0, 1, 2, 3, 4, 5})
		for name, file := range map[string][]byte{"x.npy": whole, "x.npz": archived(8, "a.npy", string(whole))} {
			d, err := model.OpenBytes(t.Context(), name, file, []*model.Format{Format}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			list := d.Tree.Tables(t.Context())
			edits, err := list[len(list)-1].Fill(t.Context(), model.GivenRows{From: c.from, N: c.n, Cell: func(row int64, column int) model.Typed {
				return model.Typed{Row: row, Column: column, Text: strconv.FormatInt(row+10, 10)}
			}})
			if (err != nil) != (c.want == "") {
				t.Errorf("%+v: %v", c, err)
			}
			if err != nil {
				continue
			}
			p, err := d.Plan(t.Context(), "fill", edits...)
			if err != nil {
				t.Fatal(err)
			}
			d.Apply(t.Context(), p, nil)
			if err := d.Deep(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if found, _ := d.Tree.Findings(); len(found) > 0 {
				t.Errorf("%+v: %s", c, found[0].Text())
			}
			data := []byte{0, 1, 2, 3, 4, 5}[:c.from]
			for i := range c.n {
				data = append(data, byte(c.from+i+10))
			}
			if got := suite.Bytes(t, d); name == "x.npy" && string(got) != string(array(dict("'|u1'", c.fortran, c.want), data)) {
				t.Errorf("%+v: %q", c, got)
			}
		}
	}
}

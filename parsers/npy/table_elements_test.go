package npy

import (
	"strings"
	"testing"

	"spandrel/model"
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
		{"'<f16'", "(1,)", strings.Repeat("\x00", 13) + "\x80\xff\x3f", "position value|0 !"},
		{"[('many', '|u1', (1001,))]", "(1,)", strings.Repeat("a", 1001), ""},
		{"[('far', '<f8', (1000000, 1000000))]", "(1,)", "a", ""},
		{"[('none', '|V0')]", "(3,)", "", ""},
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
			if (tab.Tensor != nil) != (len(names) == 2 && c.shape != "()" && !strings.Contains(c.want, "(")) {
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

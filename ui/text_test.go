package ui

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/paint"
)

func TestParsePlace(t *testing.T) {
	for _, c := range []struct {
		in   string
		off  int64
		path string
		ok   bool
	}{
		{"123", 123, "", true}, {"0x10", 16, "", true}, {"+0x10", 116, "", true}, {"-4", 96, "", true}, {"end-8", 992, "", true},
		{"0x10 + 4 - 2", 18, "", true}, {"header/n_rows", 0, "header/n_rows", true}, {"rows[2]/x+4", 4, "rows[2]/x", true},
		{"my-name", 0, "my-name", true}, {"a + 2", 2, "a", true}, {"", 0, "", false}, {"1+", 0, "", false}, {"a+b 4", 0, "a+b 4", true}, {"-x", 0, "", false},
	} {
		off, path, err := parsePlace(c.in, 100, 1000)
		if (err == nil) != c.ok || c.ok && (off != c.off || path != c.path) {
			t.Errorf("%q: %d %q %v", c.in, off, path, err)
		}
	}
}

func TestFilter(t *testing.T) {
	for _, c := range []struct {
		filter, name string
		value        model.Value
		want         bool
	}{
		{"row_count > 1000", "row_count", model.U(1001), true}, {"row_count > 1000", "row_count", model.U(1000), false},
		{"row_count > 1000", "columns", model.U(5000), false}, {"name ~ feat", "Features", model.U(0), true},
		{"value ~ abc", "x", model.S("xABCx"), true}, {"count = 0x10", "count", model.U(16), true},
		{"count != 16", "count", model.U(16), false}, {"lone", "Lonely", model.U(0), true}, {"42", "x", model.U(142), true},
	} {
		f, err := parseFilter(c.filter)
		if err != nil {
			t.Error(c.filter, err)
		}
		if got := f.match(c.name, func() (string, model.Value) { return c.value.String(), c.value }); got != c.want {
			t.Errorf("%s on %s %v: %v", c.filter, c.name, c.value, got)
		}
	}
	for _, bad := range []string{"", "a >", "= 4"} {
		if _, err := parseFilter(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestInterpret(t *testing.T) {
	facts := map[string]string{}
	for _, f := range interpret([]byte{0xff, 0x3c, 0x80, 0x3f, 0, 0, 0xf0, 0x3f}, false) {
		facts[f.label] = strings.TrimSuffix(f.text+"  BE "+f.other, "  BE ")
	}
	for label, want := range map[string]string{"u8": "255  0xff  0b11111111", "i8": "-1", "u16": "15615  BE 65340", "i16": "15615  BE -196",
		"uleb128": "7807  (2 bytes)", "sleb128": "7807", "utf-8": "not valid"} {
		if facts[label] != want {
			t.Errorf("%s: %q, want %q", label, facts[label], want)
		}
	}
	if len(interpret([]byte{1}, true)) == 0 {
		t.Error("one byte says nothing")
	}
	for u, want := range map[uint16]float64{0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 1: 0x1p-24, 0xfc00: math.Inf(-1)} {
		if got := half(u); got != want {
			t.Errorf("half %04x: %g, want %g", u, got, want)
		}
	}
	if sleb([]byte{0x7f}) != -1 || sleb([]byte{0x80, 0x7f}) != -128 {
		t.Error("signed LEB128")
	}
}

func TestWrapFits(t *testing.T) {
	f := paint.AtlasAt(1).Text
	text := "a text of several words and/a/long/path/without_any_space_in_it_at_all_so_that_it_must_be_cut"
	lines := wrap(f, text, 120)
	if len(lines) < 4 {
		t.Fatal(lines)
	}
	for _, l := range lines {
		if f.Width(strings.TrimRight(l, " ")) > 120 {
			t.Errorf("%q is wider than 120", l)
		}
	}
	if got := strings.ReplaceAll(strings.Join(lines, ""), " ", ""); got != strings.ReplaceAll(text, " ", "") {
		t.Error("text is lost:", got)
	}
	if n := len(wrap(f, strings.Repeat("x", 1<<20), 100)); n != wrapMost {
		t.Error("a huge text takes", n)
	}
}

// A number that has no room keeps its sign, its first digits and its exponent; whole numbers and words are never cut.
func TestFewerDigits(t *testing.T) {
	face := paint.AtlasAt(1).Text
	room := face.Width("-4.794922…e-310")
	for s, want := range map[string]string{"-4.79492246563614e-310": "-4.794922…e-310", "0.5": "0.5", "6071224247304847360123": "6071224247304847360123",
		"out.of.range, far from here and wide": "out.of.range, far from here and wide"} {
		if got := fewerDigits(face, s, room); got != want {
			t.Errorf("%s becomes %s, want %s", s, got, want)
		}
	}
}

// Bytes that are typed digit by digit, put in between others, are one line of the changes.
func TestInsertedDigitsAreOneChange(t *testing.T) {
	b, d := newBench(t, toyFile(t, 40))
	d.editor.setLocked(false)
	d.editor.inserting = true
	d.hex.selectTo(9, false)
	for _, digit := range "abcd" {
		d.hex.Typed(digit)
	}
	b.settle(t)
	undo, _ := d.Model.History()
	if len(undo) != 1 || len(undo[0].Patches) < 4 {
		t.Fatalf("%d steps", len(undo))
	}
	list, typed := joined(&undo[0]), make([]byte, 2)
	if len(list) != 1 || list[0].Del != 0 || list[0].Off != 9 || list[0].With.Len() != 2 {
		t.Fatalf("%+v", list)
	}
	if _, err := list[0].With.ReadAt(typed, 0); err != nil || string(typed) != "\xab\xcd" {
		t.Errorf("% x: %v", typed, err)
	}
}

func TestHuesOfNeighboursDiffer(t *testing.T) {
	_, d := newBench(t, toyFile(t, 40))
	rows := d.Tree().Root.Get("rows")
	for i := range rows.Count() - 1 {
		if hueOf(rows.Child(i))%12 == hueOf(rows.Child(i+1))%12 {
			t.Fatal("rows", i, "and", i+1, "look alike")
		}
	}
}

func TestColumnStatistics(t *testing.T) {
	_, d := newBench(t, toyFile(t, 100))
	s, err := statsOf(t.Context(), d.table.table, 1, func(_, _ int64) {})
	if err != nil || s.rows != 100 || s.least != 0 || s.most != 990 || s.sum != 49500 || len(s.counts) != 100 {
		t.Errorf("%v: %+v", err, s)
	}
	full := &columnStats{counts: map[string]int64{}, stride: 1}
	for i := range 3 * sampleMost {
		full.add(model.U(uint64(i)), "")
	}
	if len(full.sample) > sampleMost || full.sample[len(full.sample)-1] < 2.9*sampleMost || !full.more {
		t.Error("the sample of a long column", len(full.sample), full.more)
	}
	if h := full.histogram(); len(h) < bins/2 || h[0].text != "0 to 9999" || !h[0].about || h[0].n < 9_000 || h[0].n > 11_000 {
		t.Errorf("%+v", h)
	}
}

func TestExportWritesRows(t *testing.T) {
	b, d := newBench(t, toyFile(t, 3))
	path := filepath.Join(t.TempDir(), "rows.csv")
	d.table.export(d.table.table, path)
	b.settle(t)
	got, err := os.ReadFile(path)
	if want := "id,size\n0,0\n1,10\n2,20\n"; err != nil || string(got) != want {
		t.Errorf("%q %v", got, err)
	}
}

// Both byte orders stand side by side in a narrow pane too: a long value is broken in its column.
func TestByteOrdersSideBySide(t *testing.T) {
	_, d := newBench(t, toyFile(t, 100))
	n := d.info
	n.facts = []fact{{label: "u64", text: "4503599627370496", other: "72057594037931008"}, {label: "u16", text: "1", other: "256"}}
	for _, width := range []float32{500, 260, 200} {
		n.View.Resize(fyne.NewSize(width, 400))
		n.Show(0, 0)
		whole := map[string]bool{}
		for _, l := range n.lines {
			whole[l.text], whole[l.other] = true, true
		}
		for _, f := range n.facts {
			if !whole[f.text] || !whole[f.other] {
				t.Errorf("%v units: %s and %s are broken: %+v", width, f.text, f.other, n.lines)
			}
		}
		if most := n.Columns[0].Width + 2*n.Columns[1].Width; most > width {
			t.Errorf("columns of %v units in %v", most, width)
		}
	}
}

// A long text stands below its label in a narrow pane, and beside it in another.
func TestLongFactsStandBelow(t *testing.T) {
	_, d := newBench(t, toyFile(t, 100))
	n := d.info
	n.facts = []fact{{label: "why", text: strings.Repeat("a sentence of some words ", 8)}, {label: "size", text: "4 bytes"}}
	for width, below := range map[float32]bool{190: true, 700: false} {
		n.View.Resize(fyne.NewSize(width, 400))
		n.Show(0, 0)
		if got := n.lines[1].under; got != below || n.lines[len(n.lines)-1].under {
			t.Errorf("%v units: below its label: %v; %+v", width, got, n.lines)
		}
	}
}

// An account without settings of Fyne has scale 0: zooming starts from 1.
func TestScaleText(t *testing.T) {
	for _, c := range []struct {
		base    string
		system  float32
		percent int
		want    string
	}{{"", 0, 150, "1.50"}, {"", 0, 100, ""}, {"", 2, 150, "3.00"}, {"1.5", 1, 200, "3.00"}, {"x", 0, 110, "1.10"}, {"1.5", 0, 100, "1.5"}} {
		if got := scaleText(c.base, c.system, c.percent); got != c.want {
			t.Errorf("%q, %v, %d %%: %q, want %q", c.base, c.system, c.percent, got, c.want)
		}
	}
}

// The headline says how large a document is in words.
func TestShapeText(t *testing.T) {
	columns := model.Columns("a u8, b u8")
	for want, tables := range map[string][]model.Table{
		"1,350 rows × 2 columns in 3 shards": {{Name: "rows", Rows: 1350, Columns: columns}, {Name: "shards", Rows: 3, Aside: true}},
		"6 operations, 4 variables":          {{Name: "variables", Rows: 4, Columns: columns}, {Name: "nodes", Rows: 6}},
		"4 variables":                        {{Name: "variables", Rows: 4, Columns: columns}, {Name: "metadata", Rows: 1}},
		"6 cells × 5 genes":                  {{Name: "matrix", Rows: 6, Columns: columns}, {Name: "genes", Rows: 5}},
		"1 cell × 2 columns":                 {{Name: "cells", Rows: 1, Columns: columns}, {Name: "dimensions", Rows: 1, Aside: true}},
		"1,234,567 rows × 2 columns":         {{Name: "features", Rows: 1234567, Columns: columns}},
	} {
		if got := shapeText(tables); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

package ui

import (
	"os"
	"path/filepath"
	"testing"

	"spandrel/model"
	"spandrel/ui/compare"
	"spandrel/ui/doc"
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
		f, err := model.ParseFilter(c.filter)
		if err != nil {
			t.Error(c.filter, err)
		}
		if got := f.Match(c.name, func() (string, model.Value) { return c.value.String(), c.value }); got != c.want {
			t.Errorf("%s on %s %v: %v", c.filter, c.name, c.value, got)
		}
	}
	for _, bad := range []string{"", "a >", "= 4"} {
		if _, err := model.ParseFilter(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// Bytes that are typed digit by digit, put in between others, are one line of the changes.
func TestInsertedDigitsAreOneChange(t *testing.T) {
	b, d := newBench(t, toyFile(t, 40))
	d.Editor.SetLocked(false)
	d.Editor.Inserting = true
	d.hex.SelectTo(9, false)
	for _, digit := range "abcd" {
		d.hex.Typed(digit)
	}
	b.settle(t)
	undo, _ := d.Model.History()
	if len(undo) != 1 || len(undo[0].Patches) < 4 {
		t.Fatalf("%d steps", len(undo))
	}
	list, typed := compare.Joined(&undo[0]), make([]byte, 2)
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
		if doc.HueOf(rows.Child(i))%12 == doc.HueOf(rows.Child(i+1))%12 {
			t.Fatal("rows", i, "and", i+1, "look alike")
		}
	}
}

func TestExportWritesRows(t *testing.T) {
	b, d := newBench(t, toyFile(t, 3))
	path := filepath.Join(t.TempDir(), "rows.csv")
	d.table.Export(d.table.Table, path)
	b.settle(t)
	got, err := os.ReadFile(path)
	if want := "id,size\n0,0\n1,10\n2,20\n"; err != nil || string(got) != want {
		t.Errorf("%q %v", got, err)
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

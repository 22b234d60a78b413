package safetensors

import (
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// Numbers of four bits are edited in pairs, each rounded to one that there is; complex ones are two columns.
func TestSmallValues(t *testing.T) {
	ctx := t.Context()
	d, err := model.OpenBytes(ctx, "x.safetensors", samples()["good/small-floats.safetensors"], []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	named := func(name string) model.Table {
		for _, tab := range d.Tree.Tables(ctx) {
			if tab.Name == name {
				return tab
			}
		}
		t.Fatalf("no table %s", name)
		return model.Table{}
	}
	if c := named("i"); len(c.Columns) != 3 || c.Rows != 2 || c.Columns[2].Name != "imag" {
		t.Errorf("%+v", c)
	}
	f4 := named("f")
	for _, bad := range []model.Typed{{Row: 8, Column: 1, Text: "1"}, {Row: 0, Column: 0, Text: "1"}, {Row: 0, Column: 1, Text: "7"}, {Row: 0, Column: 1, Missing: true}, {Row: 0, Column: 1, Text: "x"}} {
		if _, err := f4.Set(ctx, []model.Typed{bad}); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	edits, err := f4.Set(ctx, []model.Typed{{Row: 3, Column: 1, Text: "-6"}, {Row: 2, Column: 1, Text: "0.6"}, {Row: 7, Column: 1, Text: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Plan(ctx, "set", edits...)
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(ctx, p, nil)
	b := suite.Bytes(t, d)
	if got := string(b[len(b)-52+20:][:4]); got != "\x00\xf1\x00\x20" {
		t.Errorf("%x", got)
	}
	f4 = named("f")
	rows, err := f4.Read(ctx, 1, 4)
	if err != nil || len(rows) != 4 || rows[1][1].String() != "0.5" || rows[2][1].String() != "-6" || rows[3][1].String() != "0" || rows[0][0].String() != "1" {
		t.Errorf("%v %v", rows, err)
	}
}

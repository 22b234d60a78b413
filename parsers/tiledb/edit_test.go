package tiledb

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Edits that stored cells would not survive ask first; those that nothing depends on do not.
func TestTDBReview(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		fragments int
		path      string
		value     model.Value
		why       string // "" for no warning
	}{
		{1, "schema/capacity", model.U(5), "reading fails"},
		{0, "schema/capacity", model.U(5), ""},
		{1, "schema/attributes[0]/nullable", model.U(1), "the file of nulls"},
		{1, "schema/attributes[0]/name", model.S("z"), "use names"},
		{1, "schema/attributes[0]/fill_value", model.I(7), ""},
		{1, "schema/attributes[0]/filters/filters[0]/level", model.I(3), ""},
		{1, "schema/attributes[0]/filters/filters[0]/compressor", model.U(2), "cannot be unfiltered"},
		{1, "schema/attributes[0]/filters/num_filters", model.U(0), "cannot be unfiltered"},
		{1, "schema/domain/dimensions[0]/tile_extent", model.U(2), "wrong places"},
		{1, "schema/domain/dimensions[0]/domain/low", model.U(0), "wrong places"},
		{1, "schema/domain/dimensions[0]/domain/high", model.U(9), "unreachable"},
		{1, "schema/current_domain/empty", model.U(0), "outside"},
		{1, "schema/num_attributes", model.U(1), "misread"},
		{1, "schema/enumerations[0]/filename", model.S("x"), "another file"},
	} {
		d := open(t, arrayFolder(t, c.fragments))
		plan, err := d.Plan(ctx, "edit", model.Set{Path: "schemas/" + sampleName + "/" + c.path, Value: c.value})
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
		} else if (len(plan.Warnings) > 0) != (c.why != "") || !strings.Contains(strings.Join(plan.Warnings, ""), c.why) {
			t.Errorf("%s with %d fragments: %q", c.path, c.fragments, plan.Warnings)
		}
	}
}

// Of all that can be edited in the schemas and enumerations of an array with fragments, only this asks no question.
func TestTDBReviewAll(t *testing.T) {
	ctx := context.Background()
	d := open(t, arrayFolder(t, 1))
	quiet := map[string]bool{}
	asked := 0
	var try func(s *model.Span)
	try = func(s *model.Span) {
		d.Tree.Open(ctx, s)
		for i := range s.Count() {
			try(s.Child(i))
		}
		v, err := d.Tree.Value(ctx, s)
		if s.Shape != model.Leaf || s.Field.Codec == nil || s.Field.Fixed != "" || !d.Tree.Space(s.Range.Space).Derived() {
			return
		}
		switch v.Kind {
		case model.Int:
			v = model.I(v.Int() ^ 1)
		case model.Uint:
			v = model.U(v.Uint() ^ 1)
		default:
			v = model.S(v.Text() + "x")
		}
		if err != nil {
			t.Fatal(s.Path(), err)
		}
		warn, err := d.Tree.State.(*doc).review(t.Context(), model.SetValue(s, v))
		if asked++; s.Field == schema.AttrEnum { // a name that the schema does not have
			if err == nil {
				t.Errorf("%s: not refused", s.Path())
			}
		} else if err != nil {
			t.Errorf("%s: %v", s.Path(), err)
		} else if warn == "" {
			quiet[s.Field.Name] = true
		}
	}
	try(d.Tree.Root.Get("schemas"))
	try(d.Tree.Root.Get("enumerations"))
	got := strings.Join(slices.Sorted(maps.Keys(quiet)), " ")
	if asked < 60 || got != "fill_value fill_value_validity level max_chunk_size options_size ordered version" {
		t.Errorf("%d fields, no question for %s", asked, got)
	}
}

// Dropping an attribute, or bytes of several fields at once, asks first too; dropping bytes that no one reads does not.
func TestTDBReviewBytes(t *testing.T) {
	d := open(t, arrayFolder(t, 1))
	at := func(path string) model.Range {
		s, err := d.Tree.Find(context.Background(), "schemas/"+sampleName+"/schema/"+path)
		if err != nil {
			t.Fatal(err)
		}
		return s.Range
	}
	several := at("tile_order")
	several.Len = 2
	for want, r := range map[string]model.Range{"by position": at("attributes[1]"), "is misread": several,
		"use names": at("attributes[0]/name")} {
		warn, err := d.Tree.State.(*doc).review(t.Context(), model.Replace(r, nil))
		if err != nil || !strings.Contains(warn, want) {
			t.Errorf("%s: %q %v", want, warn, err)
		}
	}
	s := sampleOf(23)
	dir := writeFiles(t, arrayFolder(t, 1), map[string][]byte{"__schema/" + sampleName: sampleTile(23, append(s.payload(), 1, 2, 3))})
	d = open(t, dir)
	found, _ := d.Tree.Findings()
	for _, f := range found {
		if f.Rule == rule.BehindSchema {
			if warn, err := d.Tree.State.(*doc).review(t.Context(), d.Tree.Fixes(t.Context(), &f)[0].Edits[0]); err != nil || warn != "" {
				t.Errorf("trailing bytes: %q %v", warn, err)
			}
			return
		}
	}
	t.Error("no finding of trailing bytes")
}

// An enumeration that is renamed, in a schema or in its file, has the new name in its file, in every schema that has it and in the
// attributes that use it. An attribute that is given another enumeration takes nothing with it.
func TestTDBRenameEnumeration(t *testing.T) {
	ctx := context.Background()
	const file = "__0123456789abcdef0123456789abcdef_0"
	older := strings.Replace(sampleName, "1700000000000", "1600000000000", 2)
	s := sampleOf(23)
	s.enum, s.enums = "e", [][2]string{{"e", file}}
	for _, path := range []string{"schemas/" + sampleName + "/schema/enumerations[0]/name",
		"schemas/" + older + "/schema/enumerations[0]/name", "enumerations/" + file + "/enumeration/name"} {
		dir := writeFiles(t, arrayFolder(t, 0), map[string][]byte{"__schema/" + older: sampleFile(s)})
		d := open(t, dir)
		plan, err := d.Plan(ctx, "rename", model.Set{Path: path, Value: model.S("colours")})
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(ctx, plan, nil)
		if found := damageIn(d.Tree); len(found) > 0 {
			t.Errorf("%s: %s %s", path, found[0].Rule.ID, found[0].Text())
		}
		a := d.Tree.State.(*doc).array("")
		for _, name := range []string{older, sampleName} {
			if sc := a.schemas.Kept(name); sc.Enums[0].Name.Text() != "colours" || sc.Attrs[0].Enum.Text() != "colours" ||
				sc.Attrs[1].Enum.Text() != "colours" {
				t.Errorf("%s: %s has the old name", path, name)
			}
		}
		if e := a.schemas.EnumerationFile(ctx, file); e == nil || e.Name.Text() != "colours" {
			t.Errorf("%s: the file has the old name", path)
		}
	}
	d := open(t, arrayFolder(t, 0))
	more, err := d.Tree.State.(*doc).fixup(t.Context(), []model.Edit{model.Set{Path: "schemas/" + sampleName + "/schema/attributes[0]/enumeration_name",
		Value: model.S("f")}})
	if err != nil || len(more) > 0 {
		t.Errorf("%v %v", more, err)
	}
}

// Several numbers of a cell are typed as they are printed, or between spaces.
func TestTDBCellOfSeveral(t *testing.T) {
	for _, text := range []string{"1 -2", "[1, -2]", "[1,-2]", "1,-2"} {
		if b, err := storage.ParseCell(filter.Int8, 2, text); err != nil || string(b) != "\x01\xfe" {
			t.Errorf("%s: % x %v", text, b, err)
		}
	}
	if _, err := storage.ParseCell(filter.Int8, 2, "[1]"); err == nil {
		t.Error("one of two numbers is taken")
	}
}

// Cells that are appended as columns are refused by row where a coordinate is outside the domain, missing or given twice.
func TestAppendedCoordinates(t *testing.T) {
	for what, c := range map[string]struct {
		x    []int64
		null []bool
	}{
		"row 1 of the new rows, x: the domain is": {x: []int64{90, 4000}},
		"row 1 of the new rows has the coord":     {x: []int64{90, 90}},
		"row 0 of the new rows, x: coordinates":   {x: []int64{0, 91}, null: []bool{true, false}},
		"":                                        {x: []int64{91, 90}},
	} {
		d, _ := written(t, "sparse-v22")
		tab := readTable(t, d, "cells")
		x, col := model.Batch{}, tab.Column("x")
		for i, v := range c.x {
			if x.Append(tab.Columns[col].Item(), model.I(v)); c.null != nil {
				x.Null = c.null[:i+1]
			}
		}
		edits, err := tab.Fill(t.Context(), model.GivenRows{From: tab.Rows, N: 2, Cell: func(row int64, column int) model.Typed {
			out := model.Typed{Row: row, Column: column, Text: "1"}
			if column == col {
				out.Text, out.Missing = model.I(c.x[row-tab.Rows]).String(), c.null != nil && c.null[row-tab.Rows]
			}
			return out
		}, Batch: func(column int) *model.Batch {
			if column == col {
				return &x
			}
			return nil
		}})
		if (err == nil) != (what == "") || err != nil && !strings.Contains(err.Error(), what) {
			t.Errorf("%v: %v, not %q", c.x, err, what)
		}
		if err == nil {
			edited(t, d, edits...)
			if is := readTable(t, d, "cells"); is.Rows != tab.Rows+2 {
				t.Errorf("%d rows, before %d", is.Rows, tab.Rows)
			}
		}
	}
}

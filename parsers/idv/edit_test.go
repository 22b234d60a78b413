package idv

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// fixAll makes each repair that a damaged sample offers for the rule in its name, and checks that the finding is gone.
func fixAll(t *testing.T, name string, b []byte) {
	t.Helper()
	count := func(d *model.Document, rule string) (n int) {
		rulesOf(t, d)
		found, _ := d.Tree.Findings()
		for _, f := range found {
			if f.Rule.ID == rule {
				n++
			}
		}
		return n
	}
	d := open(t, name, b)
	rulesOf(t, d)
	found, _ := d.Tree.Findings()
	for i, f := range found {
		if f.Rule.ID != "IDV-"+name[:3] {
			continue // what follows from it may not have a repair of its own that works
		}
		for j := range d.Tree.Fixes(t.Context(), &f) {
			d := open(t, name, b)
			before := count(d, f.Rule.ID)
			again, _ := d.Tree.Findings()
			if i >= len(again) || again[i].Rule != f.Rule {
				continue // findings of parallel checks come in any order
			}
			fixes := d.Tree.Fixes(t.Context(), &again[i])
			if j >= len(fixes) {
				continue
			}
			fix := fixes[j]
			edits, err := fix.Make(t.Context(), d.Tree)
			if err != nil {
				if fix.Safe {
					t.Errorf("%s: %s: %v", name, fix.Label, err)
				}
				continue
			}
			plan, err := d.Plan(context.Background(), fix.Label, edits...)
			if err != nil {
				t.Errorf("%s: %s: %s: %v", name, f.Rule.ID, fix.Label, err)
				continue
			}
			d.Apply(context.Background(), plan, nil)
			if after := count(d, f.Rule.ID); after >= before {
				t.Errorf("%s: %s stays after %q", name, f.Rule.ID, fix.Label)
			}
		}
	}
}

// do makes edits and returns what the strict reader makes of the result.
func do(t *testing.T, d *model.Document, edits []model.Edit, err error) parsed {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := d.Plan(context.Background(), "edit", edits...)
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(context.Background(), plan, nil)
	if errors, _ := rulesOf(t, d); len(errors) > 0 {
		t.Fatalf("after the edit: %v", errors)
	}
	suite.Tiles(t, d.Tree)
	p, err := readStrict(content(t, d))
	if err != nil {
		t.Fatalf("the strict reader: %v", err)
	}
	return p
}

func act(t *testing.T, d *model.Document, path, name string, args map[string]string) ([]model.Edit, error) {
	t.Helper()
	s, err := d.Tree.Find(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range actions {
		if a.Name == name {
			if !a.On(d.Tree, s) {
				t.Fatalf("%s is not offered on %s", name, path)
			}
			return a.Plan(context.Background(), d.Tree, s, args)
		}
	}
	t.Fatalf("no action %s", name)
	return nil, nil
}

// TestIDVEdits makes every kind of edit and has an independent reader accept the result and find what was asked for.
func TestIDVEdits(t *testing.T) {
	t.Parallel()
	const key, vector, text = 16, 17, 13
	value := func(path string, v model.Value) func(*testing.T, *model.Document) ([]model.Edit, error) {
		return func(*testing.T, *model.Document) ([]model.Edit, error) {
			return []model.Edit{model.Set{Path: path, Value: v}}, nil
		}
	}
	action := func(path, name string, args ...string) func(*testing.T, *model.Document) ([]model.Edit, error) {
		m := map[string]string{}
		for i := 0; i < len(args); i += 2 {
			m[args[i]] = args[i+1]
		}
		return func(t *testing.T, d *model.Document) ([]model.Edit, error) { return act(t, d, path, name, m) }
	}
	cases := []struct {
		name   string
		edit   func(*testing.T, *model.Document) ([]model.Edit, error)
		expect func(f *fileSpec)
	}{
		{"rename, longer", value("toc[3]/name/text", model.S("a much longer name")), func(f *fileSpec) { f.cols[3].name = "a much longer name" }},
		{"rename, same size", value("toc[3]/name/text", model.S("abcde")), func(f *fileSpec) { f.cols[3].name = "abcde" }},
		{"rename by action", action("toc[0]", "rename-column", "name", "ä"), func(f *fileSpec) { f.cols[0].name = "ä" }},
		{"metadata kind", value("mtoc[17]/entries[0]/kind/text", model.S("Names")), func(f *fileSpec) { f.cols[vector].meta[0].kind = "Names" }},
		{"drop rows", action("", "drop-rows", "first", "2", "count", "3"), func(f *fileSpec) {
			for i := range f.cols {
				f.cols[i].values = slices.Delete(slices.Clone(f.cols[i].values), 2, 5)
			}
			f.rows -= 3
		}},
		{"other blocks", action("", "set-rows-per-block", "rows", "5"), func(f *fileSpec) { f.rpb = 5 }},
		{"drop a column", action("toc[4]", "drop-column"), func(f *fileSpec) { f.cols = append(f.cols[:4:4], f.cols[5:]...) }},
		{"move a column", action("toc[4]/name", "move-column", "to", "0"), func(f *fileSpec) {
			f.cols = append([]columnSpec{f.cols[4]}, append(f.cols[:4:4], f.cols[5:]...)...)
		}},
		{"store", action("toc[12]", "set-compression", "kind", "none"), func(*fileSpec) {}},
		{"deflate", action("toc[17]", "set-compression", "kind", "deflate"), func(*fileSpec) {}},
		{"store all", action("", "set-compression", "kind", "none"), func(*fileSpec) {}},
		{"slot name", action("toc[17]", "set-slot-name", "slot", "2", "name", "down under"), func(f *fileSpec) {
			f.cols[vector].meta[0].value = vecSpec{n: 4, items: []any{"north", "east", "down under", "west"}}
		}},
		{"key value", action("toc[16]", "set-key-value", "key", "1", "value", "rot"), func(f *fileSpec) {
			f.cols[key].meta[0].value = vecSpec{n: 3, items: []any{"rot", "green", "blue"}}
		}},
		{"new slot names", action("toc[19]", "set-slot-name", "slot", "8", "name", "last"), func(f *fileSpec) {
			txt := typeSpec{load: "TextSpan"}
			f.cols[19].meta = []metaSpec{{"SlotNames", typeSpec{load: "VBuffer", item: &txt, dims: []int32{9}}, vecSpec{n: 9, items: []any{"", "", "", "", "", "", "", "", "last"}}}}
		}},
		{"drop metadata", action("toc[17]", "drop-metadata", "kind", "SlotNames"), func(f *fileSpec) { f.cols[vector].meta = f.cols[vector].meta[1:] }},
		{"drop all metadata", action("toc[16]", "drop-metadata", "kind", "KeyValues"), func(f *fileSpec) { f.cols[key].meta = nil }},
		{"cut at a block", action("", "cut-rows", "rows", "6"), func(f *fileSpec) { cutSpec(f, 6) }},
		{"cut inside a block", action("header", "cut-rows", "rows", "4"), func(f *fileSpec) { cutSpec(f, 4) }},
		{"cut to one row", action("", "cut-rows", "rows", "1"), func(f *fileSpec) { cutSpec(f, 1) }},
		{"compact", action("", "compact"), func(*fileSpec) {}},
		{"a number", func(t *testing.T, d *model.Document) ([]model.Edit, error) {
			return []model.Edit{model.Set{Path: cellPath(t, d, 4, 2), Value: model.I(77)}}, nil
		}, func(f *fileSpec) { f.cols[2].values[4] = 77 }},
		{"a text", func(t *testing.T, d *model.Document) ([]model.Edit, error) {
			tab := format().Tables(context.Background(), d.Tree)[0]
			rows, err := tab.Read(context.Background(), 2, 1)
			return []model.Edit{model.Replace(rows[0][text].Range, []byte("naïve 😀 text"))}, err
		}, func(f *fileSpec) { f.cols[text].values[2] = "naïve 😀 text" }},
		{"two texts of a block and a name", func(t *testing.T, d *model.Document) ([]model.Edit, error) {
			tab := format().Tables(context.Background(), d.Tree)[0]
			rows, err := tab.Read(context.Background(), 3, 2)
			return []model.Edit{model.Replace(rows[0][text].Range, []byte("x")), model.Replace(rows[1][text].Range, nil), model.Set{Path: "toc[13]/name/text", Value: model.S("T")}}, err
		}, func(f *fileSpec) { f.cols[text].values[3], f.cols[text].values[4], f.cols[text].name = "x", "", "T" }},
	}
	for _, deflate := range []bool{false, true} {
		for _, c := range cases {
			f := sample(deflate)
			d := open(t, "x.idv", f.encode())
			t.Run(c.name, func(t *testing.T) {
				edits, err := c.edit(t, d)
				p := do(t, d, edits, err)
				c.expect(&f)
				sameParsed(t, p, f)
				d.Undo(context.Background())
				want := sample(deflate).encode()
				if !bytes.Equal(content(t, d), want) {
					t.Error("undo does not bring the bytes back")
				}
			})
		}
	}
}

func cutSpec(f *fileSpec, n int) {
	f.rows = int64(n)
	for i := range f.cols {
		f.cols[i].values = f.cols[i].values[:n]
	}
}

func cellPath(t *testing.T, d *model.Document, row int64, col int) string {
	t.Helper()
	rows, err := format().Tables(context.Background(), d.Tree)[0].Read(context.Background(), row, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := rows[0][col].Range
	s, err := d.Tree.AtOpen(context.Background(), r.Space, r.Off)
	if err != nil || s == nil {
		t.Fatal(err)
	}
	return s.Path()
}

func sameParsed(t *testing.T, p parsed, f fileSpec) {
	t.Helper()
	if p.rows != f.rows || len(p.cols) != len(f.cols) {
		t.Fatalf("%d rows of %d columns, want %d of %d", p.rows, len(p.cols), f.rows, len(f.cols))
	}
	for i, c := range p.cols {
		want := f.cols[i]
		if c.name != want.name || !reflect.DeepEqual(c.typ, want.typ) {
			t.Errorf("column %d: %s %v, want %s %v", i, c.name, c.typ, want.name, want.typ)
		}
		for j := range want.values {
			if !sameValue(c.values[j], want.values[j]) {
				t.Errorf("column %s, row %d: %#v, want %#v", c.name, j, c.values[j], want.values[j])
			}
		}
		if len(c.meta) != len(want.meta) {
			t.Errorf("column %s: %d metadata, want %d", c.name, len(c.meta), len(want.meta))
			continue
		}
		for j, m := range c.meta {
			if m.kind != want.meta[j].kind || !sameValue(m.value, want.meta[j].value) {
				t.Errorf("column %s: %s %#v, want %s %#v", c.name, m.kind, m.value, want.meta[j].kind, want.meta[j].value)
			}
		}
	}
}

func sameValue(a, b any) bool {
	x, ok := a.(vecSpec)
	y, _ := b.(vecSpec)
	if !ok {
		return reflect.DeepEqual(a, b)
	}
	if x.n != y.n || (x.index == nil) != (y.index == nil) || len(x.items) != len(y.items) || len(x.index) != len(y.index) {
		return false
	}
	for i := range x.items {
		if !sameValue(x.items[i], y.items[i]) || x.index != nil && x.index[i] != y.index[i] {
			return false
		}
	}
	return true
}

// TestIDVAppend checks that an edit of a tidy stream makes what the encoder makes; that behind bytes that no one reaches, it leaves the
// old bytes where they are, except the header; and that compacting that makes what the encoder makes, too.
func TestIDVAppend(t *testing.T) {
	f := sample(false)
	before := f.encode()
	d := open(t, "x.idv", before)
	first := model.Set{Path: "toc[1]/name/text", Value: model.S("first")}
	if p, err := d.Plan(t.Context(), "first", first); err != nil || len(p.Notes) > 0 {
		t.Error("an edit that leaves no bytes behind says that it does", err)
	}
	do(t, d, []model.Edit{first}, nil)
	tidy := f
	tidy.cols = append([]columnSpec(nil), f.cols...)
	tidy.cols[1].name = "first"
	if !bytes.Equal(content(t, d), tidy.encode()) {
		t.Error("the edited stream is not what the encoder makes")
	}
	before = append(before, "more"...)
	d = open(t, "x.idv", before)
	rename := model.Set{Path: "toc[1]/name/text", Value: model.S("renamed")}
	if p, err := d.Plan(t.Context(), "rename", rename); err != nil || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "Compact") {
		t.Error("an edit that leaves bytes behind does not say how they go", err)
	}
	do(t, d, []model.Edit{rename}, nil)
	after := content(t, d)
	if !bytes.Equal(before[52:], after[52:len(before)]) || !bytes.Equal(before[:24], after[:24]) {
		t.Error("bytes other than those of the header changed in place")
	}
	edits, err := act(t, d, "", "compact", nil)
	do(t, d, edits, err)
	f.cols[1].name = "renamed"
	if !bytes.Equal(content(t, d), f.encode()) {
		t.Error("the compacted stream is not what the encoder makes")
	}
}

// TestIDVSalvage rebuilds the header and the directory of unfinished saves.
func TestIDVSalvage(t *testing.T) {
	f := sample(true)
	whole := f.encode()
	clear(whole[:256])
	fix := func(b []byte) *model.Document {
		d := open(t, "x.idv", b)
		found, _ := d.Tree.Findings()
		for _, x := range found {
			if x.Rule.ID == "IDV-002" {
				edits, err := d.Tree.Fixes(t.Context(), &x)[0].Make(t.Context(), d.Tree)
				do(t, d, edits, err)
				return d
			}
		}
		t.Fatal("the unfinished save is not recognised")
		return nil
	}
	d := fix(whole)
	p, err := readStrict(content(t, d))
	if err != nil {
		t.Fatal(err)
	}
	sameParsed(t, p, f)

	part := fileSpec{rpb: 3, rows: 8, deflate: true}
	for _, c := range f.cols {
		switch c.name {
		case "Single", "Double", "Text", "Vector", "Int16":
			part.cols = append(part.cols, c)
		}
	}
	b := part.encode()
	n := bytes.Index(b, le(8, 256)) // the first lookup table
	b = b[:n:n]
	clear(b[:256])
	p, err = readStrict(content(t, fix(b)))
	if err != nil {
		t.Fatal(err)
	}
	if p.rows != 8 || len(p.cols) != len(part.cols) {
		t.Fatalf("%d rows of %d columns", p.rows, len(p.cols))
	}
	for i, c := range p.cols {
		if !reflect.DeepEqual(c.values[7], part.cols[i].values[7]) {
			t.Errorf("column %s: %v, want %v", part.cols[i].name, c.values[7], part.cols[i].values[7])
		}
	}
}

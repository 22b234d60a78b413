package idv

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

func format() *model.Format {
	for _, f := range formats {
		if f.Name == "idv" {
			return f
		}
	}
	return nil
}

func open(t testing.TB, name string, b []byte) *model.Document {
	t.Helper()
	d, err := model.OpenBytes(context.Background(), name, b, formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.Format != format() {
		t.Fatalf("%s is not taken for IDV", name)
	}
	return d
}

// rulesOf runs all checks and returns the rules by severity and over all.
func rulesOf(t testing.TB, d *model.Document) (errors, all map[string]bool) {
	t.Helper()
	p := &model.Probe{Report: d.Tree.Report, Progress: func(int64, int64, string) {}}
	if err := d.Format.Deep(context.Background(), d.Tree, p); err != nil {
		t.Fatal(err)
	}
	errors, all = map[string]bool{}, map[string]bool{}
	found, _ := d.Tree.Findings()
	for i := range found {
		all[found[i].Rule.ID] = true
		if found[i].Grade() == model.Error {
			errors[found[i].Rule.ID] = true
		}
		if found[i].Rule == model.RuleInternal {
			t.Fatalf("internal: %s %s", found[i].Message, found[i].Found)
		}
	}
	return errors, all
}

func content(t testing.TB, d *model.Document) []byte {
	t.Helper()
	c, err := d.Tree.Snapshot.Content(d.Tree.Snapshot.Primary)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, c.Len())
	if _, err := c.ReadAt(b, 0); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return b
}

// sample is a stream with every type, in blocks of three rows.
func sample(deflate bool) fileSpec {
	single, text, u32 := typeSpec{load: "Single"}, typeSpec{load: "TextSpan"}, typeSpec{load: "UInt32"}
	vec := func(item typeSpec, dims ...int32) typeSpec { return typeSpec{load: "VBuffer", item: &item, dims: dims} }
	f := fileSpec{rpb: 3, deflate: deflate, rows: 8}
	col := func(name string, typ typeSpec, meta []metaSpec, value func(i int) any) {
		c := columnSpec{name: name, typ: typ, meta: meta}
		for i := range int(f.rows) {
			c.values = append(c.values, value(i))
		}
		f.cols = append(f.cols, c)
	}
	for _, load := range []string{"SByte", "Int16", "Int32", "Int64", "TimeSpan"} {
		col(load, typeSpec{load: load}, nil, func(i int) any { return (i - 4) * 17 })
	}
	for _, load := range []string{"Byte", "UInt16", "UInt32", "UInt64", "DateTime"} {
		col(load, typeSpec{load: load}, nil, func(i int) any { return i * 31 })
	}
	col("Single", single, []metaSpec{{"IsNormalized", typeSpec{load: "Boolean"}, true}}, func(i int) any { return float64(i) / 4 })
	col("Double", typeSpec{load: "Double"}, nil, func(i int) any { return float64(i) / 3 })
	col("Boolean", typeSpec{load: "Boolean"}, nil, func(i int) any { return i%3 == 0 })
	col("Text", text, nil, func(i int) any { return []string{"", "a", "größer", "😀!", "plain"}[i%5] })
	col("Zone", typeSpec{load: "DateTimeOffset"}, nil, func(i int) any { return z{int64(60 * i), 637134336000000000 + int64(i)} })
	col("Row", typeSpec{load: "DataViewRowId"}, nil, func(i int) any { return [2]uint64{uint64(i), 1 << 40} })
	col("Key", typeSpec{load: "Key2", item: &u32, count: 3}, []metaSpec{{"KeyValues", vec(text, 3), vecSpec{n: 3, items: []any{"red", "green", "blue"}}}},
		func(i int) any { return i % 4 })
	slots := vecSpec{n: 4, items: []any{"north", "east", "south", "west"}}
	col("Vector", vec(single, 4), []metaSpec{{"SlotNames", vec(text, 4), slots}, {"IsNormalized", typeSpec{load: "Boolean"}, false}}, func(i int) any {
		if i%2 == 0 {
			return vecSpec{n: 4, items: []any{1.0, 2.0, float64(i), 4.0}}
		}
		return vecSpec{n: 4, index: []int{1, 3}, items: []any{float64(i), 0.5}}
	})
	col("Any", vec(text, 0), nil, func(i int) any {
		v := vecSpec{n: i % 4, items: []any{}}
		for j := range v.n {
			v.items = append(v.items, fmt.Sprintf("%d.%d", i, j))
		}
		return v
	})
	bits := typeSpec{load: "Boolean"}
	col("Bits", vec(bits, 3, 3), nil, func(i int) any {
		v := vecSpec{n: 9}
		for j := range 9 {
			v.items = append(v.items, (i+j)%2 == 0)
		}
		return v
	})
	return f
}

// legacySample has the codecs of 1.1.1.5.
func legacySample() fileSpec {
	byt := typeSpec{load: "Byte"}
	return fileSpec{version: 0x0001000100010005, rpb: 4, rows: 3, deflate: true, cols: []columnSpec{
		{name: "b", typ: typeSpec{load: "DvBool"}, values: []any{true, na{}, false}},
		{name: "t", typ: typeSpec{load: "TextSpan"}, values: []any{"one", na{}, ""}},
		{name: "d", typ: typeSpec{load: "DvDateTime"}, values: []any{0, -1 << 63, 5}},
		{name: "k", typ: typeSpec{load: "Key", item: &byt, count: 7}, values: []any{0, 7, 1}},
		{name: "i", typ: typeSpec{load: "Int32"}, values: []any{1, -1 << 31, 2}},
	}}
}

var good = map[string]func() []byte{
	"stored.idv":     func() []byte { return sample(false).encode() },
	"deflated.idv":   func() []byte { return sample(true).encode() },
	"legacy.idv":     func() []byte { return legacySample().encode() },
	"no-rows.idv":    func() []byte { f := sample(true); f.rows = 0; return f.encode() },
	"no-columns.idv": func() []byte { return fileSpec{}.encode() },
	"prefixed.idv":   func() []byte { b := sample(false).encode(); return append(le(4, uint64(len(b))), b...) },
}

// TestIDVSamples keeps the samples in testdata as the encoder makes them. -update writes them.
func TestIDVSamples(t *testing.T) {
	check := func(dir, name string, b []byte) {
		path := filepath.Join("..", "..", "testdata", "idv", dir, name)
		if *suite.Update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		old, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		} else if string(old) != string(b) {
			t.Errorf("%s is not what the encoder makes", path)
		}
	}
	for name, make := range good {
		check("good", name, make())
	}
	check("good", "model.zip", archive(t))
	check("good", "transposed.tdv", transposed())
	for name, b := range allBad() {
		check("bad", name, b)
	}
}

// TestIDVGood checks that sound samples have no error, that their spans tile them and that their rows are what went in.
func TestIDVGood(t *testing.T) {
	for name, make := range good {
		d := open(t, name, make())
		if errors, _ := rulesOf(t, d); len(errors) > 0 {
			t.Errorf("%s: %v", name, errors)
		}
		suite.Tiles(t, d.Tree)
	}
	for _, f := range []fileSpec{sample(false), sample(true), legacySample()} {
		d := open(t, "x.idv", f.encode())
		sameRows(t, d.Tree, f)
	}
}

// sameRows compares the table of a tree with the values of a specification, and that each cell's range holds bytes.
func sameRows(t testing.TB, tree *model.Tree, f fileSpec) {
	t.Helper()
	tables := format().Tables(context.Background(), tree)
	if len(tables) != 1 || tables[0].Rows != f.rows || len(tables[0].Columns) != len(f.cols) {
		t.Fatalf("%d tables, %+v", len(tables), tables[0])
	}
	for first := int64(0); first < f.rows; first += 5 {
		rows, err := tables[0].Read(context.Background(), first, 5)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			for j, cell := range row {
				want := f.cols[j].values[int(first)+i]
				if got := plain(cell, f.cols[j].typ); !reflect.DeepEqual(got, want) {
					t.Errorf("row %d, column %s: %#v, want %#v", int(first)+i, f.cols[j].name, got, want)
				}
				if _, err := tree.Bytes(context.Background(), cell.Range); err != nil || cell.Range.Len == 0 {
					t.Errorf("row %d, column %s: range %+v: %v", int(first)+i, f.cols[j].name, cell.Range, err)
				}
			}
		}
	}
}

// plain makes of a cell what the encoder takes.
func plain(c model.Cell, typ typeSpec) any {
	if c.Trouble != "" {
		return c.Trouble
	}
	if c.Vector {
		v := vecSpec{n: int(c.Len), items: []any{}}
		for _, x := range c.Items {
			v.items = append(v.items, plain(model.Cell{Value: x}, *typ.item))
		}
		if c.Index != nil {
			v.index = []int{}
			for _, i := range c.Index {
				v.index = append(v.index, int(i))
			}
		}
		return v
	}
	switch v := c.Value; {
	case v.Kind == model.None && typ.load == "DvDateTime":
		return -1 << 63
	case v.Kind == model.None && c.Label == "missing":
		return na{}
	case v.Kind == model.None:
		return nil
	case typ.load == "DateTimeOffset":
		t, err := time.Parse("2006-01-02T15:04:05.9999999-07:00", v.Text())
		_, offset := t.Zone()
		if err != nil {
			return err
		}
		return z{int64(offset) / 60, t.UnixNano()/100 + 621355968000000000 + int64(offset)*1e7}
	case typ.load == "DataViewRowId":
		var id [2]uint64
		fmt.Sscanf(v.Text(), "%016x%016x", &id[1], &id[0])
		return id
	case v.Kind == model.Float:
		return v.Float()
	case v.Kind == model.Bool:
		return v.Bool()
	case v.Kind == model.Text:
		return v.Text()
	default:
		return int(v.Int())
	}
}

// TestIDVLabels checks key values, missing keys and slot names.
func TestIDVLabels(t *testing.T) {
	d := open(t, "x.idv", sample(true).encode())
	tab := format().Tables(context.Background(), d.Tree)[0]
	rows, err := tab.Read(context.Background(), 0, 4)
	if err != nil {
		t.Fatal(err)
	}
	for j, c := range tab.Columns {
		switch c.Name {
		case "Key":
			if got := rows[0][j].Label + rows[1][j].Label + rows[3][j].Label; got != "missingredblue" {
				t.Errorf("key labels %s", got)
			}
		case "Vector":
			if got := strings.Join(c.Slots(), " "); got != "north east south west" {
				t.Errorf("slot names %s", got)
			}
		}
	}
}

// TestIDVCorpus opens every file of the corpus, checks it and reads its rows.
func TestIDVCorpus(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(suite.Corpus(t, "idv"), "*.*"))
	seen := 0
	for _, path := range files {
		if ext := filepath.Ext(path); ext != ".idv" && ext != ".tdv" && ext != ".zip" && ext != ".prefixed" {
			continue
		}
		seen++
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d := open(t, filepath.Base(path), b)
		rulesOf(t, d)
		suite.Tiles(t, d.Tree)
		for _, tab := range format().Tables(context.Background(), d.Tree) {
			if _, err := tab.Read(context.Background(), 0, 1000); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d files", seen)
	}
}

package parsers

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
)

func idvFormat() *model.Format {
	for _, f := range All() {
		if f.Name == "idv" {
			return f
		}
	}
	return nil
}

func idvOpen(t testing.TB, name string, b []byte) *model.Document {
	t.Helper()
	d, err := model.OpenBytes(context.Background(), name, b, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.Format != idvFormat() {
		t.Fatalf("%s is not taken for IDV", name)
	}
	return d
}

// idvRulesOf runs all checks and returns the rules by severity and over all.
func idvRulesOf(t testing.TB, d *model.Document) (errors, all map[string]bool) {
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

func idvContent(t testing.TB, d *model.Document) []byte {
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

// idvSample is a stream with every type, in blocks of three rows.
func idvSample(deflate bool) idvFileSpec {
	single, text, u32 := idvT{load: "Single"}, idvT{load: "TextSpan"}, idvT{load: "UInt32"}
	vec := func(item idvT, dims ...int32) idvT { return idvT{load: "VBuffer", item: &item, dims: dims} }
	f := idvFileSpec{rpb: 3, deflate: deflate, rows: 8}
	col := func(name string, typ idvT, meta []idvM, value func(i int) any) {
		c := idvC{name: name, typ: typ, meta: meta}
		for i := range int(f.rows) {
			c.values = append(c.values, value(i))
		}
		f.cols = append(f.cols, c)
	}
	for _, load := range []string{"SByte", "Int16", "Int32", "Int64", "TimeSpan"} {
		col(load, idvT{load: load}, nil, func(i int) any { return (i - 4) * 17 })
	}
	for _, load := range []string{"Byte", "UInt16", "UInt32", "UInt64", "DateTime"} {
		col(load, idvT{load: load}, nil, func(i int) any { return i * 31 })
	}
	col("Single", single, []idvM{{"IsNormalized", idvT{load: "Boolean"}, true}}, func(i int) any { return float64(i) / 4 })
	col("Double", idvT{load: "Double"}, nil, func(i int) any { return float64(i) / 3 })
	col("Boolean", idvT{load: "Boolean"}, nil, func(i int) any { return i%3 == 0 })
	col("Text", text, nil, func(i int) any { return []string{"", "a", "größer", "😀!", "plain"}[i%5] })
	col("Zone", idvT{load: "DateTimeOffset"}, nil, func(i int) any { return idvZ{int64(60 * i), 637134336000000000 + int64(i)} })
	col("Row", idvT{load: "DataViewRowId"}, nil, func(i int) any { return [2]uint64{uint64(i), 1 << 40} })
	col("Key", idvT{load: "Key2", item: &u32, count: 3}, []idvM{{"KeyValues", vec(text, 3), idvV{n: 3, items: []any{"red", "green", "blue"}}}},
		func(i int) any { return i % 4 })
	slots := idvV{n: 4, items: []any{"north", "east", "south", "west"}}
	col("Vector", vec(single, 4), []idvM{{"SlotNames", vec(text, 4), slots}, {"IsNormalized", idvT{load: "Boolean"}, false}}, func(i int) any {
		if i%2 == 0 {
			return idvV{n: 4, items: []any{1.0, 2.0, float64(i), 4.0}}
		}
		return idvV{n: 4, index: []int{1, 3}, items: []any{float64(i), 0.5}}
	})
	col("Any", vec(text, 0), nil, func(i int) any {
		v := idvV{n: i % 4, items: []any{}}
		for j := range v.n {
			v.items = append(v.items, fmt.Sprintf("%d.%d", i, j))
		}
		return v
	})
	bits := idvT{load: "Boolean"}
	col("Bits", vec(bits, 3, 3), nil, func(i int) any {
		v := idvV{n: 9}
		for j := range 9 {
			v.items = append(v.items, (i+j)%2 == 0)
		}
		return v
	})
	return f
}

// idvLegacySample has the codecs of 1.1.1.5.
func idvLegacySample() idvFileSpec {
	byt := idvT{load: "Byte"}
	return idvFileSpec{version: 0x0001000100010005, rpb: 4, rows: 3, deflate: true, cols: []idvC{
		{name: "b", typ: idvT{load: "DvBool"}, values: []any{true, idvNA{}, false}},
		{name: "t", typ: idvT{load: "TextSpan"}, values: []any{"one", idvNA{}, ""}},
		{name: "d", typ: idvT{load: "DvDateTime"}, values: []any{0, -1 << 63, 5}},
		{name: "k", typ: idvT{load: "Key", item: &byt, count: 7}, values: []any{0, 7, 1}},
		{name: "i", typ: idvT{load: "Int32"}, values: []any{1, -1 << 31, 2}},
	}}
}

var idvGood = map[string]func() []byte{
	"stored.idv":     func() []byte { return idvSample(false).encode() },
	"deflated.idv":   func() []byte { return idvSample(true).encode() },
	"legacy.idv":     func() []byte { return idvLegacySample().encode() },
	"no-rows.idv":    func() []byte { f := idvSample(true); f.rows = 0; return f.encode() },
	"no-columns.idv": func() []byte { return idvFileSpec{}.encode() },
	"prefixed.idv":   func() []byte { b := idvSample(false).encode(); return append(le(4, uint64(len(b))), b...) },
}

// TestIDVSamples keeps the samples in testdata as the encoder makes them. -update writes them.
func TestIDVSamples(t *testing.T) {
	check := func(dir, name string, b []byte) {
		path := filepath.Join("..", "testdata", "idv", dir, name)
		if *update {
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
	for name, make := range idvGood {
		check("good", name, make())
	}
	check("good", "model.zip", idvArchive(t))
	check("good", "transposed.tdv", idvTransposed())
	for name, b := range idvAllBad() {
		check("bad", name, b)
	}
}

// TestIDVGood checks that sound samples have no error, that their spans tile them and that their rows are what went in.
func TestIDVGood(t *testing.T) {
	for name, make := range idvGood {
		d := idvOpen(t, name, make())
		if errors, _ := idvRulesOf(t, d); len(errors) > 0 {
			t.Errorf("%s: %v", name, errors)
		}
		tiles(t, d.Tree)
	}
	for _, f := range []idvFileSpec{idvSample(false), idvSample(true), idvLegacySample()} {
		d := idvOpen(t, "x.idv", f.encode())
		idvSameRows(t, d.Tree, f)
	}
}

// idvSameRows compares the table of a tree with the values of a specification, and that each cell's range holds bytes.
func idvSameRows(t testing.TB, tree *model.Tree, f idvFileSpec) {
	t.Helper()
	tables := idvFormat().Tables(tree)
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
				if got := idvPlain(cell, f.cols[j].typ); !reflect.DeepEqual(got, want) {
					t.Errorf("row %d, column %s: %#v, want %#v", int(first)+i, f.cols[j].name, got, want)
				}
				if _, err := tree.Bytes(context.Background(), cell.Range); err != nil || cell.Range.Len == 0 {
					t.Errorf("row %d, column %s: range %+v: %v", int(first)+i, f.cols[j].name, cell.Range, err)
				}
			}
		}
	}
}

// idvPlain makes of a cell what the encoder takes.
func idvPlain(c model.Cell, typ idvT) any {
	if c.Trouble != "" {
		return c.Trouble
	}
	if c.Vector {
		v := idvV{n: int(c.Len), items: []any{}}
		for _, x := range c.Items {
			v.items = append(v.items, idvPlain(model.Cell{Value: x}, *typ.item))
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
		return idvNA{}
	case v.Kind == model.None:
		return nil
	case typ.load == "DateTimeOffset":
		t, err := time.Parse("2006-01-02T15:04:05.9999999-07:00", v.Text())
		_, offset := t.Zone()
		if err != nil {
			return err
		}
		return idvZ{int64(offset) / 60, t.UnixNano()/100 + 621355968000000000 + int64(offset)*1e7}
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
	d := idvOpen(t, "x.idv", idvSample(true).encode())
	tab := idvFormat().Tables(d.Tree)[0]
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
	files, _ := filepath.Glob(filepath.Join(corpus(t, "idv"), "*.*"))
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
		d := idvOpen(t, filepath.Base(path), b)
		idvRulesOf(t, d)
		tiles(t, d.Tree)
		for _, tab := range idvFormat().Tables(d.Tree) {
			if _, err := tab.Read(context.Background(), 0, 1000); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d files", seen)
	}
}

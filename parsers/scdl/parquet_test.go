package scdl

import (
	"bytes"
	"context"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/parquet-go/parquet-go/format"

	"spandrel/model"
)

// typed is a table of one column of each kind, its values as JSON: what Arrow writes.
const typed = `[
{"i8":-1,"u64":18446744073709551615,"f":1.5,"b":true,"text":"ä","raw":"AAE=","day":"2020-01-02","at":"2020-01-02T03:04:05.678901","clock":"01:02:03.5","d":"-1.25","l":[1,null],"r":{"x":1,"y":["p"]},"ll":[["q"],[],null]},
{"i8":null,"u64":0,"f":null,"b":null,"text":null,"raw":null,"day":"1950-06-07","at":null,"clock":null,"d":"3.00","l":[],"r":null,"ll":[]},
{"i8":7,"u64":1,"f":-2,"b":false,"text":"","raw":"","day":null,"at":"1969-12-31T23:59:59","clock":"23:00:00","d":null,"l":null,"r":{"x":null,"y":[]},"ll":null}]`

func typedTable(t *testing.T) []byte {
	f := func(name string, of arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: of, Nullable: true}
	}
	text := arrow.BinaryTypes.String
	schema := arrow.NewSchema([]arrow.Field{f("i8", arrow.PrimitiveTypes.Int8), f("u64", arrow.PrimitiveTypes.Uint64), f("f", arrow.PrimitiveTypes.Float32),
		f("b", arrow.FixedWidthTypes.Boolean), f("text", text), f("raw", arrow.BinaryTypes.Binary), f("day", arrow.FixedWidthTypes.Date32),
		f("at", &arrow.TimestampType{Unit: arrow.Microsecond}), f("clock", arrow.FixedWidthTypes.Time64us), f("d", &arrow.Decimal128Type{Precision: 5, Scale: 2}),
		f("l", arrow.ListOf(arrow.PrimitiveTypes.Int64)), f("r", arrow.StructOf(f("x", arrow.PrimitiveTypes.Int32), f("y", arrow.ListOf(text)))),
		f("ll", arrow.ListOf(arrow.ListOf(text)))}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(typed))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err == nil {
		err = w.Write(rec)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// arrowRows reads a Parquet file with Arrow: its schema, and its rows as JSON.
func arrowRows(t *testing.T, b []byte) (schema string, rows []string) {
	f, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := r.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for batches := array.NewTableReader(tab, 0); batches.Next(); {
		j, err := batches.RecordBatch().MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, strings.Split(strings.Trim(string(j), "[]\n"), "\n,")...)
	}
	return tab.Schema().String(), rows
}

// Integers of a width that does not exist are an error, as they are for pyarrow.
func TestIntegerWidths(t *testing.T) {
	b := typedTable(t)
	at := bytes.Index(b, []byte("\xac\x13\x08\x11")) + 2 // the width of an integer of eight bits with a sign
	for width, fits := range map[byte]bool{8: true, 16: true, 64: true, 24: false, 0xc8: false} {
		b[at] = width
		f, err := openParquet(bytes.NewReader(b), int64(len(b)))
		if err == nil {
			err = knownColumns(f)
		}
		if (err == nil) != fits {
			t.Errorf("width %d: %v", width, err)
		}
	}
}

// TestParquetTypes shows a column of each type, and writes the file again with some cells changed: what was not asked for is as it was.
func TestParquetTypes(t *testing.T) {
	f := good()
	f["obs_features/dataframe_0.parquet"] = typedTable(t)
	f.patch("obs_features/cumulative_sum_index.npy", len(f["obs_features/cumulative_sum_index.npy"])-8, 3)
	d := f.open(t)
	got, want := strings.Join(rowsOf(t, d, "cells"), "\n"),
		`0 -1 18446744073709551615 1.5 true ä AAE= 2020-01-02 2020-01-02T03:04:05.678901 01:02:03.5 -1.25 [1,null] {"x":1,"y":["p"]} [["q"],[],null]
0  0    (null) 1950-06-07   3.00 []  []
0 7 1 -2 false   (null) 1969-12-31T23:59:59 23:00:00  (null) {"x":null,"y":[]} (null)`
	if want = strings.ReplaceAll(want, "(null)", ""); got != want {
		t.Errorf("rows\n%s\n%s", got, want)
	}
	for _, tab := range d.Tree.Tables(t.Context()) {
		if tab.Name != "cells" {
			continue
		}
		var typed []model.Typed
		for i, text := range []string{"5", "9", "0.25", "false", "neu", "AQ==", "1999-12-31", "2001-02-03 04:05:06", "11:12:13"} {
			typed = append(typed, model.Typed{Row: 1, Column: i + 1, Text: text})
		}
		edits, err := tab.Set(t.Context(), append(typed, model.Typed{Row: 0, Column: 5, Missing: true}))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []model.Typed{{Column: 1, Text: "128"}, {Column: 2, Text: "-1"}, {Column: 7, Text: "soon"}, {Column: 10, Text: "1"}, {Column: 11, Text: "[]"}} {
			if _, err := tab.Set(t.Context(), []model.Typed{c}); err == nil {
				t.Errorf("column %d took %s", c.Column, c.Text)
			}
		}
		p, err := d.Plan(t.Context(), "set", edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(t.Context(), p, nil)
	}
	schema, rows := arrowRows(t, f["obs_features/dataframe_0.parquet"])
	again, now := arrowRows(t, bytesOf(t, d, "obs_features/dataframe_0.parquet"))
	if schema != again {
		t.Errorf("the schema was\n%s\nand is\n%s", schema, again)
	}
	rows[0] = strings.Replace(rows[0], `"text":"ä"`, `"text":null`, 1)
	rows[1] = `{"at":"2001-02-03T04:05:06","b":false,"clock":"11:12:13","d":"3","day":"1999-12-31","f":0.25,"i8":5,"l":[],"ll":[],"r":null,"raw":"AQ==","text":"neu","u64":9}`
	if strings.Join(rows, "\n") != strings.Join(now, "\n") {
		t.Errorf("rows\n%s\n%s", strings.Join(now, "\n"), strings.Join(rows, "\n"))
	}
}

// TestDamagedPages damages the pages of each column in turn: its cells say so, and the others are there as before.
func TestDamagedPages(t *testing.T) {
	whole := typedTable(t)
	show := func(b []byte) (rows []model.Row, columns []model.Column) {
		f := good()
		f["obs_features/dataframe_0.parquet"] = b
		f.patch("obs_features/cumulative_sum_index.npy", len(f["obs_features/cumulative_sum_index.npy"])-8, 3)
		d := f.open(t)
		for _, tab := range d.Tree.Tables(t.Context()) {
			if tab.Name == "cells" {
				rows, err := tab.Read(t.Context(), 0, 3)
				if err != nil {
					t.Fatal(err)
				}
				return rows, tab.Columns
			}
		}
		return nil, nil
	}
	f, err := openParquet(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	want, columns := show(whole)
	for _, chunk := range f.Metadata().RowGroups[0].Columns {
		m := chunk.MetaData
		for name, damage := range map[string]func(b []byte){
			"zeros":                            func(b []byte) { clear(b) },
			"a wrong length of its first page": func(b []byte) { b[3] ^= 0x3f },
			"wrong content":                    func(b []byte) { b[len(b)-1] ^= 0xff },
		} {
			b := bytes.Clone(whole)
			damage(b[startOf(&m):][:m.TotalCompressedSize])
			got, _ := show(b)
			if len(got) != len(want) {
				t.Fatalf("%s in %s: %d rows", name, m.PathInSchema, len(got))
			}
			troubled := 0
			for i, row := range got {
				for k, c := range row {
					switch own := columns[k].Name == m.PathInSchema[0]; {
					case own && c.Trouble != "":
						troubled++
					case !own && !reflect.DeepEqual(c, want[i][k]):
						t.Errorf("%s in %s: cell %d of column %s is %v instead of %v", name, m.PathInSchema, i, columns[k].Name, c, want[i][k])
					}
				}
			}
			if name == "zeros" && troubled != len(want) {
				t.Errorf("%s in %s: %d cells say so", name, m.PathInSchema, troubled)
			}
		}
	}
}

// TestHostileParquet opens files whose ends and pages claim more than there is. None may make room for it.
func TestHostileParquet(t *testing.T) {
	whole := table("x", "a", "b")
	footer := int(binary.LittleEndian.Uint32(whole[len(whole)-8:]))
	long := append([]byte{0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07}, whole[len(whole)-8-footer+7:]...) // a schema of 2³¹ columns
	deep := append(bytes.Repeat([]byte{0x1c}, footer), whole[len(whole)-8:]...)
	for name, b := range map[string][]byte{
		"a list longer than the file": append(bytes.Clone(whole[:len(whole)-8-footer]), long...),
		"structures without end":      append(bytes.Clone(whole[:len(whole)-8-footer]), deep...),
		"a footer longer than it":     append(bytes.Clone(whole[:len(whole)-8]), 0xff, 0xff, 0xff, 0x7f, 'P', 'A', 'R', '1'),
		"nothing":                     nil,
	} {
		if _, err := openParquet(bytes.NewReader(b), int64(len(b))); err == nil {
			t.Errorf("%s is opened", name)
		}
	}
	f, err := openParquet(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	m := &f.Metadata().RowGroups[0].Columns[0].MetaData
	if err := checkPages(bytes.NewReader(whole), m, int64(len(whole))); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(h *format.ColumnMetaData){
		"fewer values than its pages":  func(h *format.ColumnMetaData) { h.NumValues = 1 },
		"pages behind the file's end":  func(h *format.ColumnMetaData) { h.TotalCompressedSize = 1 << 40 },
		"pages in front of it":         func(h *format.ColumnMetaData) { h.DataPageOffset, h.DictionaryPageOffset = -5, 0 },
		"an end in the middle of one":  func(h *format.ColumnMetaData) { h.TotalCompressedSize -= 3 },
		"pages that are none":          func(h *format.ColumnMetaData) { h.DataPageOffset, h.DictionaryPageOffset = startOf(m)+1, 0 },
		"a size that does not fit one": func(h *format.ColumnMetaData) { h.TotalCompressedSize = -1 },
	} {
		changed := *m
		change(&changed)
		if err := checkPages(bytes.NewReader(whole), &changed, int64(len(whole))); err == nil {
			t.Errorf("a column of %s is read", name)
		}
	}
}

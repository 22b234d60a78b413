package tiledb

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

const sampleTime = 1_700_000_000_000

// timedCell is a cell of a consolidated fragment: its coordinate and its value, when it was written, and when it was deleted.
type timedCell struct {
	x, a             int32
	written, deleted uint64
}

// consolidated adds a fragment of some times to an array of sampleArray, as TileDB makes it of several.
func consolidated(t *testing.T, d *model.Document, from, to uint64, cells ...timedCell) {
	t.Helper()
	a := d.Tree.State.(*doc).array("")
	n, err := addition{a, sampleTime, a.schemas.Current()}.draft()
	if err != nil {
		t.Fatal(err)
	}
	f := a.newFrag(a.path("__fragments", fmt.Sprintf("__%d_%d_%032x_22", sampleTime+from, sampleTime+to, from)))
	f.meta = n.Meta
	f.meta.Times, f.meta.Deletes = true, true
	f.slots = f.meta.Slots()
	f.meta.SlotCount = len(f.slots)
	n = f.writing()
	tile := fragment.Tile{Fields: make([]fragment.Cells, len(f.slots)), Box: fragment.Box{{model.I(1), model.I(10)}}}
	for slot := range f.slots {
		s := &f.slots[slot]
		for _, c := range cells {
			value := binary.LittleEndian.AppendUint32(nil, uint32(c.a))
			switch s.Name {
			case "x":
				value = binary.LittleEndian.AppendUint32(nil, uint32(c.x))
			case "__timestamps":
				value = binary.LittleEndian.AppendUint64(nil, sampleTime+c.written)
			case "__delete_timestamps":
				value = binary.LittleEndian.AppendUint64(nil, math.MaxUint64)
				if c.deleted > 0 {
					value = binary.LittleEndian.AppendUint64(nil, sampleTime+c.deleted)
				}
			case "__delete_condition_index":
				value = binary.LittleEndian.AppendUint64(nil, math.MaxUint64)
			case "__coords":
				continue
			}
			tile.Fields[slot].Add(s, fragment.Value{Data: value, Valid: 1})
		}
	}
	n.Tiles = []fragment.Tile{tile}
	edits, err := n.files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	applied(t, d, edits)
}

func applied(t *testing.T, d *model.Document, edits []model.Edit) {
	t.Helper()
	p, err := d.Plan(t.Context(), "edit", edits...)
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(t.Context(), p, nil)
}

// shownCells are coordinates and values of a table of cells.
func shownCells(t *testing.T, x model.Table) string {
	t.Helper()
	var out []string
	for _, r := range rowsOf(t, x, "") {
		out = append(out, r[0].String()+":"+r[1].String())
	}
	return strings.Join(out, " ")
}

// Cells of a consolidated fragment count by the times at which they were written and deleted, for readers of any time.
func TestCellsOfConsolidatedFragments(t *testing.T) {
	d := open(t, writeFiles(t, t.TempDir(), sampleArray(22, true)))
	consolidated(t, d, 10, 30, timedCell{1, 11, 30, 0}, timedCell{1, 10, 10, 0}, timedCell{2, 20, 20, 25}, timedCell{3, 30, 30, 0})
	x := readTable(t, d, "cells")
	for at, want := range map[int64]string{0: "", 5: "1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10", 15: "1:10 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10",
		22: "1:10 2:20 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10", 26: "1:10 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10", 99: "1:11 3:30 4:4 5:5 6:6 7:7 8:8 9:9 10:10"} {
		table := x.At(t.Context(), sampleTime+at)
		if got := shownCells(t, table); got != want {
			t.Errorf("at %d: %s\nnot %s", at, got, want)
		}
		if table.Set != nil {
			t.Errorf("at %d: cells of the past can be edited", at)
		}
	}
	if got, want := shownCells(t, x), shownCells(t, x.At(t.Context(), sampleTime+99)); got != want {
		t.Errorf("now: %s", got)
	}
	if got := x.Times(); len(got) == 0 || got[0].MS != sampleTime || got[len(got)-1].MS != sampleTime+30 {
		t.Errorf("times %v", got)
	}
	if rows := readTable(t, d, "stored").Rows; rows != 14 {
		t.Errorf("%d cells are stored", rows)
	}
	set, err := x.Set(t.Context(), []model.Typed{{Row: 0, Column: 1, Text: "77"}})
	if err != nil {
		t.Fatal(err)
	}
	applied(t, d, set)
	if got := shownCells(t, readTable(t, d, "cells")); !strings.HasPrefix(got, "1:77 3:30 ") {
		t.Errorf("after an edit: %s", got)
	}
}

// A deletion takes cells that were written before it, of a consolidated fragment too, and none of later.
func TestCellsSurviveEarlierDeletions(t *testing.T) {
	d := open(t, writeFiles(t, t.TempDir(), sampleArray(22, true)))
	consolidated(t, d, 10, 30, timedCell{1, 4, 30, 0}, timedCell{12, 4, 10, 0})
	survive := append([]byte{1, 3}, binary.LittleEndian.AppendUint32(nil, 1)...) // a >= 5
	survive = append(binary.LittleEndian.AppendUint64(append(survive, 'a'), 4), 5, 0, 0, 0)
	file := fmt.Sprintf("__commits/__%d_%d_%032x_22.del", sampleTime+20, sampleTime+20, 9)
	applied(t, d, []model.Edit{model.FileEdit{File: file, Create: model.Memory(sampleTile(22, survive))}})
	if got, want := shownCells(t, readTable(t, d, "cells")), "1:4 5:5 6:6 7:7 8:8 9:9 10:10"; got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
}

// A condition is judged as TileDB judges it: nothing is true of missing values, but that they are, and nothing of a field that is not there.
func TestConditions(t *testing.T) {
	d := open(t, writeFiles(t, t.TempDir(), sampleText(nil)))
	f := d.Tree.State.(*doc).array("").fragList[0]
	if f.load(t.Context()) == nil {
		t.Fatal("the fragment cannot be read")
	}
	attr := f.slots[0].Name
	is := func(op byte, field, value string) *condition {
		return &condition{op: op, field: field, values: [][]byte{[]byte(value)}}
	}
	for _, c := range []struct {
		c    *condition
		want string
	}{
		{is(4, attr, "two"), "01000"}, {is(5, attr, "two"), "10011"}, {is(0, attr, "one"), "00011"}, {is(opIn, attr, "one"), "10000"}, {is(opNotIn, attr, "one"), "01011"},
		{is(5, "none", "two"), "00000"}, {is(alwaysTrue, attr, ""), "11011"},
		{&condition{how: anyOf, kids: []*condition{is(4, attr, "one"), is(4, attr, "five")}}, "10001"},
		{&condition{kids: []*condition{is(5, attr, "one"), is(5, attr, "five")}}, "01010"},
		{&condition{how: anyOf, kids: []*condition{is(4, attr, "one"), is(4, "none", "")}}, "00000"}, // what TileDB makes of it
	} {
		need := map[int]bool{}
		test, cells := c.c.on(f, need), newCellsOfTile(f)
		if err := cells.read(t.Context(), 0, 5, need); err != nil {
			t.Fatal(err)
		}
		got := ""
		for i := range 5 {
			got += fmt.Sprint(storage.Flag(test(cells, i, false, true)))
		}
		if got != c.want {
			t.Errorf("%+v: %s, not %s", c.c, got, c.want)
		}
	}
}

// writes are cells from low to high with one value in an attribute of INT32.
func writes(at *schema.Attribute, low, high int64, value byte) (out []changedCell) {
	for x := low; x <= high; x++ {
		s := &fragment.Slot{Name: at.Name.Text(), Datatype: at.Datatype, Num: at.Values(), Attr: at}
		out = append(out, changedCell{[]model.Value{model.I(x)}, &cellEdit{slot: -1, added: s, with: []byte{value, 0, 0, 0}, whole: true}})
	}
	return out
}

// A dense array is the whole box that was written: what no fragment wrote is the fill value, and becomes a fragment when it is edited.
func TestCellsOfDenseBox(t *testing.T) {
	files := sampleArray(22, false)
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return !strings.HasPrefix(name, "__schema") })
	d := open(t, writeFiles(t, t.TempDir(), files))
	write := func(now uint64, low, high int64, value byte) {
		a := d.Tree.State.(*doc).array("")
		edits, err := addition{a, sampleTime + now, a.schemas.Current()}.dense(t.Context(), writes(&a.schemas.Current().Attrs[0], low, high, value))
		if err != nil {
			t.Fatal(err)
		}
		applied(t, d, edits)
	}
	write(1, 2, 4, 1)
	write(2, 4, 5, 2)
	write(3, 8, 8, 3)
	x, fill := readTable(t, d, "cells"), fmt.Sprint(math.MinInt32)
	for at, want := range map[int64]string{1: "2:1 3:1 4:1", 2: "2:1 3:1 4:2 5:2", 9: "2:1 3:1 4:2 5:2 6:" + fill + " 7:" + fill + " 8:3"} {
		if got := shownCells(t, x.At(t.Context(), sampleTime+at)); got != want {
			t.Errorf("at %d: %s, not %s", at, got, want)
		}
	}
	for _, row := range []int64{4, 2} {
		set, err := x.Set(t.Context(), []model.Typed{{Row: row, Column: 1, Text: "9"}})
		if err != nil {
			t.Fatal(err)
		}
		applied(t, d, set)
		x = readTable(t, d, "cells")
	}
	if got, want := shownCells(t, x), "2:1 3:1 4:9 5:2 6:9 7:"+fill+" 8:3"; got != want {
		t.Errorf("after edits %s, not %s", got, want)
	}
}

// A fragment that overlaps with no other in some dimension shares no cells. The fourth does with one in each, if not with the same.
func TestTouchingFragments(t *testing.T) {
	box := func(ends ...int64) (g glance) {
		for i := 0; i < len(ends); i += 2 {
			g.domain = append(g.domain, [2]model.Value{model.I(ends[i]), model.I(ends[i+1])})
		}
		return g
	}
	list := []glance{box(0, 9, 0, 9), box(5, 5, 9, 12), box(10, 19, 0, 9), box(20, 30, 0, 100), box(25, 25, 200, 300)}
	out := make([]bool, len(list))
	touching(list, out)
	if want := []bool{true, true, false, true, false}; !slices.Equal(out, want) {
		t.Errorf("%v, not %v", out, want)
	}
}

// A truth value is 0 or 1, and an enumerated cell is one of the values that there are.
func TestCellsThatReadersRefuse(t *testing.T) {
	text := func(s string) model.Node { return model.Node{Value: model.S(s)} }
	a := &array{schemas: schema.NewSet(nil, "")}
	a.schemas.Keep(&schema.Schema{File: "s", Enums: []schema.EnumerationEntry{{Name: text("colors"), File: text("f")}}})
	a.schemas.KeepEnumeration(&schema.Enumeration{Starts: []int64{0, 1, 2}}, "f")
	bits := &schema.Attribute{Datatype: filter.Bool, Num: model.Node{Value: model.U(1)}}
	colors := &schema.Attribute{Datatype: filter.Int8, Num: model.Node{Value: model.U(1)}, Enum: text("colors")}
	for _, c := range []struct {
		at *schema.Attribute
		v  byte
		ok bool
	}{{bits, 0, true}, {bits, 1, true}, {bits, 2, false}, {colors, 1, true}, {colors, 2, false}, {colors, 0xFF, false}} {
		if err := a.schemas.Refuses(context.Background(), c.at, []byte{c.v}); (err == nil) != c.ok {
			t.Errorf("%s %d: %v", storage.TypeName(c.at.Datatype), c.v, err)
		}
	}
}

// An array of a version that no released TileDB reads has a note that says so, and is not damaged.
func TestVersionNeedsNewerReader(t *testing.T) {
	for version, want := range map[uint32]int{versionReleased: 0, storage.VersionNewest: 1} {
		found, _ := open(t, writeFiles(t, t.TempDir(), sampleArray(version, true))).Tree.Findings()
		if len(found) != want || want == 1 && (found[0].Grade() != model.Note || !found[0].Newer || !strings.Contains(found[0].Text(), "TileDB 2.31")) {
			t.Errorf("version %d: %+v", version, found)
		}
	}
}

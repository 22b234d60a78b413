package tiledb

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
)

// cellTexts are the cells as texts, in the order of their coordinates, without the fragments that they are in.
func cellTexts(t *testing.T, d *model.Document) (out []string) {
	t.Helper()
	for _, row := range rowsOf(t, readTable(t, d, "cells"), "") {
		out = append(out, fmt.Sprint(row[:len(row)-1]))
	}
	slices.Sort(out)
	return out
}

// Consolidation is refused if cells would be lost: those of a fragment without a commit, or without metadata.
func TestConsolidateLosesNothing(t *testing.T) {
	for _, ending := range []string{".wrt", "__fragment_metadata.tdb"} {
		d, _ := written(t, "sparse-v22")
		edits, err := addCell(t.Context(), d.Tree, d.Tree.Root, map[string]string{"cell": "x=99, n=5, word=new"})
		if err != nil {
			t.Fatal(err)
		}
		edited(t, d, edits...)
		frags := d.Tree.State.(*doc).array("").fragList
		lost := ""
		names, _ := d.Tree.Snapshot.Files()
		for _, name := range names {
			if strings.Contains(name, frags[len(frags)-1].name) && strings.HasSuffix(name, ending) {
				lost = name
			}
		}
		tree := model.Parse(t.Context(), d.Tree.Snapshot.With(lost, nil), Format)
		if edits, err := consolidate(t.Context(), tree, tree.Root, nil); err == nil || !strings.Contains(err.Error(), "fragment") {
			t.Errorf("without %s: %d edits, %v", ending, len(edits), err)
		}
	}
}

// What cannot be written in the new fragment is not lost without a word.
func TestConsolidateDenseWithSparse(t *testing.T) {
	d, _ := written(t, "dense-v22")
	frag := d.Tree.State.(*doc).array("").fragList[0].name
	edits, err := addCell(t.Context(), d.Tree, d.Tree.Root, map[string]string{"cell": "x=99, n=5, word=new"})
	if err != nil {
		t.Fatal(err)
	}
	edited(t, d, edits...)
	plan, err := d.Plan(t.Context(), "edit", model.Set{Path: "fragments/" + frag + "/__fragment_metadata.tdb/footer/dense", Value: model.U(0)})
	if err != nil {
		t.Fatal(err)
	}
	tree := model.Parse(t.Context(), plan.To, Format)
	if _, err := consolidate(t.Context(), tree, tree.Root, nil); err == nil || !strings.Contains(err.Error(), "single cells") {
		t.Errorf("with a sparse fragment: %v", err)
	}
}

// Single cells in a dense array, as early versions of TileDB wrote them, are read like those of any other fragment.
func TestSingleCellsInDense(t *testing.T) {
	d, _ := written(t, "dense-v22")
	a := d.Tree.State.(*doc).array("")
	s := a.schemas.Current()
	f := a.fragmentOf(a.path("__fragments", stamped(a.timestamp())+"_22"), fragment.Footer{Schema: s, SchemaName: s.File, Version: 22})
	n := f.writing()
	fields := make([]fragment.Cells, len(n.Slots))
	for _, cell := range [][2]byte{{7, 77}, {30, 88}} {
		for slot := range n.Slots {
			v := fragment.Value{Data: make([]byte, n.Slots[slot].Cell()), Valid: 1}
			if v.Data[0] = cell[0]; n.Slots[slot].Attr != nil {
				v = fillValue(t.Context(), a, n.Slots[slot].Attr)
			}
			if n.Slots[slot].Name == "n" {
				v.Data = append([]byte{cell[1]}, make([]byte, len(v.Data)-1)...)
			}
			fields[slot].Add(&n.Slots[slot], v)
		}
	}
	n.Arrange(fields, 10)
	before := cellTexts(t, d)
	edits, err := n.files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	edited(t, d, edits...)
	x := readTable(t, d, "cells")
	rows := rowsOf(t, x, "")
	if len(rows) != 26 || len(before) != 20 { // 5 to 24 before, now to 30
		t.Fatalf("%d rows, before %d", len(rows), len(before))
	}
	at := x.Column("n")
	for i, r := range rows {
		want, single := map[int]string{2: "77", 25: "88"}[i]
		if got := r[at].Value.String(); single && got != want {
			t.Errorf("row %d says %s, want %s", i, got, want)
		}
		if !single && i < 20 && !slices.Contains(before, fmt.Sprint(r[:len(r)-1])) {
			t.Errorf("row %d is another", i)
		}
	}
	if _, err := x.Set(t.Context(), []model.Typed{{Row: 2, Column: at, Text: "1"}}); err == nil || !strings.Contains(err.Error(), "single cells") {
		t.Errorf("a cell beside one that cannot be written is changed: %v", err)
	}
}

// Other filters are set with all cells: a new schema and a fragment by it. What cannot be done is refused.
func TestSetFilters(t *testing.T) {
	for _, sample := range []string{"dense-v22", "sparse-v22"} {
		d, _ := written(t, sample)
		before := cellTexts(t, d)
		planAction(t, d, "set-filters", "", map[string]string{"filters": "bitshuffle, GZIP:9"})
		if after := cellTexts(t, d); !slices.Equal(after, before) {
			t.Errorf("%s: %v, before %v", sample, after, before)
		}
		a := d.Tree.State.(*doc).array("")
		s := a.schemas.Current()
		for i := range s.Attrs {
			if got := pipeText(s.Attrs[i].Filters.List); !strings.Contains(got, "BITSHUFFLE") || !strings.Contains(got, "GZIP") || !strings.Contains(got, "9") {
				t.Errorf("%s: %s has %s", sample, s.Attrs[i].Name.Text(), got)
			}
		}
		if n := len(a.fragList); n != 1 || a.fragList[0].load(t.Context()) == nil || a.fragList[0].meta.Schema != s {
			t.Errorf("%s: %d fragments", sample, n)
		}
		for args, want := range map[string]string{"filters=ZIP": "available: GZIP", "filters=RLE:3": "a level is a number", "filters=ZSTD fields=nope": `"nope"`} {
			set := map[string]string{}
			for _, pair := range strings.Fields(args) {
				name, value, _ := strings.Cut(pair, "=")
				set[name] = value
			}
			if _, err := setFilters(t.Context(), d.Tree, d.Tree.Root, set); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, not %s", args, err, want)
			}
		}
	}
}

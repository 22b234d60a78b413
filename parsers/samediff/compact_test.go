package samediff

import (
	"bytes"
	"slices"
	"testing"

	"spandrel/parsers/samediff/flat"
)

// TestSameDiffCompactInside rewrites a graph, a graph inside it and an index, each after an edit that left something behind.
func TestSameDiffCompactInside(t *testing.T) {
	inner := append(fb(inline()), bytes.Repeat([]byte{1}, 64)...)
	outer := inline()
	outer[11] = []tableSpec{{0: "loop body", 1: inner}}
	file := fb(outer)
	d := openModel(t, "n.fb", file)
	errorsOf(t, d)
	actOn(t, d, "compact", "")
	b := bytesOf(t, d, "n.fb")
	if len(b) > len(file)-64 || bytes.Contains(b, bytes.Repeat([]byte{1}, 64)) {
		t.Errorf("%d bytes of %d are left", len(b), len(file))
	}
	d = openModel(t, "n.fb", b)
	if bad := errorsOf(t, d); len(bad) > 0 || len(findings(d, "SDF-135")) > 0 {
		t.Error(bad)
	}
	if got, want := read(b), read(file); !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}

	g := smallGraph(nil, nil)
	for _, v := range g[1].([]tableSpec) {
		delete(v, 4)
	}
	const long = "a name so long that an index of it is longer by more than the 64 bytes of an alignment"
	names, blobs := []string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)}
	d = openModel(t, "i.sdc", box(headOf(3), recordOf(2, fb(g)), recordOf(3, arraysOf(names, blobs))))
	want := elements(t, d, "w")
	actOn(t, d, "rename-variable", "", "from", "w", "to", long)
	actOn(t, d, "rename-variable", "", "from", long, "to", "w")
	before := len(bytesOf(t, d, "i.sdc"))
	actOn(t, d, "compact", "")
	d = openModel(t, "i.sdc", bytesOf(t, d, "i.sdc"))
	if bad := errorsOf(t, d); len(bad) > 0 {
		t.Error(bad)
	}
	if got := elements(t, d, "w"); !slices.Equal(got, want) || len(bytesOf(t, d, "i.sdc")) > before-128 {
		t.Errorf("%v, %d bytes of %d", got, len(bytesOf(t, d, "i.sdc")), before)
	}
}

// TestSameDiffRoom pads tables that have fields in the same places but are of different sizes: they would share a vtable.
func TestSameDiffRoom(t *testing.T) {
	wide, narrow := map[int64][]int{8: {0}, 4: {1}}, map[int64][]int{4: {0, 1}}
	for _, x := range []struct {
		first, second  map[int64][]int
		behind, before int
	}{{wide, wide, 0, 0}, {wide, narrow, 4, 0}, {narrow, wide, 0, 8}} {
		c := &flat.Copy{Sizes: map[string]int{}}
		c.Room(x.first)
		if behind, before := c.Room(x.second); behind != x.behind || before != x.before {
			t.Errorf("%v after %v: %d, %d", x.second, x.first, behind, before)
		}
	}
}

// TestSameDiffEmptyArrays converts arrays without elements: they stay.
func TestSameDiffEmptyArrays(t *testing.T) {
	g := smallGraph(nil, stub(5, []int64{2}, 0, 8))
	delete(g[1].([]tableSpec)[1], 4)
	g[9], g[10] = []string{"nd4j.format.type"}, []string{"APPENDED_BLOB"}
	d := openModel(t, "e.sdnb", nbOf(fb(g), []string{"w", "b"}, [][]byte{nil, floats(0.25, -1)}))
	if bad := errorsOf(t, d); len(bad) > 0 {
		t.Fatal(bad)
	}
	for _, arrays := range []string{"", "all"} {
		actOn(t, d, "convert-container", "", "name", "e"+arrays+".sdc", "arrays", arrays)
		c := openModel(t, "e.sdc", bytesOf(t, d, "e"+arrays+".sdc"))
		if bad := errorsOf(t, c); len(bad) > 0 {
			t.Error(bad)
		}
		if got := elements(t, c, "b"); len(got) != 2 || got[1] != -1 {
			t.Errorf("%v", got)
		}
		if got := elements(t, c, "w"); len(got) != 0 {
			t.Errorf("%v", got)
		}
	}
}

package parsers

import (
	"bytes"
	"slices"
	"testing"
)

// TestSameDiffCompactInside writes a graph, a graph inside it and an index anew, each after an edit that left something behind.
func TestSameDiffCompactInside(t *testing.T) {
	inner := append(sdFB(sdInline()), bytes.Repeat([]byte{1}, 64)...)
	outer := sdInline()
	outer[11] = []sdT{{0: "loop body", 1: inner}}
	file := sdFB(outer)
	d := sdOpen(t, "n.fb", file)
	sdErrors(t, d)
	sdAct(t, d, "compact", "")
	b := sdBytes(t, d, "n.fb")
	if len(b) > len(file)-64 || bytes.Contains(b, bytes.Repeat([]byte{1}, 64)) {
		t.Errorf("%d bytes of %d are left", len(b), len(file))
	}
	d = sdOpen(t, "n.fb", b)
	if bad := sdErrors(t, d); len(bad) > 0 || len(sdFindings(d, "SDF-135")) > 0 {
		t.Error(bad)
	}
	if got, want := sdRead(b), sdRead(file); !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}

	g := sdSmallGraph(nil, nil)
	for _, v := range g[1].([]sdT) {
		delete(v, 4)
	}
	const long = "a name so long that an index of it is longer by more than the 64 bytes of an alignment"
	names, blobs := []string{"w", "b"}, [][]byte{sdFloats(1, -2, 0.5, 3), sdFloats(0.25, -1)}
	d = sdOpen(t, "i.sdc", sdBox(sdHead(3), sdRec(2, sdFB(g)), sdRec(3, sdArraysOf(names, blobs))))
	want := sdElements(t, d, "w")
	sdAct(t, d, "rename-variable", "", "from", "w", "to", long)
	sdAct(t, d, "rename-variable", "", "from", long, "to", "w")
	before := len(sdBytes(t, d, "i.sdc"))
	sdAct(t, d, "compact", "")
	d = sdOpen(t, "i.sdc", sdBytes(t, d, "i.sdc"))
	if bad := sdErrors(t, d); len(bad) > 0 {
		t.Error(bad)
	}
	if got := sdElements(t, d, "w"); !slices.Equal(got, want) || len(sdBytes(t, d, "i.sdc")) > before-128 {
		t.Errorf("%v, %d bytes of %d", got, len(sdBytes(t, d, "i.sdc")), before)
	}
}

// TestSameDiffRoom pads tables that have fields in the same places but are of different sizes: they would share a vtable.
func TestSameDiffRoom(t *testing.T) {
	wide, narrow := map[int64][]int{8: {0}, 4: {1}}, map[int64][]int{4: {0, 1}}
	for _, x := range []struct {
		first, second  map[int64][]int
		behind, before int
	}{{wide, wide, 0, 0}, {wide, narrow, 4, 0}, {narrow, wide, 0, 8}} {
		c := &sdCopy{sizes: map[string]int{}}
		c.room(x.first)
		if behind, before := c.room(x.second); behind != x.behind || before != x.before {
			t.Errorf("%v after %v: %d, %d", x.second, x.first, behind, before)
		}
	}
}

// TestSameDiffEmptyArrays converts arrays without elements: they stay.
func TestSameDiffEmptyArrays(t *testing.T) {
	g := sdSmallGraph(nil, sdStub(5, []int64{2}, 0, 8))
	delete(g[1].([]sdT)[1], 4)
	g[9], g[10] = []string{"nd4j.format.type"}, []string{"APPENDED_BLOB"}
	d := sdOpen(t, "e.sdnb", sdNBOf(sdFB(g), []string{"w", "b"}, [][]byte{nil, sdFloats(0.25, -1)}))
	if bad := sdErrors(t, d); len(bad) > 0 {
		t.Fatal(bad)
	}
	for _, arrays := range []string{"", "all"} {
		sdAct(t, d, "convert-container", "", "name", "e"+arrays+".sdc", "arrays", arrays)
		c := sdOpen(t, "e.sdc", sdBytes(t, d, "e"+arrays+".sdc"))
		if bad := sdErrors(t, c); len(bad) > 0 {
			t.Error(bad)
		}
		if got := sdElements(t, c, "b"); len(got) != 2 || got[1] != -1 {
			t.Errorf("%v", got)
		}
		if got := sdElements(t, c, "w"); len(got) != 0 {
			t.Errorf("%v", got)
		}
	}
}

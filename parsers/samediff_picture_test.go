package parsers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// TestSameDiffPicture reads the graphs of samples: what is given, held and made is drawn, and tied.
func TestSameDiffPicture(t *testing.T) {
	const want = "x (placeholder FLOAT[-1,2]) > affine (xw_plus_b), w (variable FLOAT) > affine (xw_plus_b), " +
		"b (constant FLOAT) > affine (xw_plus_b), affine (xw_plus_b) > y (output FLOAT)"
	for _, name := range []string{"inline.fb", "plain.sdc", "deflated.sdz"} {
		d, err := model.Open(context.Background(), "../testdata/samediff/good/"+name, All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		g, err := d.Format.Graph(context.Background(), d.Tree)
		if err != nil || g == nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, e := range g.Edges {
			from, to := g.Nodes[e.From], g.Nodes[e.To]
			got = append(got, from.Label+" ("+from.Detail+") > "+to.Label+" ("+to.Detail+")")
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %s", name, s)
		}
	}
}

// sdTestNode is an operation that takes the first results of others and waits for names.
func sdTestNode(id int32, name string, waits []string, in ...int32) sdT {
	var pairs []sdT
	for _, i := range in {
		pairs = append(pairs, sdT{0: i})
	}
	return sdT{0: id, 1: name, 2: sdE(21), 3: int64(7), 5: []int32{}, 6: pairs, 7: []int32{}, 15: []string{name}, 16: "relu", 17: []byte{5}, 19: waits}
}

// TestSameDiffPictureOfDamage has nodes that take each other's results, their own, and what is not there.
func TestSameDiffPictureOfDamage(t *testing.T) {
	vars := []sdT{sdVarOf(1, "a", sdArrayVar, nil), sdVarOf(2, "b", sdArrayVar, nil), sdVarOf(2, "b", sdArrayVar, nil), sdVarOf(3, "c", sdArrayVar, nil)}
	d := sdOpen(t, "a.fb", sdFB(sdT{1: vars, 2: []sdT{sdTestNode(1, "a", nil, 2, 99, 99), sdTestNode(2, "b", []string{"c", "a", "gone"}, 1),
		sdTestNode(3, "c", nil, 3, 99)}, 3: []sdT{}, 5: []string{}, 6: []string{}}))
	g, err := sdFormat.Graph(context.Background(), d.Tree)
	if err != nil || g == nil {
		t.Fatal(err)
	}
	want := []model.GraphEdge{{From: 1, To: 0}, {From: 0, To: 1}, {From: 2, To: 1, Control: true}, {From: 2, To: 2}, {From: 1, To: 3}}
	if !slices.Equal(g.Edges, want) {
		t.Errorf("edges %v of %v, want %v", g.Edges, g.Nodes, want)
	}
}

// TestSameDiffPictureIsCapped has 300 nodes that take all of 299 variables.
func TestSameDiffPictureIsCapped(t *testing.T) {
	var vars, nodes []sdT
	var all []int32
	for i := range int32(299) {
		vars = append(vars, sdVarOf(i+1, fmt.Sprint("v", i), sdConstant, nil))
		all = append(all, i+1)
	}
	for i := range int32(300) {
		nodes = append(nodes, sdTestNode(1000+i, fmt.Sprint("n", i), nil, all...))
	}
	d := sdOpen(t, "a.fb", sdFB(sdT{1: vars, 2: nodes, 3: []sdT{}, 5: []string{}, 6: []string{}}))
	g, err := sdFormat.Graph(context.Background(), d.Tree)
	if err != nil || g == nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != 599 || len(g.Edges) != sdMaxEdges || g.Omitted != 299*300-sdMaxEdges {
		t.Errorf("%d nodes, %d edges, %d omitted", len(g.Nodes), len(g.Edges), g.Omitted)
	}
}

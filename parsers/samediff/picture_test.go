package samediff

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// TestSameDiffPicture reads the graphs of samples: what is given, held and made is drawn, and tied.
func TestSameDiffPicture(t *testing.T) {
	const want = "x (placeholder FLOAT[-1,2]) > affine (xw_plus_b), w (variable FLOAT[2,2]) > affine (xw_plus_b), " +
		"b (constant FLOAT[2]) > affine (xw_plus_b), affine (xw_plus_b) > y (output FLOAT)"
	for _, name := range []string{"inline.fb", "plain.sdc", "deflated.sdz"} {
		d, err := model.Open(context.Background(), "../../testdata/samediff/good/"+name, formats, nil)
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

// What is known of a node stands beside it: what it does, what it takes and makes with their shapes, and its attributes.
func TestSameDiffPictureFacts(t *testing.T) {
	d, err := model.Open(context.Background(), "../../testdata/samediff/good/inline.fb", formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	g, err := d.Format.Graph(context.Background(), d.Tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range g.Nodes {
		for _, f := range n.Facts {
			if n.Label == "affine" {
				got = append(got, f.Part+" "+f.Label+": "+f.Text)
			}
			if f.At.Len == 0 {
				t.Errorf("%s: %s %s lies nowhere", n.Label, f.Part, f.Label)
			}
		}
	}
	text := strings.Join(got, "\n")
	for _, want := range []string{"operation operation: xw_plus_b", "inputs 0: x  FLOAT[-1,2]", "inputs 2: b  FLOAT[2]", "outputs 0: y  FLOAT"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// testNode is an operation that takes the first results of others and waits for names.
func testNode(id int32, name string, waits []string, in ...int32) tableSpec {
	var pairs []tableSpec
	for _, i := range in {
		pairs = append(pairs, tableSpec{0: i})
	}
	return tableSpec{0: id, 1: name, 2: e(21), 3: int64(7), 5: []int32{}, 6: pairs, 7: []int32{}, 15: []string{name}, 16: "relu",
		17: []byte{5}, 19: waits}
}

// TestSameDiffPictureOfDamage has nodes that take each other's results, their own, and what is not there.
func TestSameDiffPictureOfDamage(t *testing.T) {
	vars := []tableSpec{varOf(1, "a", varArrayKind, nil), varOf(2, "b", varArrayKind, nil), varOf(2, "b", varArrayKind, nil),
		varOf(3, "c", varArrayKind, nil)}
	d := openModel(t, "a.fb", fb(tableSpec{1: vars, 2: []tableSpec{testNode(1, "a", nil, 2, 99, 99),
		testNode(2, "b", []string{"c", "a", "gone"}, 1),
		testNode(3, "c", nil, 3, 99)}, 3: []tableSpec{}, 5: []string{}, 6: []string{}}))
	g, err := Format.Graph(context.Background(), d.Tree)
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
	var vars, nodes []tableSpec
	var all []int32
	for i := range int32(299) {
		vars = append(vars, varOf(i+1, fmt.Sprint("v", i), varConstant, nil))
		all = append(all, i+1)
	}
	for i := range int32(300) {
		nodes = append(nodes, testNode(1000+i, fmt.Sprint("n", i), nil, all...))
	}
	d := openModel(t, "a.fb", fb(tableSpec{1: vars, 2: nodes, 3: []tableSpec{}, 5: []string{}, 6: []string{}}))
	g, err := Format.Graph(context.Background(), d.Tree)
	if err != nil || g == nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != 599 || len(g.Edges) != maxEdges || g.Omitted != 299*300-maxEdges {
		t.Errorf("%d nodes, %d edges, %d omitted", len(g.Nodes), len(g.Edges), g.Omitted)
	}
}

// Graphs before 2019 say what a node does by a number alone: that of a list of the time, or a hash of its name.
func TestSameDiffNamesOfNumbers(t *testing.T) {
	view := func(gen, list string) *modelView {
		p := &placed{located: located{Map: &flat.Map{Gen: gen}}}
		node := flat.Table{Slots: make([]flat.Slot, flat.NodeOpType+1)}
		node.Slots[flat.NodeOpType].Enum = flat.Enums[list]
		p.Types = map[string]*flat.Table{"FlatNode": &node}
		return &modelView{placed: p}
	}
	two := []pair{{1, 0}, {2, 0}}
	for _, c := range []struct {
		gen, list string
		n         node
		want      string
	}{
		{"S2", "OpTypeB", node{op: 0, num: 15}, "Tanh"},
		{"S2", "OpTypeB", node{op: 0, num: 96}, "RELU6"},
		{"S2", "OpTypeB", node{op: 0, num: 60}, ""},
		{"S2", "OpTypeB", node{op: 1, num: 8}, "Prod"},
		{"S2", "OpTypeB", node{op: 5, num: 69, inputs: two}, "Atan2"},
		{"S2", "OpTypeB", node{op: 11, num: 7325441780195652299}, "conv2d"},
		{"S2", "OpTypeB", node{op: 11, num: 7325441780195652298}, ""},
		{"S2", "OpTypeB", node{op: 119, num: 80}, "NextIteration"},
		{"S1", "OpTypeB", node{op: 119, num: 0}, ""},
		{"S0", "OpTypeB", node{op: 0, num: 6, inputs: two}, "Multiply"},
		{"S0", "OpTypeB", node{op: 0, num: 27, inputs: two[:1]}, "Identity"},
		{"S2b", "OpTypeC", node{op: 9, num: 3}, ""}, // SCALAR of another list
		{"S3", "OpType", node{op: 21, num: 3, opName: "relu"}, "relu"},
	} {
		if got := view(c.gen, c.list).operation(&c.n); got != c.want {
			t.Errorf("%s: type %d, number %d is %q, want %q", c.gen, c.n.op, c.n.num, got, c.want)
		}
	}
}

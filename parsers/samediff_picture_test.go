package parsers

import (
	"context"
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

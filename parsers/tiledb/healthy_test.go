package tiledb

import (
	"context"
	"testing"
)

// Nothing is wrong with what TileDB writes: the attribute without a name of from_numpy; a tile whose least value it lost at a NaN, and one of
// infinities alone; the statistics of consolidation, which count cells outside of the box.
func TestTDBHealthy(t *testing.T) {
	for _, name := range []string{"numpy-v22", "consolidated-v22"} {
		d := open(t, "../../testdata/tiledb/good/"+name)
		if err := d.Deep(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		for i := range found {
			t.Errorf("%s: %s %s %s", name, found[i].Rule.ID, found[i].Path(), found[i].Text())
		}
	}
}

package parsers

import (
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// damagedStreams are damages of compressed bytes that nothing brings back, and what is said to be damaged. None of the numbers that say where those
// bytes are and how they are packed is blamed, though the error goes away with other ones: nothing is decompressed then.
var damagedStreams = []struct {
	sample string
	damage func(s *model.Snapshot) *model.Snapshot
	says   string
}{
	{"samediff/good/deflated-parts.sdc", blotted("deflated-parts.sdc", 0x210, 8), "records[3]/data"},
	{"samediff/good/deflated-parts.sdc", edited("deflated-parts.sdc", func(b []byte) { scrambled(b[0x7f:0x87]) }), "records[1]/data"},
	{"tiledb/good/schema-v23.tdb", edited("schema-v23.tdb", func(b []byte) { b[0x6f] ^= 4; b[0x74] ^= 0x10 }), "tile/chunks[0]/filtered_data"},
	{"idv/good/deflated.idv", blotted("deflated.idv", 0x2a1, 8), "blocks[23]/data"},
	{"samediff/good/deflated.sdz", blotted("deflated.sdz", 0x16c, 8), "entry[0]/data"},
}

// TestDamageStreams reads what is said first of compressed bytes that are damaged, as someone who does not wait.
func TestDamageStreams(t *testing.T) {
	for _, k := range damagedStreams {
		d := openSound(t, filepath.Join("..", "testdata", k.sample))
		if d == nil {
			t.Fatal(k.sample + " is not sound")
		}
		g, err := cause.Find(t.Context(), opened(d, k.damage(d.Tree.Snapshot)), cause.Options{Formats: All()})
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Causes) != 1 || g.Causes[0].Text != "The compressed bytes of "+k.says+" are damaged or were overwritten." || len(g.Causes[0].Repairs) > 0 {
			t.Errorf("%s: nothing is said of %s", k.sample, k.says)
			for _, c := range g.Causes {
				t.Error(strings.TrimSpace(c.Grade.String() + ": " + c.Text))
			}
		}
	}
}

package parsers

import (
	"context"
	"testing"

	"spandrel/model"
)

// FuzzIDV opens any bytes, looks at all of them, runs every check and reads rows: nothing may panic, and every byte belongs to
// one leaf.
func FuzzIDV(f *testing.F) {
	for _, make := range idvGood {
		f.Add(make())
	}
	for _, b := range idvAllBad() {
		f.Add(b)
	}
	f.Add(idvTransposed())
	f.Add(idvArchive(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := model.OpenBytes(context.Background(), "fuzz.idv", b, nil, idvFormat())
		if err != nil {
			t.Fatal(err)
		}
		idvRulesOf(t, d)
		idvTiles(t, "fuzz", d.Tree)
		for _, tab := range d.Tables() {
			for _, first := range []int64{0, tab.Rows - 3} {
				if _, err := tab.Read(context.Background(), first, 3); err != nil {
					t.Fatal(tab.Name, err)
				}
			}
		}
	})
}

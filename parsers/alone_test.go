package parsers

import (
	"slices"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestNothingElseIsClaimed: it is never said that nothing else is wrong, and that checksums cover the file only where they do.
func TestNothingElseIsClaimed(t *testing.T) {
	for _, x := range []struct {
		sample string
		want   string
	}{
		{"../testdata/taridx/bad/022-n-rows/train.taridx", "No other errors were found."},
		{"../testdata/idv/bad/008-negative-rows.idv", "No other errors were found."},
		{"../testdata/samediff/bad/028-crc.sdc", "No other errors were found, and checksums cover nearly the whole file."},
	} {
		d, err := model.Open(t.Context(), x.sample, All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: All()})
		if err != nil {
			t.Fatal(err)
		}
		var means []string
		for _, c := range g.Causes {
			means = append(means, c.Means)
		}
		if !slices.Contains(means, x.want) {
			t.Errorf("%s: %q, want %q", x.sample, means, x.want)
		}
		d.Close()
	}
}

package parsers

import (
	"slices"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestNothingElseIsWrongOnlyUnderChecksums: that nothing else is wrong is said where a checksum covers the values, and not where nothing does.
func TestNothingElseIsWrongOnlyUnderChecksums(t *testing.T) {
	for _, x := range []struct {
		sample string
		want   string
	}{
		{"../testdata/taridx/bad/022-n-rows/train.taridx", "No other errors were found."},
		{"../testdata/idv/bad/008-negative-rows.idv", "No other errors were found."},
		{"../testdata/samediff/bad/028-crc.sdc", "Nothing else is wrong."},
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

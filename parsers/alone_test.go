package parsers

import (
	"bytes"
	"slices"
	"strings"
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

// TestStandsByItself: what is wrong elsewhere in a file is no objection to a number that is settled by itself.
func TestStandsByItself(t *testing.T) {
	for _, x := range []struct {
		sample string
		damage func([]byte) []byte
		text   string
	}{
		{"idv/good/stored.idv", func(b []byte) []byte { b[2487]++; return b }, "loadName/length is 8, should be 7."}, // Boolean, and no other word
		{"safetensors/good/model.safetensors", func(b []byte) []byte { // two slips
			return bytes.Replace(bytes.Replace(b, []byte("[2,3]"), []byte("[2,7]"), 1), []byte("BF16"), []byte("BF96"), 1)
		}, "dim1 is 7, should be 3."},
	} {
		g := causesOf(t, x.sample, "", x.damage)
		if len(g.Causes) == 0 || g.Causes[0].Grade != cause.Proven || !strings.Contains(g.Causes[0].Text, x.text) {
			t.Errorf("%s: no proven cause %q", x.sample, x.text)
		}
	}
}

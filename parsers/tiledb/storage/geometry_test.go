package storage

import (
	"encoding/hex"
	"strings"
	"testing"
)

// Geometries of well-known binary are shown as text.
func TestGeometryText(t *testing.T) {
	for in, want := range map[string]string{
		"0101000000000000000000F03F0000000000000040":                                         "POINT (1 2)",
		"00000000013FF00000000000004000000000000000":                                         "POINT (1 2)",
		"01E9030000000000000000F03F00000000000000400000000000000840":                         "POINT Z (1 2 3)",
		"0101000020E6100000000000000000F03F0000000000000040":                                 "POINT (1 2)",
		"0101000000000000000000F87F000000000000F87F":                                         "POINT EMPTY",
		"010200000002000000000000000000F03F000000000000004000000000000008400000000000001040": "LINESTRING (1 2, 3 4)",
		"010300000000000000": "POLYGON EMPTY",
		"0103000000010000000300000000000000000000000000000000000000000000000000F03F00000000000000000000000000000000000000000000F03F": "POLYGON ((0 0, 1 0, 0 1))",
		"0104000000010000000101000000000000000000F03F0000000000000040":                                                               "MULTIPOINT ((1 2))",
		"0107000000010000000101000000000000000000F03F0000000000000040":                                                               "GEOMETRYCOLLECTION (POINT (1 2))",
		"0104000000010000000102000000000000000":                                                                                      "",
		"01020000000200000000000000":                                                                                                 "", "0203000000": "", "": "", "0108000000": "", "01030000000100000000": "",
	} {
		b, _ := hex.DecodeString(in)
		if got := wktOf(b); got != want {
			t.Errorf("%s is %q, not %q", in, got, want)
		}
	}
	deep := strings.Repeat("010700000001000000", 100000)
	b, _ := hex.DecodeString(deep)
	if got := wktOf(b); got != "" {
		t.Errorf("a collection of 100,000 levels is %d bytes of text", len(got))
	}
}

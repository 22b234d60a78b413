package parsers

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"spandrel/model"
)

// TestFormatsSayWhyTheyDecline opens what no format takes: each says what it looked for.
func TestFormatsSayWhyTheyDecline(t *testing.T) {
	wants := map[string]string{"taridx": "TARIDX", "idv": "43 4D 4C 00", "scdl": "SCDL", "tiledb": "generic tile", "samediff": "SDNB"}
	for _, b := range [][]byte{nil, {0x89}, []byte("\x89PNG\r\n\x1a\n"), []byte("plain text, and more of it\n"), bytes.Repeat([]byte{0xff}, 300)} {
		d, err := model.OpenBytes(context.Background(), "something.bin", b, All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if d.Format != nil {
			t.Fatalf("%q is taken for %s", b, d.Format.Name)
		}
		for _, c := range d.Candidates {
			if !strings.Contains(c.Reason, wants[c.Format.Name]) {
				t.Errorf("%s of %.12q: %q", c.Format.Name, b, c.Reason)
			}
		}
	}
}

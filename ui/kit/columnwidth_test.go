package kit

import (
	"testing"

	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// A column that was fitted at one text size has room for the same text at every other.
func TestColumnsFitAtEveryScale(t *testing.T) {
	for _, scale := range []float32{0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.5, 3} {
		a := paint.AtlasAt(scale)
		for _, text := range []string{"keyhash u64", "0x3722062add1234", "-9223372036854775808", "bill_length_mm f64", "v0001.cls", "missing", "Torgersen"} {
			room, need := ColumnFor(text)*a.Wider(), float32(a.Text.Width(text))/scale+2*rows.CellPad
			if need > room {
				t.Errorf("at %v, %q takes %v of %v", scale, text, need, room)
			}
		}
	}
}

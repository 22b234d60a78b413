package storage

import (
	"bytes"
	"context"
	"testing"

	"spandrel/model/correct"
	"spandrel/parsers/tiledb/filter"
)

// TestSummedFlips: under a checksum the one wrong bit or byte of a chunk is found, in its values and in the checksum, and nothing where two
// are wrong.
func TestSummedFlips(t *testing.T) {
	for _, kind := range []uint8{filter.MD5, filter.SHA256} {
		how := Coding{[]filter.Filter{{Type: kind}}, filter.TileType{Datatype: filter.Char, CellSize: 1, FormatVersion: 23}, func() []byte { return nil }}
		sound, err := how.Keyed().Filter(context.Background(), bytes.Repeat([]byte("values "), 40))
		if err != nil {
			t.Fatal(err)
		}
		flips := how.Transform(1 << 20).Flips
		for _, x := range []struct {
			what string
			xor  map[int]byte
		}{
			{"a bit of the values", map[int]byte{len(sound) - 9: 0x10}},
			{"a byte of the values", map[int]byte{len(sound) - 9: 0x3c}},
			{"a bit of the checksum", map[int]byte{40: 0x01}},
			{"a bit of how many checksums there are", map[int]byte{24: 0x01}},
			{"two bytes", map[int]byte{len(sound) - 9: 0x10, len(sound) - 90: 0x01}},
		} {
			bad := bytes.Clone(sound)
			for at, xor := range x.xor {
				bad[at] ^= xor
			}
			found, err := flips(context.Background(), bad, -1, func([]byte) bool { return true }, nil)
			if one := len(x.xor) == 1; err != nil || len(found) != len(x.xor)%2 || one && x.xor[int(found[0].At)] != found[0].Xor[0] {
				t.Errorf("%d, %s: %v, %v", kind, x.what, found, err)
			}
		}
	}
}

// TestLongDigest: a chunk of more bytes than a stream may have that is inflated for every bit is searched too, but not one of any length.
func TestLongDigest(t *testing.T) {
	for n, found := range map[int]int{9000: 1, 60000: 0} {
		how := Coding{[]filter.Filter{{Type: filter.MD5}}, filter.TileType{Datatype: filter.Char, CellSize: 1, FormatVersion: 23}, func() []byte { return nil }}
		bad, err := how.Keyed().Filter(t.Context(), make([]byte, n))
		if err != nil {
			t.Fatal(err)
		}
		bad[len(bad)-900] ^= 0x10
		if got, err := how.Transform(1<<20).Flips(t.Context(), bad, -1, func([]byte) bool { return true }, correct.Upto(correct.Free)); err != nil || len(got) != found {
			t.Errorf("%d bytes: %v, %v", n, got, err)
		}
	}
}

package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/tiledb/filter"
)

// A generic tile that was cut in its last chunk gives what is there; of one with a wrong bit the bit is found.
func TestTornTile(t *testing.T) {
	plain := bytes.Repeat([]byte("names and numbers, "), 20)
	z, err := inflate.Deflate(inflate.Zlib, 1, plain)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	tile := le.AppendUint64(nil, 1)
	for _, n := range []int{len(plain), len(z), OnePart, 0, 1, len(plain), len(z)} {
		tile = le.AppendUint32(tile, uint32(n))
	}
	tile = append(tile, z...)
	gzip := []filter.Filter{{Type: filter.Gzip, Compressor: filter.Gzip, Level: 1}}
	whole := filter.TileType{Datatype: filter.Char, CellSize: 1, FormatVersion: 23}
	key := func() []byte { return nil }
	tr := torn(gzip, Coding{gzip, whole, key}.Transform(MostPayload))
	if out, err := tr.Decode(context.Background(), tile, MostPayload); err != nil || !bytes.Equal(out, plain) {
		t.Fatalf("%d bytes, %v", len(out), err)
	}
	if out, err := tr.Decode(context.Background(), tile[:len(tile)-1], MostPayload); err == nil || !bytes.Equal(out, plain) {
		t.Errorf("without the last byte of the sum: %d of %d bytes, %v", len(out), len(plain), err)
	}
	bad := bytes.Clone(tile)
	bad[len(bad)-9] ^= 4
	found, err := tr.Flips(context.Background(), bad, -1, func([]byte) bool { return true }, nil)
	if err != nil || len(found) != 1 || !bytes.Equal(found[0].Apply(bad), tile) {
		t.Errorf("the wrong bit: %v, %v", found, err)
	}
}

package tiledb

import (
	"encoding/binary"
	"testing"
)

// TestMisplaced finds the first start offset that readers would cut texts wrongly at.
func TestMisplaced(t *testing.T) {
	for _, c := range []struct {
		starts []uint64
		want   int
	}{{nil, -1}, {[]uint64{0, 3, 3, 5}, -1}, {[]uint64{1, 3}, 0}, {[]uint64{0, 3, 2, 5}, 2}, {[]uint64{0, 6}, 1}} {
		var b []byte
		for _, v := range c.starts {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		if got := misplaced(b, 5); got != c.want {
			t.Errorf("%v: %d, not %d", c.starts, got, c.want)
		}
	}
}

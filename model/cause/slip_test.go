package cause

import (
	"context"
	"strings"
	"testing"

	"spandrel/model"
)

// Repairs are told apart by how bytes go wrong.
func TestSlip(t *testing.T) {
	for _, c := range []struct {
		was, is []byte
		want    Slip
	}{
		{[]byte{72, 0, 0, 0}, []byte{8, 0, 0, 0}, OneBit},
		{[]byte{72, 0, 0, 0}, []byte{6, 0, 0, 0}, Other},
		{[]byte{0xd7, 5, 0, 0}, []byte{0xe1, 5, 0, 0}, Other},    // 1495, 1505: two digits of it
		{[]byte{0xd7, 5, 0, 0}, []byte{0xda, 5, 0, 0}, OneDigit}, // 1495, 1498
		{[]byte{0, 0, 5, 70}, []byte{70, 5, 0, 0}, ByteOrder},
		{[]byte{200, 0, 0, 0}, []byte{20, 0, 0, 0}, Unit},
		{[]byte("17"), []byte("14"), OneDigit},
		{[]byte{1}, []byte{1, 0}, Other},
	} {
		x := &Repair{Changes: []Change{{Was: c.was, Is: c.is, Del: int64(len(c.was)), Grown: int64(len(c.is))}}}
		if got := x.Slip(); got != c.want {
			t.Errorf("% x -> % x: %d, want %d", c.was, c.is, got, c.want)
		}
	}
}

// TestManyMissing: where more bytes are missing than there are line feeds, carriage returns are not what is missing, and no one goes through
// all ways to put them back.
func TestManyMissing(t *testing.T) {
	f := *toy
	f.Extents = func(context.Context, *model.Tree) []model.Extent {
		return []model.Extent{{Size: 1 << 20, Says: "the test says"}}
	}
	for _, c := range diagnose(t, toyFile("first", strings.Repeat("line\n", 60))[:300], &f).Causes {
		if strings.Contains(c.Text, "CR LF") {
			t.Error(c.Text)
		}
	}
}

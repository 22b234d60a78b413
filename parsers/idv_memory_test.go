package parsers

import "testing"

// TestIDVSurplus checks that a block that inflates to more than stated is not copied to a larger buffer for its surplus, and that
// the room for one is small beside a small block.
func TestIDVSurplus(t *testing.T) {
	for _, want := range []int64{40, 1 << 20} {
		sh := &idvShape{compression: 1, declared: want}
		b, how := sh.decode(idvZip1(make([]byte, 2*want)), nil)
		if !how.more || int64(len(b)) <= want {
			t.Fatalf("%d bytes of %d: the surplus is not seen", len(b), want)
		}
		if most := want + min(want+64, 2*idvSurplus); int64(cap(b)) > most {
			t.Errorf("a buffer of %d bytes for %d, want at most %d", cap(b), want, most)
		}
	}
}

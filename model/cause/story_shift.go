package cause

import (
	"context"
	"encoding/binary"

	"spandrel/model"
)

// A script that counts otherwise than a format does changes many numbers by the same amount, which is one event.

// leastShifted is how many numbers must differ by the same amount.
const leastShifted = 3

// sameShift tells whether all differences between two states are numbers in one file that differ by the same amount.
func sameShift(ctx context.Context, was, is *model.Snapshot) bool {
	names := changed(was, is)
	if len(names) != 1 {
		return false
	}
	a, err := was.Content(names[0])
	b, bad := is.Content(names[0])
	return err == nil && bad == nil && a.Len() == b.Len() && (shifts(ctx, a, b, binary.LittleEndian) || shifts(ctx, a, b, binary.BigEndian))
}

// shifts tells whether all differences between two contents are numbers that differ by the same amount. Four bytes of each are compared, from the lowest one
// that differs on, which is the same one in all of them.
func shifts(ctx context.Context, a, b *model.Content, order binary.ByteOrder) bool {
	first, n := uint32(0), 0
	for at := firstDifference(ctx, a, b, 0); at >= 0; at = firstDifference(ctx, a, b, at+1) {
		if order == binary.BigEndian {
			at = max(0, at+lastDifference(bytesAt(a, at, 4), bytesAt(b, at, 4))-3)
		}
		x, y := bytesAt(a, at, 4), bytesAt(b, at, 4)
		if len(x) < 4 || len(y) < 4 {
			return false
		}
		by := order.Uint32(x) - order.Uint32(y)
		if n++; n > 1 && by != first {
			return false
		}
		first, at = by, at+3
	}
	return n >= leastShifted && first != 0
}

// lastDifference is where two pieces of one length differ last.
func lastDifference(x, y []byte) int64 {
	for i := len(x) - 1; i > 0; i-- {
		if x[i] != y[i] {
			return int64(i)
		}
	}
	return 0
}

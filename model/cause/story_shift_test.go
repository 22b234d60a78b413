package cause

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"spandrel/model"
)

// TestSameShift: numbers that differ by the same amount are recognised in both byte orders, at any distance and with carries; one other change, or two numbers, are not.
func TestSameShift(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 4))
	for n := range 60 {
		order := []binary.ByteOrder{binary.LittleEndian, binary.BigEndian}[n%2]
		was, by := make([]byte, 4096), uint32(1+r.IntN(1<<uint(1+r.IntN(20))))
		for i := range was {
			was[i] = byte(r.IntN(256))
		}
		is := append([]byte(nil), was...)
		numbers := 2 + n%5
		for i := range numbers {
			at := 16 + i*(8+4*(n%9))
			x := uint32(r.IntN(1 << 30))
			order.PutUint32(was[at:], x)
			order.PutUint32(is[at:], x+by)
		}
		want := numbers >= leastShifted
		if n%7 == 6 {
			is[4000], want = is[4000]^0x40, false
		}
		a, b := model.BytesContent(was), model.BytesContent(is)
		if got := shifts(t.Context(), a, b, order); got != want {
			t.Errorf("%d numbers, by %d, %s: %v", numbers, by, order, got)
		}
	}
}

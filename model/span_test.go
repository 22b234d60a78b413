package model

import (
	"testing"
	"unsafe"
)

// A span is 64 bytes, and still tells any element of an array from its neighbours, and one that was cut from one that was not.
func TestSpanSize(t *testing.T) {
	if n := unsafe.Sizeof(Span{}); n > 64 && unsafe.Sizeof(uintptr(0)) == 8 {
		t.Errorf("a span takes %d bytes", n)
	}
	for _, i := range []int64{-1, 0, 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 40, 1<<47 - 2} {
		for _, cut := range []bool{false, true} {
			s := &Span{Field: fieldGap}
			s.number(7)
			s.clip(cut)
			if s.number(i); s.Index() != i || s.cut() != cut {
				t.Errorf("element %d, cut %v, is said to be %d, %v", i, cut, s.Index(), s.cut())
			}
		}
	}
	if (&Span{}).Index() != -1 {
		t.Error("a child without a number is an element")
	}
}

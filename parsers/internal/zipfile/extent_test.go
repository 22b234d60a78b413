package zipfile

import (
	"bytes"
	"testing"
)

// An archive that was cut is said to be too short; one whose end record is damaged is not.
func TestExtent(t *testing.T) {
	good := archived(t, false, 8)
	extent := func(b []byte) (least, ok bool) {
		_, z := open(t, b)
		e, ok := z.Extent(func(off, n int64) []byte { return b[min(off, int64(len(b))):min(off+n, int64(len(b)))] }, int64(len(b)))
		return e.Least && e.Size > int64(len(b)), ok
	}
	if least, ok := extent(good); least || !ok {
		t.Error("a sound archive", least, ok)
	}
	dir := bytes.Index(good, []byte("PK\x01\x02"))
	for _, n := range []int{dir + 20, dir - 3} {
		if least, ok := extent(good[:n]); !least || !ok {
			t.Errorf("cut to %d of %d bytes: %v %v", n, len(good), least, ok)
		}
	}
	end := bytes.LastIndex(good, []byte("PK\x05\x06\x00\x00\x00\x00"))
	bad := bytes.Clone(good)
	copy(bad[end:], "xxxx")
	if at := bytes.LastIndex(bad, []byte("PK\x05\x06")); at >= 0 {
		copy(bad[at:], "yyyy") // in the comment
	}
	if least, ok := extent(bad); least || !ok {
		t.Error("the mark of the end record is wrong", least, ok)
	}
}

// Of an archive whose front is lost, the end record says how much that is: all of what is there stands as much too early.
func TestExtentOfTheRest(t *testing.T) {
	good := archived(t, false, 8)
	size := int64(len(good))
	for _, lost := range []int64{1, 40, 60} {
		b := good[lost:]
		_, z := open(t, b)
		e, ok := z.Extent(func(off, n int64) []byte { return b[min(off, size-lost):min(off+n, size-lost)] }, size-lost)
		if !ok || e.Size != size || !e.Late {
			t.Errorf("without the first %d of %d bytes: %+v %v", lost, size, e, ok)
		}
	}
	b := append([]byte("four"), good...)
	_, z := open(t, b)
	if e, _ := z.Extent(func(off, n int64) []byte { return b[min(off, size+4):min(off+n, size+4)] }, size+4); e.Late {
		t.Errorf("bytes in front: %+v", e)
	}
}

package model

import (
	"encoding/binary"
	"errors"
	"testing"
)

// counting is a codec that counts how often it decodes.
type counting struct {
	Codec
	n *int
}

func (c counting) Decode(b []byte) (Value, int, error) { *c.n++; return c.Codec.Decode(b) }

// Long arrays are compared by their bytes, and only what differs is decoded; their elements are read one after the other with what is left
// behind them for others.
func TestElements(t *testing.T) {
	const n, at = 1 << 20, 700_001
	decoded := 0
	numbers, number := &Field{Name: "numbers"}, &Field{Name: "number", Codec: counting{U32LE, &decoded}}
	f := &Format{Name: "long", Parse: func(c *Cursor) { c.Elements(numbers, number, n) }}
	tree := func(v uint32) *Tree {
		b := make([]byte, 4*n)
		binary.LittleEndian.PutUint32(b[4*at:], v)
		d, err := OpenBytes(bg, "a", b, nil, f)
		if err != nil {
			t.Fatal(err)
		}
		return d.Tree
	}
	a, b := tree(7), tree(8)
	var differ []string
	if err := Compare(bg, a, b, func(path string, x, y *Value) error {
		differ = append(differ, path+" "+x.String()+" "+y.String())
		return nil
	}); err != nil || len(differ) != 1 || differ[0] != "numbers[700001] 7 8" {
		t.Errorf("%v, %v", differ, err)
	}
	if decoded > n {
		t.Errorf("%d of %d elements were decoded", decoded, 2*n)
	}
	enough := errors.New("enough")
	seen := int64(0)
	if _, err := a.Elements(bg, a.Root.Get("numbers"), func(i int64, f *Field, v []byte) error {
		if seen = i; binary.LittleEndian.Uint32(v) == 7 {
			return enough
		}
		return nil
	}); err != enough || seen != at {
		t.Errorf("ended at %d: %v", seen, err)
	}
	if n, err := a.Elements(bg, a.Root, nil); n != 0 || err != nil {
		t.Errorf("the root has %d elements, %v", n, err)
	}
}

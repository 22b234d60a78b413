package model

import (
	"bytes"
	"slices"
	"testing"
)

// Whole sectors of zeros are found, also beside a few zeros of the file's own; zeros that begin or end elsewhere are the file's.
func TestBlanks(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to int
		more     [2]int
		want     []Range
	}{
		{"one sector", 512, 1024, [2]int{}, []Range{{Off: 512, Len: 512}}},
		{"eight sectors beside own zeros", 4096 - 5, 8192 + 9, [2]int{}, []Range{{Off: 4096, Len: 4096}}},
		{"not a sector", 600, 1200, [2]int{}, nil},
		{"the end", 8192, 10000, [2]int{}, nil},
		{"the beginning", 0, 512, [2]int{}, nil},
		{"zeros elsewhere too", 512, 1024, [2]int{5000, 5600}, nil},
		{"a page, and zeros elsewhere", 12288, 20480, [2]int{25000, 25600}, []Range{{Off: 12288, Len: 8192}}},
		{"a page with which something begins", 8192, 12288, [2]int{5000, 5600}, nil},
		{"zeros before a page with which something begins", 8192 - 8, 12288, [2]int{5000, 5600}, nil},
		{"a few pages to the end", 12288, 20480, [2]int{5000, 5600}, nil},
		{"pages to the end", 98304, 200000, [2]int{}, []Range{{Off: 98304, Len: 101696}}},
		{"less than a sector elsewhere", 512, 1024, [2]int{5000, 5300}, []Range{{Off: 512, Len: 512}}},
	} {
		b := bytes.Repeat([]byte{7}, max(10000, c.to, c.more[1]))
		clear(b[c.from:c.to])
		clear(b[c.more[0]:c.more[1]])
		if got := blanks(b, func(off int64) bool { return off == 8192 }); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Sectors of text between others are found, not text that begins inside one.
func TestTextSectors(t *testing.T) {
	b := bytes.Repeat([]byte{7}, 4096)
	copy(b[512:], bytes.Repeat([]byte("kernel: x\n"), 103)[:1024])
	copy(b[2600:], bytes.Repeat([]byte("x"), 700))
	if got, want := textSectors(b), []Range{{Off: 512, Len: 1024}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

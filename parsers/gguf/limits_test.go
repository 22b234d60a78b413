package gguf

import (
	"bytes"
	"fmt"
	"testing"

	"spandrel/parsers/internal/suite"
)

// Headers of pairs, strings, arrays and tensors that are many, one in another, or claim more than there is.
func TestGGUFLimits(t *testing.T) {
	one := func(b []byte) map[string][]byte { return map[string][]byte{"a.gguf": b} }
	list := func(kind uint32, n uint64) []byte { return le.AppendUint64(le.AppendUint32(nil, kind), n) }
	many := func(n int, x func(i int) []byte) (out [][]byte) {
		for size := 0; size < n; size += len(out[len(out)-1]) {
			out = append(out, x(len(out)))
		}
		return out
	}
	suite.Limits(t, Format, suite.Hostile{
		"pairs": func(n int) map[string][]byte {
			return one(made(many(n, func(int) []byte { return pairOf("", 0, 1) }), three, nil))
		},
		"tensors": func(n int) map[string][]byte {
			return one(made(nil, many(n, func(int) []byte { return entryOf("", 0, 0) }), nil))
		},
		"tensors-of-nothing": func(n int) map[string][]byte {
			return one(made(nil, many(n, func(i int) []byte { return entryOf(fmt.Sprint(i), 0, 0, 0, 1<<62) }), nil))
		},
		"tensors-of-much": func(n int) map[string][]byte {
			return one(made(nil, many(n, func(i int) []byte { return entryOf(fmt.Sprint(i), 28, 1<<63-32, 1<<50) }), make([]byte, 1000)))
		},
		"strings": func(n int) map[string][]byte {
			return one(made([][]byte{llama, pairOf("a", 9, append(list(8, uint64(n/8)), make([]byte, n/8*8)...)...)}, nil, nil))
		},
		"strings-cut": func(n int) map[string][]byte {
			return one(made([][]byte{llama, pairOf("a", 9, append(list(8, 1<<62), make([]byte, n)...)...)}, nil, nil))
		},
		"nested": func(n int) map[string][]byte {
			return one(made([][]byte{pairOf("a", 9, bytes.Repeat(list(9, 1), n/12)...)}, nil, nil))
		},
		"arrays": func(n int) map[string][]byte {
			return one(made([][]byte{pairOf("a", 9, append(list(9, uint64(n/12)), bytes.Repeat(list(4, 0), n/12)...)...)}, nil, nil))
		},
		"numbers": func(n int) map[string][]byte {
			return one(made([][]byte{pairOf("a", 9, append(list(0, 1<<63), make([]byte, n)...)...)}, nil, nil))
		},
		"counts": func(n int) map[string][]byte {
			b := made([][]byte{llama}, three, make([]byte, n))
			copy(b[8:], bytes.Repeat([]byte{0xff}, 16))
			return one(b)
		},
	})
}

package npy

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"spandrel/parsers/internal/suite"
)

// long is an array whose header is as long as the second version allows.
func long(header string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte("\x93NUMPY\x02\x00"), uint32(len(header)+1))
	return append(append(append(b, header...), '\n'), data...)
}

func one(name string, b []byte) map[string][]byte { return map[string][]byte{name: b} }

// Arrays and archives that claim more than there is, or are it many times.
func TestNPYLimits(t *testing.T) {
	good := array(dict("'<f4'", "False", "(2, 3)"), floats(6))
	suite.Limits(t, Format, suite.Hostile{
		"nested-shape": func(n int) map[string][]byte {
			return one("a.npy", long(dict("'<f4'", "False", strings.Repeat("(", n/2)+strings.Repeat(",)", n/4)), nil))
		},
		"nested-fields": func(n int) map[string][]byte {
			return one("a.npy", long(dict(strings.Repeat("[('a', ", n/10)+"'<f4'"+strings.Repeat(")]", n/10), "False", "(1,)"), nil))
		},
		"many-dimensions": func(n int) map[string][]byte {
			return one("a.npy", long(dict("'|u1'", "False", "("+strings.Repeat("1,", n/2)+")"), []byte{1}))
		},
		"many-fields": func(n int) map[string][]byte {
			return one("a.npy", long(dict("["+strings.Repeat("('a', '|u1'),", n/13)+"]", "False", "(1,)"), make([]byte, n/13)))
		},
		"most-values": func(n int) map[string][]byte {
			return one("a.npy", array(dict("'|u1'", "False", "(9223372036854775807, 2)"), make([]byte, n)))
		},
		"most-rows-of-nothing": func(n int) map[string][]byte {
			return one("a.npy", array(dict("'|V0'", "False", "(9223372036854775807,)"), make([]byte, n)))
		},
		"no-columns": func(n int) map[string][]byte {
			return one("a.npy", array(dict("'<f4'", "False", "(4611686018427387904, 0)"), make([]byte, n)))
		},
		"one-row": func(n int) map[string][]byte {
			return one("a.npy", array(dict("'|u1'", "False", fmt.Sprintf("(1, %d)", n)), make([]byte, n)))
		},
		"bomb":  func(n int) map[string][]byte { return one("a.npz", suite.ZipBomb("a.npy", n)) },
		"names": func(n int) map[string][]byte { return one("a.npz", suite.ZipNames("a.npy", good, n)) },
	})
}

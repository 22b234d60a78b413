package idv

import (
	"encoding/binary"
	"testing"
)

// BenchmarkIDVCrowd opens directories of as many columns as are read, all of them wrong in one way: none may cost a look at all the
// others.
func BenchmarkIDVCrowd(b *testing.B) {
	const columns = maxColumns
	type column struct {
		name, codec  string
		rpb          byte
		lookup, meta uint64
	}
	for name, make := range map[string]func(i int) column{
		"nameless":   func(int) column { return column{"", "\x05Int32\x00", 1, 256, 0} },
		"same name":  func(int) column { return column{"c", "\x05Int32\x00", 1, 256, 0} },
		"no rows":    func(int) column { return column{"c", "\x05Int32\x00", 0, 256, 0} },
		"cut tables": func(i int) column { return column{"c", "\x05Int32\x00", 1, 300 + uint64(i), 0} },
		"legacy keys": func(int) column {
			return column{"c", "\x03Key\x13\x04Byte\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00", 1, 256, 0}
		},
		"bad keys": func(int) column {
			return column{"c", "\x04Key2\x0e\x04Byte\x00\x00\x00\x00\x00\x00\x00\x00\x00", 1, 256, 0}
		},
		"metadata": func(i int) column { return column{"c", "\x05Int32\x00", 1, 256, 300 + uint64(i)} },
	} {
		b.Run(name, func(t *testing.B) {
			b := headerBytes(versionBase+6, headerSize, 0, 1<<20, columns)
			for i := range columns {
				c := make(i)
				b = append(appendText(b, c.name), c.codec...)
				b = append(b, 1, c.rpb)
				b = binary.LittleEndian.AppendUint64(b, c.lookup)
				b = binary.LittleEndian.AppendUint64(b, c.meta)
			}
			binary.LittleEndian.PutUint64(b[32:], uint64(len(b)))
			b = binary.LittleEndian.AppendUint64(b, tailSignature)
			for t.Loop() {
				d := open(t, "crowd.idv", b)
				if len(stateOf(d.Tree).all()[0].cols) != columns {
					t.Fatal("the columns are not read")
				}
				if err := d.Deep(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

package parsers

import (
	"encoding/binary"
	"strings"
	"testing"
)

// strangeHeader is two columns of unknown types under the header of another table.
func strangeHeader() []byte {
	const blocks, rows = 40, 100
	put := binary.LittleEndian.AppendUint64
	entry := func(b []byte, off, n int) []byte {
		return put(put(b, uint64(off)), uint64(n)<<32|uint64(n))[:len(b)+16]
	}
	b, tables, toc := make([]byte, 256), [2][]byte{}, []byte{}
	for k := range blocks {
		for c, w := range []int{4, 8} {
			tables[c] = entry(tables[c], len(b), w*rows)
			for i := range rows {
				b = append(b, put(nil, uint64(k*rows+i)*0x0101010101)[:w]...)
			}
		}
	}
	for c, name := range []string{"\x01a\x05Nope2", "\x01b\x06Nouble"} {
		toc = append(append(toc, name...), 0, 0, rows)
		toc, b = put(put(toc, uint64(len(b))), 0), append(b, tables[c]...)
	}
	b = append(append(b, toc...), "\x00BVD\x00LMC"...)
	head := []byte("CML\x00DVB\x00\x06\x00\x01\x00\x01\x00\x01\x00\x06\x00\x01\x00\x01\x00\x01\x00")
	for _, v := range []int{len(b) + 6990, len(b) + 7104, blocks * rows, 4} {
		head = put(head, uint64(v))
	}
	copy(b, head)
	return b
}

// Zeros that are put into the header of another table make it one of a table without columns: no row is read, and no error is left. No repair
// does that.
func TestShiftEmpties(t *testing.T) {
	g := causesOf(t, "idv/good/stored.idv", "", func([]byte) []byte { return strangeHeader() })
	for _, c := range g.Causes {
		for _, r := range c.Repairs {
			if strings.Contains(r.Label, "insert") {
				t.Errorf("%s: %s", c.Text, r.Label)
			}
		}
	}
}

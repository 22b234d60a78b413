package idv

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"spandrel/parsers/internal/suite"
)

// streamed is a stream of a body behind the header, and a directory of columns.
func streamed(rows uint64, columns int, body, directory []byte) []byte {
	out := append([]byte("CML\x00DVB\x00"), le(8, 0x0001000100010006)...)
	out = append(append(out, le(8, 0x0001000100010006)...), le(8, uint64(256+len(body)))...)
	out = append(append(append(out, le(8, uint64(256+len(body)+len(directory)))...), le(8, rows)...), le(4, uint64(columns))...)
	out = append(append(append(out, make([]byte, 256-len(out))...), body...), directory...)
	return append(out, 0, 'B', 'V', 'D', 0, 'L', 'M', 'C')
}

// listed is an entry of a directory.
func listed(name string, typ []byte, deflated byte, perBlock, table, meta uint64) []byte {
	b := append(append(lenText(name), typ...), deflated)
	return append(append(binary.AppendUvarint(b, perBlock), le(8, table)...), le(8, meta)...)
}

// shelf is an entry of a lookup table.
func shelf(at uint64, stored, size int) []byte {
	return append(append(le(8, at), le(4, uint64(stored))...), le(4, uint64(size))...)
}

var octet = typeSpec{load: "Byte"}.def()

// Streams whose columns share what is large, whose types have types, whose vectors are of nothing.
func TestIDVLimits(t *testing.T) {
	of := func(f func(n int) []byte) func(int) map[string][]byte {
		return func(n int) map[string][]byte { return map[string][]byte{"a.idv": f(n)} }
	}
	suite.Limits(t, Format, suite.Hostile{
		"columns": of(func(n int) []byte {
			c := listed("c", octet, 0, 1, 257, 0)
			return streamed(1, n/len(c), append([]byte{7}, shelf(256, 1, 1)...), bytes.Repeat(c, n/len(c)))
		}),
		"columns-of-one-bomb": of(func(n int) []byte {
			z, size := suite.Zeros(n / 2)
			size = min(size, 1<<31-1)
			c := listed("c", octet, 1, uint64(size), uint64(256+len(z)), 0)
			return streamed(uint64(size), n/2/len(c), append(z, shelf(256, len(z), size)...), bytes.Repeat(c, n/2/len(c)))
		}),
		"blocks-of-one-bomb": of(func(n int) []byte {
			z, size := suite.Zeros(n / 2)
			size = min(size, 1<<31-1)
			k := n / 2 / 16
			return streamed(uint64(size)*uint64(k), 1, append(bytes.Clone(z), bytes.Repeat(shelf(256, len(z), size), k)...),
				listed("c", octet, 1, uint64(size), uint64(256+len(z)), 0))
		}),
		"one-block-for-all": of(func(n int) []byte {
			k := n / 2 / 16
			return streamed(uint64(k)*uint64(n/2), 1, append(make([]byte, n/2), bytes.Repeat(shelf(256, n/2, n/2), k)...),
				listed("c", octet, 0, uint64(n/2), uint64(256+n/2), 0))
		}),
		"nested-types": of(func(n int) []byte {
			out, size := make([]byte, n), 0
			put := func(b []byte) { size += len(b); copy(out[n-size:], b) }
			for put(octet); size < n-100; {
				inner := size
				head := binary.AppendUvarint(lenText("VBuffer"), uint64(inner))
				put(head)
			}
			return streamed(0, 1, nil, listed("c", out[n-size:], 0, 1, 256, 0))
		}),
		"dimensions": of(func(n int) []byte {
			item := octet
			p := append(bytes.Clone(item), le(4, uint64(n/4))...)
			p = append(p, bytes.Repeat([]byte{1, 0, 0, 0}, n/4)...)
			return streamed(0, 1, nil, listed("c", append(binary.AppendUvarint(lenText("VBuffer"), uint64(len(p))), p...), 0, 1, 256, 0))
		}),
		"metadata-of-all": of(func(n int) []byte {
			meta := append(append(append(lenText("m"), octet...), 0), append(le(8, 256), 1)...)
			k := n / 2 / len(meta)
			c := listed("c", octet, 0, 1, 256, 257)
			return streamed(0, n/2/len(c), append([]byte{7}, append(binary.AppendUvarint(nil, uint64(k)), bytes.Repeat(meta, k)...)...), bytes.Repeat(c, n/2/len(c)))
		}),
		"metadata": of(func(n int) []byte {
			meta := append(append(append(lenText("m"), octet...), 0), append(le(8, 256), 1)...)
			return streamed(0, 1, append(binary.AppendUvarint([]byte{7}, uint64(n/len(meta))), bytes.Repeat(meta, n/len(meta))...), listed("c", octet, 0, 1, 256, 257))
		}),
		"slots-of-all": of(func(n int) []byte {
			slot := append(le(4, 0), lenText("a")...)
			k := n / 2 / len(slot)
			c := append(append(append(lenText("c"), octet...), 0, 1), le(8, 256)...)
			c = append(append(append(c, le(8, 256)...), le(8, uint64(k*len(slot)))...), le(4, uint64(k))...)
			b := streamed(0, n/2/len(c), bytes.Repeat(slot, k), bytes.Repeat(c, n/2/len(c)))
			b[8] = 3 // the version whose columns have them
			return b
		}),
		"metadata-behind": of(func(n int) []byte {
			meta := append(append(append(lenText("m"), octet...), 0), append(le(8, 256), 1)...)
			c := listed("c", octet, 0, 1, 256, 257)
			return streamed(0, n/2/len(c), append([]byte{7, 1}, bytes.Repeat(meta, n/2/len(meta))...), bytes.Repeat(c, n/2/len(c)))
		}),
		"metadata-of-one-bomb": of(func(n int) []byte {
			z, _ := suite.Zeros(n / 2)
			meta := append(append(append(lenText("m"), octet...), 1), binary.AppendUvarint(le(8, 256), uint64(len(z)))...)
			k := n / 2 / len(meta)
			at := uint64(256 + len(z))
			return streamed(0, 1, append(z, append(binary.AppendUvarint(nil, uint64(k)), bytes.Repeat(meta, k)...)...), listed("c", octet, 0, 1, 256, at))
		}),
		"vectors-of-nothing": of(func(n int) []byte {
			k := n / 8
			block := append(le(4, uint64(k)), le(4, 0)...)
			block = append(block, bytes.Repeat(le(4, 1<<31-1), k)...)
			block = append(block, make([]byte, 4*k+4)...) // sparse, and none is there
			vector := typeSpec{load: "VBuffer", item: &typeSpec{load: "Single"}}.def()
			return streamed(uint64(k), 1, append(block, shelf(256, len(block), len(block))...), listed("c", vector, 0, uint64(k), uint64(256+len(block)), 0))
		}),
		"texts-of-one": of(func(n int) []byte {
			k := n / 5
			block := le(4, uint64(k))
			for i := range k {
				block = append(block, le(4, uint64(i))...)
			}
			block = append(block, lenText(string(make([]byte, k)))...)
			return streamed(uint64(k), 1, append(block, shelf(256, len(block), len(block))...), listed("c", typeSpec{load: "TextSpan"}.def(), 0, uint64(k), uint64(256+len(block)), 0))
		}),
		"most-rows": of(func(n int) []byte {
			return streamed(1<<63-1, 1, make([]byte, n), listed("c", octet, 0, 1, 256, 0))
		}),
		"most-columns": of(func(n int) []byte { return streamed(1, 1<<31-1, make([]byte, 8), make([]byte, n)) }),
		"streams":      of(func(n int) []byte { return bytes.Repeat(streamed(0, 0, nil, nil), n/264) }),
		"archive": func(n int) map[string][]byte {
			return map[string][]byte{"a.idv": suite.ZipBomb("TransformerChain/Schema.idv", n)}
		},
		"names": func(n int) map[string][]byte {
			return map[string][]byte{"a.idv": suite.ZipNames("Schema.idv", streamed(0, 0, nil, nil), n)}
		},
	})
}

// Of very many metadata only the first are read. What would rewrite them, and lose the others, is refused.
func TestMoreMetadataThanAreRead(t *testing.T) {
	meta := append(append(append(lenText("m"), octet...), 0), append(le(8, 256), 1)...)
	for _, n := range []int{maxMetadata, maxMetadata + 1} {
		d := open(t, "a.idv", streamed(1, 1, append(binary.AppendUvarint([]byte{7}, uint64(n)), bytes.Repeat(meta, n)...), listed("c", octet, 0, 1, 256, 257)))
		if c := stateOf(d.Tree).all()[0].cols[0]; len(c.entries) != maxMetadata || c.unread != (n > maxMetadata) {
			t.Errorf("of %d there are %d, unread %v", n, len(c.entries), c.unread)
		}
		for _, edit := range [][]string{{"toc[0]", "drop-metadata", "kind", "m"}, {"", "set-rows-per-block", "rows", "5"}} {
			edits, err := act(t, d, edit[0], edit[1], map[string]string{edit[2]: edit[3]})
			if err == nil {
				_, err = d.Plan(t.Context(), edit[1], edits...)
			}
			if refused := err != nil && strings.Contains(err.Error(), "would be lost"); refused != (n > maxMetadata) {
				t.Errorf("%s of %d: %v", edit[1], n, err)
			}
		}
	}
}

// Without a header nothing says how many rows there are: what would rewrite the stream as if there were none is refused.
func TestNoHeaderIsNotRewritten(t *testing.T) {
	wiped := sample(true).encode()
	clear(wiped[:headerSize])
	for _, b := range [][]byte{wiped, append(make([]byte, 512), sample(true).encode()...)} {
		d := open(t, "a.idv", b)
		for _, edit := range [][]string{{"set-rows-per-block", "rows", "5"}, {"add-rows", "count", "1"}} {
			if edits, err := act(t, d, "", edit[0], map[string]string{edit[1]: edit[2]}); err == nil {
				t.Errorf("%s: %d edits", edit[0], len(edits))
			}
		}
	}
}

package tar

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
	"spandrel/parsers/internal/tarfile"
)

// headed is a header whose checksum is right, after a change.
func headed(name string, kind byte, size int64, change func(h []byte)) []byte {
	h := bytes.Clone(archive(tar.FormatGNU, name, "")[:512])
	h[156] = kind
	copy(h[124:136], fmt.Sprintf("%011o\x00", size))
	if change != nil {
		change(h)
	}
	b, _ := tarfile.Octal{Bytes: 8}.Encode(model.U(uint64(tarfile.Parse(h).Sum)))
	copy(h[148:], b)
	return h
}

// Archives of headers alone, of records that say it again, of sizes that wrap.
func TestTarLimits(t *testing.T) {
	of := func(f func(n int) []byte) func(int) map[string][]byte {
		return func(n int) map[string][]byte { return map[string][]byte{"a.tar": append(f(n), make([]byte, 1024)...)} }
	}
	whole := func(b []byte) []byte { return append(b, make([]byte, -len(b)&511)...) }
	suite.Limits(t, Format, suite.Hostile{
		"headers": of(func(n int) []byte { return bytes.Repeat(headed("a", '0', 0, nil), n/512) }),
		"names":   of(func(n int) []byte { return bytes.Repeat(headed("../../../../etc/passwd", '2', 0, nil), n/512) }),
		"long-names": of(func(n int) []byte {
			return bytes.Repeat(append(headed("././@LongLink", 'L', 1, nil), whole([]byte("a"))...), n/1024)
		}),
		"helpers": of(func(n int) []byte {
			return bytes.Repeat(append(headed("p", 'x', 10, nil), whole([]byte("10 path=a\n"))...), n/1024)
		}),
		"sums": of(func(n int) []byte { return bytes.Repeat(append([]byte("a"), make([]byte, 511)...), n/512) }),
		"long-name": of(func(n int) []byte {
			return append(headed("././@LongLink", 'L', int64(n), nil), whole(bytes.Repeat([]byte("a/"), n/2))...)
		}),
		"one-letters": of(func(n int) []byte {
			return append(headed("p", 'x', int64(n), nil), whole([]byte(strings.Repeat("6 a=b\n", n/6)))...)
		}),
		"all-records": of(func(n int) []byte {
			records := whole([]byte(strings.Repeat("10 path=a\n", n/20)))
			return append(append(headed("g", 'g', int64(len(records)), nil), records...), bytes.Repeat(headed("a", '0', 0, nil), n/1024)...)
		}),
		"most-bytes": of(func(n int) []byte {
			return bytes.Repeat(headed("a", '0', 0, func(h []byte) {
				binary.BigEndian.PutUint64(h[124:], 1<<63)
				binary.BigEndian.PutUint64(h[128:], 1<<63-1)
			}), n/512)
		}),
		"sparse": of(func(n int) []byte {
			return bytes.Repeat(headed("a", 'S', 0, func(h []byte) { h[482] = 1; copy(h[483:], "77777777777\x00") }), n/512)
		}),
	})
}

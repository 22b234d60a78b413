// Package measured is what the programs that measure have together: what they measure on, and what a process took.
package measured

import (
	"archive/tar"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
)

// Index is a TARIDX index of the n members of Shard, where size says how long the index takes each to be: they have one byte.
func Index(n int, size func(i int) uint64) []byte {
	le := binary.LittleEndian
	b := append([]byte("TARIDX\x00\x00"), 1, 0, 0, 0, 32, 0, 64, 0)
	b = le.AppendUint64(le.AppendUint64(b, uint64(n)), uint64(n))
	b = le.AppendUint32(le.AppendUint32(b, 1), 0)
	b = le.AppendUint64(le.AppendUint64(b, 67), 67)
	b = append(append(b, 1, 0, 0, 0, 0, 0, 0, 0), "bin"...)
	for i := range n {
		b = le.AppendUint64(le.AppendUint64(le.AppendUint16(b, 0), uint64(i)*1024), size(i))
		b = le.AppendUint64(le.AppendUint32(le.AppendUint16(b, 0), 0), xxhash.Sum64String(stem(i)))
	}
	return b
}

func stem(i int) string { return fmt.Sprintf("s%08d", i) }

// Shard writes the archive of such an index: 1 KiB a member, of one byte.
func Shard(to io.Writer, n int) error {
	w := tar.NewWriter(to)
	for i := range n {
		if err := w.WriteHeader(&tar.Header{Name: stem(i) + ".bin", Size: 1, Mode: 0o644, Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		if _, err := w.Write([]byte("x")); err != nil {
			return err
		}
	}
	return w.Close()
}

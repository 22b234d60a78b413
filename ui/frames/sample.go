package main

import (
	"archive/tar"
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
)

// largeIndex writes a shard of n members and its TARIDX index, of which each thousandth row is wrong, into a folder, and returns the path
// of the index: 1 KiB a member.
func largeIndex(dir string, n int) (string, error) {
	le := binary.LittleEndian
	b := append([]byte("TARIDX\x00\x00"), 1, 0, 0, 0, 32, 0, 64, 0)
	b = le.AppendUint64(le.AppendUint64(b, uint64(n)), uint64(n))
	b = le.AppendUint32(le.AppendUint32(b, 1), 0)
	b = le.AppendUint64(le.AppendUint64(b, 67), 67)
	b = append(append(b, 1, 0, 0, 0, 0, 0, 0, 0), "bin"...)
	f, err := os.Create(filepath.Join(dir, "train_0000.tar"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	buffer := bufio.NewWriterSize(f, 1<<20)
	w := tar.NewWriter(buffer)
	for i := range n {
		name, size := fmt.Sprintf("s%08d", i), uint64(1)
		if i%1000 == 0 {
			size = 2
		}
		b = le.AppendUint64(le.AppendUint64(le.AppendUint16(b, 0), uint64(i)*1024), size)
		b = le.AppendUint64(le.AppendUint32(le.AppendUint16(b, 0), 0), xxhash.Sum64String(name))
		if err := w.WriteHeader(&tar.Header{Name: name + ".bin", Size: 1, Mode: 0o644, Format: tar.FormatUSTAR}); err != nil {
			return "", err
		}
		if _, err := w.Write([]byte("x")); err != nil {
			return "", err
		}
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	if err := buffer.Flush(); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "train.taridx")
	return path, os.WriteFile(path, b, 0o600)
}

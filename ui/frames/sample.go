package main

import (
	"bufio"
	"os"
	"path/filepath"

	"spandrel/.ci/measured"
)

// largeIndex writes a shard of n members and its TARIDX index, of which each thousandth row is wrong, into a folder, and returns the path
// of the index.
func largeIndex(dir string, n int) (string, error) {
	f, err := os.Create(filepath.Join(dir, "train_0000.tar"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	buffer := bufio.NewWriterSize(f, 1<<20)
	if err := measured.Shard(buffer, n); err != nil {
		return "", err
	}
	if err := buffer.Flush(); err != nil {
		return "", err
	}
	wrong := func(i int) uint64 {
		if i%1000 == 0 {
			return 2
		}
		return 1
	}
	path := filepath.Join(dir, "train.taridx")
	return path, os.WriteFile(path, measured.Index(n, wrong), 0o600)
}

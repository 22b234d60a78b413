package ui

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"

	"spandrel/.ci/measured"
	"spandrel/testdata"
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

// manySamples writes n small documents, of each format as many, and returns their paths.
func manySamples(dir string, n int) (paths []string, err error) {
	for i := range n {
		sample := testdata.Samples[i%len(testdata.Samples)]
		path, err := sample.Copy(filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// crowdedSamples writes a document of each format among n files that are none of it, and returns what of it is opened; the last is a
// folder of n arrays.
func crowdedSamples(dir string, n int) (paths []string, err error) {
	for _, sample := range testdata.Samples {
		path, err := sample.Copy(filepath.Join(dir, "among"))
		if err != nil {
			return nil, err
		}
		folder := path
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			folder = filepath.Dir(path)
		}
		if err := crowd(folder, n, ".jpg", nil); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	arrays := filepath.Join(dir, "arrays")
	header := append([]byte("\x93NUMPY\x01\x00\x76\x00"), fmt.Sprintf("%-117s\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }")...)
	return append(paths, arrays), crowd(arrays, n, ".npy", append(header, make([]byte, 8)...))
}

// crowd writes n files of the same content.
func crowd(folder string, n int, ext string, content []byte) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for i := range n {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%06d%s", i, ext)), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/cespare/xxhash/v2"
)

// index makes a TARIDX index of n members of one byte, of one shard; each row's size is wrong by so much.
func index(n int, wrong uint64) []byte {
	le := binary.LittleEndian
	b := append([]byte("TARIDX\x00\x00"), 1, 0, 0, 0, 32, 0, 64, 0)
	b = le.AppendUint64(le.AppendUint64(b, uint64(n)), uint64(n))
	b = le.AppendUint32(le.AppendUint32(b, 1), 0)
	b = le.AppendUint64(le.AppendUint64(b, 67), 67)
	b = append(append(b, 1, 0, 0, 0, 0, 0, 0, 0), "bin"...)
	for i := range n {
		b = le.AppendUint64(le.AppendUint64(le.AppendUint16(b, 0), uint64(i)*1024), 1+wrong)
		b = le.AppendUint64(le.AppendUint32(le.AppendUint16(b, 0), 0), xxhash.Sum64String(stem(i)))
	}
	return b
}

func stem(i int) string { return fmt.Sprintf("s%06d", i) }

// shard is the archive of such an index.
func shard(n int) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := range n {
		if err := w.WriteHeader(&tar.Header{Name: stem(i) + ".bin", Size: 1, Mode: 0o644, Format: tar.FormatUSTAR}); err != nil {
			return nil, err
		}
		if _, err := w.Write([]byte("x")); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// fixMany repairs an index of 1,332 rows that are all wrong.
func fixMany(l *lab) (string, error) {
	const n = 1332
	tarFile, err := shard(n)
	if err != nil {
		return "", err
	}
	return l.timed("fix", "--no-backup", map[string][]byte{"train.taridx": index(n, 1), "train_0000.tar": tarFile})
}

// diagnose looks for what is wrong with an index of 16 MiB whose header counts one row too many.
func diagnose(l *lab) (string, error) {
	b := index(1<<24/32, 0)
	b[24]++
	return l.timed("check", "--deep", map[string][]byte{"train.taridx": b})
}

// timed runs a command on a fresh copy of a document three times, and returns the shortest time and the most memory of a run.
func (l *lab) timed(command, flag string, files map[string][]byte) (string, error) {
	program, err := l.headless()
	if err != nil {
		return "", err
	}
	best, most := time.Duration(0), int64(0)
	for i := range 3 {
		dir := filepath.Join(l.dir, fmt.Sprint(command, i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return "", err
		}
		for name, b := range files {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				return "", err
			}
		}
		c, start := exec.Command(program, command, flag, filepath.Join(dir, "train.taridx")), time.Now()
		out, err := c.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1 || command == "fix") {
			return "", fmt.Errorf("%w: %.200s", err, out)
		}
		if took := time.Since(start); best == 0 || took < best {
			best = took
		}
		most = max(most, memory(c.ProcessState))
		os.RemoveAll(dir)
	}
	return fmt.Sprintf("%.2f s, %d MB", best.Seconds(), most>>20), nil
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"spandrel/.ci/measured"
)

// fixMany repairs an index of 1,332 rows that are all wrong.
func fixMany(l *lab) (string, error) {
	const n = 1332
	var shard bytes.Buffer
	if err := measured.Shard(&shard, n); err != nil {
		return "", err
	}
	return l.timed("fix", "--no-backup", map[string][]byte{"train.taridx": measured.Index(n, func(int) uint64 { return 2 }), "train_0000.tar": shard.Bytes()})
}

// diagnose looks for what is wrong with an index of 16 MiB whose header counts one row too many.
func diagnose(l *lab) (string, error) {
	b := measured.Index(1<<24/32, func(int) uint64 { return 1 })
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
		most = max(most, measured.Memory(c.ProcessState))
		os.RemoveAll(dir)
	}
	return fmt.Sprintf("%.2f s, %d MB", best.Seconds(), most>>20), nil
}

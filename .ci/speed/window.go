package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func startToWindow(l *lab) (string, error) { return l.starts() }

func startWithFile(l *lab) (string, error) {
	return l.starts("testdata/taridx/good/three-shards/train.taridx")
}

// starts compares the start of the program, with files or none, with that of an empty window: from the call to the visible window.
func (l *lab) starts(files ...string) (string, error) {
	empty, program, err := l.windows()
	if err != nil {
		return "", err
	}
	var best [2]time.Duration
	for range 5 {
		for i, c := range [][]string{append([]string{program}, files...), {empty}} {
			took, _, err := l.show(c, 0)
			if err != nil {
				return "", err
			}
			if best[i] == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	return fmt.Sprintf("%.2f (%d ms to %d ms)", best[0].Seconds()/best[1].Seconds(), best[0].Milliseconds(), best[1].Milliseconds()), nil
}

func windowMemory(l *lab) (string, error) {
	empty, program, err := l.windows()
	if err != nil {
		return "", err
	}
	_, ours, err := l.show([]string{program, "testdata/taridx/good/three-shards/train.taridx"}, 4*time.Second)
	if err != nil {
		return "", err
	}
	_, base, err := l.show([]string{empty}, 4*time.Second)
	return fmt.Sprintf("%d MB; the empty window %d MB", ours>>10, base>>10), err
}

// windows builds the program and an empty window.
func (l *lab) windows() (empty, program string, err error) {
	if empty, err = l.build("empty", "./.ci/speed/empty", "migrated_fynedo", true); err == nil {
		program, err = l.build("spandrel", ".", "migrated_fynedo,no_emoji", true)
	}
	return empty, program, err
}

// show starts a program and waits for its window; after a rest it returns how long that took, and the anonymous memory in KiB.
func (l *lab) show(args []string, rest time.Duration) (took time.Duration, kib int64, err error) {
	c := exec.Command(args[0], args[1:]...)
	home := filepath.Join(l.dir, "home")
	c.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "FYNE_SCALE=1")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return 0, 0, err
	}
	start := time.Now()
	if err := c.Start(); err != nil {
		return 0, 0, err
	}
	defer c.Wait()
	defer c.Process.Kill()
	pid := strconv.Itoa(c.Process.Pid)
	for {
		if err := exec.Command("xdotool", "search", "--onlyvisible", "--pid", pid, "--name", ".").Run(); err == nil {
			break
		}
		if time.Since(start) > time.Minute {
			return 0, 0, fmt.Errorf("%s shows no window", args[0])
		}
		time.Sleep(2 * time.Millisecond)
	}
	took = time.Since(start)
	time.Sleep(rest)
	b, err := os.ReadFile("/proc/" + pid + "/smaps_rollup")
	if err != nil {
		return took, 0, nil // not told on this system
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); f[0] == "Anonymous:" {
			kib, err = strconv.ParseInt(f[1], 10, 64)
		}
	}
	return took, kib, err
}

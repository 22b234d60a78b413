package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// build builds a program once, stripped as it is handed out, and returns its path.
func (l *lab) build(name, pkg, tags string, cgo bool) (string, error) {
	if path := l.programs[name]; path != "" {
		return path, nil
	}
	path := filepath.Join(l.dir, name)
	c := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-tags", tags, "-o", path, pkg)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if cgo {
		c.Env = append(os.Environ(), "CGO_ENABLED=1")
	}
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %s", err, out)
	}
	l.programs[name] = path
	return path, nil
}

func (l *lab) headless() (string, error) {
	return l.build("spandrel-headless", ".", "headless", false)
}

func binarySize(l *lab) (string, error) {
	path, err := l.headless()
	if err != nil {
		return "", err
	}
	i, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%.1f MB", float64(i.Size())/1e6), nil
}

// least runs two commands in turn and returns the shortest time of each. A status of 1 is an answer.
func least(times int, a, b func() *exec.Cmd) (x, y time.Duration, err error) {
	for range times {
		for _, c := range []struct {
			make func() *exec.Cmd
			best *time.Duration
		}{{a, &x}, {b, &y}} {
			cmd, start := c.make(), time.Now()
			var exit *exec.ExitError
			if err := cmd.Run(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
				return 0, 0, fmt.Errorf("%s: %w", cmd, err)
			}
			if took := time.Since(start); *c.best == 0 || took < *c.best {
				*c.best = took
			}
		}
	}
	return x, y, nil
}

func startOfVersion(l *lab) (string, error) {
	source := filepath.Join(l.dir, "hello.go")
	if err := os.WriteFile(source, []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"), 0o600); err != nil {
		return "", err
	}
	hello, err := l.build("hello", source, "", false)
	if err != nil {
		return "", err
	}
	program, err := l.headless()
	if err != nil {
		return "", err
	}
	a, b, err := least(40, func() *exec.Cmd { return exec.Command(program, "version") }, func() *exec.Cmd { return exec.Command(hello) })
	return fmt.Sprintf("%.1f (%.1f ms to %.1f ms)", float64(a)/float64(b), a.Seconds()*1e3, b.Seconds()*1e3), err
}

// manyFiles checks 10,000 copies of a sample, on one core and on all.
func manyFiles(l *lab) (string, error) {
	program, err := l.headless()
	if err != nil {
		return "", err
	}
	sample, err := os.ReadFile("testdata/idv/good/stored.idv")
	if err != nil {
		return "", err
	}
	const n = 10_000
	dir := filepath.Join(l.dir, "many")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%05d.idv", i)), sample, 0o600); err != nil {
			return "", err
		}
	}
	one, two, err := least(3, func() *exec.Cmd {
		return exec.Command("taskset", "-c", "0", program, "check", "--deep", "--quiet", dir)
	},
		func() *exec.Cmd { return exec.Command(program, "check", "--deep", "--quiet", dir) })
	return fmt.Sprintf("%.2f; %.2f ms a file of %.1f KB on one", one.Seconds()/two.Seconds(), one.Seconds()*1e3/n, float64(len(sample))/1e3), err
}

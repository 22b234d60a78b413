//go:build unix

package headless_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ordinary runs the program as a user who may not read everything: where the tests run as root, as another.
type ordinary struct {
	program string
	as      *syscall.Credential // nil: whoever runs the tests
}

func newOrdinary(t *testing.T) *ordinary {
	t.Helper()
	o := &ordinary{}
	dir := reachable(t)
	if os.Geteuid() == 0 {
		o.as = &syscall.Credential{Uid: 65534, Gid: 65534}
		try := exec.Command("/bin/sh", "-c", "cd "+dir)
		if try.SysProcAttr = (&syscall.SysProcAttr{Credential: o.as}); try.Run() != nil {
			t.Skip("no other user can be had")
		}
	}
	o.program = filepath.Join(dir, "spandrel-headless")
	build := exec.Command("go", "build", "-buildvcs=false", "-tags", "headless", "-o", o.program, "spandrel")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return o
}

// reachable is a folder that every user can go to.
func reachable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for at := dir; at != filepath.Dir(at) && at != filepath.Clean(os.TempDir()); at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run runs a command. One that does not end, or that ends by a signal or with the trace of a crash, is an error of the test.
func (o *ordinary) run(t *testing.T, args ...string) (status int, out, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr strings.Builder
	c := exec.CommandContext(ctx, o.program, args...)
	c.Stdout, c.Stderr, c.SysProcAttr = &stdout, &stderr, &syscall.SysProcAttr{Credential: o.as}
	c.Dir = "/"
	err := c.Run()
	out, said = stdout.String(), stderr.String()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() < 0) || ctx.Err() != nil {
		t.Fatalf("%q: %v: %s", args, err, said)
	}
	if all := out + said; strings.Contains(all, "goroutine ") || strings.Contains(all, "defect") || strings.Contains(all, "runtime error") {
		t.Errorf("%q crashed: %s", args, all)
	}
	return c.ProcessState.ExitCode(), out, said
}

// give gives all of a folder to the user who runs the program.
func (o *ordinary) give(t *testing.T, dir string) {
	t.Helper()
	if o.as == nil {
		return
	}
	must(t, filepath.WalkDir(dir, func(at string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(at, int(o.as.Uid), int(o.as.Gid)))
	}))
}

// closed takes from files and folders that they can be read, until the test ends.
func closed(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		st, err := os.Stat(path)
		must(t, err)
		must(t, os.Chmod(path, 0))
		t.Cleanup(func() { os.Chmod(path, st.Mode().Perm()) })
	}
}

const awkward = "line\nbreak \x1b[31mred\x1b[0m"

// jungle is a folder with everything that a disk can hold, and with two damaged documents that are to be found in it.
func jungle(t *testing.T, o *ordinary) (dir string) {
	t.Helper()
	dir = filepath.Join(reachable(t), "all")
	for to, from := range map[string]string{"a": "taridx/bad/022-n-rows", "deep/z": "taridx/bad/022-n-rows", "tdb": "tiledb/good/dense-v22", "scdl": "scdl/good/archive",
		"pipes": "scdl/good/archive", "shards": "taridx/good/three-shards", "shut": "idv/good", "deep/deeper/shut": "npy/good",
		"split": "gguf/good/split", "checkpoint": "safetensors/good/checkpoint", awkward: "taridx/bad/022-n-rows"} {
		must(t, os.CopyFS(filepath.Join(dir, to), os.DirFS("../../testdata/"+from)))
	}
	raw, err := os.ReadFile("../../testdata/idv/good/stored.idv")
	must(t, err)
	for _, name := range []string{"secret.idv", "deep/secret.idv"} {
		must(t, os.WriteFile(filepath.Join(dir, name), raw, 0o600))
	}
	must(t, os.Symlink(".", filepath.Join(dir, "deep", "loop")))
	must(t, os.Symlink("itself.idv", filepath.Join(dir, "itself.idv")))
	must(t, os.Symlink("nowhere.idv", filepath.Join(dir, "dangling.idv")))
	must(t, os.Symlink("a", filepath.Join(dir, "link")))
	for _, name := range []string{"pipe.idv", "pipe", "deep/pipe.npy"} {
		must(t, syscall.Mkfifo(filepath.Join(dir, name), 0o666))
	}
	for _, name := range []string{"pipes/row_ptr.npy", "shards/train_0001.tar", "split/model-00002-of-00003.gguf"} {
		must(t, os.Remove(filepath.Join(dir, name)))
		must(t, syscall.Mkfifo(filepath.Join(dir, name), 0o666))
	}
	t.Chdir(dir) // the path of a socket is short
	l, err := net.Listen("unix", "socket.idv")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	o.give(t, dir)
	for _, name := range []string{"shut", "deep/deeper/shut", "secret.idv", "deep/secret.idv", "tdb/__fragments", "scdl/row_ptr.npy", "checkpoint/model-00002-of-00003.safetensors"} {
		closed(t, filepath.Join(dir, name))
	}
	return dir
}

// What cannot be read keeps nothing beside it from being checked, whatever is there.
func TestCheckJungle(t *testing.T) {
	o := newOrdinary(t)
	dir := jungle(t, o)
	for _, kind := range []string{"text", "json", "sarif", "junit", "github"} {
		status, out, said := o.run(t, "check", "--format", kind, dir)
		if status != 2 || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: status %d, %q", kind, status, said)
		}
		for _, want := range []string{"shut", "secret.idv", "__fragments", "row_ptr.npy"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s: nothing is said of %s: %s", kind, want, said)
			}
		}
		damaged := "TIX-022"
		if kind == "github" { // causes stand for the findings that they explain
			damaged = "header/n_rows is"
		}
		if n := strings.Count(out, damaged); kind != "text" && n < 3 || !strings.Contains(out, "row") {
			t.Errorf("%s: %d of 3 damaged documents are found", kind, n)
		}
		if kind == "text" {
			if i := strings.IndexFunc(out+said, func(r rune) bool { return r < 0x20 && r != '\n' }); i >= 0 || strings.Count(out, "header/n_rows is") != 3 || !strings.Contains(out, `line\nbreak \x1b[31mred`) {
				t.Errorf("control characters at %d, or not all that is wrong: %q", i, out)
			}
		}
		if kind == "json" {
			for line := range strings.Lines(out) {
				if !json.Valid([]byte(line)) {
					t.Errorf("not JSON: %q", line)
				}
			}
		}
	}
	for _, name := range []string{"shut", "deep/deeper/shut", "secret.idv", "pipe.idv", "pipe", "socket.idv", "itself.idv", "dangling.idv", "shut/stored.idv", "none"} {
		path := filepath.Join(dir, name)
		if status, _, said := o.run(t, "check", path); status != 2 || strings.Count(said, "\n") != 1 || strings.Count(said, path) != 1 {
			t.Errorf("%s: status %d, %q", name, status, said)
		}
	}
	if status, out, said := o.run(t, "check", filepath.Join(dir, "link")); status != 1 || !strings.Contains(out, "n_rows") {
		t.Errorf("a link to a folder: status %d, %s%s", status, out, said)
	}
	status, out, _ := o.run(t, "check", filepath.Join(dir, "deep"))
	if status != 2 || !strings.Contains(out, "n_rows") {
		t.Errorf("an unreadable file, and a folder in a folder: status %d, %s", status, out)
	}
}

// No command crashes or hangs over what cannot be read, or is no file; nothing is written then.
func TestCommandsInJungle(t *testing.T) {
	o := newOrdinary(t)
	dir := jungle(t, o)
	to := filepath.Join(reachable(t), "to")
	must(t, os.Mkdir(to, 0o755))
	o.give(t, to)
	out := filepath.Join(to, "out")
	for _, command := range []string{"dump PATH", "fix PATH", "fix --dry-run PATH", "salvage PATH -o OUT", "get PATH header", "set PATH header=1", "table PATH", "diff PATH PATH",
		"diff DIR/a PATH", "convert PATH", "find PATH a", "report PATH -o OUT", "slice PATH -o OUT", "recover PATH",
		"fix --dry-run --with DIR/a/train.taridx PATH", "fix --dry-run --with PATH DIR/a/train.taridx"} {
		for _, name := range []string{"shut", "secret.idv", "deep/deeper/shut", "tdb", "scdl", "checkpoint", "split/model-00001-of-00003.gguf", "pipes", "shards/train.taridx", "pipe.idv", "socket.idv", "itself.idv", "dangling.idv", "none"} {
			words := strings.Fields(command)
			for i := range words {
				words[i] = strings.NewReplacer("PATH", filepath.Join(dir, name), "DIR", dir, "OUT", out).Replace(words[i])
			}
			status, _, said := o.run(t, words...)
			if readable := name == "pipes" || name == "shards/train.taridx" || strings.HasPrefix(name, "split") || strings.HasPrefix(command, "recover") || strings.HasPrefix(command, "set"); !readable && (status != 2 || said == "") {
				t.Errorf("%s of %s: status %d, %q", command, name, status, said)
			}
			if strings.Count(said, "spandrel: ") > 1 {
				t.Errorf("%s of %s: %q", command, name, said)
			}
			if list, err := os.ReadDir(to); status == 2 && (err != nil || len(list) > 0) {
				t.Errorf("%s of %s failed and left %v %v", command, name, list, err)
			}
			must(t, os.RemoveAll(out))
		}
	}
}

// A file that is deleted while a folder is checked is one that cannot be read, at most.
func TestCheckDeletedMeanwhile(t *testing.T) {
	o := newOrdinary(t)
	dir := filepath.Join(reachable(t), "all")
	raw, err := os.ReadFile("../../testdata/idv/good/stored.idv")
	must(t, err)
	must(t, os.Mkdir(dir, 0o755))
	const files = 300
	name := func(i int) string { return filepath.Join(dir, "f"+strconv.Itoa(1000+i)+".idv") }
	for i := range files {
		must(t, os.WriteFile(name(i), raw, 0o644))
	}
	gone := make(chan bool)
	go func() {
		for i := files - 1; i >= 0; i -= 2 {
			os.Remove(name(i))
		}
		close(gone)
	}()
	status, _, said := o.run(t, "check", dir)
	<-gone
	if status == 2 && !strings.Contains(said, "no such file") && !strings.Contains(said, "vanished") {
		t.Errorf("status %d, %s", status, said)
	}
}

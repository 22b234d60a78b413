package headless_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spandrel/ui/headless"
)

// runPlain runs a command and returns what it printed.
func runPlain(args ...string) (status int, out string) {
	var b bytes.Buffer
	status = headless.Run(headless.Env{Out: &b, Err: &b}, args)
	return status, b.String()
}

// A save that stopped after its record was written: of two files one is new already.
func interrupted(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	own := filepath.Join(dir, ".spandrel-save")
	record := fmt.Sprintf(`{"When":"2026-01-02T03:04:05Z","Files":[{"Name":"a","New":"0.new","Old":"0.old","Size":5,"Sum":%d},{"Name":"b","New":"1.new","Old":"1.old","Size":5,"Sum":%d}]}`,
		crc32.ChecksumIEEE([]byte("new a")), crc32.ChecksumIEEE([]byte("new b")))
	record += fmt.Sprintf("\n%08x\n", crc32.ChecksumIEEE([]byte(record)))
	if err := os.Mkdir(own, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a": "new a", "b": "old b", ".spandrel-save/0.old": "old a", ".spandrel-save/1.old": "old b", ".spandrel-save/1.new": "new b", ".spandrel-save/record": record} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRecover(t *testing.T) {
	for flag, want := range map[string]string{"--finish": "new", "--undo": "old", "--quiet": "new"} {
		dir := interrupted(t)
		if status, out := runPlain("recover", flag, filepath.Join(dir, "a")); status != headless.Done {
			t.Errorf("%s: %d, %s", flag, status, out)
		}
		for _, name := range []string{"a", "b"} {
			if b, err := os.ReadFile(filepath.Join(dir, name)); string(b) != want+" "+name {
				t.Errorf("%s: %s is %q, %v", flag, name, b, err)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, ".spandrel-save")); err == nil {
			t.Errorf("%s leaves something behind", flag)
		}
	}
}

// Where taking a save back has begun, the new content of a file is gone: it is taken back, without anybody who knows that.
func TestRecoverGoesOnTakingBack(t *testing.T) {
	for _, flag := range []string{"--quiet", "--undo", "--finish"} {
		dir := interrupted(t)
		if err := os.WriteFile(filepath.Join(dir, "a"), []byte("old a"), 0o644); err != nil {
			t.Fatal(err)
		}
		status, out := runPlain("recover", flag, dir)
		a, _ := os.ReadFile(filepath.Join(dir, "a"))
		b, _ := os.ReadFile(filepath.Join(dir, "b"))
		_, err := os.Stat(filepath.Join(dir, ".spandrel-save"))
		if refused := flag == "--finish"; refused != (status == headless.Failed) || string(a)+string(b) != "old aold b" || refused != (err == nil) {
			t.Errorf("%s: %d, %s, %q, %q, %v", flag, status, out, a, b, err)
		}
	}
}

// recover says that there is nothing to recover, and takes one way at a time.
func TestRecoverNeedsAnInterruption(t *testing.T) {
	for _, args := range [][]string{{"recover", t.TempDir()}, {"recover", "--finish", "--undo", interrupted(t)}, {"recover"}} {
		if status, out := runPlain(args...); status != headless.Failed || out == "" {
			t.Errorf("%v: %d, %q", args, status, out)
		}
	}
}

// check says of a document that a save of it was interrupted.
func TestCheckInterrupted(t *testing.T) {
	dir := interrupted(t)
	if err := os.CopyFS(dir, os.DirFS(samples+"good/three-shards")); err != nil {
		t.Fatal(err)
	}
	status, out, _ := run(nil, "check", filepath.Join(dir, "train.taridx"))
	if status != headless.Found || !strings.Contains(out, "interrupted") {
		t.Errorf("%d, %s", status, out)
	}
}

// A save in place of a file inside a folder is taken back by the folder's name too.
func TestRecoverInPlace(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner", "data")
	journal := binary.LittleEndian.AppendUint64([]byte("SPANDREL-JOURNAL"), 3)
	journal = binary.LittleEndian.AppendUint64(journal, 1)
	journal = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(journal, 0), 3)
	journal = append(journal, "old"...)
	journal = binary.LittleEndian.AppendUint32(journal, crc32.ChecksumIEEE(journal))
	if err := os.Mkdir(filepath.Dir(inner), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{inner: []byte("ne"), inner + ".spandrel-journal": journal} {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if status, out := runPlain("recover", "--finish", dir); status != headless.Failed {
		t.Errorf("finished: %s", out)
	}
	if status, out := runPlain("recover", dir); status != headless.Done || !strings.Contains(out, "data: the interrupted save was undone") {
		t.Errorf("%d, %s", status, out)
	}
	if b, err := os.ReadFile(inner); string(b) != "old" {
		t.Errorf("it is %q, %v", b, err)
	}
	if status, out := runPlain("recover", dir); status != headless.Failed {
		t.Errorf("again: %s", out)
	}
}

// A file that was changed after the save was interrupted is not overwritten: it is named, and nothing changes until it is moved away.
func TestRecoverKeepsLaterChanges(t *testing.T) {
	for _, flag := range []string{"--finish", "--undo", "--quiet"} {
		for _, name := range []string{"a", "b"} {
			dir := interrupted(t)
			path := filepath.Join(dir, name)
			must(t, os.WriteFile(path, []byte("mine"), 0o644))
			status, out := runPlain("recover", flag, dir)
			if b, err := os.ReadFile(path); status != headless.Failed || !strings.Contains(out, name+": it was changed after") || string(b) != "mine" {
				t.Errorf("%s %s: %d, %s, %q, %v", flag, name, status, out, b, err)
			}
			must(t, os.Rename(path, filepath.Join(t.TempDir(), name)))
			if status, out := runPlain("recover", "--undo", dir); status != headless.Done {
				t.Errorf("%s %s: %s", flag, name, out)
			}
		}
	}
}

// A file that was overwritten only in part has bytes of both contents: it is recovered.
func TestRecoverOfHalf(t *testing.T) {
	dir := interrupted(t)
	must(t, os.WriteFile(filepath.Join(dir, "b"), []byte("ned b"), 0o644))
	if status, out := runPlain("recover", dir); status != headless.Done {
		t.Errorf("%d, %s", status, out)
	}
}

// What a save left that was killed before its record was complete is removed, unless it is recent or something else is with it.
func TestRecoverClears(t *testing.T) {
	for what, cleared := range map[string]bool{"0.new": true, "1.old": true, "mine": false, "recent.new": false, "2.new": false} {
		dir := interrupted(t)
		own := filepath.Join(dir, ".spandrel-save")
		must(t, os.WriteFile(filepath.Join(own, "record"), []byte("{"), 0o644))
		must(t, os.WriteFile(filepath.Join(own, what), nil, 0o644))
		list, err := os.ReadDir(own)
		must(t, err)
		for _, e := range list {
			if e.Name() != "2.new" {
				must(t, os.Chtimes(filepath.Join(own, e.Name()), time.Time{}, time.Now().Add(-time.Hour)))
			}
		}
		status, out := runPlain("recover", filepath.Join(dir, "a"))
		if _, err := os.Stat(own); cleared != (status == headless.Done) || cleared != (err != nil) {
			t.Errorf("%s: %d, %s, %v", what, status, out, err)
		}
	}
}

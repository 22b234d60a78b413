//go:build unix

package tiledb_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"spandrel/model"
	"spandrel/parsers"
)

// An array that another program reads or writes, as one of TileDB before 2.9 tells by the lock of a file in it, is not changed meanwhile.
func TestTDBLock(t *testing.T) {
	if path := os.Getenv("SPANDREL_TEST_LOCK"); path != "" {
		holdLock(path)
	}
	dir := filepath.Join(t.TempDir(), "array")
	if err := os.CopyFS(dir, os.DirFS("../../testdata/tiledb/good/dense-v22")); err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(dir, "__lock.tdb")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := model.Open(t.Context(), dir, parsers.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	at, err := filepath.Glob(dir + "/__fragments/*/a0.tdb")
	if err != nil || len(at) == 0 {
		t.Fatal(at, err)
	}
	name, _ := filepath.Rel(dir, at[0])
	p, err := d.Plan(t.Context(), "edit", model.FileEdit{File: filepath.ToSlash(name), Create: model.Memory([]byte("other"))})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(t.Context(), p, nil)
	for _, kind := range []string{"read", "write"} {
		end := otherHolds(t, lock, kind)
		if _, err := d.Save(t.Context(), model.SaveOptions{NoBackup: true}); !errors.Is(err, model.ErrLocked) {
			t.Errorf("saved while another program has the array open to %s: %v", kind, err)
		}
		if b, err := os.ReadFile(at[0]); err != nil || string(b) == "other" {
			t.Errorf("changed while another program has the array open to %s: %v", kind, err)
		}
		end()
	}
	if _, err := d.Save(t.Context(), model.SaveOptions{NoBackup: true}); err != nil {
		t.Error("not saved when no one holds the lock: ", err)
	}
	otherHolds(t, lock, "write")() // ours is given back
}

// What an interrupted save left of an array is not put in order either while another program has the array open.
func TestTDBLockOfRecovery(t *testing.T) {
	dir := t.TempDir()
	record := fmt.Sprintf(`{"Files":[{"Name":"a","New":"0.new","Size":3,"Sum":%d}]}`, crc32.ChecksumIEEE([]byte("new")))
	journal := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64([]byte("SPANDREL-JOURNAL"), 3), 1)
	journal = append(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(journal, 0), 3), "old"...)
	for name, text := range map[string]string{
		"__lock.tdb": "", ".spandrel-save/0.new": "new", ".spandrel-save/record": fmt.Sprintf("%s\n%08x\n", record, crc32.ChecksumIEEE([]byte(record))),
		"__fragments/f/a0.tdb": "half", "__fragments/f/a0.tdb.spandrel-journal": string(binary.LittleEndian.AppendUint32(journal, crc32.ChecksumIEEE(journal))),
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	x, over := model.InterruptedSave(dir), filepath.Join(dir, "__fragments", "f", "a0.tdb")
	if x == nil || !model.Interrupted(over) {
		t.Fatal("nothing was interrupted")
	}
	end := otherHolds(t, filepath.Join(dir, "__lock.tdb"), "read")
	for what, err := range map[string]error{
		"finished": x.Finish(t.Context(), parsers.All()...), "taken back": x.TakeBack(t.Context(), parsers.All()...), "rolled back": model.RollBack(over, parsers.All()...),
	} {
		if !errors.Is(err, model.ErrLocked) {
			t.Errorf("%s while another program has the array open: %v", what, err)
		}
	}
	end()
	if err := errors.Join(x.Finish(t.Context(), parsers.All()...), model.RollBack(over, parsers.All()...)); err != nil {
		t.Error("not recovered when no one holds the lock: ", err)
	}
	if b, err := os.ReadFile(over); string(b) != "old" {
		t.Errorf("%q, %v", b, err)
	}
	otherHolds(t, filepath.Join(dir, "__lock.tdb"), "write")() // ours is given back
}

// otherHolds has another program take the lock of a file, until end is called.
func otherHolds(t *testing.T, path, kind string) (end func()) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run", "^TestTDBLock$")
	c.Env = append(os.Environ(), "SPANDREL_TEST_LOCK="+path, "SPANDREL_TEST_KIND="+kind)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(out).ReadString('\n'); said != "held\n" {
		t.Fatal("the other program has no lock: ", said, err)
	}
	return func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// holdLock is the other program.
func holdLock(path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		kind := map[string]int16{"read": syscall.F_RDLCK, "write": syscall.F_WRLCK}[os.Getenv("SPANDREL_TEST_KIND")]
		err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: kind})
	}
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("held\n")
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the other end is closed
	os.Exit(0)
}

package model

import (
	"os"
	"syscall"
	"testing"
)

// plugDisk is the real file system, and takes down what a power cut would leave of it. It does not wait for the real disk.
type plugDisk struct {
	osDisk
	tape     *tape
	fixed    error // as of a broken disk
	unlinked bool  // it knows no second names
}

// plugged is a disk below a folder.
func plugged(t *testing.T, dir string) *plugDisk {
	t.Helper()
	tape, err := tapeOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &plugDisk{tape: tape}
}

func (d *plugDisk) made(f diskFile, err error) (diskFile, error) {
	if err != nil {
		return nil, err
	}
	d.tape.New(f.Name(), 0o600)
	return &plugFile{f, d, d.tape.Find(f.Name()), 0}, nil
}
func (d *plugDisk) Create(dir, pattern string) (diskFile, error) {
	return d.made(d.osDisk.Create(dir, pattern))
}
func (d *plugDisk) Make(path string) (diskFile, error) { return d.made(d.osDisk.Make(path)) }
func (d *plugDisk) Open(path string) (diskFile, error) {
	f, err := d.osDisk.Open(path)
	return &plugFile{f, d, d.tape.Find(path), 0}, err
}
func (d *plugDisk) Mkdir(path string, mode os.FileMode) error {
	err := d.osDisk.Mkdir(path, mode)
	if st, there := os.Stat(path); err == nil && there == nil {
		d.tape.New(path, st.Mode())
	}
	return err
}
func (d *plugDisk) Like(path, model string) error {
	err := d.osDisk.Like(path, model)
	if st, there := os.Stat(path); err == nil && there == nil {
		d.tape.Mode(d.tape.Find(path), st.Mode())
	}
	return err
}
func (d *plugDisk) Link(from, to string) error {
	if d.unlinked {
		return syscall.EPERM
	}
	err := d.osDisk.Link(from, to)
	if err == nil {
		d.tape.Link(from, to)
	}
	return err
}
func (d *plugDisk) Rename(from, to string) error {
	if d.fixed != nil {
		return d.fixed
	}
	err := d.osDisk.Rename(from, to)
	if err == nil {
		d.tape.Rename(from, to)
	}
	return err
}
func (d *plugDisk) Remove(path string) error {
	err := d.osDisk.Remove(path)
	if err == nil {
		d.tape.Remove(path)
	}
	return err
}
func (d *plugDisk) SyncDir(path string) error {
	d.tape.Sync(d.tape.Find(path))
	return nil
}

type plugFile struct {
	diskFile
	d  *plugDisk
	id int
	at int64
}

func (f *plugFile) Write(b []byte) (int, error) {
	n, err := f.diskFile.Write(b)
	f.d.tape.Write(f.id, b[:n], f.at)
	f.at += int64(n)
	return n, err
}
func (f *plugFile) WriteAt(b []byte, off int64) (int, error) {
	n, err := f.diskFile.WriteAt(b, off)
	f.d.tape.Write(f.id, b[:n], off)
	return n, err
}
func (f *plugFile) Truncate(size int64) error {
	f.d.tape.Truncate(f.id, size)
	return f.diskFile.Truncate(size)
}
func (f *plugFile) Sync() error {
	f.d.tape.Sync(f.id)
	return nil
}

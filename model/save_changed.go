package model

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// opened returns the state of a file when it was opened or last saved, and the file if it is open in the folder.
func (d *Document) opened(name string) (was Stamp, f *File, ok bool) {
	was, ok = d.disk[name]
	f = d.file
	if d.folder != nil {
		d.folder.mu.Lock()
		f = d.folder.open[name]
		d.folder.mu.Unlock()
		if f != nil && !ok {
			was, ok = f.Stamp, true
		}
	}
	return was, f, ok
}

// changedOnDisk tells whether a file differs from its state when it was opened or saved.
func (d *Document) changedOnDisk(name string) bool {
	if d.dir == "" {
		return false // its files are elsewhere
	}
	known, f, ok := d.opened(name)
	st, err := os.Stat(filepath.Join(d.dir, filepath.FromSlash(name)))
	if _, gone := d.saved.Content(name); gone != nil {
		return err == nil // it was not there, or a save removed it
	}
	if err != nil {
		return ok // it was there
	}
	if f != nil {
		f.notice(st)
	}
	return !ok || (Stamp{st.Size(), st.ModTime()}) != known
}

// ChangedOnDisk lists the files of the document that another program changed or removed since they were opened.
func (d *Document) ChangedOnDisk() (names []string) {
	all := map[string]bool{}
	for name := range d.disk {
		all[name] = true
	}
	if d.folder != nil {
		d.folder.mu.Lock()
		for name, f := range d.folder.open {
			all[name] = all[name] || f != nil
		}
		d.folder.mu.Unlock()
	}
	for name, opened := range all {
		if opened && d.changedOnDisk(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Unread returns why the document may not be the present state of the disk: a file that cannot be read, or another program that changed one
// meanwhile, so that its parts may be of different times. It asks the disk; nil is the usual answer.
func (d *Document) Unread() error {
	if err := d.Tree.Snapshot.Fault(); err != nil {
		return err
	}
	if err := d.unheard(); err != nil {
		return err
	}
	names := d.ChangedOnDisk()
	for _, sp := range d.Tree.Spaces() { // a file may have changed after it was listed, and before it was opened
		if !sp.Derived() && sp.Root != nil && sp.opened() && sp.content.Len() != sp.Root.Range.Len {
			names = append(names, sp.File)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("%s: another program changed or removed it while it was being read", d.DiskPath(names[0]))
	}
	return nil
}

// unheard is why bytes of a remote file could not be read, or nil.
func (d *Document) unheard() error {
	if !d.Remote() {
		return nil
	}
	files := []*File{d.file}
	if d.folder != nil {
		d.folder.mu.Lock()
		files = append(files, slices.Collect(maps.Values(d.folder.open))...)
		d.folder.mu.Unlock()
	}
	for _, f := range files {
		if f != nil && f.fault() != nil {
			return f.fault()
		}
	}
	return nil
}

// linked is DiskPath after resolving a symbolic link, which is kept: its target is saved.
func (d *Document) linked(name string) string { return realPath(d.dir, name) }

// realPath is the path of a file in a folder, after resolving a symbolic link.
func realPath(dir, name string) string {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if st, err := os.Lstat(path); err == nil && st.Mode()&os.ModeSymlink != 0 {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
	}
	return path
}

// DiskSize returns the length of a file of the document when it was opened or last saved.
func (d *Document) DiskSize(name string) int64 {
	if was, _, ok := d.opened(name); ok {
		return was.Size
	}
	return 0
}

// DiskPath returns the path of a file of the document by its name in it.
func (d *Document) DiskPath(name string) string {
	return filepath.Join(d.dir, filepath.FromSlash(name))
}

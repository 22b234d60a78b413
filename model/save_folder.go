package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// isFolder tells whether the document is a folder with all files in it.
func (d *Document) isFolder() bool { return d.folder != nil && d.file == nil }

// outPlan says what Save will write elsewhere: the main file, or for a folder everything in it.
func (d *Document) outPlan(out string) ([]Saved, error) {
	snap := d.Tree.Snapshot
	switch {
	case snap.Part != "":
		return nil, fmt.Errorf("%s is part of %s: open that to save it elsewhere", d.Path, d.dir)
	case d.isFolder():
		if list, err := os.ReadDir(out); !errors.Is(err, os.ErrNotExist) && (err != nil || len(list) > 0) {
			return nil, fmt.Errorf("%s exists: choose a folder that does not exist yet", out)
		}
		list, _, err := d.everything(out)
		return list, err
	}
	name, changed := snap.Primary, changedFiles(snap, d.saved)
	if len(changed) == 1 && d.made(changed[0]) {
		name, changed = changed[0], nil
	}
	for _, other := range changed {
		if other != name {
			return nil, fmt.Errorf("%s changed too, so one file cannot contain all edits: save in place, or open the folder to save it elsewhere", other)
		}
	}
	c, err := snap.Content(name)
	if err != nil {
		return nil, err
	}
	return []Saved{{File: name, Path: out, Bytes: c.Len()}}, nil
}

// made tells whether a file was created by edits and contains nothing of the one before.
func (d *Document) made(name string) bool {
	c, err := d.Tree.Snapshot.Content(name)
	if err != nil {
		return false
	}
	base, err := d.saved.Content(name)
	return err != nil || !slices.ContainsFunc(c.pieces, func(p piece) bool {
		return slices.ContainsFunc(base.pieces, func(q piece) bool { return p.src == q.src })
	})
}

// everything lists all files of the folder to be written below out, and its sub-folders, outer ones first. A sub-folder
// without remaining files is left out.
func (d *Document) everything(out string) (list []Saved, folders []string, err error) {
	snap := d.Tree.Snapshot
	for todo := []string{"."}; len(todo) > 0; {
		dir := todo[0]
		todo = todo[1:]
		entries, more, err := snap.List(dir)
		if err != nil {
			return nil, nil, err
		}
		if more {
			return nil, nil, fmt.Errorf("%s: more than %d files: copy the folder and edit the copy", dir, MaxEntries)
		}
		if was, _, err := d.saved.List(dir); len(entries) == 0 && err == nil && len(was) > 0 {
			continue
		}
		folders = append(folders, dir)
		for _, e := range entries {
			switch {
			case e.Dir:
				todo = append(todo, e.Name)
			case e.Regular:
				list = append(list, Saved{File: e.Name, Path: filepath.Join(out, filepath.FromSlash(e.Name)), Bytes: e.Size})
			}
		}
	}
	return list, folders, nil
}

// saveAll writes all files of the folder, edited or not, into a new folder, which gets its name when it is complete.
func (d *Document) saveAll(w *saver, out string, before *int64) error {
	list, folders, err := d.everything(out)
	if err != nil {
		return err
	}
	return w.appear(list, folders, out, d.dir, func(s Saved, to string) error {
		*before += s.Bytes
		err := d.copyFile(w, s.File, to)
		if err == nil && w.still != nil {
			err = w.still(s)
		}
		return err
	})
}

// Write writes the salvaged document elsewhere: to a file, or into a new or empty folder. Everything is read back and
// compared, and nothing gets its name before it is complete. Mode and owner are those of the original document.
func (s *Salvaged) Write(ctx context.Context, out string, folder bool, document string) error {
	return s.write(&saver{ctx: ctx, fs: osDisk{}, like: document, progress: func(int64) {}}, out, folder)
}

func (s *Salvaged) write(w *saver, out string, folder bool) error {
	var list []Saved
	var folders []string
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		if !folder {
			return w.replace(&Saved{Path: out}, NewContent(s.Files[name]))
		}
		list, folders = append(list, Saved{File: name, Path: filepath.Join(out, filepath.FromSlash(name))}), append(folders, path.Dir(name))
	}
	return w.appear(list, folders, out, w.like, func(one Saved, to string) error {
		return w.file(to, w.like, NewContent(s.Files[one.File]))
	})
}

// file writes a file into a folder that is not complete yet, with mode and owner of another, and compares it.
func (w *saver) file(to, like string, c *Content) error {
	f, err := w.fs.Make(to)
	if err != nil {
		return err
	}
	return errors.Join(w.fs.Like(to, like), w.checked(f, f, c), f.Close())
}

// appear creates a folder of files, each written by put, and renames it when it is complete, with mode and owner of another.
func (w *saver) appear(list []Saved, folders []string, out, like string, put func(s Saved, to string) error) (err error) {
	out = filepath.Clean(out)
	if err := mkdirs(w.fs, filepath.Dir(out), 0o777, w.fs.SyncDir); err != nil {
		return err
	}
	temp, err := tempName(out, func(temp string) error { return w.fs.Mkdir(temp, 0o700) }) // its owner's alone until it is complete
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			removeAll(w.fs, temp)
		}
	}()
	if err := w.fill(temp, list, folders, like, put); err != nil {
		return err
	}
	if err := syncAll(w.fs, temp); err != nil {
		return err
	}
	if there(out) { // an empty one
		if err := w.fs.Remove(out); err != nil {
			return err
		}
	}
	err = w.fs.Rename(temp, out)
	if unmovable(err) {
		err = w.spread(list, folders, temp, out)
	}
	if err != nil {
		return err
	}
	return w.fs.SyncDir(filepath.Dir(out))
}

// fill writes sub-folders and files into a folder. The folders get mode and owner of those of their names in another, or of the other itself.
func (w *saver) fill(to string, list []Saved, folders []string, like string, put func(s Saved, to string) error) error {
	for _, dir := range folders {
		if err := mkdirs(w.fs, filepath.Join(to, filepath.FromSlash(dir)), 0o777, later); err != nil {
			return err
		}
	}
	for _, s := range list {
		if err := put(s, filepath.Join(to, filepath.FromSlash(s.File))); err != nil {
			return fmt.Errorf("%s: not saved: %w", s.Path, err)
		}
	}
	for _, dir := range slices.Backward(append([]string{"."}, folders...)) { // now that all is in them
		of := like
		if same := filepath.Join(like, filepath.FromSlash(dir)); like != "" && there(same) {
			of = same
		}
		if err := w.fs.Like(filepath.Join(to, filepath.FromSlash(dir)), of); err != nil {
			return err
		}
	}
	return nil
}

// spread moves the files of a complete folder to their place if it cannot be renamed: file by file, as a save of several files, whose record
// reveals an interruption.
func (w *saver) spread(list []Saved, folders []string, temp, out string) error {
	dir, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	r := &commit{When: time.Now(), dir: dir}
	for _, f := range slices.Backward(slices.Sorted(slices.Values(folders))) { // the inner ones first
		r.makes(f)
	}
	if err := mkdirs(w.fs, filepath.Join(dir, saveFolder), 0o777, later); err != nil {
		return err
	}
	for i, s := range list {
		from, f := filepath.Join(temp, filepath.FromSlash(s.File)), commitFile{Name: s.File, New: fmt.Sprintf("%d.new", i)}
		if f.Sum, f.Size, err = sumOf(from); err == nil {
			err = link(w.fs, from, r.own(f.New))
		}
		if err != nil {
			break
		}
		r.Files = append(r.Files, f)
	}
	if err == nil {
		err = w.record(r)
	}
	if err == nil {
		err = w.fs.Like(dir, temp)
	}
	if err == nil {
		err = r.finish(w.fs)
	}
	switch {
	case err == nil || begun(dir) && r.takeBack(w.fs) != nil: // the record tells
	default:
		clearSave(w.fs, dir)
		w.fs.Remove(dir)
	}
	return errors.Join(err, removeAll(w.fs, temp))
}

// copyFile writes one file of the snapshot to a path, and reads it back. Unedited files are opened only for that, because there
// may be very many.
func (d *Document) copyFile(w *saver, name, to string) error {
	snap := d.Tree.Snapshot
	if _, edited := snap.edited[name]; !edited {
		aside, done, err := snap.Aside()
		if err != nil {
			return err
		}
		defer done()
		snap = aside
	}
	c, err := snap.Content(name)
	if err != nil {
		return err
	}
	return w.file(to, d.DiskPath(name), c)
}

// WriteTo writes the present main file to a pipe. It refuses if that would not include all edits.
func (d *Document) WriteTo(ctx context.Context, out io.Writer) error {
	snap := d.Tree.Snapshot
	if d.isFolder() {
		return fmt.Errorf("%s: a folder cannot be written to a pipe", d.Path)
	}
	list, err := d.outPlan("-")
	if err != nil {
		return err
	}
	c, err := snap.Content(list[0].File)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(c, 0, c.Len()))
	return errors.Join(err, ctx.Err())
}

package model

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// From the record of a save of several files, the save is finished or undone.

// finish moves everything into place. It may be called again after an interruption.
func (r *commit) finish(fs disk) error {
	for _, dir := range slices.Backward(r.Made) {
		at := r.at(dir)
		if err := cmp.Or(mkdirs(fs, at, 0o777, later), fs.Like(at, filepath.Dir(at))); err != nil {
			return err
		}
	}
	if err := r.sync(fs, r.Made); err != nil { // before they have content
		return err
	}
	for _, step := range []func(disk, commitFile) error{r.place, r.backUp, r.prune} {
		for _, f := range r.Files {
			if err := step(fs, f); err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	if err := r.sync(fs, r.names()); err != nil {
		return err
	}
	return r.sweep(fs)
}

// lost tells whether the new content of a file is gone: it is neither in the save folder nor in place.
func (r *commit) lost(f commitFile) bool {
	if f.Patch || f.New == "" || there(r.own(f.New)) {
		return false
	}
	sum, n, err := sumOf(r.at(f.Name))
	return err != nil || n != f.Size || sum != f.Sum
}

// place makes one file what the save wants it to be.
func (r *commit) place(fs disk, f commitFile) error {
	path := r.at(f.Name)
	switch {
	case f.Patch:
		return overlay(fs, path, r.own(f.New))
	case f.New == "":
		if !there(path) {
			return nil
		}
		return fs.Remove(path)
	case r.lost(f):
		return errors.New("the new content is missing: the save is already being undone")
	case !there(r.own(f.New)):
		return nil // it is in its place
	}
	if err := mkdirs(fs, filepath.Dir(path), 0o777, later); err != nil {
		return err
	}
	err := fs.Rename(r.own(f.New), path)
	if !unmovable(err) {
		return err
	}
	if same, _ := sameFile(r.own(f.Old), path); f.Old != "" && same { // writing over it would lose the old content
		return err
	}
	if r.aside != nil {
		if err := r.aside(f.Name); err != nil {
			return err
		}
	}
	return r.give(fs, r.own(f.New), path)
}

// give moves a content into place. Without renaming, the save folder keeps it until the names of all files are synced.
func (r *commit) give(fs disk, from, to string) error {
	if r.Fixed {
		if err := fs.Rename(from, to); !unmovable(err) {
			return err
		}
		return pour(fs, from, to)
	}
	return takePlace(fs, from, to)
}

// backUp gives the old content of a file its place as a backup.
func (r *commit) backUp(fs disk, f commitFile) error {
	if f.Backup == "" || f.Patch || !there(r.own(f.Old)) {
		return nil
	}
	return r.give(fs, r.own(f.Old), r.at(f.Backup))
}

// prune removes the folders that a removed file has left empty, because readers look into them.
func (r *commit) prune(fs disk, f commitFile) error {
	if f.New != "" || !r.Prune {
		return nil
	}
	for dir := filepath.Dir(r.at(f.Name)); below(r.dir, dir); dir = filepath.Dir(dir) {
		empty, err := isEmpty(dir)
		switch {
		case err == nil && !empty:
			return nil
		case err == nil:
			if err := fs.Remove(dir); err != nil {
				return err
			}
		case !os.IsNotExist(err):
			return err
		}
	}
	return nil
}

// isEmpty tells whether nothing is in a folder.
func isEmpty(dir string) (bool, error) {
	f, err := os.Open(dir)
	if err != nil {
		return false, err
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	if err == io.EOF {
		return true, nil
	}
	return false, err
}

// below tells whether a folder lies inside another.
func below(root, dir string) bool {
	rel, err := filepath.Rel(root, dir)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// takeBack restores everything from before the save.
func (r *commit) takeBack(fs disk) error {
	for _, f := range r.Files {
		if err := r.unback(fs, f); err != nil {
			return err
		}
	}
	for _, f := range slices.Backward(r.Files) {
		if err := r.restore(fs, f); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	for _, dir := range r.Made { // the inner ones come first
		if list, err := os.ReadDir(r.at(dir)); err == nil && len(list) == 0 {
			fs.Remove(r.at(dir))
		}
	}
	if err := r.sync(fs, append(r.names(), r.Made...)); err != nil {
		return err
	}
	return r.sweep(fs)
}

// unback undoes backUp.
func (r *commit) unback(fs disk, f commitFile) error {
	switch {
	case f.Backup == "" || f.Patch || !there(r.at(f.Backup)):
	case there(r.own(f.Old)): // a copy that was not finished
		return fs.Remove(r.at(f.Backup))
	case !r.Fixed: // otherwise the backup stays and is used
		return fs.Rename(r.at(f.Backup), r.own(f.Old))
	}
	return nil
}

// restore restores one file from before the save.
func (r *commit) restore(fs disk, f commitFile) error {
	path := r.at(f.Name)
	switch {
	case f.Patch:
		return overlay(fs, path, r.own(f.Old))
	case f.Old == "": // it was not there
		if !there(path) || f.New != "" && there(r.own(f.New)) && !r.Fixed {
			return nil
		}
		return fs.Remove(path)
	}
	old, again := r.own(f.Old), r.own(strings.TrimSuffix(f.Old, ".old")+".again.old")
	if r.Fixed && f.Backup != "" && !there(old) {
		old = r.at(f.Backup)
	}
	switch same, err := sameFile(old, path); {
	case !there(old):
		return fmt.Errorf("the old content is lost")
	case err == nil && same:
		return nil // it is still in place, or restored
	}
	if there(again) {
		if err := fs.Remove(again); err != nil {
			return err
		}
	}
	if err := link(fs, old, again); err != nil { // the old one stays until all are restored
		return err
	}
	if err := mkdirs(fs, filepath.Dir(path), 0o777, fs.SyncDir); err != nil {
		return err
	}
	return takePlace(fs, again, path)
}

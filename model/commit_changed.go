package model

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"time"
)

// Before an interrupted save is finished or undone: other programs may have changed the files since.

// errSince means that recovering would overwrite what another program has written.
var errSince = errors.New("it was changed after the save was interrupted: move it to another folder, then recover again")

// changedSince returns an error that names the first file with content that is neither from before the save nor from the save. A missing file is not
// changed: recovering it overwrites nothing.
func (r *commit) changedSince() error {
	for _, f := range r.Files {
		st, err := os.Stat(r.at(f.Name))
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		own := r.wrote
		if f.Patch {
			own = r.patched
		}
		is, err := own(f)
		if err == nil && !is {
			err = errSince
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// wrote tells whether a file has only bytes of its old content and its new one.
func (r *commit) wrote(f commitFile) (bool, error) {
	path := r.at(f.Name)
	if f.New != "" && !there(r.own(f.New)) { // it may be in its place
		if sum, n, err := sumOf(path); err != nil || n == f.Size && sum == f.Sum {
			return err == nil, err
		}
	}
	var contents []string
	for _, other := range r.contents(f) {
		if same, err := sameFile(other, path); err == nil && same {
			return true, nil
		}
		if st, err := os.Stat(other); err == nil && st.Mode().IsRegular() { // a pipe blocks
			contents = append(contents, other)
		}
	}
	return mixed(path, contents)
}

// contents are the paths of the new and the old content of a file, where they are still beside it.
func (r *commit) contents(f commitFile) (list []string) {
	if f.New != "" {
		list = append(list, r.own(f.New))
	}
	switch {
	case f.Old != "" && there(r.own(f.Old)):
		return append(list, r.own(f.Old))
	case f.Old != "" && f.Backup != "":
		return append(list, r.at(f.Backup))
	}
	return list
}

// mixed tells whether every byte of a file is that of one of the others at its offset, or zero: an interrupted copy leaves both contents, and a power failure
// leaves zeros.
func mixed(path string, others []string) (bool, error) {
	in, err := openShared(path)
	if err != nil {
		return false, err
	}
	defer in.Close()
	var of []io.Reader
	for _, name := range others {
		f, err := openShared(name)
		if err != nil {
			return false, err
		}
		defer f.Close()
		of = append(of, f)
	}
	is, list := make([]byte, 1<<16), make([][]byte, len(of))
	for {
		n, err := io.ReadFull(in, is)
		for k := range of {
			b := make([]byte, n)
			got, _ := io.ReadFull(of[k], b)
			list[k] = b[:got]
		}
		switch {
		case !among(is[:n], list):
			return false, nil
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return true, nil
		case err != nil:
			return false, err
		}
	}
}

// among tells whether each byte is zero or that of one of the others at its offset.
func among(is []byte, others [][]byte) bool {
	for i, b := range is {
		if b != 0 && !slices.ContainsFunc(others, func(o []byte) bool { return i < len(o) && o[i] == b }) {
			return false
		}
	}
	return true
}

// patched tells whether a file that is changed in place has, where it changes, only bytes of its old content and its new one, and a size between theirs.
func (r *commit) patched(f commitFile) (bool, error) {
	var runs [2][]run
	var sizes [2]int64
	for i, name := range []string{f.New, f.Old} {
		var err error
		if runs[i], sizes[i], err = readPatch(r.own(name)); err != nil {
			return false, err
		}
	}
	in, err := openShared(r.at(f.Name))
	if err != nil {
		return false, err
	}
	defer in.Close()
	st, err := in.Stat()
	if err != nil || st.Size() < min(sizes[0], sizes[1]) || st.Size() > max(sizes[0], sizes[1]) {
		return false, err
	}
	for _, x := range slices.Concat(runs[0], runs[1]) {
		is := make([]byte, len(x.old))
		n, err := in.ReadAt(is, x.off)
		if err != nil && err != io.EOF {
			return false, err
		}
		if !inRuns(is[:n], x.off, runs) {
			return false, nil
		}
	}
	return true, nil
}

// inRuns tells whether each byte at an offset is zero or in one of two lists of runs.
func inRuns(is []byte, off int64, runs [2][]run) bool {
	for i, b := range is {
		if at := off + int64(i); b != 0 && !hasByte(runs[0], at, b) && !hasByte(runs[1], at, b) {
			return false
		}
	}
	return true
}

// hasByte tells whether ascending runs have a byte at an offset.
func hasByte(runs []run, at int64, b byte) bool {
	i := sort.Search(len(runs), func(i int) bool { return runs[i].off+int64(len(runs[i].old)) > at })
	return i < len(runs) && runs[i].off <= at && runs[i].old[at-runs[i].off] == b
}

// ownName is how the files in the save folder are named.
var ownName = regexp.MustCompile(`^([0-9]+\.(new|temp|old)|[0-9]+(\.copy)?(\.again)?\.old|` + recordFile + `)$`)

// youngSave is for how long what a save has written before its record may belong to one that still runs.
const youngSave = time.Minute

// ClearSave removes what a save of several files left in a folder, or in those above a file, when it was killed before it changed anything, or after it was
// complete. It returns the folder; "" if there is nothing of that kind. A folder that contains anything else is left alone.
func ClearSave(path string, formats ...*Format) (dir string, err error) {
	if dir, err = filepath.Abs(path); err != nil {
		return "", err
	}
	for ; !there(filepath.Join(dir, saveFolder)); dir = filepath.Dir(dir) {
		if dir == filepath.Dir(dir) {
			return "", nil
		}
	}
	list, err := os.ReadDir(filepath.Join(dir, saveFolder))
	if err != nil || begun(dir) {
		return "", err
	}
	for _, e := range list {
		st, err := e.Info()
		switch {
		case err != nil || !st.Mode().IsRegular() || !ownName.MatchString(e.Name()):
			return "", err
		case time.Since(st.ModTime()) < youngSave && filepath.Ext(e.Name()) != ".old":
			return "", fmt.Errorf("%s: a save may still be writing %s: recover again in a minute", dir, filepath.Join(saveFolder, e.Name()))
		}
	}
	return dir, locked(dir, formats, func() error { clearSave(osDisk{}, dir); return nil })
}

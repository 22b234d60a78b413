package headless

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"spandrel/model"
	"spandrel/model/remote"
)

// walkAll sends the documents of all paths, until send fails. A defect of this program ends the walk of one path.
func (b *batch) walkAll(paths []string, send func(*job) error) {
	for _, path := range paths {
		err := model.Contain(func() error { return b.walk(path, send) })
		if defect := (*model.Defect)(nil); errors.As(err, &defect) {
			err = send(&job{path: path, err: of(path, err)})
		}
		if err != nil {
			return
		}
	}
}

// walk sends the documents of a path: the path itself if it is a file; of a folder everything in it that is not part of a document sent before. What cannot
// be read is sent too, and does not prevent the rest from being checked.
func (b *batch) walk(path string, send func(*job) error) error {
	if remote.Is(path) {
		return b.walkStore(path, send)
	}
	if st, err := os.Lstat(path); err == nil && st.Mode()&fs.ModeSymlink != 0 {
		if to, err := filepath.EvalSymlinks(path); err == nil && isFolder(to) {
			path += string(filepath.Separator) // a walk does not follow links by itself
		}
	}
	w := &folders{b: b, parts: map[string]bool{}}
	w.send = func(j *job) error { w.sent = true; return send(j) }
	err := filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil: // opening it says why not
			return w.send(&job{path: at})
		case w.parts[at]: // of a folder, the files that are no part of a document are searched
			return nil
		case at == path && e.IsDir(), e.IsDir() && visible(e.Name()):
			return w.folder(at, at == path)
		case e.IsDir():
			return fs.SkipDir
		case at == path:
			return w.send(&job{path: at})
		case !e.Type().IsRegular() || !visible(e.Name()):
			return nil
		}
		return w.send(&job{path: at, found: true})
	})
	if err == nil && !w.sent {
		return send(&job{path: path})
	}
	return err
}

// folders is a walk through a folder.
type folders struct {
	b     *batch
	send  func(*job) error
	sent  bool
	parts map[string]bool // paths of the files of documents that were sent, and of the folders in which these lie
}

// folder sends a folder that a format recognises, or that cannot be read, as a document. If it returns nil the rest of the folder is searched.
func (w *folders) folder(at string, named bool) error {
	one := *w.b.call // what it opens is not kept
	d, err := one.open(at)
	switch {
	case errors.Is(err, model.ErrNoFormat) && named && model.FolderKind(at) != "":
		return w.send(&job{path: at, err: of(at, err)}) // what is in it may be documents all the same
	case errors.Is(err, model.ErrNoFormat) || err != nil && w.b.format != "":
		return nil
	case err != nil:
		if sent := w.send(&job{path: at, err: of(at, err)}); sent != nil || !errors.Is(err, model.ErrInterrupted) && readable(at) {
			return sent // what is in it may be documents
		}
		return fs.SkipDir
	}
	primary := d.Tree.Snapshot.Primary
	w.take(at, d)
	if err := w.send(&job{path: at, d: d}); err != nil {
		return err
	}
	if primary == "" { // everything in it is its own
		return fs.SkipDir
	}
	return w.alike(at, primary)
}

// alike sends the documents of a folder whose names end like that of its main file, such as the index of another fold: before the other files, some of which
// are theirs.
func (w *folders) alike(dir, primary string) error {
	one, main := *w.b.call, filepath.Join(dir, filepath.FromSlash(primary))
	list, err := os.ReadDir(filepath.Dir(main))
	if err != nil || path.Ext(primary) == "" {
		return nil
	}
	for _, e := range list {
		at := filepath.Join(filepath.Dir(main), e.Name())
		if !e.Type().IsRegular() || !visible(e.Name()) || path.Ext(at) != path.Ext(primary) || w.parts[at] {
			continue
		}
		j := &job{path: at, found: true}
		if d, err := one.open(at); err == nil {
			w.take(filepath.Dir(at), d)
			j.d = d
		}
		w.parts[at] = true
		if err := w.send(j); err != nil {
			return err
		}
	}
	return nil
}

// take notes the files of a document in a folder.
func (w *folders) take(dir string, d *model.Document) {
	for _, s := range d.Tree.Spaces() {
		for name := s.File; name != "" && name != "."; name = path.Dir(name) {
			w.parts[filepath.Join(dir, filepath.FromSlash(name))] = true
		}
	}
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// readable tells whether the names in a folder can be read.
func readable(folder string) bool {
	f, err := os.Open(folder)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	return err == nil || errors.Is(err, io.EOF)
}

// visible tells whether a walk looks at a name: not if it is hidden, or a backup of this program.
func visible(name string) bool {
	return !strings.HasPrefix(name, ".") && !model.IsBackup(name)
}

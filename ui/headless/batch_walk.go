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

// walk sends the documents of a path: the path itself if it is a file, or a folder that a format recognises; otherwise everything in the folder. What
// cannot be read is sent too, and does not prevent the rest from being checked.
func (b *batch) walk(path string, send func(*job) error) error {
	if remote.Is(path) {
		return b.walkStore(path, send)
	}
	sent := false
	if st, err := os.Lstat(path); err == nil && st.Mode()&fs.ModeSymlink != 0 {
		if to, err := filepath.EvalSymlinks(path); err == nil && isFolder(to) {
			path += string(filepath.Separator) // a walk does not follow links by itself
		}
	}
	err := filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil: // opening it says why not
			sent = true
			return send(&job{path: at})
		case at == path && e.IsDir(), e.IsDir() && visible(e.Name()):
			return b.folder(at, at == path, func(j *job) error { sent = true; return send(j) })
		case e.IsDir():
			return fs.SkipDir
		case at == path:
			sent = true
			return send(&job{path: at})
		case !e.Type().IsRegular() || !visible(e.Name()):
			return nil
		}
		sent = true
		return send(&job{path: at, found: true})
	})
	if err == nil && !sent {
		return send(&job{path: path})
	}
	return err
}

// folder sends a folder that a format recognises, or that cannot be read, as a document. If it returns nil the content of the folder is searched.
func (b *batch) folder(at string, named bool, send func(*job) error) error {
	one := *b.call // what it opens is not kept
	d, err := one.open(at)
	switch {
	case errors.Is(err, model.ErrNoFormat) && named && model.FolderKind(at) != "":
		return send(&job{path: at, err: of(at, err)}) // what is in it may be documents all the same
	case errors.Is(err, model.ErrNoFormat) || err != nil && b.format != "":
		return nil
	case err != nil:
		if sent := send(&job{path: at, err: of(at, err)}); sent != nil || !errors.Is(err, model.ErrInterrupted) && readable(at) {
			return sent // what is in it may be documents
		}
		return fs.SkipDir
	}
	also := besides(at, d) // before it is worked on, which closes it
	for _, j := range append([]*job{{path: at, d: d}}, also...) {
		if err := send(j); err != nil {
			return err
		}
	}
	return fs.SkipDir
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

// besides lists the other documents of a folder that opens as one: files like its main file that it does not read, such as the index of
// another fold.
func besides(dir string, d *model.Document) (out []*job) {
	primary := d.Tree.Snapshot.Primary
	read := map[string]bool{}
	for _, s := range d.Tree.Spaces() {
		read[s.File] = true
	}
	list, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(path.Dir(primary))))
	if err != nil || path.Ext(primary) == "" {
		return nil
	}
	for _, e := range list {
		name := path.Join(path.Dir(primary), e.Name())
		if e.Type().IsRegular() && visible(e.Name()) && path.Ext(name) == path.Ext(primary) && name != primary && !read[name] {
			out = append(out, &job{path: filepath.Join(dir, filepath.FromSlash(name)), found: true})
		}
	}
	return out
}

// visible tells whether a walk looks at a name: not if it is hidden, or a backup of this program.
func visible(name string) bool {
	return !strings.HasPrefix(name, ".") && !model.IsBackup(name)
}

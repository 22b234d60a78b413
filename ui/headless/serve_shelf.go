package headless

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"spandrel/model"
	"spandrel/model/remote"
)

const (
	maxKept    = 4           // documents that stay open: each may keep model.CacheBudget bytes of what it decoded
	maxFolders = 256         // of one document that are asked for their time
	maxAge     = time.Minute // of a document in a store, which is not asked at each request
)

// shelf keeps open the documents that were only read, the most recently used first. One that has changed on disk is opened again. A nil
// shelf keeps nothing.
type shelf struct {
	ctx  context.Context // of all requests: a document may outlive the one that opened it
	kept []*keptDocument
}

type keptDocument struct {
	d       *model.Document
	path    string
	force   *model.Format
	tree    *model.Tree       // that is shown of a damaged document; nil: not known
	say     func(*call) error // notes to print for that tree each time
	close   context.CancelFunc
	opened  time.Time
	folders map[string]time.Time // folders in which files may appear, and when they changed last
}

// open returns an open document, or opens it, for as long as the request may take. Errors are those of model.Open.
func (s *shelf) open(request context.Context, path string, formats []*model.Format, force *model.Format) (d *model.Document, err error) {
	for i, k := range s.kept {
		if k.path != path || k.force != force {
			continue
		}
		s.kept = append(s.kept[:i:i], s.kept[i+1:]...)
		if k.current() {
			s.kept = append([]*keptDocument{k}, s.kept...)
			return k.d, nil
		}
		k.shut()
		break
	}
	ctx, cancel := context.WithCancel(s.ctx) // of the document, which outlives the request that opens it
	late := context.AfterFunc(request, cancel)
	folders := foldersOf(path)
	err = model.Contain(func() (err error) {
		if remote.Is(path) {
			d, err = remote.Open(ctx, path, formats, force)
		} else {
			d, err = model.Open(ctx, path, formats, force)
		}
		return err
	})
	if !late() && err == nil {
		d.Close()
		err = cmp.Or(context.Cause(request), context.Canceled)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	s.kept = append([]*keptDocument{{d: d, path: path, force: force, close: cancel, opened: time.Now(), folders: folders}}, s.kept...)
	if len(s.kept) > maxKept {
		s.kept[maxKept].shut()
		s.kept = s.kept[:maxKept]
	}
	return d, nil
}

func (k *keptDocument) shut() {
	k.d.Close()
	k.close()
}

// foldersOf returns the folder of a file, or a folder with its sub-folders, up to one more than maxFolders, with their times.
func foldersOf(path string) map[string]time.Time {
	out := map[string]time.Time{}
	if remote.Is(path) {
		return out
	}
	if !isFolder(path) {
		path = filepath.Dir(path)
		out[path] = changedAt(path)
		return out
	}
	filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			out[at] = changedAt(at)
		}
		if len(out) > maxFolders {
			return fs.SkipAll
		}
		return nil
	})
	return out
}

func changedAt(folder string) time.Time {
	st, err := os.Stat(folder)
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}

// current tells whether opening a document again would give the same.
func (k *keptDocument) current() bool {
	if k.d.Remote() {
		return time.Since(k.opened) < maxAge && k.d.Unread() == nil
	}
	if len(k.folders) > maxFolders {
		return false // too many to ask each
	}
	for folder, was := range k.folders {
		if !changedAt(folder).Equal(was) {
			return false
		}
	}
	return len(k.d.ChangedOnDisk()) == 0 && k.d.Unread() == nil
}

func (s *shelf) of(d *model.Document) *keptDocument {
	if s != nil {
		for _, k := range s.kept {
			if k.d == d {
				return k
			}
		}
	}
	return nil
}

// release closes a document unless it is kept.
func (s *shelf) release(d *model.Document) {
	if s.of(d) == nil {
		d.Close()
	}
}

// shown is the tree shown before for a damaged document, and the message about it; nil: none.
func (s *shelf) shown(d *model.Document) (*model.Tree, func(*call) error) {
	if k := s.of(d); k != nil {
		return k.tree, k.say
	}
	return nil, nil
}

// show keeps the tree that is shown for a damaged document, and the message about it.
func (s *shelf) show(d *model.Document, t *model.Tree, say func(*call) error) {
	if k := s.of(d); k != nil {
		k.tree, k.say = t, say
	}
}

// forget closes the documents in stores, because one of them was written.
func (s *shelf) forget() {
	s.kept = slices.DeleteFunc(s.kept, func(k *keptDocument) bool {
		if k.d.Remote() {
			k.shut()
		}
		return k.d.Remote()
	})
}

func (s *shelf) close() {
	for _, k := range s.kept {
		k.shut()
	}
	s.kept = nil
}

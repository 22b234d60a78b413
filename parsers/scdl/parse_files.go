package scdl

import (
	"context"
	"path"
	"slices"
	"sort"
	"strings"

	"spandrel/model"
)

// folder is the files of an archive, with names relative to it.
type folder struct {
	t       *model.Tree
	root    *model.Span // of the archive
	dir     string      // "." or the folder's name in a collection
	entries map[string]model.Entry
	order   []string               // names of the entries, sorted
	dirs    map[string][]string    // content of each sub-folder, "." for the archive itself; names of folders end in a slash
	spans   map[string]*model.Span // of files and folders
}

// name returns a file's name inside the document's folder.
func (f *folder) name(file string) string { return path.Join(f.dir, file) }

// at returns the span of a file or sub-folder, or that of the archive if there is none.
func (f *folder) at(name string) *model.Span {
	if s := f.spans[name]; s != nil {
		return s
	}
	return f.root
}

// walk notes the files and folders below a folder, to a depth of 16. It tells whether there are more than it noted.
func (f *folder) walk(dir string) (more bool) {
	list, more, err := f.t.Snapshot.List(f.name(dir))
	if err != nil || strings.Count(dir, "/") >= 16 {
		return err == nil
	}
	for _, e := range list {
		name := path.Join(dir, path.Base(e.Name))
		switch {
		case len(f.order) >= model.MaxEntries:
			return true
		case e.Dir:
			f.dirs[name] = []string{}
			if more = f.walk(name) || more; len(f.dirs[name]) > 0 {
				f.dirs[dir] = append(f.dirs[dir], path.Base(name)+"/")
			}
		case e.Regular:
			f.entries[name] = e
			f.order, f.dirs[dir] = append(f.order, name), append(f.dirs[dir], path.Base(name))
		}
	}
	return more
}

// read returns the bytes of a file of at most limit bytes, or nil if it is missing or longer.
func (f *folder) read(name string, limit int64) []byte {
	e, ok := f.entries[name]
	if !ok || e.Size > limit {
		return nil
	}
	c, err := f.t.Snapshot.Content(e.Name)
	if err != nil || c.Len() != e.Size {
		return nil
	}
	b := make([]byte, e.Size)
	if n, _ := c.ReadAt(b, 0); int64(n) < e.Size {
		return nil
	}
	return b
}

// peek returns at most n bytes at the front of a file.
func (f *folder) peek(file string, n int64) []byte {
	return f.slice(file, 0, min(n, f.entries[file].Size))
}

// slice returns bytes of a file, or nil if it is shorter.
func (f *folder) slice(file string, off, n int64) []byte {
	c, err := f.t.Snapshot.Content(f.name(file))
	if err != nil || off < 0 || n > c.Len()-off {
		return nil
	}
	b := make([]byte, n)
	if k, _ := c.ReadAt(b, off); int64(k) < n {
		return nil
	}
	return b
}

// below returns the files below a folder in name order.
func (f *folder) below(dir string) []string {
	from := sort.SearchStrings(f.order, dir+"/")
	to := from
	for to < len(f.order) && strings.HasPrefix(f.order[to], dir+"/") {
		to++
	}
	return f.order[from:to]
}

// emptied tells whether an edit removed all files of a folder: saving removes the folder too.
func (f *folder) emptied(dir string) bool {
	return slices.ContainsFunc(f.t.Snapshot.Edited(), func(name string) bool { return strings.HasPrefix(name, f.name(dir)+"/") })
}

// whole returns all bytes of a file.
func (f *folder) whole(file string) model.Range {
	if s := f.spans[file]; s != nil {
		return s.Range
	}
	return model.Range{Space: model.NoSpace}
}

// member returns a field of a JSON member file, opening the file.
func (f *folder) member(ctx context.Context, file, name string) *model.Span {
	s := f.spans[file]
	if s == nil || f.t.Open(ctx, s) != nil {
		return nil
	}
	return s.Get(name)
}

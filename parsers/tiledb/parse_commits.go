package tiledb

import (
	"bytes"
	"iter"
	"path"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/storage"
)

// Limits of .con, .ign and .vac files.
const (
	mostCommits = 64 << 20 // bytes that are read
	mostLines   = 1 << 20  // lines that are shown
)

// readCommits collects the commits of an array: marker files, consolidated ones, ignore lists and vacuum files (1.2, 5.4).
func (a *array) readCommits() *commitSet {
	s := &commitSet{named: map[string]string{}, vacuum: map[string]stamp{}, merged: map[string]merged{}, lines: map[string]commitLine{}, deletes: map[string]commitLine{}}
	ignored := map[string]bool{}
	for _, dir := range []string{a.dir, a.path("__commits")} {
		list, _, _ := a.d.t.Snapshot.List(dot(dir))
		for _, e := range list {
			switch ext := path.Ext(e.Name); ext {
			case ".ok", ".wrt":
				s.named[strings.TrimSuffix(path.Base(e.Name), ext)] = e.Name
			case ".del":
				if dir != a.dir {
					s.deletes[path.Base(e.Name)] = commitLine{file: e.Name}
				}
			case ".con", ".ign", ".vac":
				s.readList(a, e, ext, ignored)
			}
		}
	}
	for name := range ignored {
		delete(s.lines, name)
		delete(s.deletes, name)
	}
	return s
}

// readList reads the fragments that a list of files names, and notes those of an ignore list.
func (s *commitSet) readList(a *array, e model.Entry, kind string, ignored map[string]bool) {
	b := fileBytes(a.d.t, e.Name, mostCommits)
	if b == nil {
		s.readBad = append(s.readBad, e.Name)
	}
	own := strings.TrimSuffix(path.Base(e.Name), kind)
	when := stampOf(own)
	when.ok = true
	if kind == ".vac" {
		s.merged[own] = merged{e.Name, namesIn(b)}
	}
	for off, line := range lines(b, kind == ".con") {
		if len(line) > longestLine {
			continue
		}
		named, name := path.Base(string(line)), committed(string(line))
		switch ext := path.Ext(named); {
		case kind == ".con" && name != "":
			s.lines[name] = commitLine{e.Name, string(line), off}
		case kind == ".con" && ext == ".del":
			s.deletes[named] = commitLine{e.Name, string(line), off + int64(len(line)) + 1 + 8} // after the newline, and its size
		case kind == ".con" && ext != ".upd" && len(line) > 0:
			s.lines[named] = commitLine{e.Name, string(line), off} // it commits nothing
		case kind == ".ign":
			ignored[name], ignored[named] = true, true
		case kind == ".vac" && fragmentName().MatchString(strings.TrimSuffix(named, ext)) && (!s.vacuum[named].ok || when.from < s.vacuum[named].from):
			s.vacuum[named] = when
		}
	}
}

// namesIn are the names at the ends of the paths in a vacuum file.
func namesIn(b []byte) (out []string) {
	for _, line := range lines(b, false) {
		if len(line) > 0 {
			out = append(out, path.Base(string(line)))
		}
	}
	return out
}

// committed is the fragment that a line of commits names; "" if it names none. TileDB compares whole lines.
func committed(line string) string {
	ext := path.Ext(line)
	if name := strings.TrimSuffix(path.Base(line), ext); (ext == ".wrt" || ext == ".ok") && fragmentName().MatchString(name) {
		return name
	}
	return ""
}

// lines are the lines of a list of files by where they start, without the newline and without the delete commits that
// follow lines of a consolidated one.
func lines(b []byte, blocks bool) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		for at := int64(0); at < int64(len(b)); {
			line := b[at:]
			if n := bytes.IndexByte(line, '\n'); n >= 0 {
				line = line[:n]
			}
			if !yield(at, line) {
				return
			}
			at = min(at+int64(len(line))+1, int64(len(b)))
			if rest := b[at:]; blocks && bytes.HasSuffix(line, []byte(".del")) && len(rest) >= 8 {
				size, _ := blockSize(rest[:min(len(rest), 8+storage.HeaderBytes)], int64(len(rest)))
				at += 8 + size
			}
		}
	}
}

// blockSize is the length of the delete commit after the line with its name, and whether the size before it states
// it. head are the first of left bytes after the line. The generic tile in the block knows its own length.
func blockSize(head []byte, left int64) (size int64, ok bool) {
	size = int64(min(filter.Uint(head, 8), 1<<62))
	own := storage.ListLength(head[8:])
	if size != own && own <= left-8 {
		return own, false
	}
	return min(size, left-8), size <= left-8
}

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
	mostCommits = 64 << 20 // bytes that are looked at
	mostLines   = 1 << 20  // lines that are shown
)

// readCommits collects the commits of an array: marker files, consolidated ones, ignore lists and vacuum files (1.2, 5.4).
func (a *array) readCommits() *commitSet {
	s := &commitSet{named: map[string]string{}, vacuum: map[string]stamp{}, lines: map[string]commitLine{}}
	ignored := map[string]bool{}
	add := func(dir string) {
		list, _, _ := a.d.t.Snapshot.List(dot(dir))
		for _, e := range list {
			base := path.Base(e.Name)
			switch name := strings.TrimSuffix(base, path.Ext(base)); path.Ext(base) {
			case ".ok", ".wrt":
				s.named[name] = e.Name
			case ".con", ".ign", ".vac":
				b, err := content(a, e)
				if err != nil {
					s.readBad = append(s.readBad, e.Name)
				}
				for off, line := range lines(b, path.Ext(base) == ".con") {
					if len(line) > longestLine {
						continue
					}
					text := string(line)
					named := path.Base(text)
					ext := path.Ext(named)
					fragment := strings.TrimSuffix(named, ext)
					switch kind := path.Ext(base); {
					case !fragmentName().MatchString(fragment):
					case kind == ".vac":
						when := stampOf(name)
						if when.ok = true; !s.vacuum[named].ok || when.from < s.vacuum[named].from {
							s.vacuum[named] = when
						}
					case kind == ".ign":
						ignored[fragment] = true
					case ext != ".del" && ext != ".upd":
						s.lines[fragment] = commitLine{e.Name, text, off}
					}
				}
			}
		}
	}
	add(a.dir)
	add(a.path("__commits"))
	for name := range ignored {
		delete(s.lines, name)
	}
	return s
}

// content returns the bytes of a small file.
func content(a *array, e model.Entry) ([]byte, error) {
	c, err := a.d.t.Snapshot.Content(e.Name)
	if err != nil {
		return nil, err
	}
	b := make([]byte, min(c.Len(), mostCommits))
	if len(b) == 0 {
		return nil, nil
	}
	_, err = c.ReadAt(b, 0)
	return b, err
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

// blockSize is how long the delete commit is that follows the line with its name, and whether the size in front of it says
// so. head are the first bytes behind the line, of which there are left. The generic tile in the block knows its own length.
func blockSize(head []byte, left int64) (size int64, ok bool) {
	size = int64(min(filter.Uint(head, 8), 1<<62))
	own := storage.ListLength(head[8:])
	if size != own && own <= left-8 {
		return own, false
	}
	return min(size, left-8), size <= left-8
}

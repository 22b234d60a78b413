package parsers

import (
	"bytes"
	"path"
	"strings"

	"spandrel/model"
)

// tdbCommitSet is what the commits of an array say: which fragments count.
type tdbCommitSet struct {
	named   map[string]string // fragment by base name to the file that commits it
	vacuum  map[string]bool   // fragments that a vacuum file lists: consolidated away
	lines   map[string]string // of consolidated commits: fragment to file
	old     bool              // an array of before version 5: fragments need no commit
	readBad []string          // files that could not be read
}

const tdbMostCommits = 64 << 20 // bytes of a .con, .ign or .vac file that are looked at

// readCommits collects the commits of an array: marker files, consolidated ones, ignore lists and vacuum files (1.2, 5.4).
func (a *tdbArray) readCommits() *tdbCommitSet {
	s := &tdbCommitSet{named: map[string]string{}, vacuum: map[string]bool{}, lines: map[string]string{}}
	ignored := map[string]bool{}
	add := func(dir string) {
		list, _, _ := a.d.t.Snapshot.List(tdbDot(dir))
		for _, e := range list {
			base := path.Base(e.Name)
			switch name := strings.TrimSuffix(base, path.Ext(base)); path.Ext(base) {
			case ".ok", ".wrt":
				s.named[name] = e.Name
			case ".con", ".ign", ".vac":
				b, err := a.content(e)
				if err != nil {
					s.readBad = append(s.readBad, e.Name)
				}
				for _, line := range tdbCommitLines(b, path.Ext(base) == ".con") {
					line = path.Base(line)
					ext := path.Ext(line)
					fragment := strings.TrimSuffix(line, ext)
					switch kind := path.Ext(base); {
					case kind == ".vac":
						s.vacuum[line] = true
					case kind == ".ign":
						ignored[fragment] = true
					case ext != ".del" && ext != ".upd":
						s.lines[fragment] = e.Name
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
func (a *tdbArray) content(e model.Entry) ([]byte, error) {
	c, err := a.d.t.Snapshot.Content(e.Name)
	if err != nil {
		return nil, err
	}
	b := make([]byte, min(c.Len(), tdbMostCommits))
	if len(b) == 0 {
		return nil, nil
	}
	_, err = c.ReadAt(b, 0)
	return b, err
}

// tdbCommitLines splits a list of files, passing over the delete commits inside a consolidated one.
func tdbCommitLines(b []byte, blocks bool) (lines []string) {
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\n')
		if n < 0 {
			return append(lines, string(b))
		}
		line := string(b[:n])
		lines, b = append(lines, line), b[n+1:]
		if blocks && strings.HasSuffix(line, ".del") && len(b) >= 8 {
			size := tdbUint(b, 8)
			if size > uint64(len(b)-8) {
				return lines
			}
			b = b[8+size:]
		}
	}
	return lines
}

// has tells whether a fragment counts. Those of before version 5 need no commit.
func (s *tdbCommitSet) has(f *tdbFrag) bool {
	if s.vacuum[f.name] {
		return false
	}
	if f.stamp.version == 0 {
		return true
	}
	return s.named[f.name] != "" || s.lines[f.name] != ""
}

// checkCommits compares commits and fragments.
func (a *tdbArray) checkCommits(c *model.Cursor, s *tdbCommitSet) {
	have := map[string]bool{}
	for _, f := range a.fragList {
		have[f.name] = true
		if f.stamp.version > 0 && s.named[f.name] == "" && s.lines[f.name] == "" {
			c.Report(model.Diagnostic{Rule: tdb(174), Span: f.group, Found: f.name, Expected: "a commit that names the fragment"})
		}
	}
	for name, file := range s.named {
		if !have[name] && !s.vacuum[name] {
			c.Report(model.Diagnostic{Rule: tdb(174), Span: c.Span(), Found: file, Expected: "the fragment " + name})
		}
	}
	for name, file := range s.lines {
		if !have[name] && !s.vacuum[name] && tdbFragmentName.MatchString(name) {
			c.Report(model.Diagnostic{Rule: tdb(179), Span: c.Span(), Found: name + " in " + path.Base(file), Expected: "a fragment of the array"})
		}
	}
	for _, file := range s.readBad {
		c.Report(model.Diagnostic{Rule: model.RuleUndecoded, Span: c.Span(), Message: file + " cannot be read"})
	}
}

package tiledb

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"sync"

	"spandrel/model"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// reportUncommitted reports a fragment without a commit, and the consequence: for an array without any commit, that it is empty.
func reportUncommitted(c *model.Cursor, f *frag, all bool) {
	says, grade := "fragment %s has no commit: a write was interrupted. TileDB reads the array as it was before", model.Warning
	if _, err := f.a.d.t.Snapshot.Content(path.Join(f.dir, metaFileF.Name)); model.Missing(err) {
		says = "fragment %s has no metadata and no commit: a write was interrupted. TileDB reads the array as it was before"
	}
	if all {
		says, grade = "fragment %s has no commit, and neither has any other: for TileDB the array is empty", model.Error
	}
	c.Wrong(rule.Uncommitted, f.group, f.name, "a commit that names the fragment", model.About(f), model.Graded(grade), model.Saying(says, f.name))
}

// ignored tells whether other fragments count, and the fragment does not.
func ignored(f *frag) bool {
	s := f.a.commits
	return s != nil && !s.has(f) && !s.empty()
}

// empty tells whether nothing commits any fragment.
func (s *commitSet) empty() bool {
	for name := range s.lines {
		if fragmentName().MatchString(name) {
			return false
		}
	}
	return len(s.named) == 0
}

// lostFolder is a missing fragment that a commit names.
type lostFolder struct {
	a    *array
	name string
}

// commitFiles are the files of the group of commits by name; none if it has no span.
func commitFiles(c *model.Cursor, group model.Node) map[string]*model.Span {
	by := map[string]*model.Span{}
	if storage.OpenNow(c, group); group.Span != nil {
		for i := range group.Count() {
			by[group.Child(i).Name()] = group.Child(i)
		}
	}
	return by
}

// checkCommits compares commits and fragments. group contains the commit files; it has no span if there are none.
func checkCommits(c *model.Cursor, a *array, group model.Node, frags []*frag) {
	s := a.commits
	if s == nil {
		return
	}
	files := sync.OnceValue(func() map[string]*model.Span { return commitFiles(c, group) })
	at := func(file string) *model.Span { return cmp.Or(files()[path.Base(file)], c.Span()) }
	have := map[string]bool{}
	for _, f := range frags {
		have[f.name] = true
		if f.group != nil && f.stamp.version > 0 && s.named[f.name] == "" && s.lines[f.name].file == "" {
			reportUncommitted(c, f, s.empty())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.named)) {
		if !have[name] && !s.vacuum[name].ok {
			where := cmp.Or(group.Span, at(s.named[name])) // the file itself is valid: it is empty
			c.Wrong(rule.Uncommitted, where, "no such folder", "the fragment "+name, model.About(lostFolder{a, name}), model.Graded(model.Error),
				model.Saying("fragment %s is missing, though a commit names it: TileDB cannot open the array", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.lines)) {
		if !have[name] && !s.vacuum[name].ok {
			line := s.lines[name]
			span := at(line.file)
			c.Wrong(rule.CommitLineBad, model.Spot{Span: span,
				Range: model.Range{Space: span.Range.Space, Off: line.off,
					Len: int64(len(line.text))}}, line.text, "a fragment of the array")
		}
	}
	for _, file := range s.readBad {
		c.Wrong(model.RuleUndecoded, at(file), nil, nil, model.Saying("%s", file+" cannot be read"))
	}
}

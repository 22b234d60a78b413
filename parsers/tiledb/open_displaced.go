package tiledb

import (
	"context"
	"path"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// An array whose files have other names than its own, so that TileDB finds none: a copy put all of them into one folder, as unzip -j and uploads do, or
// changed the case of the names, as file systems of CDs and memory cards do. Each file's own name follows from the names and the schemas.

// mostDisplaced is how many files of such an array are renamed.
const mostDisplaced = 10_000

// displaced is such an array.
type displaced struct {
	says  string
	names []map[string]string // the files' own names, by those they have; several if it is not known which of them
}

// displacedIn is the array in the folder of the document if its files have other names than TileDB's; nil if it is anything else.
func (d *doc) displacedIn(ctx context.Context) *displaced {
	if objectAt(d.t.Snapshot, ".") != 0 {
		return nil
	}
	if names := foldedNames(d.t.Snapshot); len(names) > 0 {
		d.unfoldFields(ctx, names)
		return &displaced{"the names of the files of the array have letters of the other case, so TileDB does not find them", []map[string]string{names}}
	}
	if names := d.flattened(ctx); len(names) > 0 {
		return &displaced{"the folders of the array are missing: all its files lie in one folder", names}
	}
	return nil
}

// report reports the array, and lists its files without reading them.
func (x *displaced) report(c *model.Cursor, a *array) {
	c.Wrong(rule.NoSchema, nil, "other names", "the folder __schema", model.About(x), model.Saying("%s", x.says))
	c.Group(othersF, func(c *model.Cursor) {
		for _, e := range filesBelow(a.d.t.Snapshot, ".", nil) {
			file{a, kindOther, e.Name}.child(c, e)
		}
	})
}

// filesBelow appends the files of a folder and of those in it.
func filesBelow(s *model.Snapshot, dir string, out []model.Entry) []model.Entry {
	list, _, err := s.List(dir)
	for _, e := range list {
		if e.Regular {
			out = append(out, e)
		} else if e.Dir && err == nil && len(out) < mostDisplaced && strings.Count(e.Name, "/") < 16 {
			out = filesBelow(s, e.Name, out)
		}
	}
	return out
}

// isOwn tells whether the name of a file or folder, all of it in small letters, is one that TileDB gives.
func isOwn(base string) bool {
	return folders[base] || base == "__enumerations" || path.Ext(base) == ".tdb" || stampOf(strings.TrimSuffix(base, path.Ext(base))).ok || enumName().MatchString(base)
}

// foldedNames are the names of files with the parts that TileDB gives in small letters, by those that they have; none unless there is such a folder.
func foldedNames(s *model.Snapshot) map[string]string {
	if !folded(s) {
		return nil
	}
	names := map[string]string{}
	for _, e := range filesBelow(s, ".", nil) {
		parts := strings.Split(e.Name, "/")
		for i, base := range parts {
			if small := strings.ToLower(base); isOwn(small) {
				parts[i] = small
			}
		}
		if to := strings.Join(parts, "/"); to != e.Name {
			names[e.Name] = to
		}
	}
	return names
}

// unfoldFields gives files of fragments before version 9 the letters of the fields that they are named after.
func (d *doc) unfoldFields(ctx context.Context, names map[string]string) {
	byField := false
	files := map[string]*model.Content{}
	for name, to := range names {
		content, err := d.t.Snapshot.Content(name)
		if _, taken := d.t.Snapshot.Content(to); err == nil && taken != nil {
			files[name], files[to] = nil, content
		}
		byField = byField || path.Ext(to) == ".tdb" && !knownName().MatchString(path.Base(to))
	}
	if !byField {
		return
	}
	own := fieldFiles(ctx, d.apart(ctx, d.t.Snapshot.WithAll(files), func(a *array, c *model.Cursor) { a.readSchemas(c) }))
	for name, to := range names {
		if file := own[path.Base(to)]; file != "" && stampOf(path.Base(path.Dir(to))).version < 9 {
			names[name] = path.Join(path.Dir(to), file)
		}
	}
}

// fieldFiles are the names of files of fragments before version 9, by the same in small letters.
func fieldFiles(ctx context.Context, a *array) map[string]string {
	own := map[string]string{}
	for _, name := range a.schemas.Order {
		s := a.schemas.Schema(ctx, name)
		for version := uint32(1); s != nil && version < 9; version++ {
			for _, slot := range (&fragment.Footer{Schema: s, Version: version}).Slots() {
				for _, part := range fragment.PartNames {
					file := slot.File + part + ".tdb"
					own[strings.ToLower(file)] = file
				}
			}
		}
	}
	return own
}

// apart reads parts of an array of other files in a tree of its own.
func (d *doc) apart(ctx context.Context, snap *model.Snapshot, read func(*array, *model.Cursor)) *array {
	x := &doc{readKey: d.readKey, arrays: map[string]*array{}}
	model.Parse(ctx, snap, &model.Format{Parse: func(c *model.Cursor) { x.t = c.Tree(); read(x.array(""), c) }})
	return x.array("")
}

// flattened are the names of the files of an array of one fragment that are all in one folder, for each commit there: the fragment has the name of its
// commit. There are none without schema, metadata, data and commit.
func (d *doc) flattened(ctx context.Context) (out []map[string]string) {
	list, _, _ := d.t.Snapshot.List(".")
	base, stamped := map[string]string{}, []model.Entry{}
	var commits, data []string
	metadata := false
	for _, e := range list {
		stamp, ext := stampOf(strings.TrimSuffix(e.Name, path.Ext(e.Name))), path.Ext(e.Name)
		switch {
		case !e.Regular || kindsByName[e.Name] == kindEmpty:
		case e.Name == metaFileF.Name:
			metadata = true
		case knownName().MatchString(e.Name):
			data = append(data, e.Name)
		case ext == ".wrt" || ext == ".ok":
			commits = append(commits, e.Name)
		case enumName().MatchString(e.Name):
			base[e.Name] = "__schema/__enumerations"
		case stamp.ok && ext == "":
			stamped = append(stamped, e)
		case stamp.ok && ext == ".meta":
			base[e.Name] = "__fragment_meta"
		case stamp.ok:
			base[e.Name] = "__commits"
		}
	}
	if !metadata || len(data) == 0 || len(commits) == 0 || len(stamped) == 0 {
		return nil
	}
	schemas := d.schemasAmong(ctx, stamped)
	if len(schemas) == 0 {
		return nil
	}
	for _, e := range stamped {
		if base[e.Name] = "__meta"; schemas[e.Name] {
			base[e.Name] = "__schema"
		}
	}
	data = append(data, metaFileF.Name)
	for _, commit := range commits {
		out = append(out, unflattened(base, commit, data))
	}
	return out
}

// unflattened are the names of files in the array: of those whose folder is known, of a commit, and of the files of its fragment.
func unflattened(base map[string]string, commit string, data []string) map[string]string {
	names := map[string]string{}
	for name, dir := range base {
		names[name] = path.Join(dir, name)
	}
	in, to := strings.TrimSuffix(commit, path.Ext(commit)), "__commits"
	if path.Ext(commit) == ".wrt" {
		names[commit], in = path.Join(to, commit), path.Join("__fragments", in)
	}
	for _, name := range data {
		names[name] = path.Join(in, name)
	}
	return names
}

// schemasAmong tells which of some files, whose names do not say what they are, are schemas.
func (d *doc) schemasAmong(ctx context.Context, list []model.Entry) map[string]bool {
	a := d.apart(ctx, d.t.Snapshot, func(a *array, c *model.Cursor) {
		for _, e := range list {
			storage.OpenNow(c, c.Companion(folderFile.Named("%s", e.Name), e, file{a, kindTile, e.Name}.read))
		}
	})
	out := map[string]bool{}
	for _, e := range list {
		out[e.Name] = a.schemas.Kept(e.Name) != nil
	}
	return out
}

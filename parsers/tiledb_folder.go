package parsers

import (
	"path"
	"sort"
	"strings"

	"spandrel/model"
)

// Folders of arrays and groups (1.2). Schemas and their enumerations are read at once, as everything depends on them; all
// else when somebody looks inside.
var (
	tdbSchemasF   = &model.Field{Name: "schemas", Doc: "the oldest first; the last one is current", Ref: "1.4"}
	tdbEnumsF     = &model.Field{Name: "enumerations", Ref: "3.6"}
	tdbLabelsF    = &model.Field{Name: "labels", Doc: "arrays that hold the labels of dimensions", Ref: "3.5"}
	tdbFragsF     = &model.Field{Name: "fragments", Doc: "what each write added, the oldest first", Ref: "5"}
	tdbFragF      = &model.Field{Name: "fragment", Ref: "5"}
	tdbMetasF     = &model.Field{Name: "metadata", Ref: "5.3"}
	tdbCommitsF   = &model.Field{Name: "commits", Ref: "5.4"}
	tdbConMetasF  = &model.Field{Name: "consolidated_metadata", Doc: "footers of several fragments in one file", Ref: "5.4"}
	tdbDetailsF   = &model.Field{Name: "details", Doc: "members of the group", Ref: "5.5"}
	tdbMembersF   = &model.Field{Name: "members", Doc: "arrays and groups inside the group", Ref: "5.5"}
	tdbMembF      = &model.Field{Name: "member", Ref: "5.5"}
	tdbOthersF    = &model.Field{Name: "files", Doc: "other files of the folder"}
	tdbFolderFile = &model.Field{Name: "file", Ref: "1.2"}
)

// tdbFolders are the folders that an array has a meaning for.
var tdbFolders = map[string]bool{"__schema": true, "__fragments": true, "__commits": true, "__fragment_meta": true, "__meta": true, "__labels": true, "__group": true}

// readFolder reads the folder of an array or a group.
func (d *tdbDoc) readFolder(c *model.Cursor, dir string) {
	list, more, err := d.t.Snapshot.List(tdbDot(dir))
	if err != nil {
		c.Report(model.Finding{Rule: model.RuleUndecoded, Span: c.Span(), Message: err.Error()})
		return
	}
	if more {
		c.Report(model.Finding{Rule: model.RuleCap, Span: c.Span(), Message: "the folder has more files than are listed"})
	}
	a := d.array(dir)
	if tdbObjectAt(d.t.Snapshot, tdbDot(dir)) == 2 {
		a.readArray(c)
	}
	sub := map[string]bool{}
	var files, olds []model.Entry
	for _, e := range list {
		base := path.Base(e.Name)
		switch {
		case e.Dir:
			sub[base] = true
		case base == tdbOldSchema:
		case tdbStampOf(strings.TrimSuffix(base, path.Ext(base))).ok && path.Ext(base) != "":
			olds = append(olds, e)
		case e.Regular:
			files = append(files, e)
		}
	}
	if sub["__group"] {
		a.fileGroup(c, tdbDetailsF, "__group", tdbKindGroup)
	}
	if sub["__meta"] {
		a.listMetadata(c)
	}
	if sub["__commits"] || len(olds) > 0 { // an array may hold both eras at once
		a.checkCommits(c, c.Group(tdbCommitsF, func(c *model.Cursor) {
			a.listFiles(c, olds, tdbKindOther)
			a.listFolder(c, "__commits", tdbKindOther)
		}), a.fragList)
	} else {
		a.checkCommits(c, model.Node{}, a.fragList)
	}
	if sub["__fragment_meta"] {
		a.fileGroup(c, tdbConMetasF, "__fragment_meta", tdbKindConMeta)
	}
	if len(files) > 0 {
		c.Group(tdbOthersF, func(c *model.Cursor) { a.listFiles(c, files, tdbKindOther) })
	}
	d.readMembers(c, dir, sub)
}

// readMembers lists the arrays and groups inside a folder.
func (d *tdbDoc) readMembers(c *model.Cursor, dir string, sub map[string]bool) {
	if strings.Count(dir, "/") > 16 {
		return
	}
	var inside []string
	for name := range sub {
		if !tdbFolders[name] && !tdbFragmentName.MatchString(name) {
			inside = append(inside, name)
		}
	}
	sort.Strings(inside)
	if len(inside) == 0 {
		return
	}
	d.member(c.Group(tdbMembersF, func(c *model.Cursor) {
		for _, name := range inside {
			f := tdbMembF.Named("%s", name)
			at := path.Join(dir, name)
			d.member(c.Group(f, func(c *model.Cursor) { d.readFolder(c, at) }))
		}
	}))
}

// member remembers the folder of a member or a label, or the list of them, for deep checks.
func (d *tdbDoc) member(n model.Node) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.members = append(d.members, n.Span)
}

// listMetadata makes a group of the metadata files.
func (a *tdbArray) listMetadata(c *model.Cursor) {
	group := a.fileGroup(c, tdbMetasF, "__meta", tdbKindMetadata)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.metas = group
}

// fileGroup makes a group of the files of a sub-folder.
func (a *tdbArray) fileGroup(c *model.Cursor, f *model.Field, dir string, kind tdbKind) *model.Span {
	return c.Group(f, func(c *model.Cursor) { a.listFolder(c, dir, kind) }).Span
}

// listFolder makes children of the files of a sub-folder, if it is there.
func (a *tdbArray) listFolder(c *model.Cursor, dir string, kind tdbKind) {
	list, more, err := a.d.t.Snapshot.List(tdbDot(a.path(dir)))
	if err != nil && !model.Missing(err) {
		c.Report(model.Finding{Rule: model.RuleUndecoded, Span: c.Span(), Message: err.Error()})
	}
	if more {
		c.Report(model.Finding{Rule: model.RuleCap, Span: c.Span(), Message: dir + " has more files than are listed"})
	}
	a.listFiles(c, list, kind)
}

// listFiles makes children of files. Their kind is told by their names, or is the one given.
func (a *tdbArray) listFiles(c *model.Cursor, list []model.Entry, kind tdbKind) {
	for _, e := range list {
		if !e.Regular {
			continue
		}
		k, _ := tdbKindOf(e.Name)
		if kind != tdbKindOther && (k == tdbKindTile || k == tdbKindEnumeration || k == tdbKindData) {
			k = kind
		} else if k == tdbKindTile {
			k = tdbKindOther
		}
		c.Companion(tdbFolderFile.Named("%s", path.Base(e.Name)), e, func(c *model.Cursor) { a.readFile(c, k, e.Name) })
	}
}

// readArray reads what makes a folder an array: schemas, enumerations, labels, fragments.
func (a *tdbArray) readArray(c *model.Cursor) {
	a.readSchemas(c)
	a.readLabels(c)
	a.open(c, c.Group(tdbFragsF, a.listFragments))
	a.checkFolder(c)
}

// readLabels reads the arrays of dimension labels.
func (a *tdbArray) readLabels(c *model.Cursor) {
	labels, _, err := a.d.t.Snapshot.List(a.path("__labels"))
	if err != nil || len(labels) == 0 {
		return
	}
	const most = 64 // labels whose arrays are read at once, to be compared with their labels
	a.open(c, c.Group(tdbLabelsF, func(c *model.Cursor) {
		for i, e := range labels {
			if !e.Dir {
				continue
			}
			n := c.Group(tdbMembF.Named("%s", path.Base(e.Name)), func(c *model.Cursor) { a.d.readFolder(c, e.Name) })
			if a.d.member(n); i < most {
				a.open(c, n)
			}
		}
	}))
}

// listFragments makes a child of each fragment folder, in the order of their times. Nothing of them is read.
func (a *tdbArray) listFragments(c *model.Cursor) {
	frags, more := a.findFragments()
	if more {
		c.Report(model.Finding{Rule: model.RuleCap, Span: c.Span(), Message: "there are more fragments than are listed"})
	}
	a.showFragments(c, frags)
}

// findFragments returns the fragment folders in the order of their times; more tells that there are others.
func (a *tdbArray) findFragments() (frags []*tdbFrag, more bool) {
	for _, dir := range []string{a.dir, a.path("__fragments")} {
		list, others, _ := a.d.t.Snapshot.List(tdbDot(dir))
		for _, e := range list {
			if e.Dir && tdbFragmentName.MatchString(path.Base(e.Name)) {
				frags = append(frags, a.newFrag(e.Name))
			}
		}
		more = more || others
	}
	sort.SliceStable(frags, func(i, j int) bool {
		if x, y := frags[i].stamp.from, frags[j].stamp.from; x != y {
			return x < y
		}
		return frags[i].dir < frags[j].dir
	})
	return frags, more
}

// showFragments makes the fragments children of the frame, and those that the array has.
func (a *tdbArray) showFragments(c *model.Cursor, frags []*tdbFrag) {
	a.commits = a.readCommits()
	byDir := map[string]*tdbFrag{}
	for _, f := range frags {
		byDir[f.dir] = f
		f.live = a.commits.has(f)
		field := tdbFragF.Named("%s", f.name)
		if !f.live {
			field.Doc = "a fragment that does not count: no commit names it, or it was consolidated away"
		}
		f.group = c.Group(field, f.readFolder).Span
	}
	a.mu.Lock()
	a.frags, a.fragList = byDir, frags
	a.mu.Unlock()
}

// readFolder lists the files of a fragment.
func (f *tdbFrag) readFolder(c *model.Cursor) {
	list, _, err := f.a.d.t.Snapshot.List(tdbDot(f.dir))
	if err != nil {
		c.Report(model.Finding{Rule: model.RuleUndecoded, Span: c.Span(), Message: err.Error()})
		return
	}
	for _, e := range list {
		if path.Base(e.Name) == tdbMetaFileF.Name {
			f.metaAt = f.metaFile(c, e)
		}
	}
	if f.metaAt == nil {
		c.Report(model.Finding{Rule: tdb(174), Span: c.Span(), Found: "no " + tdbMetaFileF.Name, Expected: "the metadata of the fragment"})
	}
	for _, e := range list {
		base := path.Base(e.Name)
		if !e.Regular || base == tdbMetaFileF.Name {
			continue
		}
		kind := tdbKindData
		if path.Ext(base) != ".tdb" {
			kind = tdbKindOther
		}
		n := c.Companion(tdbFolderFile.Named("%s", base), e, func(c *model.Cursor) { f.a.readFile(c, kind, e.Name) })
		f.files[strings.TrimSuffix(base, ".tdb")] = n.Span
	}
}

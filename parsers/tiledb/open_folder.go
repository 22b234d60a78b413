package tiledb

import (
	"path"
	"sort"
	"strings"
	"sync"

	"spandrel/model"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// readFolder reads the folder of an array or a group.
func (d *doc) readFolder(c *model.Cursor, dir string) {
	list, more, err := d.t.Snapshot.List(dot(dir))
	if err != nil {
		c.Wrong(model.RuleUndecoded, nil, nil, nil, model.Saying("%s", err.Error()))
		return
	}
	if more {
		c.Wrong(model.RuleCap, nil, nil, nil, model.Saying("%s", "the folder has more files than are listed"))
	}
	a := d.array(dir)
	if objectAt(d.t.Snapshot, dot(dir)) == 2 {
		a.readArray(c)
	}
	sub := map[string]bool{}
	var files, olds []model.Entry
	for _, e := range list {
		base := path.Base(e.Name)
		switch {
		case e.Dir:
			sub[base] = true
		case base == schema.OldSchema:
		case stampOf(strings.TrimSuffix(base, path.Ext(base))).ok && path.Ext(base) != "":
			olds = append(olds, e)
		case e.Regular:
			files = append(files, e)
		}
	}
	if sub["__group"] {
		subfolder{a, "__group", kindGroup}.group(c, detailsF)
	}
	if sub["__meta"] {
		a.listMetadata(c)
	}
	if sub["__commits"] || len(olds) > 0 { // an array may contain both layouts
		checkCommits(c, a, c.Group(commitsF, func(c *model.Cursor) {
			commits := subfolder{a, "__commits", kindOther}
			commits.files(c, olds)
			commits.list(c)
		}), a.fragList)
	} else {
		checkCommits(c, a, model.Node{}, a.fragList)
	}
	if sub["__fragment_meta"] {
		subfolder{a, "__fragment_meta", kindConMeta}.group(c, conMetasF)
	}
	if len(files) > 0 {
		c.Group(othersF, func(c *model.Cursor) { subfolder{a, "", kindOther}.files(c, files) })
	}
	d.readMembers(c, dir, sub)
}

// readMembers lists the arrays and groups inside a folder.
func (d *doc) readMembers(c *model.Cursor, dir string, sub map[string]bool) {
	if strings.Count(dir, "/") > 16 {
		return
	}
	var inside []string
	for name := range sub {
		if !folders[name] && !fragmentName().MatchString(name) {
			inside = append(inside, name)
		}
	}
	sort.Strings(inside)
	if len(inside) == 0 {
		return
	}
	d.member(c.Group(membersF, func(c *model.Cursor) {
		for _, name := range inside {
			f := membF.Named("%s", name)
			at := path.Join(dir, name)
			d.member(c.Group(f, func(c *model.Cursor) { d.readFolder(c, at) }))
		}
	}))
}

// listMetadata makes a group of the metadata files.
func (a *array) listMetadata(c *model.Cursor) {
	group := subfolder{a, "__meta", kindMetadata}.group(c, metasF)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.metas = group
}

// subfolder is a folder of an array, "" for the array's own. Its files are of one kind, unless their names say otherwise.
type subfolder struct {
	a    *array
	name string
	kind fileKind
}

// group makes a group of the files.
func (x subfolder) group(c *model.Cursor, f *model.Field) *model.Span {
	return c.Group(f, x.list).Span
}

// list makes children of the files, if the folder exists.
func (x subfolder) list(c *model.Cursor) {
	list, more, err := x.a.d.t.Snapshot.List(dot(x.a.path(x.name)))
	if err != nil && !model.Missing(err) {
		c.Wrong(model.RuleUndecoded, nil, nil, nil, model.Saying("%s", err.Error()))
	}
	if more {
		c.Wrong(model.RuleCap, nil, nil, nil, model.Saying("%s", x.name+" has more files than are listed"))
	}
	x.files(c, list)
}

// files makes children of some of the files.
func (x subfolder) files(c *model.Cursor, list []model.Entry) {
	for _, e := range list {
		if !e.Regular {
			continue
		}
		k, _ := kindOf(e.Name)
		if x.kind == kindMetadata && !isNamed(path.Base(e.Name)) {
			oddName(c, file{x.a, kindOther, e.Name}.child(c, e), e)
			continue
		}
		if x.kind != kindOther && (k == kindTile || k == kindEnumeration || k == kindData) {
			k = x.kind
		} else if k == kindTile {
			k = kindOther
		}
		file{x.a, k, e.Name}.child(c, e)
	}
}

// readArray reads the parts of an array: schemas, enumerations, labels, fragments.
func (a *array) readArray(c *model.Cursor) {
	a.readSchemas(c)
	a.readLabels(c)
	storage.OpenNow(c, c.Group(fragsF, a.listFragments))
	checkSizes(c, a)
	checkArray(c, a)
}

// readLabels reads the arrays of dimension labels.
func (a *array) readLabels(c *model.Cursor) {
	labels, _, err := a.d.t.Snapshot.List(a.path("__labels"))
	if err != nil || len(labels) == 0 {
		return
	}
	const most = 64 // label arrays that are read on opening, to compare them
	storage.OpenNow(c, c.Group(labelsF, func(c *model.Cursor) {
		for i, e := range labels {
			if !e.Dir {
				continue
			}
			n := c.Group(membF.Named("%s", path.Base(e.Name)), func(c *model.Cursor) { a.d.readFolder(c, e.Name) })
			if a.d.member(n); i < most {
				storage.OpenNow(c, n)
			}
		}
	}))
}

// listFragments makes a child of each fragment folder, ordered by time. They are not read.
func (a *array) listFragments(c *model.Cursor) {
	frags, more := a.findFragments()
	if more {
		c.Wrong(model.RuleCap, nil, nil, nil, model.Saying("%s", "there are more fragments than are listed"))
	}
	a.showFragments(c, frags)
}

// showFragments makes the fragments children of the frame, and stores them in the array.
func (a *array) showFragments(c *model.Cursor, frags []*frag) {
	a.commits = a.readCommits()
	for _, f := range frags {
		f.live = a.commits.has(f)
		field := fragF.Named("%s", f.name)
		if !f.live {
			field.Doc = "an ignored fragment: no commit names it, or it was consolidated"
		}
		f.group = c.Group(field, f.readFolder).Span
	}
	a.own(frags...)
}

// own sets the fragments of the array.
func (a *array) own(frags ...*frag) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.frags, a.fragList = map[string]*frag{}, frags
	for _, f := range frags {
		a.frags[f.dir] = f
	}
}

// readFolder lists the files of a fragment.
func (f *frag) readFolder(c *model.Cursor) {
	list, _, err := f.a.d.t.Snapshot.List(dot(f.dir))
	if err != nil {
		c.Wrong(model.RuleUndecoded, nil, nil, nil, model.Saying("%s", err.Error()))
		return
	}
	for _, e := range list {
		if path.Base(e.Name) == metaFileF.Name {
			f.metaAt = f.metaFile(c, e)
		}
	}
	if f.metaAt == nil && (!ignored(f) || f.a.commits.vacuum[f.name].ok) { // otherwise that it has no commit says it too
		grade, says := model.Error, "fragment %s has no metadata: TileDB cannot open the array"
		switch {
		case f.a.commits.vacuum[f.name].ok:
			grade, says = model.Warning, "fragment %s was consolidated, and its removal was interrupted: its cells are in the consolidated fragment, and vacuuming the array removes the rest"
		case !f.live:
			grade, says = model.Warning, "fragment %s has no metadata and no commit: a write was interrupted"
		}
		c.Wrong(rule.Uncommitted, nil, "no "+metaFileF.Name, "the metadata of the fragment", model.About(lostMetadata{f}), model.Graded(grade), model.Saying(says, f.name))
	}
	for _, e := range list {
		base := path.Base(e.Name)
		if !e.Regular || base == metaFileF.Name {
			continue
		}
		kind := kindData
		if path.Ext(base) != ".tdb" {
			kind = kindOther
		}
		f.files[strings.TrimSuffix(base, ".tdb")] = file{f.a, kind, e.Name}.child(c, e)
	}
}

// parse reads a document, and checks its parts on the way.
func parse(c *model.Cursor) {
	d := &doc{t: c.Tree(), arrays: map[string]*array{}, readKey: sync.OnceValue(func() []byte { return storage.KeyOf(storage.Secret.Value()) })}
	c.Tree().State = d
	name := c.Tree().Snapshot.Primary
	if name == "" {
		d.readDocument(c)
		return
	}
	d.readAlone(c, name)
}

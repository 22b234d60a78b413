package tiledb

import (
	"path"

	"spandrel/model"
	"spandrel/parsers/tiledb/storage"
)

// readAlone reads a file that was opened alone.
func (d *doc) readAlone(c *model.Cursor, name string) {
	kind, dir := kindOf(name)
	if path.Dir(name) == "." && (kind == kindTile || kind == kindData) {
		kind = byContent(c, kind)
	}
	d.primary = kind
	a := d.array(dir)
	switch kind {
	case kindSchema:
		a.listEnumerations(c)
	case kindFragment, kindData, kindConMeta:
		a.listSchemas(c)
		a.listEnumerations(c)
	case kindLines, kindEmpty:
		if objectAt(d.t.Snapshot, dot(dir)) == 2 {
			frags, _ := a.findFragments()
			a.commits = a.readCommits().of(name)
			checkCommits(c, a, model.Node{}, frags)
		}
	}
	d.loose = objectAt(d.t.Snapshot, dot(dir)) == 0
	file{a, kind, name}.read(c)
	if s := a.schemas.Kept(path.Base(name)); kind == kindSchema && s != nil && len(a.schemas.EnumFiles) > 0 {
		for _, e := range s.Enums {
			checkEnumEntry(c, a, s, e)
		}
	}
}

// byContent identifies a file whose name says nothing, or only .tdb (1.5).
func byContent(c *model.Cursor, named fileKind) fileKind {
	b := c.Peek(storage.Eager)
	if kind := isList(b); kind != kindOther {
		return kind
	}
	if storage.TileSure(b, c.Left()) == 0 && !storage.IsLegacy(b, c.Left()) && !storage.BegunTile(b, c.Left()) {
		if named == kindTile && !storage.TilePlausible(b, c.Left()) {
			return kindTile
		}
		return kindData
	}
	// Fragment metadata are consecutive generic tiles; anything else that starts with one is one.
	if n := storage.ListLength(b); n < c.Left() {
		if next := c.PeekAt(c.Base()+n, storage.Eager); storage.TileSure(next, c.Left()-n) > 0 {
			return kindFragment
		}
	}
	return kindTile
}

// readDocument reads the folder that was opened.
func (d *doc) readDocument(c *model.Cursor) {
	snap := d.t.Snapshot
	if snap.Part != "" {
		d.readPart(c, snap.Part)
	} else if x := d.displacedIn(c.Context()); x != nil {
		x.report(c, d.array(""))
	} else if x := strayAt(snap); objectAt(snap, ".") == 0 && x != (stray{}) {
		d.readStray(c, x)
	} else {
		d.readFolder(c, "")
	}
}

// readPart reads a sub-folder of an array or group.
func (d *doc) readPart(c *model.Cursor, part string) {
	a := d.array("")
	object := objectAt(d.t.Snapshot, ".")
	if d.loose = object == 0; object == 2 {
		a.readSchemas(c)
	}
	commits := func(group model.Node, frags []*frag) {
		if !d.loose { // otherwise they may be anywhere
			checkCommits(c, a, group, frags)
		}
	}
	switch part {
	case "__schema", "__schema/__enumerations":
		checkArray(c, a)
	case "__fragments":
		storage.OpenNow(c, c.Group(fragsF, a.listFragments))
		commits(model.Node{}, a.fragList)
	case "__labels":
		a.readLabels(c)
	case "__meta":
		a.listMetadata(c)
	case "__group":
		subfolder{a, part, kindGroup}.group(c, detailsF)
	case "__fragment_meta":
		subfolder{a, part, kindConMeta}.group(c, conMetasF)
	case "__commits":
		frags, _ := a.findFragments()
		a.commits = a.readCommits()
		commits(c.Group(commitsF, subfolder{a, part, kindOther}.list), frags)
	default:
		f := a.newFrag(part)
		storage.OpenNow(c, c.Group(fragsF, func(c *model.Cursor) { a.showFragments(c, []*frag{f}) }))
		commits(model.Node{}, []*frag{f})
	}
}

// readStray reads a folder without its array.
func (d *doc) readStray(c *model.Cursor, x stray) {
	a := d.array("")
	d.loose = true
	switch {
	case x.fragment:
		f := a.newFrag("")
		f.group = c.Span()
		a.own(f)
		f.readFolder(c)
	case x.fragments:
		storage.OpenNow(c, c.Group(fragsF, a.listFragments))
	default:
		c.Group(othersF, func(c *model.Cursor) {
			subfolder{a, "", kindTile}.list(c)
			subfolder{a, "__enumerations", kindEnumeration}.list(c)
		})
	}
}

package parsers

import (
	"path"
	"strings"

	"spandrel/model"
)

// Parts of an array or group that are opened alone: a sub-folder, such as one fragment or __schema, or one file. Schemas and
// enumerations are there beside the part, since the rest of the array is not understood without them (1.2).

// tdbHome is how many folders above a file's own the folder of its array is. The path of a folder ends with a slash.
func tdbHome(name string) int {
	parts := strings.Split(strings.TrimSuffix(path.Dir(name), "/"), "/")
	in := func(i int) string {
		if i < len(parts) {
			return parts[len(parts)-1-i]
		}
		return ""
	}
	folder := strings.HasSuffix(name, "/")
	switch {
	case in(0) == "__enumerations" && in(1) == "__schema" || in(1) == "__fragments":
		return 2
	case in(0) == "__schema" || in(0) == "__meta" || in(0) == "__group" || in(0) == "__commits" || in(0) == "__fragment_meta":
		return 1
	case folder && (in(0) == "__fragments" || in(0) == "__labels"):
		return 1
	case (folder || path.Ext(name) == ".tdb") && tdbFragmentName.MatchString(in(0)):
		return 1
	}
	return 0
}

// readAlone reads a file that was opened alone.
func (d *tdbDoc) readAlone(c *model.Cursor, name string) {
	kind, dir := tdbKindOf(name)
	if path.Dir(name) == "." && (kind == tdbKindTile || kind == tdbKindData) {
		kind = tdbByContent(c, kind)
	}
	d.primary = kind
	a := d.array(dir)
	switch kind {
	case tdbKindSchema:
		a.listEnumerations(c)
	case tdbKindFragment, tdbKindData, tdbKindConMeta:
		a.listSchemas(c)
		a.listEnumerations(c)
	case tdbKindLines, tdbKindEmpty:
		if tdbObjectAt(d.t.Snapshot, tdbDot(dir)) == 2 {
			frags, _ := a.findFragments()
			a.commits = a.readCommits().of(name)
			a.checkCommits(c, model.Node{}, frags)
		}
	}
	a.readFile(c, kind, name)
	if s := a.kept(path.Base(name)); kind == tdbKindSchema && s != nil && len(a.enumFiles) > 0 {
		for _, e := range s.enums {
			a.checkEnumEntry(c, s, e)
		}
	}
}

// tdbByContent tells what a file is whose name says nothing, or .tdb alone (1.5).
func tdbByContent(c *model.Cursor, named tdbKind) tdbKind {
	b := c.Peek(tdbEager)
	if kind := tdbIsList(b); kind != tdbKindOther {
		return kind
	}
	if tdbTileSure(b, c.Left()) == 0 && !tdbIsLegacy(b, c.Left()) {
		if named == tdbKindTile && !tdbTilePlausible(b, c.Left()) {
			return tdbKindTile
		}
		return tdbKindData
	}
	// Fragment metadata are generic tiles, one behind the other; all else that starts with one is one.
	if n := tdbListLength(b); n < c.Left() {
		if next := c.PeekAt(c.Base()+n, tdbEager); tdbTileSure(next, c.Left()-n) > 0 {
			return tdbKindFragment
		}
	}
	return tdbKindTile
}

// readDocument reads the folder that was opened.
func (d *tdbDoc) readDocument(c *model.Cursor) {
	snap := d.t.Snapshot
	if snap.Part != "" {
		d.readPart(c, snap.Part)
	} else if x := tdbStrayAt(snap); tdbObjectAt(snap, ".") == 0 && x != (tdbStray{}) {
		d.readStray(c, x)
	} else {
		d.readFolder(c, "")
	}
}

// readPart reads a sub-folder of an array or group.
func (d *tdbDoc) readPart(c *model.Cursor, part string) {
	a := d.array("")
	if tdbObjectAt(d.t.Snapshot, ".") == 2 {
		a.readSchemas(c)
	}
	switch part {
	case "__schema", "__schema/__enumerations":
		a.checkFolder(c)
	case "__fragments":
		a.open(c, c.Group(tdbFragsF, a.listFragments))
		a.checkCommits(c, model.Node{}, a.fragList)
	case "__labels":
		a.readLabels(c)
	case "__meta":
		a.listMetadata(c)
	case "__group":
		a.fileGroup(c, tdbDetailsF, part, tdbKindGroup)
	case "__fragment_meta":
		a.fileGroup(c, tdbConMetasF, part, tdbKindConMeta)
	case "__commits":
		frags, _ := a.findFragments()
		a.commits = a.readCommits()
		a.checkCommits(c, c.Group(tdbCommitsF, func(c *model.Cursor) { a.listFolder(c, part, tdbKindOther) }), frags)
	default:
		f := a.newFrag(part)
		a.open(c, c.Group(tdbFragsF, func(c *model.Cursor) { a.showFragments(c, []*tdbFrag{f}) }))
		a.checkCommits(c, model.Node{}, []*tdbFrag{f})
	}
}

// tdbStray tells what a folder without its array is, by what lies in it: the kinds of its files, and whether it is a fragment
// or holds fragments.
type tdbStray struct {
	fragment, fragments bool
	files               int // with names of an array's
}

func tdbStrayAt(s *model.Snapshot) (x tdbStray) {
	list, _, err := s.List(".")
	if err != nil {
		return x
	}
	for _, e := range list {
		switch base := path.Base(e.Name); {
		case e.Dir:
			x.fragments = x.fragments || tdbFragmentName.MatchString(base)
		case base == tdbMetaFileF.Name:
			x.fragment = true
		case tdbStampedName.MatchString(base) || tdbEnumName.MatchString(base):
			x.files++
		}
	}
	return x
}

// readStray reads a folder without its array.
func (d *tdbDoc) readStray(c *model.Cursor, x tdbStray) {
	a := d.array("")
	switch {
	case x.fragment:
		f := a.newFrag("")
		f.group = c.Span()
		a.mu.Lock()
		a.frags[""], a.fragList = f, []*tdbFrag{f}
		a.mu.Unlock()
		f.readFolder(c)
	case x.fragments:
		a.open(c, c.Group(tdbFragsF, a.listFragments))
	default:
		c.Group(tdbOthersF, func(c *model.Cursor) {
			a.listFolder(c, "", tdbKindTile)
			a.listFolder(c, "__enumerations", tdbKindEnumeration)
		})
	}
}

package parsers

import (
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"spandrel/model"
)

// TileDB arrays and groups, from TileDB 1.3 to format version 23. The specification is format_spec/ in the TileDB repository;
// where it and the library disagree, the library decides. Part and section numbers are those of the reference sheet:
// 1 files and names, 2 generic tiles and filters, 3 schemas, 4 rules, 5 fragments, metadata, commits and groups, 7 writing.
//
// An array is a folder. A file of it that is opened alone is shown alone, but the array's folder is there for what it depends
// on: the footer of a fragment cannot be read without the fragment's schema.
var _ = add(&model.Format{
	Name:  "tiledb",
	Title: "TileDB array",
	Doc: "Arrays and groups of TileDB: schemas of every version, fragments with their tiles, enumerations, metadata and commits. " +
		"Open the folder of an array for its cells, or one of its files.",
	Exts:         []string{".tdb"},
	MIME:         []string{"application/x-tiledb"},
	Detect:       tdbDetect,
	Decline:      tdbDecline,
	DetectFolder: tdbDetectFolder,
	Companions:   true,
	Home:         tdbHome,
	Backup:       func(name string) string { return strings.ReplaceAll(name, "/", ".") },
	Parse:        tdbParse,
	Tables:       tdbTables,
	Deep:         tdbDeep,
	Rules:        tdbRuleAll,
	Actions:      tdbActions,
	Review:       tdbReview,
	Fixup:        tdbFixup,
	Secrets:      []*model.Secret{tdbSecret},
})

const tdbOldSchema = "__array_schema.tdb"

// tdbDoc is the state of a tree.
type tdbDoc struct {
	t       *model.Tree
	mu      sync.Mutex
	arrays  map[string]*tdbArray
	inOrder []*tdbArray   // the arrays, as they were read
	members []*model.Span // folders of members and labels, as they were found
	primary tdbKind       // of a file that was opened alone
	readKey func() []byte
}

// kindOf is tdbKindOf for files of the tree: one that was opened alone may have been known by its content.
func (d *tdbDoc) kindOf(name string) (tdbKind, string) {
	kind, dir := tdbKindOf(name)
	if name == d.t.Snapshot.Primary {
		kind = d.primary
		if d.array(dir).kept(path.Base(name)) != nil {
			kind = tdbKindSchema
		}
	}
	return kind, dir
}

// tdbArray is an array of the tree: its schemas, and its fragments.
type tdbArray struct {
	*tdbSchemas
	d   *tdbDoc
	dir string // "" for the document's folder itself, otherwise without the last slash

	mu       sync.Mutex
	frags    map[string]*tdbFrag // by folder
	fragList []*tdbFrag          // in the order of their times
	commits  *tdbCommitSet       // of an array folder
	metas    *model.Span         // the group of the metadata files

	lockTold atomic.Bool // the missing key was reported
}

func tdbParse(c *model.Cursor) {
	d := &tdbDoc{t: c.Tree(), arrays: map[string]*tdbArray{}, readKey: sync.OnceValue(func() []byte { return tdbKeyOf(tdbSecret.Value()) })}
	c.Tree().State = d
	name := c.Tree().Snapshot.Primary
	if name == "" {
		d.readDocument(c)
		return
	}
	d.readAlone(c, name)
}

// whole tells whether all of an array or group was opened, not a part of it.
func (d *tdbDoc) whole() bool { return d.t.Snapshot.Primary == "" && d.t.Snapshot.Part == "" }

// array returns the array of a folder.
func (d *tdbDoc) array(dir string) *tdbArray {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.arrays[dir]
	if a == nil {
		a = &tdbArray{tdbSchemas: newTDBSchemas(d.t), d: d, dir: dir, frags: map[string]*tdbFrag{}}
		d.arrays[dir], d.inOrder = a, append(d.inOrder, a)
	}
	return a
}

func (a *tdbArray) path(names ...string) string {
	return path.Join(append([]string{a.dir}, names...)...)
}

// open reads what is lazy, now: what others depend on.
func (a *tdbArray) open(c *model.Cursor, n model.Node) {
	if n.Span != nil {
		a.d.t.Open(c.Context(), n.Span)
	}
}

// The kinds of files.
type tdbKind int

const (
	tdbKindTile tdbKind = iota // a generic tile of unknown content
	tdbKindSchema
	tdbKindEnumeration
	tdbKindMetadata
	tdbKindGroup
	tdbKindDelete
	tdbKindUpdate
	tdbKindConMeta
	tdbKindFragment
	tdbKindData
	tdbKindLines // .con .ign
	tdbKindVacuum
	tdbKindEmpty
	tdbKindOther
)

// tdbKindOf tells what a file is by its path, and the folder of the array or group that it belongs to (1.2).
func tdbKindOf(name string) (kind tdbKind, dir string) {
	base, dir := path.Base(name), path.Dir(name)
	ext, in, above := path.Ext(base), path.Base(dir), path.Base(path.Dir(dir))
	stored := base == tdbMetaFileF.Name || ext == ".tdb" && (tdbFragmentName.MatchString(in) || above == "__fragments")
	switch {
	case base == tdbOldSchema || base == "__kv_schema.tdb":
		kind = tdbKindSchema
	case base == tdbMetaFileF.Name:
		kind = tdbKindFragment
	case stored:
		kind = tdbKindData
	case base == "__lock.tdb" || base == "__tiledb_group.tdb" || ext == ".ok" || ext == ".wrt":
		kind = tdbKindEmpty
	case ext == ".con" || ext == ".ign":
		kind = tdbKindLines
	case ext == ".vac":
		kind = tdbKindVacuum
	case ext == ".del":
		kind = tdbKindDelete
	case ext == ".upd":
		kind = tdbKindUpdate
	case ext == ".meta":
		kind = tdbKindConMeta
	case in == "__enumerations" || tdbEnumName.MatchString(base):
		kind = tdbKindEnumeration
	case in == "__schema":
		kind = tdbKindSchema
	case in == "__meta":
		kind = tdbKindMetadata
	case in == "__group":
		kind = tdbKindGroup
	case ext == ".tdb":
		kind = tdbKindData
	}
	if stored || in == "__enumerations" {
		dir = path.Dir(dir)
	}
	if tdbFolders[path.Base(dir)] {
		dir = path.Dir(dir)
	}
	if dir == "." {
		dir = ""
	}
	return kind, dir
}

package tiledb

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
// Format is the value that the program knows the format by.
var Format = &model.Format{
	Name:  "tiledb",
	Title: "TileDB array",
	Doc: "Arrays and groups of TileDB: schemas of every version, fragments with their tiles, enumerations, metadata and commits. " +
		"Open the folder of an array for its cells, or one of its files.",
	Exts:    []string{".tdb"},
	MIME:    []string{"application/x-tiledb"},
	Detect:  detect,
	Dataset: &model.Dataset{Beside: true, Detect: detectFolder, Home: home, Aside: func(name string) string { return strings.ReplaceAll(name, "/", ".") }},
	Parse:   parse,
	Tables:  tables,
	Deep:    deep,
	Rules:   rules,
	Repairs: repairs,
	Actions: actions,
	Review:  review,
	Fixup:   fixup,
	Secrets: []*model.Secret{secret},
}

const oldSchema = "__array_schema.tdb"

// doc is the state of a tree.
type doc struct {
	t       *model.Tree
	mu      sync.Mutex
	arrays  map[string]*array
	inOrder []*array      // the arrays, as they were read
	members []*model.Span // folders of members and labels, as they were found
	primary fileKind      // of a file that was opened alone
	readKey func() []byte
}

// kindOf is kindOf for files of the tree: one that was opened alone may have been known by its content.
func (d *doc) kindOf(name string) (fileKind, string) {
	kind, dir := kindOf(name)
	if name == d.t.Snapshot.Primary {
		kind = d.primary
		if d.array(dir).kept(path.Base(name)) != nil {
			kind = kindSchema
		}
	}
	return kind, dir
}

// array is an array of the tree: its schemas, and its fragments.
type array struct {
	*schemaSet
	d   *doc
	dir string // "" for the document's folder itself, otherwise without the last slash

	mu       sync.Mutex
	frags    map[string]*frag // by folder
	fragList []*frag          // in the order of their times
	commits  *commitSet       // of an array folder
	metas    *model.Span      // the group of the metadata files

	lockTold atomic.Bool // the missing key was reported
}

func parse(c *model.Cursor) {
	d := &doc{t: c.Tree(), arrays: map[string]*array{}, readKey: sync.OnceValue(func() []byte { return keyOf(secret.Value()) })}
	c.Tree().State = d
	name := c.Tree().Snapshot.Primary
	if name == "" {
		d.readDocument(c)
		return
	}
	d.readAlone(c, name)
}

// whole tells whether all of an array or group was opened, not a part of it.
func (d *doc) whole() bool { return d.t.Snapshot.Primary == "" && d.t.Snapshot.Part == "" }

// array returns the array of a folder.
func (d *doc) array(dir string) *array {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.arrays[dir]
	if a == nil {
		a = &array{schemaSet: newSchemaSet(d.t), d: d, dir: dir, frags: map[string]*frag{}}
		d.arrays[dir], d.inOrder = a, append(d.inOrder, a)
	}
	return a
}

func (a *array) path(names ...string) string {
	return path.Join(append([]string{a.dir}, names...)...)
}

// open reads what is lazy, now: what others depend on.
func (a *array) open(c *model.Cursor, n model.Node) {
	if n.Span != nil {
		a.d.t.Open(c.Context(), n.Span)
	}
}

// The kinds of files.
type fileKind int

const (
	kindTile fileKind = iota // a generic tile of unknown content
	kindSchema
	kindEnumeration
	kindMetadata
	kindGroup
	kindDelete
	kindUpdate
	kindConMeta
	kindFragment
	kindData
	kindLines // .con .ign
	kindVacuum
	kindEmpty
	kindOther
)

// kindOf tells what a file is by its path, and the folder of the array or group that it belongs to (1.2).
func kindOf(name string) (kind fileKind, dir string) {
	base, dir := path.Base(name), path.Dir(name)
	ext, in, above := path.Ext(base), path.Base(dir), path.Base(path.Dir(dir))
	stored := base == metaFileF.Name || ext == ".tdb" && (fragmentName.MatchString(in) || above == "__fragments")
	switch {
	case base == oldSchema || base == "__kv_schema.tdb":
		kind = kindSchema
	case base == metaFileF.Name:
		kind = kindFragment
	case stored:
		kind = kindData
	case base == "__lock.tdb" || base == "__tiledb_group.tdb" || ext == ".ok" || ext == ".wrt":
		kind = kindEmpty
	case ext == ".con" || ext == ".ign":
		kind = kindLines
	case ext == ".vac":
		kind = kindVacuum
	case ext == ".del":
		kind = kindDelete
	case ext == ".upd":
		kind = kindUpdate
	case ext == ".meta":
		kind = kindConMeta
	case in == "__enumerations" || enumName.MatchString(base):
		kind = kindEnumeration
	case in == "__schema":
		kind = kindSchema
	case in == "__meta":
		kind = kindMetadata
	case in == "__group":
		kind = kindGroup
	case ext == ".tdb":
		kind = kindData
	}
	if stored || in == "__enumerations" {
		dir = path.Dir(dir)
	}
	if folders[path.Base(dir)] {
		dir = path.Dir(dir)
	}
	if dir == "." {
		dir = ""
	}
	return kind, dir
}

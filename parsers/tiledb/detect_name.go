package tiledb

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
)

// Names (1.3).
var (
	fragmentName = model.Pattern(`^__(?:[0-9a-f]{32}_\d+(?:_\d+)?|\d+_\d+_[0-9a-f]{32}(?:_\d+)?)$`)
	stampedName  = model.Pattern(`^__(\d+)_(\d+)_([0-9a-f]{32})(?:_(\d+))?(\.[a-z]+)?$`)
	enumName     = model.Pattern(`^__([0-9a-f]{32})_(\d+)$`)
	commitPath   = model.Pattern(`^__commits/__\d+_\d+_[0-9a-f]{32}_\d+\.[a-z]+$`)
	vacuumPath   = model.Pattern(`^/__(?:fragments|meta)/__\d+_\d+_[0-9a-f]{32}(?:_\d+)?$`)
	knownName    = model.Pattern(`^(?:__array_schema|__fragment_metadata|__kv_schema|__lock|__tiledb_group|__tiledb_workspace|__coords|` +
		`[ad]\d+(?:_var|_validity)?|t|dt|dci)\.tdb$`)
)

// stamp is the content of a timestamped name: milliseconds since 1970, and the format version if there is one.
type stamp struct {
	from, to uint64
	version  uint32
	ok       bool
}

func stampOf(name string) (s stamp) {
	m := stampedName().FindStringSubmatch(name)
	if m == nil {
		if fragmentName().MatchString(name) { // versions 1 and 2: only the last number is used
			i := len(name) - 1
			for i > 0 && name[i-1] != '_' {
				i--
			}
			s.from, _ = strconv.ParseUint(name[i:], 10, 64)
			s.to, s.ok = s.from, true
		}
		return s
	}
	s.from, _ = strconv.ParseUint(m[1], 10, 64)
	s.to, _ = strconv.ParseUint(m[2], 10, 64)
	v, _ := strconv.ParseUint(m[4], 10, 32)
	s.version, s.ok = uint32(v), true
	return s
}

// folders are the folders with a meaning in an array.
var folders = map[string]bool{"__schema": true, "__fragments": true, "__commits": true, "__fragment_meta": true, "__meta": true,
	"__labels": true, "__group": true}

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

// The kinds of files by name, by extension, and by folder.
var (
	kindsByName = map[string]fileKind{schema.OldSchema: kindSchema, "__kv_schema.tdb": kindSchema, metaFileF.Name: kindFragment,
		"__lock.tdb": kindEmpty, "__tiledb_group.tdb": kindEmpty, "__tiledb_workspace.tdb": kindEmpty}
	kindsByEnding = map[string]fileKind{".ok": kindEmpty, ".wrt": kindEmpty, ".con": kindLines, ".ign": kindLines, ".vac": kindVacuum,
		".del": kindDelete, ".upd": kindUpdate, ".meta": kindConMeta}
	kindsByFolder = map[string]fileKind{"__enumerations": kindEnumeration, "__schema": kindSchema, "__meta": kindMetadata, "__group": kindGroup}
)

// kindOf is the kind of a file by its path, and the folder of its array or group (1.2).
func kindOf(name string) (kind fileKind, dir string) {
	base, dir := path.Base(name), path.Dir(name)
	ext, in, above := path.Ext(base), path.Base(dir), path.Base(path.Dir(dir))
	stored := base == metaFileF.Name || ext == ".tdb" && (fragmentName().MatchString(in) || above == "__fragments")
	if kind = kindsByName[base]; kind == kindTile && !stored {
		if kind = kindsByEnding[ext]; kind == kindTile && enumName().MatchString(base) {
			kind = kindEnumeration
		} else if kind == kindTile {
			kind = kindsByFolder[in]
		}
	}
	if kind == kindTile && ext == ".tdb" {
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

func dot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// Parts of an array or group that are opened on their own: a sub-folder, such as one fragment or __schema, or one file. Schemas and
// enumerations are available beside the part, because the array cannot be understood without them (1.2).

// levelsUp is how many folders above a file's own the folder of its array is. The path of a folder ends with a slash.
func levelsUp(name string) int {
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
	case (folder || path.Ext(name) == ".tdb") && fragmentName().MatchString(in(0)):
		return 1
	}
	return 0
}

// stray identifies a folder without its array by its content: the kinds of its files, and whether it is a fragment
// or contains fragments.
type stray struct {
	fragment, fragments bool
	files               int // with names of an array's
}

func strayAt(s *model.Snapshot) (x stray) {
	list, _, err := s.List(".")
	if err != nil {
		return x
	}
	for _, e := range list {
		switch base := path.Base(e.Name); {
		case e.Dir:
			x.fragments = x.fragments || fragmentName().MatchString(base)
		case base == metaFileF.Name:
			x.fragment = true
		case stampedName().MatchString(base) || enumName().MatchString(base):
			x.files++
		}
	}
	return x
}

// folded tells whether a folder contains what makes it an array or a group, but in letters of the other case.
func folded(s *model.Snapshot) bool {
	list, _, _ := s.List(".")
	return slices.ContainsFunc(list, func(e model.Entry) bool {
		base := path.Base(e.Name)
		small := strings.ToLower(base)
		return small != base && (e.Dir && (small == "__schema" || small == "__group") || small == schema.OldSchema)
	})
}

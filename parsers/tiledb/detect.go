package tiledb

import (
	"bytes"
	"path"
	"strconv"

	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// detect returns the confidence that a file is of the format (1.5), or why it is not. There is no magic.
func detect(name string, head, _ []byte, size int64) (model.Confidence, string) {
	if c := confidence(name, head, size); c > 0 {
		return c, ""
	}
	return 0, decline(head, size)
}

// confidence looks for a generic tile at the front, or for chunks to the end, and at the name.
func confidence(name string, head []byte, size int64) model.Confidence {
	named := knownName().MatchString(name) || stampedName().MatchString(name) || enumName().MatchString(name) || fragmentName().MatchString(name)
	sure := storage.TileSure(head, size)
	if storage.IsLegacy(head, size) {
		sure = max(sure, 60)
	}
	switch {
	case named && sure > 0:
		return min(99, sure+20)
	case sure > 0:
		return sure
	case path.Ext(name) == ".tdb" && size < 1<<20 && int64(len(head)) == size && storage.IsTiles(head):
		return 70
	case int64(len(head)) == size && storage.IsTiles(head) && storage.TilePlausible(head, size):
		return 45
	case named && path.Ext(name) != ".tdb" && (path.Ext(name) != "" || size == 0):
		return 60
	case named:
		return 50
	case isList(head) != kindOther:
		return 40
	case path.Ext(name) == ".tdb" && storage.BegunTile(head, size):
		return 40
	case path.Ext(name) == ".tdb" && size >= 8 && len(head) >= 20 && storage.TilePlausible(head, size):
		return 40
	}
	return 0
}

// decline says why confidence is 0. There is no magic number to compare.
func decline(head []byte, size int64) string {
	why := "is not named like a file of an array, and "
	if len(head) < storage.LeastTile {
		return why + "with " + strconv.FormatInt(size, 10) + " bytes is less than a generic tile"
	}
	h := storage.HeadOf(head)
	return why + model.Words("has no generic tile at the front: its version would be %d, its filter pipeline %d bytes", h.Version, h.Pipeline)
}

// isList tells from its first line whether a text is a list of commits or of vacuumed files (1.5).
func isList(b []byte) fileKind {
	switch line, _, whole := bytes.Cut(b[:min(len(b), longestLine)], []byte{'\n'}); {
	case !whole:
	case commitPath().Match(line):
		return kindLines
	case vacuumPath().Match(line):
		return kindVacuum
	}
	return kindOther
}

// detectFolder recognises arrays and groups as TileDB itself does (tiledb/sm/object/object.cc), and what may be a part
// of one without the rest.
func detectFolder(s *model.Snapshot) (primary string, sure model.Confidence) {
	if object := objectAt(s, "."); object != 0 {
		return "", 95
	}
	switch x := strayAt(s); {
	case x.fragment || x.fragments || folded(s):
		return "", 80
	case x.files > 0:
		return "", 50
	}
	return "", 0
}

// objectAt tells what a folder is: 1 a group, 2 an array, 0 neither.
func objectAt(s *model.Snapshot, dir string) int {
	list, _, err := s.List(dir)
	if err != nil {
		return 0
	}
	object, fragments, commits := 0, false, false
	for _, e := range list {
		switch base := path.Base(e.Name); {
		case e.Dir && base == "__fragments":
			fragments = true
		case e.Dir && base == "__commits":
			commits = true
		case e.Dir && base == "__schema" || base == schema.OldSchema || base == "__kv_schema.tdb":
			return 2
		case e.Dir && base == "__group" || base == "__tiledb_group.tdb":
			object = 1
		}
	}
	if object == 0 && fragments && commits {
		return 2 // its schemas are missing
	}
	return object
}

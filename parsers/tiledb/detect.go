package tiledb

import (
	"bytes"
	"path"
	"slices"
	"strconv"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
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

// sniff recognises the payload of a generic tile (1.5). b is its front, n its length.
func sniff(b []byte, version uint32, n int64) fileKind {
	if len(b) < 4 {
		return kindOther
	}
	first := uint32(filter.Uint(b, 4))
	small := func(from, to int, most byte) bool { return len(b) >= to && slices.Max(b[from:to]) <= most }
	group := (first == 1 || first == 2) && len(b) >= 12
	schema := first > 0 && (first == version || first <= storage.VersionNewest+8) && small(4, 7, 7) && len(b) >= 40
	switch {
	case first < 256 && twoTexts(b):
		return kindEnumeration
	case schema && !(group && filter.Uint(b[4:], 8) < 1<<16 && small(7, 12, 0) && small(16, 18, 2)):
		return kindSchema
	case schema, group && filter.Uint(b[4:], 8) <= uint64(n)/14:
		return kindGroup
	case isMetadata(b, int64(len(b)) == n):
		return kindMetadata
	case b[0] <= 1 && (b[0] == 1 || b[1] <= 2):
		return kindDelete
	}
	return kindOther
}

// twoTexts tells whether a version is followed by two texts, the second named like an enumeration file.
func twoTexts(b []byte) bool {
	at := uint64(4)
	for i := range 2 {
		if at+4 > uint64(len(b)) {
			return false
		}
		n := filter.Uint(b[at:], 4)
		if at += 4; at+n > uint64(len(b)) {
			return false
		}
		if i == 1 {
			return enumName().Match(b[at : at+n])
		}
		at += n
	}
	return false
}

// isMetadata tells whether bytes are metadata records, up to the end if they are complete.
func isMetadata(b []byte, all bool) bool {
	for len(b) > 0 {
		if len(b) < 5 {
			return !all
		}
		n := 5 + filter.Uint(b, 4) // the length of the key, the key, and whether it is deleted
		switch {
		case n > uint64(len(b)):
			return !all && n < 1<<16
		case b[n-1] > 1:
			return false
		case b[n-1] == 1:
			b = b[n:]
			continue
		}
		if b = b[n:]; len(b) < 5 {
			return !all
		}
		if b[0] > filter.GeomWKT {
			return false
		}
		size := 5 + uint64(filter.SizeOf(b[0]))*filter.Uint(b[1:], 4)
		if size > uint64(len(b)) {
			return !all
		}
		b = b[size:]
	}
	return true
}

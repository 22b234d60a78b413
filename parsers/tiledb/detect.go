package tiledb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path"
	"regexp"
	"strconv"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Names (1.3) and recognition (1.5). There is no magic number.
var (
	fragmentName = regexp.MustCompile(`^__(?:[0-9a-f]{32}_\d+(?:_\d+)?|\d+_\d+_[0-9a-f]{32}(?:_\d+)?)$`)
	stampedName  = regexp.MustCompile(`^__(\d+)_(\d+)_([0-9a-f]{32})(?:_(\d+))?(\.[a-z]+)?$`)
	enumName     = regexp.MustCompile(`^__([0-9a-f]{32})_(\d+)$`)
	commitPath   = regexp.MustCompile(`^__commits/__\d+_\d+_[0-9a-f]{32}_\d+\.[a-z]+$`)
	vacuumPath   = regexp.MustCompile(`^/__(?:fragments|meta)/__\d+_\d+_[0-9a-f]{32}(?:_\d+)?$`)
	knownName    = regexp.MustCompile(`^(?:__array_schema|__fragment_metadata|__kv_schema|__lock|__tiledb_group|__coords|` +
		`[ad]\d+(?:_var|_validity)?|t|dt|dci)\.tdb$`)
)

// stamp is what a timestamped name says: milliseconds since 1970, and the format version where there is one.
type stamp struct {
	from, to uint64
	version  uint32
	ok       bool
}

func stampOf(name string) (s stamp) {
	m := stampedName.FindStringSubmatch(name)
	if m == nil {
		if fragmentName.MatchString(name) { // versions 1 and 2: only the last number is used
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

// detect says how sure it is that a file is of the format, or why it is not.
func detect(name string, head, tail []byte, size int64) (model.Confidence, string) {
	if c := confidence(name, head, tail, size); c > 0 {
		return c, ""
	}
	return 0, decline(name, head, tail, size)
}

// confidence looks for a generic tile at the front, or for chunks to the end, and at the name.
func confidence(name string, head, tail []byte, size int64) model.Confidence {
	named := knownName.MatchString(name) || stampedName.MatchString(name) || enumName.MatchString(name) || fragmentName.MatchString(name)
	sure := tileSure(head, size)
	if isLegacy(head, size) {
		sure = max(sure, 60)
	}
	switch {
	case named && sure > 0:
		return min(99, sure+20)
	case sure > 0:
		return sure
	case path.Ext(name) == ".tdb" && size < 1<<20 && int64(len(head)) == size && isTiles(head):
		return 70
	case int64(len(head)) == size && isTiles(head) && tilePlausible(head, size):
		return 45
	case named && path.Ext(name) != ".tdb" && (path.Ext(name) != "" || size == 0):
		return 60
	case named:
		return 50
	case isList(head) != kindOther:
		return 40
	case path.Ext(name) == ".tdb" && size >= 8 && len(head) >= 20 && tilePlausible(head, size):
		return 40
	}
	return 0
}

// decline says why confidence is 0. There is no magic number to compare.
func decline(_ string, head, _ []byte, size int64) string {
	why := "is not named as an array's files are, and "
	if len(head) < leastTile {
		return why + "with " + strconv.FormatInt(size, 10) + " bytes is less than a generic tile"
	}
	version, filters := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[30:])
	return why + fmt.Sprintf("has no generic tile at the front: its version would be %d, its filter pipeline %d bytes", version, filters)
}

// tileSure weighs the plausibility tests for a generic tile at the front of a file.
func tileSure(b []byte, size int64) model.Confidence {
	if len(b) < leastTile {
		return 0
	}
	p := int64(binary.LittleEndian.Uint32(b[30:]))
	version := binary.LittleEndian.Uint32(b)
	if b[29] > 1 || p < 8 || p > 4096 || headerBytes+p+8 > int64(len(b)) || b[20] > filter.GeomWKT {
		return 0
	}
	pipe := b[headerBytes : headerBytes+p]
	n := binary.LittleEndian.Uint32(pipe[4:])
	used := int64(8)
	for i := uint32(0); n <= mostFilters && i < n; i++ {
		if used+5 > p || pipe[used] > filter.Delta {
			return 0
		}
		used += 5 + int64(binary.LittleEndian.Uint32(pipe[used+1:]))
	}
	sure := model.Confidence(20)
	add := func(ok bool, points model.Confidence) {
		if ok {
			sure += points
		}
	}
	persisted, whole := binary.LittleEndian.Uint64(b[4:]), binary.LittleEndian.Uint64(b[12:])
	chunks := binary.LittleEndian.Uint64(b[headerBytes+p:])
	add(version >= 1 && version <= versionNewest || version == versionTrial, 15)
	add(b[20] == filter.Char, 10)
	add(binary.LittleEndian.Uint64(b[21:]) == 1, 15)
	add(used == p, 10)
	add(persisted == uint64(size-headerBytes-p), 15)
	add(chunks == (whole+filter.ChunkBytes-1)/filter.ChunkBytes, 10)
	add(binary.LittleEndian.Uint32(pipe) == filter.ChunkBytes, 5)
	if sure < 60 {
		return 0
	}
	return min(sure, 95)
}

// isTiles tells whether bytes are tiles, one behind the other, to the end.
func isTiles(b []byte) bool {
	if len(b) < 8 {
		return false
	}
	for len(b) > 0 {
		_, end, err := filter.Chunks(b)
		if err != nil {
			return false
		}
		b = b[end:]
	}
	return true
}

// tilePlausible tells whether a long file may start with a tile.
func tilePlausible(b []byte, size int64) bool {
	if len(b) < 20 {
		return false
	}
	n := binary.LittleEndian.Uint64(b)
	return n > 0 && n < uint64(size)/12 && b[8]|b[9]|b[10]|b[11] > 0 &&
		int64(binary.LittleEndian.Uint32(b[12:]))+int64(binary.LittleEndian.Uint32(b[16:])) <= size-20
}

// isList tells whether a text is a list of commits or of what is vacuumed (1.5), by its first line.
func isList(b []byte) fileKind {
	switch line, _, whole := bytes.Cut(b[:min(len(b), longestLine)], []byte{'\n'}); {
	case !whole:
	case commitPath.Match(line):
		return kindLines
	case vacuumPath.Match(line):
		return kindVacuum
	}
	return kindOther
}

// detectFolder takes arrays and groups by what TileDB itself looks for (tiledb/sm/object/object.cc), and what may be a part
// of one without the rest.
func detectFolder(s *model.Snapshot) (primary string, sure model.Confidence) {
	if object := objectAt(s, "."); object != 0 {
		return "", 95
	}
	switch x := strayAt(s); {
	case x.fragment || x.fragments:
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
	object := 0
	for _, e := range list {
		switch base := path.Base(e.Name); {
		case e.Dir && base == "__schema" || base == oldSchema || base == "__kv_schema.tdb":
			return 2
		case e.Dir && base == "__group" || base == "__tiledb_group.tdb":
			object = 1
		}
	}
	return object
}

package parsers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path"
	"regexp"
	"strconv"

	"spandrel/model"
)

// Names (1.3) and recognition (1.5). There is no magic number.
var (
	tdbFragmentName = regexp.MustCompile(`^__(?:[0-9a-f]{32}_\d+(?:_\d+)?|\d+_\d+_[0-9a-f]{32}(?:_\d+)?)$`)
	tdbStampedName  = regexp.MustCompile(`^__(\d+)_(\d+)_([0-9a-f]{32})(?:_(\d+))?(\.[a-z]+)?$`)
	tdbEnumName     = regexp.MustCompile(`^__([0-9a-f]{32})_(\d+)$`)
	tdbCommitPath   = regexp.MustCompile(`^__commits/__\d+_\d+_[0-9a-f]{32}_\d+\.[a-z]+$`)
	tdbVacuumPath   = regexp.MustCompile(`^/__(?:fragments|meta)/__\d+_\d+_[0-9a-f]{32}(?:_\d+)?$`)
	tdbKnownName    = regexp.MustCompile(`^(?:__array_schema|__fragment_metadata|__kv_schema|__lock|__tiledb_group|__coords|[ad]\d+(?:_var|_validity)?|t|dt|dci)\.tdb$`)
)

// tdbStamp is what a timestamped name says: milliseconds since 1970, and the format version where there is one.
type tdbStamp struct {
	from, to uint64
	version  uint32
	ok       bool
}

func tdbStampOf(name string) (s tdbStamp) {
	m := tdbStampedName.FindStringSubmatch(name)
	if m == nil {
		if tdbFragmentName.MatchString(name) { // versions 1 and 2: only the last number is used
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

// tdbDetect looks for a generic tile at the front, or for chunks to the end, and at the name.
func tdbDetect(name string, head, tail []byte, size int64) model.Confidence {
	named := tdbKnownName.MatchString(name) || tdbStampedName.MatchString(name) || tdbEnumName.MatchString(name) || tdbFragmentName.MatchString(name)
	sure := tdbTileSure(head, size)
	if tdbIsLegacy(head, size) {
		sure = max(sure, 60)
	}
	switch {
	case named && sure > 0:
		return min(99, sure+20)
	case sure > 0:
		return sure
	case path.Ext(name) == ".tdb" && size < 1<<20 && int64(len(head)) == size && tdbIsTiles(head):
		return 70
	case int64(len(head)) == size && tdbIsTiles(head) && tdbTilePlausible(head, size):
		return 45
	case named && path.Ext(name) != ".tdb" && (path.Ext(name) != "" || size == 0):
		return 60
	case named:
		return 50
	case tdbIsList(head) != tdbKindOther:
		return 40
	case path.Ext(name) == ".tdb" && size >= 8 && len(head) >= 20 && tdbTilePlausible(head, size):
		return 40
	}
	return 0
}

// tdbDecline says why tdbDetect found nothing. There is no magic number to compare.
func tdbDecline(_ string, head, _ []byte, size int64) string {
	why := "is not named as an array's files are, and "
	if len(head) < tdbLeastTile {
		return why + "with " + strconv.FormatInt(size, 10) + " bytes is less than a generic tile"
	}
	version, filters := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[30:])
	return why + fmt.Sprintf("has no generic tile at the front: its version would be %d, its filter pipeline %d bytes", version, filters)
}

// tdbTileSure weighs the plausibility tests for a generic tile at the front of a file.
func tdbTileSure(b []byte, size int64) model.Confidence {
	if len(b) < tdbLeastTile {
		return 0
	}
	p := int64(binary.LittleEndian.Uint32(b[30:]))
	version := binary.LittleEndian.Uint32(b)
	if b[29] > 1 || p < 8 || p > 4096 || tdbHeaderBytes+p+8 > int64(len(b)) || b[20] > tdbGeomWKT {
		return 0
	}
	pipe := b[tdbHeaderBytes : tdbHeaderBytes+p]
	n := binary.LittleEndian.Uint32(pipe[4:])
	used := int64(8)
	for i := uint32(0); n <= tdbMostFilters && i < n; i++ {
		if used+5 > p || pipe[used] > tdbFilterDelta {
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
	chunks := binary.LittleEndian.Uint64(b[tdbHeaderBytes+p:])
	add(version >= 1 && version <= tdbNewest || version == tdbTrial, 15)
	add(b[20] == tdbChar, 10)
	add(binary.LittleEndian.Uint64(b[21:]) == 1, 15)
	add(used == p, 10)
	add(persisted == uint64(size-tdbHeaderBytes-p), 15)
	add(chunks == (whole+tdbChunkBytes-1)/tdbChunkBytes, 10)
	add(binary.LittleEndian.Uint32(pipe) == tdbChunkBytes, 5)
	if sure < 60 {
		return 0
	}
	return min(sure, 95)
}

// tdbIsTiles tells whether bytes are tiles, one behind the other, to the end.
func tdbIsTiles(b []byte) bool {
	if len(b) < 8 {
		return false
	}
	for len(b) > 0 {
		_, end, err := tdbChunks(b)
		if err != nil {
			return false
		}
		b = b[end:]
	}
	return true
}

// tdbTilePlausible tells whether a long file may start with a tile.
func tdbTilePlausible(b []byte, size int64) bool {
	if len(b) < 20 {
		return false
	}
	n := binary.LittleEndian.Uint64(b)
	return n > 0 && n < uint64(size)/12 && b[8]|b[9]|b[10]|b[11] > 0 && int64(binary.LittleEndian.Uint32(b[12:]))+int64(binary.LittleEndian.Uint32(b[16:])) <= size-20
}

// tdbIsList tells whether a text is a list of commits or of what is vacuumed (1.5), by its first line.
func tdbIsList(b []byte) tdbKind {
	switch line, _, whole := bytes.Cut(b[:min(len(b), tdbLongestLine)], []byte{'\n'}); {
	case !whole:
	case tdbCommitPath.Match(line):
		return tdbKindLines
	case tdbVacuumPath.Match(line):
		return tdbKindVacuum
	}
	return tdbKindOther
}

// tdbDetectFolder takes arrays and groups by what TileDB itself looks for (tiledb/sm/object/object.cc), and what may be a part
// of one without the rest.
func tdbDetectFolder(s *model.Snapshot) (primary string, sure model.Confidence) {
	if object := tdbObjectAt(s, "."); object != 0 {
		return "", 95
	}
	switch x := tdbStrayAt(s); {
	case x.fragment || x.fragments:
		return "", 80
	case x.files > 0:
		return "", 50
	}
	return "", 0
}

// tdbObjectAt tells what a folder is: 1 a group, 2 an array, 0 neither.
func tdbObjectAt(s *model.Snapshot, dir string) int {
	list, _, err := s.List(dir)
	if err != nil {
		return 0
	}
	object := 0
	for _, e := range list {
		switch base := path.Base(e.Name); {
		case e.Dir && base == "__schema" || base == tdbOldSchema || base == "__kv_schema.tdb":
			return 2
		case e.Dir && base == "__group" || base == "__tiledb_group.tdb":
			object = 1
		}
	}
	return object
}

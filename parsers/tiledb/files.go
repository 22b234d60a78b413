package tiledb

import (
	"bytes"
	"path"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Reading one file of an array or group, whatever it is.
var (
	otherF     = &model.Field{Name: "content", Doc: "a file that TileDB ignores", Codec: model.RawBytes}
	linesF     = &model.Field{Name: "lines", Ref: "5.4"}
	lineF      = &model.Field{Name: "line", Ref: "5.4"}
	linePath   = &model.Field{Name: "path", Ref: "5.4", Codec: model.UTF8}
	lineEnd    = &model.Field{Name: "newline", Ref: "5.4", Codec: model.BytesOf(1)}
	lineSize   = &model.Field{Name: "size", Doc: "bytes of the delete commit that follows", Ref: "5.4", Codec: model.U64LE}
	lineCommit = &model.Field{Name: "commit", Doc: "the bytes of the delete commit", Ref: "5.4"}
)

// readFile reads a file of a kind to its end.
func (a *array) readFile(c *model.Cursor, kind fileKind, name string) {
	base := path.Base(name)
	a.checkName(c, kind, base)
	switch kind {
	case kindEmpty:
		if c.More() {
			c.Rest(otherF)
		}
	case kindLines, kindVacuum:
		a.readLines(c, path.Ext(base) == ".con")
	case kindFragment:
		a.readFragmentMeta(c)
	case kindData:
		a.readDataFile(c, name)
	case kindOther:
		if c.More() {
			c.Rest(otherF)
		}
	default:
		a.readTileFile(c, kind, base)
	}
}

// checkName checks the name of a file against the grammar and its own order.
func (a *array) checkName(c *model.Cursor, kind fileKind, base string) {
	stamp := stampOf(strings.TrimSuffix(base, path.Ext(base)))
	if stamp.ok && stamp.from > stamp.to {
		c.Wrong(nameTimes, nil, stamp.from, "at most "+filter.Text(stamp.to))
	}
	if kind == kindSchema && !stamp.ok && base != oldSchema && base != "__kv_schema.tdb" {
		c.Wrong(oddFileName, nil, base, oldSchema+" or __<t1>_<t2>_<32 hexadecimal digits>")
	}
	if strings.HasSuffix(base, ".tmp") {
		c.Wrong(oddMetadata, nil, base, "no half-written files")
	}
}

// readTileFile reads a file of one generic tile.
func (a *array) readTileFile(c *model.Cursor, kind fileKind, base string) {
	if head := c.Peek(headerBytes); isLegacy(head, c.Left()) {
		if kind == kindFragment {
			return
		}
		a.open(c, a.d.readLegacyTile(c, schemaF, func(c *model.Cursor) { a.keep(c, readLegacySchema(c), base) }))
		return
	}
	field := map[fileKind]*model.Field{kindSchema: schemaF, kindEnumeration: enumerationF, kindMetadata: metaF, kindGroup: groupF,
		kindDelete: deleteF, kindUpdate: updateF, kindConMeta: conMetaF}[kind]
	if field == nil {
		field = payloadF
	}
	g := a.readTile(c, field, func(c *model.Cursor, g *genericTile) {
		k := kind
		if k == kindTile {
			k = sniff(c.Peek(eager), uint32(g.version.Uint()), c.Left())
		}
		if c.More() || g.chunks > 0 || g.size.Uint() == 0 { // else TDB-015 has said that the payload is gone
			a.readPayload(c, k, g, base)
		}
	})
	trailing(c, behindTile)
	a.open(c, g.payload)
	a.checkVersion(c, g.version, a.kept(base))
}

func (a *array) readPayload(c *model.Cursor, kind fileKind, g *genericTile, base string) {
	switch kind {
	case kindSchema:
		if c.Left() > mostSchema {
			c.Wrong(model.RuleCap, nil, filter.Text(c.Left())+" bytes", "schemas of at most "+filter.Text(mostSchema))
			return
		}
		s := readSchema(c, uint32(g.version.Uint()))
		s.crypt = g.sealed()
		a.keep(c, s, base)
	case kindEnumeration:
		e := readEnumeration(c)
		a.keepEnumeration(e, base)
		if own := e.file.Text(); own != base && enumName.MatchString(base) {
			c.Wrong(enumNameDiffers, e.file, own, model.S(base))
		}
	case kindMetadata:
		readMetadata(c)
	case kindGroup:
		readGroup(c)
	case kindDelete:
		readCondition(c)
		trailing(c, behindTile)
	case kindUpdate:
		readUpdate(c)
	case kindConMeta:
		a.readConsolidated(c)
	}
}

// mostSchema is the largest schema that is read field by field.
const mostSchema = 4 << 20

// sniff tells what the payload of a generic tile is (1.5). b is its front, n its length.
func sniff(b []byte, version uint32, n int64) fileKind {
	if len(b) < 4 {
		return kindOther
	}
	first := uint32(filter.Uint(b, 4))
	small := func(from, to int, most byte) bool {
		for i := from; i < min(to, len(b)); i++ {
			if b[i] > most {
				return false
			}
		}
		return len(b) >= to
	}
	switch {
	case first < 256 && twoTexts(b):
		return kindEnumeration
	case first > 0 && (first == version || first <= versionNewest+8) && small(4, 7, 7) && len(b) >= 40:
		if (first == 1 || first == 2) && len(b) >= 12 && filter.Uint(b[4:], 8) < 1<<16 && small(7, 12, 0) && small(16, 18, 2) {
			return kindGroup
		}
		return kindSchema
	case (first == 1 || first == 2) && len(b) >= 12 && filter.Uint(b[4:], 8) <= uint64(n)/14:
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
			return enumName.Match(b[at : at+n])
		}
		at += n
	}
	return false
}

// isMetadata tells whether bytes are metadata records, to the end when all of them are there.
func isMetadata(b []byte, all bool) bool {
	for at := uint64(0); at < uint64(len(b)); {
		if at+5 > uint64(len(b)) {
			return !all
		}
		n := filter.Uint(b[at:], 4)
		if at += 4; at+n+1 > uint64(len(b)) {
			return !all && n < 1<<16
		}
		if at += n; b[at] > 1 {
			return false
		}
		if at++; b[at-1] == 1 {
			continue
		}
		if at+5 > uint64(len(b)) {
			return !all
		}
		if b[at] > filter.GeomWKT {
			return false
		}
		size := uint64(filter.SizeOf(b[at])) * filter.Uint(b[at+1:], 4)
		if at += 5 + size; at > uint64(len(b)) {
			return !all
		}
	}
	return true
}

// readLines reads a list of files; in a list of commits lines of delete commits carry the commit itself (5.4).
func (a *array) readLines(c *model.Cursor, commits bool) {
	if !c.More() {
		return
	}
	b := c.Peek(min(c.Left(), mostCommits))
	end, starts := int64(len(b)), []int64(nil)
	for at, line := range lines(b, commits) {
		if len(starts) == mostLines {
			end = at
			break
		}
		starts = append(starts, c.Pos()+at)
		if commits && bytes.HasSuffix(line, []byte(".del")) {
			checkBlock(c, at, int64(len(line)), b)
		}
	}
	c.Frames(linesF, lineF, end, starts, func(c *model.Cursor) { a.readLine(c, commits) })
	if c.More() {
		c.Wrong(model.RuleCap, nil, filter.Text(c.Left())+" bytes behind them", "at most "+filter.Text(mostLines)+" lines")
		c.Rest(otherF)
	}
}

// checkBlock checks the size of the delete commit behind a line of n bytes at an offset of a consolidated commit.
func checkBlock(c *model.Cursor, at, n int64, b []byte) {
	from := min(at+n+1, int64(len(b)))
	if rest := b[from:]; len(rest) >= 8 {
		if size, ok := blockSize(rest[:min(len(rest), 8+headerBytes)], int64(len(rest))); !ok {
			c.Wrong(commitLineBad, c.Range(c.Pos()+from, 8), filter.Uint(rest, 8), size, model.About(size))
		}
		return
	}
	c.Wrong(commitLineBad, c.Range(c.Pos()+at, n), string(b[at:at+n]), "the size and the bytes of the delete commit behind it")
}

func (a *array) readLine(c *model.Cursor, commits bool) {
	n := int64(bytes.IndexByte(c.Peek(min(c.Left(), mostCommits)), '\n'))
	if n < 0 {
		c.Rest(linePath)
		return
	}
	line := c.FieldN(linePath, n)
	c.Field(lineEnd)
	if !commits || !strings.HasSuffix(line.Text(), ".del") {
		return
	}
	if c.Left() < 8 {
		return
	}
	n, _ = blockSize(c.Peek(8+headerBytes), c.Left())
	size := c.Field(lineSize)
	c.LengthOf(size, c.Frame(lineCommit, n, func(c *model.Cursor) {
		a.readTile(c, deleteF, func(c *model.Cursor, _ *genericTile) { readCondition(c) })
	}))
}

func dot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

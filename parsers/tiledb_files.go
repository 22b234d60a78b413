package parsers

import (
	"bytes"
	"encoding/binary"
	"path"
	"strings"

	"spandrel/model"
)

// Reading one file of an array or group, whatever it is.
var (
	tdbOtherF     = &model.Field{Name: "content", Doc: "a file that TileDB ignores", Codec: model.RawBytes}
	tdbLinesF     = &model.Field{Name: "lines", Ref: "5.4"}
	tdbLineF      = &model.Field{Name: "line", Ref: "5.4"}
	tdbLinePath   = &model.Field{Name: "path", Ref: "5.4", Codec: model.UTF8}
	tdbLineEnd    = &model.Field{Name: "newline", Ref: "5.4", Codec: model.BytesOf(1)}
	tdbLineSize   = &model.Field{Name: "size", Doc: "bytes of the delete commit that follows", Ref: "5.4", Codec: model.U64LE}
	tdbLineCommit = &model.Field{Name: "commit", Doc: "the bytes of the delete commit", Ref: "5.4"}
)

// readFile reads a file of a kind to its end.
func (a *tdbArray) readFile(c *model.Cursor, kind tdbKind, name string) {
	base := path.Base(name)
	a.checkName(c, kind, base)
	switch kind {
	case tdbKindEmpty:
		if c.More() {
			c.Rest(tdbOtherF)
		}
	case tdbKindLines, tdbKindVacuum:
		a.readLines(c, path.Ext(base) == ".con")
	case tdbKindFragment:
		a.readFragmentMeta(c)
	case tdbKindData:
		a.readDataFile(c, name)
	case tdbKindOther:
		if c.More() {
			c.Rest(tdbOtherF)
		}
	default:
		a.readTileFile(c, kind, base)
	}
}

// checkName checks the name of a file against the grammar and its own order.
func (a *tdbArray) checkName(c *model.Cursor, kind tdbKind, base string) {
	stamp := tdbStampOf(strings.TrimSuffix(base, path.Ext(base)))
	if stamp.ok && stamp.from > stamp.to {
		c.Report(model.Finding{Rule: tdb(2), Span: c.Span(), Found: tdbText(stamp.from), Expected: "at most " + tdbText(stamp.to)})
	}
	if kind == tdbKindSchema && !stamp.ok && base != tdbOldSchema && base != "__kv_schema.tdb" {
		c.Report(model.Finding{Rule: tdb(1), Span: c.Span(), Found: base, Expected: tdbOldSchema + " or __<t1>_<t2>_<32 hexadecimal digits>"})
	}
	if strings.HasSuffix(base, ".tmp") {
		c.Report(model.Finding{Rule: tdb(177), Span: c.Span(), Found: base, Expected: "no half-written files"})
	}
}

// readTileFile reads a file of one generic tile.
func (a *tdbArray) readTileFile(c *model.Cursor, kind tdbKind, base string) {
	if head := c.Peek(tdbHeaderBytes); tdbIsLegacy(head, c.Left()) {
		if kind == tdbKindFragment {
			return
		}
		a.open(c, a.d.readLegacyTile(c, tdbSchemaF, func(c *model.Cursor) { a.keep(c, tdbReadLegacySchema(c), base) }))
		return
	}
	field := map[tdbKind]*model.Field{tdbKindSchema: tdbSchemaF, tdbKindEnumeration: tdbEnumerationF, tdbKindMetadata: tdbMetaF, tdbKindGroup: tdbGroupF,
		tdbKindDelete: tdbDeleteF, tdbKindUpdate: tdbUpdateF, tdbKindConMeta: tdbConMetaF}[kind]
	if field == nil {
		field = tdbPayloadF
	}
	g := a.readTile(c, field, func(c *model.Cursor, g *tdbTile) {
		k := kind
		if k == tdbKindTile {
			k = tdbSniff(c.Peek(tdbEager), uint32(g.version.Uint()), c.Left())
		}
		if c.More() || g.chunks > 0 || g.size.Uint() == 0 { // else TDB-015 has said that the payload is gone
			a.readPayload(c, k, g, base)
		}
	})
	tdbTrailing(c, 8)
	a.open(c, g.payload)
	a.checkVersion(c, g.version, a.kept(base))
}

func (a *tdbArray) readPayload(c *model.Cursor, kind tdbKind, g *tdbTile, base string) {
	switch kind {
	case tdbKindSchema:
		if c.Left() > tdbMostSchema {
			c.Report(model.Finding{Rule: model.RuleCap, Span: c.Span(), Found: tdbText(c.Left()) + " bytes", Expected: "schemas of at most " + tdbText(tdbMostSchema)})
			return
		}
		s := tdbReadSchema(c, uint32(g.version.Uint()))
		s.crypt = g.sealed()
		a.keep(c, s, base)
	case tdbKindEnumeration:
		e := tdbReadEnumeration(c)
		a.keepEnumeration(e, base)
		if own := e.file.Text(); own != base && tdbEnumName.MatchString(base) {
			tdbReport(c, 132, e.file, own, base, tdbSet(e.file, model.S(base), true))
		}
	case tdbKindMetadata:
		tdbReadMetadata(c)
	case tdbKindGroup:
		tdbReadGroup(c)
	case tdbKindDelete:
		tdbReadCondition(c)
		tdbTrailing(c, 8)
	case tdbKindUpdate:
		tdbReadUpdate(c)
	case tdbKindConMeta:
		a.readConsolidated(c)
	}
}

// tdbMostSchema is the largest schema that is read field by field.
const tdbMostSchema = 4 << 20

// tdbSniff tells what the payload of a generic tile is (1.5). b is its front, n its length.
func tdbSniff(b []byte, version uint32, n int64) tdbKind {
	if len(b) < 4 {
		return tdbKindOther
	}
	first := uint32(tdbUint(b, 4))
	small := func(from, to int, most byte) bool {
		for i := from; i < min(to, len(b)); i++ {
			if b[i] > most {
				return false
			}
		}
		return len(b) >= to
	}
	switch {
	case first < 256 && tdbTwoTexts(b):
		return tdbKindEnumeration
	case first > 0 && (first == version || first <= tdbNewest+8) && small(4, 7, 7) && len(b) >= 40:
		if (first == 1 || first == 2) && len(b) >= 12 && tdbUint(b[4:], 8) < 1<<16 && small(7, 12, 0) && small(16, 18, 2) {
			return tdbKindGroup
		}
		return tdbKindSchema
	case (first == 1 || first == 2) && len(b) >= 12 && tdbUint(b[4:], 8) <= uint64(n)/14:
		return tdbKindGroup
	case tdbIsMetadata(b, int64(len(b)) == n):
		return tdbKindMetadata
	case b[0] <= 1 && (b[0] == 1 || b[1] <= 2):
		return tdbKindDelete
	}
	return tdbKindOther
}

// tdbTwoTexts tells whether a version is followed by two texts, the second named like an enumeration file.
func tdbTwoTexts(b []byte) bool {
	at := uint64(4)
	for i := range 2 {
		if at+4 > uint64(len(b)) {
			return false
		}
		n := tdbUint(b[at:], 4)
		if at += 4; at+n > uint64(len(b)) {
			return false
		}
		if i == 1 {
			return tdbEnumName.Match(b[at : at+n])
		}
		at += n
	}
	return false
}

// tdbIsMetadata tells whether bytes are metadata records, to the end when all of them are there.
func tdbIsMetadata(b []byte, all bool) bool {
	for at := uint64(0); at < uint64(len(b)); {
		if at+5 > uint64(len(b)) {
			return !all
		}
		n := tdbUint(b[at:], 4)
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
		if b[at] > tdbGeomWKT {
			return false
		}
		size := uint64(tdbDatatypeSize(b[at])) * tdbUint(b[at+1:], 4)
		if at += 5 + size; at > uint64(len(b)) {
			return !all
		}
	}
	return true
}

// readLines reads a list of files; in a list of commits lines of delete commits carry the commit itself (5.4).
func (a *tdbArray) readLines(c *model.Cursor, commits bool) {
	if !c.More() {
		return
	}
	b := c.Peek(min(c.Left(), tdbMostCommits))
	end, starts := int64(len(b)), []int64(nil)
	for at, line := range tdbLines(b, commits) {
		if len(starts) == tdbMostLines {
			end = at
			break
		}
		starts = append(starts, c.Pos()+at)
		if commits && bytes.HasSuffix(line, []byte(".del")) {
			tdbCheckBlock(c, at, int64(len(line)), b)
		}
	}
	c.Frames(tdbLinesF, tdbLineF, end, starts, func(c *model.Cursor) { a.readLine(c, commits) })
	if c.More() {
		c.Report(model.Finding{Rule: model.RuleCap, Span: c.Span(), Found: tdbText(c.Left()) + " bytes behind them", Expected: "at most " + tdbText(tdbMostLines) + " lines"})
		c.Rest(tdbOtherF)
	}
}

// tdbCheckBlock checks the size of the delete commit behind a line of n bytes at an offset of a consolidated commit.
func tdbCheckBlock(c *model.Cursor, at, n int64, b []byte) {
	from := min(at+n+1, int64(len(b)))
	rest := b[from:]
	d := model.Finding{Rule: tdb(179), Span: c.Span(), Range: c.Range(c.Pos()+at, n), Found: string(b[at : at+n]), Expected: "the size and the bytes of the delete commit behind it"}
	if len(rest) >= 8 {
		size, ok := tdbBlockSize(rest[:min(len(rest), 8+tdbHeaderBytes)], int64(len(rest)))
		if ok {
			return
		}
		d.Range, d.Found, d.Expected = c.Range(c.Pos()+from, 8), tdbText(tdbUint(rest, 8)), tdbText(size)
		d.Fixes = []model.Fix{{Label: "set the size to " + d.Expected, Safe: true, Edits: []model.Edit{model.Replace(d.Range, binary.LittleEndian.AppendUint64(nil, uint64(size)))}}}
	}
	c.Report(d)
}

func (a *tdbArray) readLine(c *model.Cursor, commits bool) {
	n := int64(bytes.IndexByte(c.Peek(min(c.Left(), tdbMostCommits)), '\n'))
	if n < 0 {
		c.Rest(tdbLinePath)
		return
	}
	line := c.FieldN(tdbLinePath, n)
	c.Field(tdbLineEnd)
	if !commits || !strings.HasSuffix(line.Text(), ".del") {
		return
	}
	if c.Left() < 8 {
		return
	}
	n, _ = tdbBlockSize(c.Peek(8+tdbHeaderBytes), c.Left())
	size := c.Field(tdbLineSize)
	c.LengthOf(size, c.Frame(tdbLineCommit, n, func(c *model.Cursor) {
		a.readTile(c, tdbDeleteF, func(c *model.Cursor, _ *tdbTile) { tdbReadCondition(c) })
	})).Unchecked()
}

func tdbDot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

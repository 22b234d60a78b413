package tiledb

import (
	"bytes"
	"path"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// file is a file of an array.
type file struct {
	a    *array
	kind fileKind
	name string
}

func (x file) base() string { return path.Base(x.name) }

// child adds the file to the frame as a child.
func (x file) child(c *model.Cursor, e model.Entry) *model.Span {
	return c.Companion(folderFile.Named("%s", x.base()), e, x.read).Span
}

// read reads the file to its end.
func (x file) read(c *model.Cursor) {
	if x.kind != kindSchema && (x.a.d.isForeign(path.Dir(x.name)) || x.a.d.isForeign(path.Dir(path.Dir(x.name)))) {
		x.kind = kindOther
	}
	checkName(c, x.kind, x.base())
	switch x.kind {
	case kindEmpty:
		if c.More() {
			c.Rest(otherF)
		}
	case kindLines, kindVacuum:
		readLines(c, x)
	case kindFragment:
		x.a.metadata().Read(c)
	case kindData:
		x.readData(c)
	case kindOther:
		if c.More() {
			c.Rest(otherF)
		}
	default:
		x.readTileFile(c)
	}
}

// isForeign tells whether a folder is an array of TileDB 0.x: nothing is known about its files, and no problems are reported.
func (d *doc) isForeign(dir string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	is, known := d.foreign[dir]
	if !known {
		head := make([]byte, storage.HeaderBytes)
		if c, err := d.t.Snapshot.Content(path.Join(dir, schema.OldSchema)); err == nil {
			n, _ := c.ReadAt(head, 0)
			is = storage.IsGenomics(head[:n])
		}
		if d.foreign == nil {
			d.foreign = map[string]bool{}
		}
		d.foreign[dir] = is
	}
	return is
}

// checkName checks the name of a file against the grammar and its own order.
func checkName(c *model.Cursor, kind fileKind, base string) {
	stamp := stampOf(strings.TrimSuffix(base, path.Ext(base)))
	if stamp.ok && stamp.from > stamp.to {
		c.Wrong(rule.NameTimes, nil, stamp.from, "at most "+filter.Text(stamp.to))
	}
	if kind == kindSchema && !stamp.ok && base != schema.OldSchema && base != "__kv_schema.tdb" {
		c.Wrong(rule.OddFileName, nil, base, schema.OldSchema+" or __<t1>_<t2>_<32 hexadecimal digits>")
	}
	if strings.HasSuffix(base, ".tmp") {
		c.Wrong(rule.OddMetadata, nil, base, "no partly written files")
	}
}

// readTileFile reads a file of one generic tile.
func (x file) readTileFile(c *model.Cursor) {
	if storage.IsGenomics(c.Peek(storage.HeaderBytes)) {
		c.Wrong(model.RuleUndecoded, nil, "an array of TileDB 0.x", "TileDB 1.3 and later", model.Graded(model.Note),
			model.Saying("written by TileDB 0.x, as used by GenomicsDB: a different format that is not supported"))
		c.Rest(otherF)
		return
	}
	if head := c.Peek(storage.HeaderBytes); storage.IsLegacy(head, c.Left()) {
		if x.kind == kindFragment {
			return
		}
		storage.OpenNow(c, storage.ReadLegacyTile(c, schema.SchemaF, func(c *model.Cursor) { x.keepSchema(c, schema.ReadLegacy(c)) }))
		return
	}
	field := map[fileKind]*model.Field{kindSchema: schema.SchemaF, kindEnumeration: schema.EnumerationF, kindMetadata: metaF, kindGroup: groupF,
		kindDelete: deleteF, kindUpdate: updateF, kindConMeta: fragment.ConMetaF}[x.kind]
	if field == nil {
		field = storage.PayloadF
	}
	g := storage.ReadTile(c, &x.a.lock, field, func(c *model.Cursor, g *storage.GenericTile) {
		k := x.kind
		if k == kindTile {
			k = sniff(c, uint32(g.Version.Uint()))
		}
		if c.More() || g.Chunks > 0 || g.Size.Uint() == 0 { // otherwise TDB-015 has reported the missing payload
			x.readPayload(c, k, g)
		}
	})
	storage.Trailing(c, rule.BehindTile)
	storage.OpenNow(c, g.Payload)
	schema.CheckVersion(c, g.Version, x.a.schemas.Kept(x.base()))
}

// keepSchema checks a schema that was read, and remembers it.
func (x file) keepSchema(c *model.Cursor, s *schema.Schema) {
	s.File = x.base()
	if s.Layout > 0 {
		schema.Check(c, s)
	}
	x.a.schemas.Keep(s)
}

// readPayload reads the payload of the tile in a file. The kind of a file without a telling name is known by now.
func (x file) readPayload(c *model.Cursor, kind fileKind, g *storage.GenericTile) {
	base := x.base()
	switch kind {
	case kindSchema:
		if c.Left() > mostSchema {
			c.Wrong(model.RuleCap, nil, filter.Text(c.Left())+" bytes", "schemas of at most "+filter.Text(mostSchema))
			return
		}
		s := &schema.Schema{}
		s.Read(c, uint32(g.Version.Uint()))
		s.Crypt = g.Sealed()
		x.keepSchema(c, s)
	case kindEnumeration:
		e := schema.ReadEnumeration(c)
		x.a.schemas.KeepEnumeration(e, base)
		if own := e.File.Text(); own != base && enumName().MatchString(base) {
			c.Wrong(rule.EnumNameDiffers, e.File, own, model.S(base))
		}
	case kindMetadata:
		readMetadata(c)
	case kindGroup:
		readGroup(c)
	case kindDelete:
		readCondition(c)
		storage.Trailing(c, rule.BehindTile)
	case kindUpdate:
		readUpdate(c)
	case kindConMeta:
		x.a.metadata().ReadConsolidated(c, x.a.footer)
	}
}

// mostSchema is the largest schema that is read field by field.
const mostSchema = 4 << 20

// readLines reads a list of files; in a list of commits, lines of delete commits include the commit itself (5.4).
func readLines(c *model.Cursor, x file) {
	commits := path.Ext(x.name) == ".con"
	if !c.More() {
		return
	}
	b := c.Peek(min(c.Left(), mostCommits))
	end, starts, told := int64(len(b)), []int64(nil), false
	for at, line := range lines(b, commits) {
		if len(starts) == mostLines {
			end = at
			break
		}
		starts = append(starts, c.Pos()+at)
		if path.Ext(x.name) == ".vac" && !told {
			says := notPath(line)
			if told = says != ""; told {
				c.Wrong(rule.CommitLineBad, c.Range(c.Pos()+at, max(1, int64(len(line)))), string(line), "a path such as /__fragments/…", model.Saying("%s", says))
			}
		}
		if commits && bytes.HasSuffix(line, []byte(".del")) {
			checkBlock(c, at, int64(len(line)), b)
		}
	}
	c.Frames(linesF, lineF, end, starts, func(c *model.Cursor) { readLine(c, x.a, commits) })
	if c.More() {
		c.Wrong(model.RuleCap, nil, filter.Text(c.Left())+" bytes after them", "at most "+filter.Text(mostLines)+" lines")
		c.Rest(otherF)
	}
}

// notPath says why a line of a vacuum file does not name what was consolidated; "" if it may.
func notPath(line []byte) string {
	switch {
	case !bytes.Contains(line, []byte("/")):
		return "a line is not a path: TileDB does not open the array"
	case bytes.HasSuffix(line, []byte("\r")):
		return "a line ends with a carriage return: TileDB does not find what it names, and reads the old fragment beside the new one"
	}
	return ""
}

// checkBlock checks the size of the delete commit after a line of n bytes at an offset of a consolidated commit.
func checkBlock(c *model.Cursor, at, n int64, b []byte) {
	from := min(at+n+1, int64(len(b)))
	if rest := b[from:]; len(rest) >= 8 {
		if size, ok := blockSize(rest[:min(len(rest), 8+storage.HeaderBytes)], int64(len(rest))); !ok {
			c.Wrong(rule.CommitLineBad, c.Range(c.Pos()+from, 8), filter.Uint(rest, 8), size, model.About(size))
		}
		return
	}
	c.Wrong(rule.CommitLineBad, c.Range(c.Pos()+at, n), string(b[at:at+n]), "the size and the bytes of the delete commit after it")
}

func readLine(c *model.Cursor, a *array, commits bool) {
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
	n, _ = blockSize(c.Peek(8+storage.HeaderBytes), c.Left())
	size := c.Field(lineSize)
	c.LengthOf(size, c.Frame(lineCommit, n, func(c *model.Cursor) {
		storage.ReadTile(c, &a.lock, deleteF, func(c *model.Cursor, _ *storage.GenericTile) { readCondition(c) })
	}))
}

package taridx

// TARIDX 1.0, the index of tar shards written by the iTar part of the glzn package. Section numbers refer to the reference
// sheet of the format.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
)

// Format is the value that the program knows the format by.
var Format = &model.Format{
	Name: "taridx", Title: "TARIDX index", Exts: []string{".taridx"}, MIME: []string{"application/x-taridx"}, Dataset: &model.Dataset{Beside: true},
	Doc:    "An index of the members of tar shards: where each is, how long, of which sample.",
	Detect: detect, Parse: parse, Tables: tables, Deep: deep, Rules: model.RulesOf(rules), Actions: actions, Review: review,
}

const (
	headerSize = 64
	rowSize    = 32
)

func want(n uint64, what string) func(model.Value) string {
	return func(v model.Value) string {
		if v.Uint() == n {
			return ""
		}
		return what
	}
}

var (
	header     = &model.Field{Name: "header", Ref: "2"}
	magicField = &model.Field{Name: "magic", Codec: model.TextOf(8, 0), Doc: "TARIDX and two NULs", Ref: "2"}
	major      = &model.Field{Name: "major", Codec: model.U16LE, Ref: "2", Rule: tix003, Check: want(1, "1")}
	minor      = &model.Field{Name: "minor", Codec: model.U16LE, Ref: "2", Rule: tix004, Check: want(0, "0")}
	rec        = &model.Field{Name: "rec_size", Codec: model.U16LE, Doc: "bytes of a row", Ref: "2", Rule: tix005, Check: want(32, "32"), Safe: model.U(32)}
	hdr        = &model.Field{Name: "hdr_size", Codec: model.U16LE, Doc: "bytes of the header", Ref: "2", Rule: tix006, Check: want(64, "64"), Safe: model.U(64)}
	stems      = &model.Field{Name: "n_stems", Codec: model.U64LE, Doc: "distinct samples", Ref: "2"}
	nRows      = &model.Field{Name: "n_rows", Codec: model.U64LE, Doc: "rows", Ref: "2"}
	nExt       = &model.Field{Name: "n_ext", Codec: model.U32LE, Doc: "extension names", Ref: "2"}
	nCrash     = &model.Field{Name: "n_crash", Codec: model.U32LE, Doc: "collision stems", Ref: "2"}
	offC       = &model.Field{Name: "off_crash", Codec: model.U64LE, Doc: "where the collision block starts", Ref: "2", Show: model.ShowHex}
	offA       = &model.Field{Name: "off_arr", Codec: model.U64LE, Doc: "where the rows start", Ref: "2", Show: model.ShowHex}
	flags      = &model.Field{Name: "flags", Codec: model.U8, Doc: "bit 0: rows are grouped by sample", Ref: "2", Flags: []model.Flag{{Mask: 1, Name: "contiguous"}}, Rule: tix007,
		Check: func(v model.Value) string {
			if v.Uint() > 1 {
				return "0 or 1"
			}
			return ""
		}}
	reserved = &model.Field{Name: "reserved", Codec: model.BytesOf(7), Ref: "2", Rule: tix008, Check: func(v model.Value) string {
		if v.Text() != "\x00\x00\x00\x00\x00\x00\x00" {
			return "zero"
		}
		return ""
	}}

	exts    = &model.Field{Name: "ext", Doc: "extension names, by id", Ref: "3"}
	crashes = &model.Field{Name: "crash", Doc: "stems whose hash another stem has; the first has id 1", Ref: "4"}
	entry   = &model.Field{Name: "entry", Ref: "3"}
	text    = &model.Field{Name: "name", Codec: model.UTF8, Ref: "3"}
	sep     = &model.Field{Name: "sep", Codec: model.ASCII, Doc: "newline", Fixed: "the newline separates entries"}

	rowsField = &model.Field{Name: "rows", Doc: "a row for each tar header, in scan order", Ref: "5"}
	restField = &model.Field{Name: "remainder", Codec: model.RawBytes, Doc: "bytes that do not make a row"}
	row       = model.NewRecord(
		&model.Field{Name: "fid", Codec: model.U16LE, Doc: "position of the shard among those of the fold", Ref: "5, 7", Note: shardNote},
		&model.Field{Name: "offset", Codec: model.U64LE, Doc: "of the member's tar header in the shard", Ref: "5", Show: model.ShowHex, Target: target, Note: memberNote},
		&model.Field{Name: "size", Codec: model.U64LE, Doc: "payload bytes, from offset + 512", Ref: "5", Show: model.ShowSize},
		&model.Field{Name: "extid", Codec: model.U16LE, Doc: "extension name", Ref: "5", Note: extNote},
		&model.Field{Name: "crashid", Codec: model.U32LE, Doc: "0, or the number of a collision stem", Ref: "5", Note: crashNote},
		&model.Field{Name: "keyhash", Codec: model.U64LE, Doc: "XXH64 of the stem, seed 0", Ref: "5, 6.2", Show: model.ShowHex, Note: stemNote})
)

// row's fields by number.
const (
	fid = iota
	offset
	size
	extID
	crashID
	keyHash
)

// index is what a tree remembers of an index.
type index struct {
	t         *model.Tree
	head      map[string]model.Node // header fields by name
	exts      []string
	crashes   []string
	extSpan   *model.Span
	crashSpan *model.Span
	rows      *model.Span // nil when the rows cannot be found
	n         int64
	shards    []*shard // by name, as the reference orders them
	order     []*shard // by fid, in the order that verifies
	orderName string
	misfits   []string
	crashIDs  map[string]uint32
	crashHash []uint64
}

// detect says how sure it is that a file is of the format, or why it is not.
func detect(name string, head, tail []byte, size int64) (model.Confidence, string) {
	if c := confidence(name, head, tail, size); c > 0 {
		return c, ""
	}
	return 0, decline(name, head, tail, size)
}

func confidence(name string, head, _ []byte, size int64) model.Confidence {
	switch {
	case len(head) >= 8 && string(head[:8]) == "TARIDX\x00\x00":
		return 98
	case len(head) >= 6 && string(head[:6]) == "TARIDX":
		return 80
	case len(head) >= headerSize && isPlausible(head, size):
		return 60
	case strings.HasSuffix(name, ".taridx"):
		return 15
	}
	return 0
}

// decline says why confidence is 0.
func decline(_ string, head, _ []byte, size int64) string {
	why := "begins with " + model.Opening(head) + ", not 54 41 52 49 44 58 00 00 (TARIDX); "
	if len(head) < headerSize {
		return why + fmt.Sprintf("%d bytes are less than its header of %d", size, headerSize)
	}
	if rec, hdr := binary.LittleEndian.Uint16(head[12:]), binary.LittleEndian.Uint16(head[14:]); rec != rowSize || hdr != headerSize {
		return why + fmt.Sprintf("the sizes of a row and of the header at 0xC are %d and %d, not %d and %d", rec, hdr, rowSize, headerSize)
	}
	return why + "the offsets of its parts at 0x28 lie outside the file"
}

// isPlausible tells whether a header makes sense apart from its magic (rule 002).
func isPlausible(h []byte, size int64) bool {
	offC, offA := binary.LittleEndian.Uint64(h[40:]), binary.LittleEndian.Uint64(h[48:])
	return binary.LittleEndian.Uint16(h[12:]) == 32 && binary.LittleEndian.Uint16(h[14:]) == 64 && offC >= 64 && offC <= offA && offA <= uint64(size)
}

func parse(c *model.Cursor) {
	x := &index{t: c.Tree(), head: map[string]model.Node{}}
	c.Tree().State = x
	size := c.Size()
	if size < headerSize {
		c.Report(model.Finding{Rule: tix001, Span: c.Span(), Range: c.Range(0, size), Found: model.SizeText(uint64(size)), Expected: "at least 64 bytes"})
	} else if x.header(c, size) && x.blocks(c, size) {
		x.body(c, size)
	}
	c.Resync(func([]byte) int { return -1 }) // what could not be read
	x.companions(c)
}

// header reads the header (section 2). It returns false when the file is something else.
func (x *index) header(c *model.Cursor, size int64) bool {
	plausible := isPlausible(c.Peek(headerSize), size)
	right := string(c.Peek(8)) == "TARIDX\x00\x00"
	c.Struct(header, func(c *model.Cursor) {
		magic := c.Field(magicField)
		if !right {
			d := model.Finding{Rule: tix002, Span: magic.Span, Found: fmt.Sprintf("% x", c.PeekAt(0, 8)), Expected: "54 41 52 49 44 58 00 00"}
			if plausible {
				d.Fixes = []model.Fix{{Label: "write the magic", Safe: true, Edits: []model.Edit{model.Replace(magic.Range, []byte("TARIDX\x00\x00"))}}}
			}
			c.Report(d)
		}
		if right || plausible {
			for _, f := range []*model.Field{major, minor, rec, hdr, stems, nRows, nExt, nCrash, offC, offA, flags, reserved} {
				x.head[f.Name] = c.Field(f)
			}
		}
	})
	return right || plausible
}

// blocks checks the two offsets and reads the text blocks (sections 3 and 4).
func (x *index) blocks(c *model.Cursor, size int64) bool {
	offC, offA := x.head["off_crash"], x.head["off_arr"]
	fileSize := model.U(uint64(size)).String()
	if offC.Uint() < headerSize || offC.Uint() > uint64(size) {
		d := model.Finding{Rule: tix009, Span: offC.Span, Found: offC.Value.String(), Expected: "64 to " + fileSize}
		if at, ok := x.afterNames(c, size); ok {
			d.Fixes = []model.Fix{model.SetTo(offC.Span, model.I(at))}
		}
		c.Report(d)
		return false
	}
	if offA.Uint() < offC.Uint() || offA.Uint() > uint64(size) {
		d := model.Finding{Rule: tix010, Span: offA.Span, Found: offA.Value.String(), Expected: offC.Value.String() + " to " + fileSize}
		n := x.head["n_rows"].Int()
		if at := size - n*rowSize; n >= 0 && n <= size/rowSize && at >= offC.Int() && utf8.Valid(c.PeekAt(offC.Int(), at-offC.Int())) {
			d.Fixes = []model.Fix{model.SetTo(offA.Span, model.I(at))}
		}
		c.Report(d)
		return false
	}
	ext := x.text(c, exts, offC.Int()-headerSize, &x.exts, x.head["n_ext"], tix013)
	crash := x.text(c, crashes, offA.Int()-offC.Int(), &x.crashes, x.head["n_crash"], tix014)
	x.extSpan, x.crashSpan = ext.Span, crash.Span
	c.OffsetOf(offC, crash)
	x.checkNames(c)
	x.crashIDs = map[string]uint32{}
	for i, s := range x.crashes {
		x.crashHash = append(x.crashHash, xxhash.Sum64String(s))
		if _, ok := x.crashIDs[s]; !ok {
			x.crashIDs[s] = uint32(i + 1)
		}
	}
	return true
}

// afterNames returns where the extension names end, going by their count, when off_crash cannot be used.
func (x *index) afterNames(c *model.Cursor, size int64) (int64, bool) {
	offA := x.head["off_arr"].Int()
	if offA < headerSize || offA > size || offA > 1<<20 {
		return 0, false
	}
	if x.head["n_crash"].Uint() == 0 {
		return offA, true
	}
	at := int64(headerSize)
	for i := uint64(0); i < x.head["n_ext"].Uint(); i++ {
		b := c.PeekAt(at, offA-at)
		n := bytes.IndexByte(b, '\n')
		if n < 0 {
			return 0, false
		}
		if at += int64(n); i+1 < x.head["n_ext"].Uint() {
			at++
		}
	}
	return at, true
}

// eager is the longest text block that is taken apart at once; longer ones are read when somebody looks.
const eager = 4 << 20

// text reads names joined by newlines and compares their number with a count.
func (x *index) text(c *model.Cursor, f *model.Field, n int64, names *[]string, count model.Node, rule *model.Rule) model.Node {
	b := c.Peek(n)
	if !utf8.Valid(b) {
		at := int64(0)
		for len(b[at:]) > 0 {
			r, w := utf8.DecodeRune(b[at:])
			if r == utf8.RuneError && w == 1 {
				break
			}
			at += int64(w)
		}
		c.Report(model.Finding{Rule: tix011, Span: c.Span(), Range: c.Range(c.Pos()+at, 1), Found: fmt.Sprintf("%x", b[at])})
	}
	if n > 0 && b[n-1] == '\n' {
		at := c.Range(c.Pos()+n-1, 1)
		c.Report(model.Finding{Rule: tix012, Span: c.Span(), Range: at, Fixes: []model.Fix{{Label: "drop the newline", Safe: int64(bytes.Count(b, []byte{'\n'})) == count.Int(), Edits: []model.Edit{model.Splice{Range: at, With: model.Memory(nil), Into: f.Name}}}}})
	}
	found := int64(bytes.Count(b, []byte{'\n'})) + 1
	if n == 0 && count.Uint() != 1 || n > 0 && b[n-1] == '\n' {
		found--
	}
	step := func(c *model.Cursor) string {
		rest := c.Peek(c.Left())
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		name := c.FieldN(text, int64(end))
		if c.More() {
			c.FieldN(sep, 1)
		}
		return name.Text()
	}
	var list model.Node
	if n > eager {
		list = c.Sequence(f, entry, n, func(c *model.Cursor) { step(c) })
		c.Report(model.Finding{Rule: model.RuleCap, Span: list.Span, Message: fmt.Sprintf("%s: %d bytes of names are read on demand, and rows are not compared with them", f.Name, n)})
	} else {
		list = c.ListN(f, n, func(c *model.Cursor) {
			for range found {
				c.Struct(entry, func(c *model.Cursor) { *names = append(*names, step(c)) })
			}
		})
		c.CountOf(count, list).Unchecked()
	}
	if count.Span != nil && count.Int() != found {
		c.Report(model.Finding{Rule: rule, Span: count.Span, Found: count.Value.String(), Expected: fmt.Sprint(found), Related: []model.Range{list.Range}, Fixes: []model.Fix{x.countFix(count, found, rule == tix014)}})
	}
	return list
}

// space tells whether Python's str.split takes a character for white space.
func space(r rune) bool {
	return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f
}

// decoders are the last parts of extensions that the reference decodes by default (section 8).
var decoders = map[string]bool{}

func init() {
	for _, e := range strings.Fields("cls rle seg8 seg16 seg24 seg32 json npy mat pkl txt apng avif avifs blp bmp bufr bw cur dcx dds dib emf eps fit fits flc fli fpx ftc ftu gbr gif grib h5 hdf icb icns ico iim im j2c j2k jfif jp2 jpc jpe jpeg jpf jpg jpx mic mpeg mpg mpo msp palm pbm pcd pcx pdf pfm pgm png pnm ppm ps psd pxr qoi ras rgb rgba sgi tga tif tiff vda vst webp wmf xbm xpm") {
		decoders[e] = true
	}
}

// checkNames runs the rules on single entries: 015 to 020 and 038.
func (x *index) checkNames(c *model.Cursor) {
	for k, list := range []*model.Span{x.extSpan, x.crashSpan} {
		names := [][]string{x.exts, x.crashes}[k]
		seen := map[string]bool{}
		if split := strings.FieldsFunc(strings.Join(names, "\n"), space); !slices.Equal(split, names) && list != nil {
			d := model.Finding{Rule: tix015, Span: list, Found: fmt.Sprintf("%d entries", len(split)), Expected: fmt.Sprintf("%d entries", len(names))}
			if len(split) == len(names) {
				d.Found, d.Expected = "entries without their white space", "the same entries"
			} else if k == 0 {
				d.Severity = model.Error
			}
			c.Report(d)
		}
		for i, name := range names {
			entry := list.Child(int64(i))
			report := func(r *model.Rule, fixes ...model.Fix) {
				c.Report(model.Finding{Rule: r, Span: entry, Found: fmt.Sprintf("%q", name), Message: fmt.Sprintf("%s: %s[%d]", r.Title, list.Field.Name, i), Fixes: fixes})
			}
			if name == "" && k == 0 {
				report(tix016, x.dropHelpers()...)
			} else if name == "" {
				report(tix016)
			}
			if strings.ContainsFunc(name, space) {
				report(tix017)
			}
			if lower := pythonLower(name); k == 0 && name != lower && !seen[lower] {
				report(tix018, model.Fix{Label: "write it as " + lower, Edits: []model.Edit{model.SetValue(entry.Child(0), model.S(lower))}})
			} else if k == 0 && (name != lower || strings.HasPrefix(name, ".")) {
				report(tix018)
			}
			if k == 1 && strings.ContainsAny(name, "./") {
				report(tix020)
			}
			if seen[name] && name != "" {
				report(tix019, x.mergeFix(list, names))
			}
			seen[name] = true
			if parts := strings.Split(name, "."); k == 0 && name != "" && !decoders[parts[len(parts)-1]] {
				report(tix038)
			}
		}
	}
}

// body reads the rows (section 5).
func (x *index) body(c *model.Cursor, size int64) {
	offA, count := x.head["off_arr"], x.head["n_rows"]
	x.n = (size - offA.Int()) / rowSize
	rows := c.Array(rowsField, row, x.n)
	x.rows = rows.Span
	c.OffsetOf(offA, rows)
	c.CountOf(count, rows).Unchecked()
	if rest := c.Left(); rest > 0 {
		r := c.FieldN(restField, rest)
		c.Report(model.Finding{Rule: tix021, Span: r.Span, Found: fmt.Sprintf("%d bytes behind %d rows", rest, x.n), Expected: "a multiple of 32",
			Fixes: []model.Fix{{Label: "cut the remainder", Edits: []model.Edit{model.Replace(r.Range, nil)}}}})
	}
	if count.Int() != x.n {
		c.Report(model.Finding{Rule: tix022, Span: count.Span, Found: count.Value.String(), Expected: fmt.Sprint(x.n), Related: []model.Range{rows.Range}, Fixes: []model.Fix{model.SetTo(count.Span, model.I(x.n))}})
	}
}

package idv

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"spandrel/model"
)

// ML.NET model archives are ZIP files (APPNOTE.TXT, without ZIP64) some of whose entries are IDV streams (§9.1).
var (
	zipMember  = &model.Field{Name: "member", Ref: "§9.1"}
	zipLocal   = &model.Field{Name: "local", Doc: "local file header", Ref: "APPNOTE 4.3.7"}
	zipCentral = &model.Field{Name: "directory", Doc: "central directory", Ref: "APPNOTE 4.3.12"}
	zipEntry   = &model.Field{Name: "entry", Ref: "APPNOTE 4.3.12"}
	zipEnd     = &model.Field{Name: "end", Doc: "end of central directory", Ref: "APPNOTE 4.3.16"}
	zipName    = &model.Field{Name: "name", Codec: model.UTF8, Ref: "APPNOTE 4.4.17"}
	zipExtra   = &model.Field{Name: "extra", Codec: model.RawBytes, Ref: "APPNOTE 4.4.28"}
	zipComment = &model.Field{Name: "comment", Codec: model.UTF8, Ref: "APPNOTE 4.4.26"}
	zipData    = &model.Field{Name: "data", Codec: model.RawBytes, Doc: "the entry as it is stored", Ref: "APPNOTE 4.3.8"}
	zipAfter   = &model.Field{Name: "descriptor", Doc: "sizes known only after writing", Ref: "APPNOTE 4.3.9"}
	zipContent = &model.Field{Name: "content", Doc: "an IDV stream", Ref: "§9.1"}
)

func zipField(name string, c model.Codec) *model.Field {
	f := &model.Field{Name: name, Codec: c, Ref: "APPNOTE 4.4"}
	switch name {
	case "method":
		f.Enum = model.Enum{0: "stored", 8: "deflate"}
	case "signature", "crc32":
		f.Show = model.ShowHex
	}
	return f
}

func zipFields(layout string) (out []*model.Field) {
	for _, f := range strings.Fields(layout) {
		codec := model.U16LE
		if f[len(f)-1] == '4' {
			codec = model.U32LE
		}
		out = append(out, zipField(f[:len(f)-1], codec))
	}
	return
}

// A name and the width of each field of the three records.
var (
	zipLocalFields   = zipFields("signature4 version2 flags2 method2 time2 date2 crc324 compressedSize4 size4 nameLength2 extraLength2")
	zipCentralFields = zipFields("signature4 madeBy2 version2 flags2 method2 time2 date2 crc324 compressedSize4 size4 nameLength2 extraLength2 commentLength2 disk2 internal2 external4 offset4")
	zipAfterFields   = zipFields("signature4 crc324 compressedSize4 size4")
	zipEndFields     = zipFields("signature4 disk2 directoryDisk2 diskEntries2 entries2 directorySize4 directoryOffset4 commentLength2")
)

type zipped struct {
	name                   string
	method                 uint64
	compressed, size, at   int64
	offset, packed, length model.Node // in the directory
	crc                    model.Node
}

// maxZip is how many entries of an archive are shown.
const maxZip = 1 << 13

// zipRecord reads the fixed fields of a record by name.
func zipRecord(c *model.Cursor, fields []*model.Field) map[string]model.Node {
	out := map[string]model.Node{}
	for _, f := range fields {
		out[f.Name] = c.Field(f)
	}
	return out
}

// parseZip reads an archive through its central directory. Each part ends where the next one begins, whatever it says of its length.
func parseZip(c *model.Cursor, st *state) {
	size := c.Size()
	from := max(0, size-(64<<10)-22)
	tail := c.PeekAt(from, size-from)
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if i < 0 || len(tail)-i < 22 {
		c.Report(model.Finding{Rule: model.RuleTruncated, Span: c.Span(), Message: "the archive has no central directory"})
		return
	}
	end := from + int64(i)
	off := int64(binary.LittleEndian.Uint32(tail[i+16:]))
	count := int64(binary.LittleEndian.Uint16(tail[i+10:]))
	var members []*zipped
	var list model.Node
	c.At(off, func(c *model.Cursor) {
		list = c.List(zipCentral, func(c *model.Cursor) {
			for range min(count, maxZip) {
				if n := zipSize(c.Peek(46), "PK\x01\x02", 28, 30, 32); n == 0 || n > end-c.Pos() {
					return
				}
				c.Struct(zipEntry, func(c *model.Cursor) { members = append(members, zipDirectory(c)) })
			}
		})
	})
	c.At(end, func(c *model.Cursor) {
		c.Struct(zipEnd, func(c *model.Cursor) {
			h := zipRecord(c, zipEndFields)
			comment := c.FieldN(zipComment, min(h["commentLength"].Int(), c.Left()))
			c.LengthOf(h["commentLength"], comment)
			if list.Span != nil {
				c.OffsetOf(h["directoryOffset"], list)
				c.LengthOf(h["directorySize"], list)
				c.CountOf(h["entries"], list)
			}
		})
	})
	starts := []int64{end}
	if list.Span != nil && list.Range.Len > 0 {
		starts = append(starts, list.Range.Off)
	}
	for _, m := range members {
		starts = append(starts, m.at)
	}
	slices.Sort(starts)
	taken := map[int64]bool{}
	for i, m := range members {
		if !taken[m.at] {
			taken[m.at] = true
			if m.at >= end || list.Range.Off <= m.at && m.at < list.Range.End() {
				c.Report(model.Finding{Rule: model.RuleLink, Span: m.offset.Span, Message: "the offset of an entry leads into the directory or behind it"})
				continue
			}
			next, _ := slices.BinarySearch(starts, m.at+1)
			c.At(m.at, func(c *model.Cursor) { zipMemberAt(c, st, m, i, starts[next]) })
		}
	}
}

// zipSize is the length of a record: its fixed part, and the texts whose lengths are at those places in it. It is 0 when the
// record does not begin with the signature.
func zipSize(fixed []byte, signature string, lengths ...int) int64 {
	if !bytes.HasPrefix(fixed, []byte(signature)) || len(fixed) < lengths[len(lengths)-1]+2 {
		return 0
	}
	n := int64(len(fixed))
	for _, at := range lengths {
		n += int64(binary.LittleEndian.Uint16(fixed[at:]))
	}
	return n
}

func zipDirectory(c *model.Cursor) *zipped {
	h := zipRecord(c, zipCentralFields)
	name := c.FieldN(zipName, h["nameLength"].Int())
	c.LengthOf(h["nameLength"], name)
	c.LengthOf(h["extraLength"], c.FieldN(zipExtra, h["extraLength"].Int()))
	c.LengthOf(h["commentLength"], c.FieldN(zipComment, h["commentLength"].Int()))
	return &zipped{name: name.Text(), method: h["method"].Uint(), compressed: h["compressedSize"].Int(), size: h["size"].Int(), at: h["offset"].Int(),
		offset: h["offset"], packed: h["compressedSize"], length: h["size"], crc: h["crc32"]}
}

// zipMemberAt reads the local header of an entry that ends before end, and its content where that is an IDV stream.
func zipMemberAt(c *model.Cursor, st *state, m *zipped, i int, end int64) {
	if n := zipSize(c.Peek(30), "PK\x03\x04", 26, 28); n == 0 || n > end-c.Pos() {
		c.Report(model.Finding{Rule: model.RuleLink, Span: m.offset.Span, Message: "there is no entry at this offset"})
		return
	}
	var data model.Node
	var h map[string]model.Node
	s := c.Struct(zipMember.Named("member[%d]", i), func(c *model.Cursor) {
		c.Struct(zipLocal, func(c *model.Cursor) {
			h = zipRecord(c, zipLocalFields)
			c.LengthOf(h["nameLength"], c.FieldN(zipName, h["nameLength"].Int()))
			c.LengthOf(h["extraLength"], c.FieldN(zipExtra, h["extraLength"].Int()))
		})
		data = c.FieldN(zipData, min(m.compressed, end-c.Pos()))
		records := []map[string]model.Node{h}
		after := zipAfterFields
		if !bytes.HasPrefix(c.Peek(4), []byte("PK\x07\x08")) {
			after = after[1:]
		}
		if h["flags"].Uint()&8 != 0 && int64(4*len(after)) <= end-c.Pos() {
			c.Struct(zipAfter, func(c *model.Cursor) { records = append(records, zipRecord(c, after)) })
		}
		zipStream(c, st, m, data, records)
	})
	c.OffsetOf(m.offset, s)
	c.LengthOf(m.packed, data)
}

// zipStream makes the content of an entry, when that begins as an IDV stream does: at its start or behind a length.
func zipStream(c *model.Cursor, st *state, m *zipped, data model.Node, records []map[string]model.Node) {
	tr := model.Identity
	head := c.PeekAt(data.Range.Off, min(12, data.Range.Len))
	if m.method == 8 {
		tr = zipInflate
		head, _ = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(c.PeekAt(data.Range.Off, min(64<<10, data.Range.Len)))), 12))
	}
	at := func(off int) bool {
		return len(head) >= off+8 && binary.LittleEndian.Uint64(head[off:]) == headSignature
	}
	for _, h := range records {
		if h["compressedSize"].Int() == m.compressed { // zero where a descriptor follows
			c.LengthOf(h["compressedSize"], data)
		}
	}
	if m.method != 0 && m.method != 8 || !at(0) && !at(4) {
		return
	}
	prefixed := !at(0)
	s := c.Derive(zipContent, model.Derived{Transform: tr, From: []model.Node{data}, Size: m.size, Body: func(c *model.Cursor) {
		if prefixed {
			prefixedStream(c, st, m.name)
			return
		}
		streamParse(c, st, m.name)
	}})
	if s.Span == nil {
		return
	}
	st.boxed = append(st.boxed, s.Span)
	c.LengthOf(m.length, s)
	c.ChecksumOf(m.crc, model.CRC32, s)
	for _, h := range records {
		if h["size"].Int() == m.size {
			c.LengthOf(h["size"], s)
			c.ChecksumOf(h["crc32"], model.CRC32, s)
		}
	}
}

var zipInflate = &model.Transform{Name: "deflate", Decode: func(_ context.Context, in []byte, limit int64) ([]byte, error) {
	src := bytes.NewReader(in)
	b, how := readAll(flate.NewReader(src), src, nil, limit, 0, false)
	return b[:min(int64(len(b)), limit)], how.err
}, Encode: deflate}

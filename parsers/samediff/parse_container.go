package samediff

import (
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// parseContainer reads a container (section 2.2).
func parseContainer(c *model.Cursor, d *doc) {
	k := &container{framing: framing{pro: readPrologue(c.Peek(32)), order: binary.BigEndian, layout: layouts[0]}, doc: d, count: -1,
		format: -1, named: map[string]model.Range{}}
	d.con = k
	if k.pro.at+4 <= c.Left() {
		k.choose(c)
		k.retype(c)
	}
	magic := k.prologue(c)
	k.peekHeader(c)
	findShifted(c, k)
	recs := c.List(fieldRecs, func(c *model.Cursor) {
		for i := range k.recs {
			k.record(c, i)
		}
	})
	k.rest(c)
	checkContainer(c, k, magic, recs)
}

// prologue reads magic and version.
func (k *container) prologue(c *model.Cursor) model.Node {
	var magic model.Node
	if k.pro.code == "MU" {
		c.Field(fieldUTF)
		magic = c.FieldN(fieldMagic, 14)
	} else {
		magic = c.FieldN(fieldMagic, min(k.pro.magic, 14, c.Left()))
		if k.pro.code == "M16" {
			c.FieldN(flat.FieldPad, 2)
		}
	}
	if k.pro.code == "M14" && magic.Text() != containerMagic {
		sure := k.state == atEnd // everything that follows is part of its sections
		c.Wrong(notAModel, magic, nil, containerMagic, model.About([]model.Fix{{Label: "write " + containerMagic + ", which begins every such file",
			Safe: sure, Copies: sure, Witnessed: sure,
			Edits: []model.Edit{model.Splice{Range: magic.Range, With: model.Memory([]byte(containerMagic)), Loose: true}}}}),
			model.Saying("the beginning of the file is damaged: it does not begin with %s, but the rest looks like such a file", containerMagic))
	}
	if k.pro.code != "M14" {
		g := model.Note
		if k.pro.code == "MU" {
			g = model.Warning
		}
		c.Wrong(oddMagic, magic.Span, magicForms[k.pro.code], "SAMEDIFF_MODEL", model.Graded(g), model.About(k))
	}
	if c.Left() < 4 {
		c.Wrong(tooShort, c.Span(), nil, nil)
		return magic
	}
	f, mixed := &outer[0], k.pro.little && k.order == binary.BigEndian && len(k.recs) > 0
	if k.pro.little && !mixed || !k.pro.plain && k.order == binary.LittleEndian {
		f = &outer[1]
	}
	version := c.Field(f.version)
	switch {
	case mixed:
		c.Wrong(badVersion, version, nil, model.U(uint64(k.pro.version)), model.Saying("the version is in another byte order than the lengths of the sections"))
	case !k.pro.plain:
		c.Wrong(badVersion, version, nil, model.U(1), model.Doubtful)
	case k.pro.version > 1:
		c.Wrong(badVersion, version, nil, model.U(1), model.Doubtful, model.Graded(model.Warning),
			model.Saying("the container has an unknown newer version"))
	}
	if k.order == binary.LittleEndian {
		c.Wrong(littleContainer, version.Span, nil, nil, model.About(k))
	}
	return version
}

// rest explains what follows the last readable record.
func (k *container) rest(c *model.Cursor) {
	left := c.Left()
	if left == 0 {
		return
	}
	at := c.Range(c.Pos(), left)
	rule, fix := recordCut, cutting(at, model.Words("%d bytes that may begin a section", left))
	switch {
	case k.state == tooMany:
		rule, fix = tooManySections, model.About(nil)
	case int64(len(k.recs)) == k.count, k.state == atEnd: // zeros
		rule, fix = afterLast, cutting(at, "")
	case k.state != shortHead:
		k.broken(c)
		return
	}
	tail := c.FieldN(fieldTail, left)
	c.Wrong(rule, tail.Span, model.Words("%d bytes", left), nil, fix)
}

// broken reads the existing part of a record whose length leads beyond the end.
func (k *container) broken(c *model.Cursor) {
	left := c.Left()
	f := k.outer()
	at := c.Range(c.Pos(), left)
	c.Block(fieldRec.Named("broken"), left, func(c *model.Cursor) {
		r, _ := k.layout.record(c.Peek(k.layout.head), at.Off, 0, k.order)
		nodes := k.head(c, f)
		n := nodes[1]
		if uint64(r.size) < 1<<50 {
			k.cutBy, k.cutAt = n.Span, r.end()
		}
		c.Wrong(recordTooLong, n, nil, fmt.Sprintf("at most %d", c.Left()),
			model.About(k.endRecord(at, &r, n.Uint())))
		r.size, r.sum = int64(min(uint64(c.Left()), uint64(r.size))), 0
		if r.size > 0 && r.code() <= 1 && (r.typ == metadata || r.typ == graphs || r.typ == arraysType) { // what is left of the content
			k.rump = &section{rec: r, index: len(k.sections), con: k, typ: nodes[0], length: n, flags: nodes[2]}
			k.payload(c, k.rump)
		}
		switch {
		case c.Left() > 0 && k.rump != nil:
			c.Rest(fieldLeft)
		case c.Left() > 0:
			c.Rest(fieldData)
		}
	})
}

var fieldLeft = &model.Field{Name: "left", Doc: "the rest of the checksum", Ref: "2.2", Codec: model.RawBytes}

// head reads type, length and flags in the order of the layout.
func (k *framing) head(c *model.Cursor, f *outerFields) (n [3]model.Node) {
	if k.layout.typeLen == 4 {
		n[0] = c.Field(f.typ4)
	} else {
		n[0] = c.Field(f.typ)
	}
	if k.layout.flagAt == 1 {
		n[2] = c.Field(f.flags)
	}
	n[1] = c.Field(f.length)
	if k.layout.flagAt > 1 {
		n[2] = c.Field(f.flags)
	}
	return n
}

// checkContainer applies the rules about the order and number of sections (section 4.2), and links the HEADER to what it counts.
func checkContainer(c *model.Cursor, k *container, version, recs model.Node) {
	firsts := checkSections(c, k)
	weights := k.shard != nil && k.shard.kind == "weights" || weightName(k.doc.file)
	if firsts[graphs] == nil && !weights {
		at := c.Range(max(0, c.Base()+c.Size()-1), 1)
		c.Wrong(noGraph, model.Spot{Span: recs.Span, Range: at}, nil, nil)
	}
	if firsts[header] == nil {
		var insert []model.Fix
		if k.layout.code == "R1" {
			rec := k.writeRecord(header, 0x80, flatHeader(1, int64(len(k.recs)+1)))
			insert = []model.Fix{{Label: "insert a HEADER", Safe: true, Edits: []model.Edit{model.Splice{Range: c.Range(recs.Range.Off, 0),
				With: rec, Into: recs.Path(), Elements: 1}}}}
		}
		c.Wrong(noHeader, recs.Span, nil, nil, model.About(insert))
	}
	if k.layout.code != "R1" && len(k.sections) > 0 {
		c.Wrong(oddRecords, k.sections[0].span, "variant "+k.layout.code, "variant R1", model.About(k))
	}
	if h := k.header; h == nil {
		checkText(c, k)
	} else if h.Root.Name == "ContainerHeader" {
		headerLinks(c, k, version, recs)
	}
}

// checkSections checks that the sections of a container are in order, without repetition; it returns the first of each type.
func checkSections(c *model.Cursor, k *container) map[uint32]*section {
	firsts := map[uint32]*section{}
	last := int64(-1)
	for _, s := range k.sections {
		t := s.rec.typ
		first := firsts[t]
		if first == nil {
			firsts[t] = s
		}
		if t > shardInfo {
			continue
		}
		if first != nil && t != arraysType {
			c.Wrong(sectionTwice, s.typ, nil, nil, model.Beside(first.span), model.About([]model.Fix{{Label: "remove the second one",
				Loses: model.Words("the second section, of %s bytes", model.Thousands(s.rec.size)), Edits: []model.Edit{model.Replace(s.span.Range, nil)}}}))
		}
		if int64(t) < last {
			c.Wrong(sectionOrder, s.typ, nil, nil, model.About(k))
		}
		last = max(last, int64(t))
	}
	return firsts
}

// headerLinks links a HEADER to what it counts and repeats (SDF-033 to SDF-035).
func headerLinks(c *model.Cursor, k *container, version, recs model.Node) {
	h := k.header
	leaf := func(slot int) model.Node { return model.Node{Span: h.field(slot)} }
	whole := model.Node{Span: h.span}
	switch n := leaf(0); {
	case n.Span == nil:
		c.Wrong(headerVersion, h.span, "none", fmt.Sprint(k.pro.version), model.About(k.newHeader(whole, true)))
	case version.Span == nil:
	case k.format == 1 && k.pro.version != 1: // there is no other version, so the prologue is wrong
		c.Wrong(headerVersion, version, nil, model.U(1), model.Beside(n))
	default:
		c.SameAs(n, version).As(headerVersion)
	}
	if n := leaf(1); n.Span == nil {
		c.Wrong(sectionCount, h.span, "none", fmt.Sprint(len(k.recs)), model.About(k.newHeader(whole, true)))
	} else if l := c.CountOf(n, recs).As(sectionCount); k.state != atEnd || k.count > int64(len(k.recs)) { // sections may be truncated
		l.Doubtful()
	}
	n := leaf(2)
	if n.Span == nil {
		return
	}
	var data []model.Node
	for _, s := range k.sections {
		if s.rec.typ != header {
			data = append(data, s.data)
		}
	}
	if v, err := c.Tree().Value(c.Context(), n.Span); err == nil && v.Int() != 0 && len(data) > 0 {
		c.ChecksumOf(n, model.CRC32, data...).As(wholeChecksum)
	}
}

// checkText compares a HEADER that is JSON with the file.
func checkText(c *model.Cursor, k *container) {
	for _, s := range k.sections {
		if s.rec.typ != header || s.variant != "json" {
			continue
		}
		if k.format >= 0 && k.format != int64(k.pro.version) {
			c.Wrong(headerVersion, s.data.Span, fmt.Sprint(k.format), fmt.Sprint(k.pro.version))
		}
		if k.count >= 0 && k.count != int64(len(k.recs)) {
			c.Wrong(sectionCount, s.data.Span, fmt.Sprint(k.count), fmt.Sprint(len(k.recs)))
		}
	}
}

// endRecord offers to end a record where the file does, if what exists can be read on its own: at is its place, declared the stated length.
func (k *container) endRecord(at model.Range, r *record, declared uint64) []model.Fix {
	if k.layout.code != "R1" || r.typ > shardInfo {
		return nil
	}
	typ, flags, size := r.typ, r.flags, at.Len-k.layout.head
	label := model.Words("end the section after the %s existing bytes", model.Thousands(size))
	loses := model.Words("the rest of the section, which had %s bytes", model.Thousands(int64(min(declared, 1<<62))))
	if declared <= uint64(size) { // only the checksum is missing
		label, loses, size = "write the truncated checksum", "", int64(declared)
	}
	return []model.Fix{{Label: label, Loses: loses, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		b, err := t.Bytes(ctx, model.Range{Space: at.Space, Off: at.Off + k.layout.head, Len: size})
		if err != nil {
			return nil, err
		}
		if loses != "" && (flags&15 != 0 || !decodes(typ, b)) {
			return nil, fmt.Errorf("the rest of the section cannot be read on its own")
		}
		return []model.Edit{model.Splice{Range: at, With: k.writeRecord(byte(typ), flags, b), Loose: true}}, nil
	}}}
}

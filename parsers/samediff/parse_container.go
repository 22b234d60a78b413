package samediff

import (
	"encoding/binary"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// parseContainer reads a container (section 2.2).
func parseContainer(c *model.Cursor, d *doc) {
	k := &container{doc: d, pro: readPrologue(c.Peek(32)), order: binary.BigEndian, layout: layouts[0], count: -1, format: -1}
	d.con = k
	if k.pro.at+4 <= c.Left() {
		k.choose(c)
	}
	magic := k.prologue(c)
	k.peekHeader(c)
	recs := c.List(fieldRecs, func(c *model.Cursor) {
		for i := range k.recs {
			k.record(c, i)
		}
	})
	k.rest(c, recs)
	k.check(c, magic, recs)
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
	if k.pro.code != "M14" {
		g := model.Note
		if k.pro.code == "MU" {
			g = model.Warning
		}
		c.Report(model.Finding{Rule: oddMagic, Severity: g, Span: magic.Span, Found: k.pro.code, Expected: "M14", Fixes: toNormal})
	}
	if c.Left() < 4 {
		c.Report(model.Finding{Rule: tooShort, Span: c.Span(), Message: "the file ends inside the prologue"})
		return magic
	}
	f := &outer[0]
	if k.pro.little || !k.pro.plain && k.order == binary.LittleEndian {
		f = &outer[1]
	}
	version := c.Field(f.version)
	one := []model.Fix{{Label: "set version to 1", Edits: []model.Edit{model.SetValue(version.Span, model.U(1))}}}
	switch {
	case !k.pro.plain:
		c.Report(model.Finding{Rule: badVersion, Span: version.Span, Found: version.Value.String(), Expected: "1 to 255", Fixes: one})
	case k.pro.version > 1:
		c.Report(model.Finding{Rule: badVersion, Severity: model.Warning, Span: version.Span, Found: version.Value.String(), Expected: "1",
			Message: "the container is of a newer version", Fixes: one})
	}
	if k.order == binary.LittleEndian {
		c.Report(model.Finding{Rule: littleContainer, Span: version.Span, Fixes: toNormal})
	}
	return version
}

// rest explains what lies behind the last record that could be read.
func (k *container) rest(c *model.Cursor, recs model.Node) {
	left := c.Left()
	if left == 0 {
		return
	}
	at := c.Range(c.Pos(), left)
	d := model.Finding{Span: recs.Span, Range: at, Found: fmt.Sprintf("%d bytes", left), Fixes: drop("drop the bytes", at)}
	switch {
	case k.state == tooMany:
		d.Rule, d.Fixes = tooManySections, nil
	case int64(len(k.recs)) == k.count:
		d.Rule = afterLast
	case k.state == shortHead:
		d.Rule = recordCut
	default:
		k.broken(c)
		return
	}
	d.Span = c.FieldN(fieldTail, left).Span
	c.Report(d)
}

// broken reads the record whose length leads behind the end: what is there of it.
func (k *container) broken(c *model.Cursor) {
	left := c.Left()
	f := k.outer()
	at := c.Range(c.Pos(), left)
	c.Block(fieldRec.Named("broken"), left, func(c *model.Cursor) {
		nodes := k.head(c, f)
		n := nodes[1]
		d := model.Finding{Rule: recordTooLong, Span: n.Span, Found: n.Value.String(), Expected: fmt.Sprintf("at most %d", c.Left())}
		d.Fixes = k.clamp(at, uint32(nodes[0].Uint()), byte(nodes[2].Uint()), left-c.Left(), n.Uint(), c.Peek(min(c.Left(), flat.MaxSize)))
		c.Report(d)
		if c.Left() > 0 {
			c.Rest(fieldData)
		}
	})
}

// head reads type, length and flags in the order of the layout.
func (k *container) head(c *model.Cursor, f *outerFields) (n [3]model.Node) {
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

package parsers

import (
	"spandrel/model"
)

// Delete and update commits, and consolidated fragment metadata (5.4).
var (
	tdbDeleteF    = &model.Field{Name: "condition", Doc: "cells that survive: TileDB stores the opposite of what was asked for", Ref: "5.4"}
	tdbNodeF      = &model.Field{Name: "node", Ref: "5.4"}
	tdbNodeKind   = &model.Field{Name: "kind", Ref: "5.4", Codec: model.U8, Enum: tdbEnum("EXPRESSION", "COMPARISON")}
	tdbNodeOp     = &model.Field{Name: "op", Ref: "5.4", Codec: model.U8, Enum: tdbOps}
	tdbNodeComb   = &model.Field{Name: "combination", Ref: "5.4", Codec: model.U8, Enum: tdbCombine}
	tdbNodeCount  = &model.Field{Name: "num_children", Ref: "5.4", Codec: model.U64LE}
	tdbNodeKids   = &model.Field{Name: "children", Ref: "5.4"}
	tdbNodeName   = &model.Field{Name: "field_length", Ref: "5.4", Codec: model.U32LE}
	tdbNodeField  = &model.Field{Name: "field", Ref: "5.4", Codec: model.UTF8}
	tdbNodeSize   = &model.Field{Name: "value_size", Ref: "5.4", Codec: model.U64LE}
	tdbNodeValue  = &model.Field{Name: "value", Ref: "5.4", Codec: model.RawBytes}
	tdbNodeOffs   = &model.Field{Name: "offsets_size", Ref: "5.4", Codec: model.U64LE}
	tdbNodeOff    = &model.Field{Name: "offsets", Ref: "5.4", Codec: model.RawBytes}
	tdbUpdateF    = &model.Field{Name: "update", Ref: "5.4"}
	tdbUpdCount   = &model.Field{Name: "num_values", Ref: "5.4", Codec: model.U64LE}
	tdbUpdValues  = &model.Field{Name: "values", Ref: "5.4"}
	tdbUpdValue   = &model.Field{Name: "value", Ref: "5.4"}
	tdbUpdNameLen = &model.Field{Name: "name_length", Ref: "5.4", Codec: model.U64LE}
	tdbConMetaF   = &model.Field{Name: "fragment_metadata", Doc: "footers of several fragments", Ref: "5.4"}
	tdbConCount   = &model.Field{Name: "num_fragments", Ref: "5.4", Codec: model.U32LE}
	tdbConEntries = &model.Field{Name: "entries", Ref: "5.4"}
	tdbConEntry   = &model.Field{Name: "entry", Ref: "5.4"}
	tdbConOffset  = &model.Field{Name: "footer_offset", Doc: "in this payload", Ref: "5.4", Codec: model.U64LE}
)

// tdbReadCondition reads a condition tree.
func tdbReadCondition(c *model.Cursor) {
	nodes := 0
	tdbReadNode(c, &nodes)
}

// tdbReadNode reads one node of a condition tree and those below it; nodes counts them.
func tdbReadNode(c *model.Cursor, nodes *int) {
	if *nodes++; *nodes > tdbMostFields {
		c.Report(model.Finding{Rule: model.RuleCap, Span: c.Span(), Found: "more", Expected: "at most " + tdbText(tdbMostFields) + " comparisons and expressions"})
		c.Stop()
	}
	c.Struct(tdbNodeF, func(c *model.Cursor) {
		if c.Field(tdbNodeKind).Uint() == 0 {
			c.Field(tdbNodeComb)
			tdbReadList(c, c.Field(tdbNodeCount), tdbNodeKids, 10, func(c *model.Cursor) { tdbReadNode(c, nodes) })
			return
		}
		op := c.Field(tdbNodeOp)
		tdbReadText(c, tdbNodeName, tdbNodeField)
		tdbReadText(c, tdbNodeSize, tdbNodeValue)
		if op.Uint() == 6 || op.Uint() == 7 {
			tdbReadText(c, tdbNodeOffs, tdbNodeOff)
		}
	})
}

// tdbReadUpdate reads the payload of an update commit.
func tdbReadUpdate(c *model.Cursor) {
	tdbReadCondition(c)
	n := c.Field(tdbUpdCount)
	tdbCountFits(c, 65, n, 16)
	tdbRecords(c, tdbUpdValues, tdbUpdValue, n.Uint(), func(c *model.Cursor) {
		tdbReadText(c, tdbUpdNameLen, tdbNameF)
		tdbReadText(c, tdbNodeSize, tdbNodeValue)
	})
}

// readConsolidated reads the payload of a consolidated fragment metadata file: names, and footers without their lengths.
func (a *tdbArray) readConsolidated(c *model.Cursor) {
	var offsets []model.Node
	tdbReadList(c, c.Field(tdbConCount), tdbConEntries, 16, func(c *model.Cursor) {
		c.Struct(tdbConEntry, func(c *model.Cursor) {
			tdbReadText(c, tdbUpdNameLen, tdbNameF)
			offsets = append(offsets, c.Field(tdbConOffset))
		})
	})
	at := c.Pos()
	for i, off := range offsets {
		if off.Int() < at {
			tdbReport(c, 164, off, off.Value, "ascending offsets behind the entries")
			continue
		}
		c.At(off.Int(), func(c *model.Cursor) {
			end := c.Pos() + c.Left()
			if i+1 < len(offsets) && offsets[i+1].Int() > c.Pos() {
				end = min(end, offsets[i+1].Int())
			}
			f := a.readFooter(c, end-c.Pos(), tdbFooterF.Named("footer[%d]", i))
			c.OffsetOf(off, f.self).Unchecked()
			at = c.Pos()
		})
	}
}

package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Delete and update commits, and consolidated fragment metadata (5.4).
var (
	deleteF    = &model.Field{Name: "condition", Doc: "cells that survive: TileDB stores the opposite of what was asked for", Ref: "5.4"}
	nodeF      = &model.Field{Name: "node", Ref: "5.4"}
	nodeKind   = &model.Field{Name: "kind", Ref: "5.4", Codec: model.U8, Enum: enum("EXPRESSION", "COMPARISON")}
	nodeOp     = &model.Field{Name: "op", Ref: "5.4", Codec: model.U8, Enum: ops}
	nodeComb   = &model.Field{Name: "combination", Ref: "5.4", Codec: model.U8, Enum: combine}
	nodeCount  = &model.Field{Name: "num_children", Ref: "5.4", Codec: model.U64LE}
	nodeKids   = &model.Field{Name: "children", Ref: "5.4"}
	nodeName   = &model.Field{Name: "field_length", Ref: "5.4", Codec: model.U32LE}
	nodeField  = &model.Field{Name: "field", Ref: "5.4", Codec: model.UTF8}
	nodeSize   = &model.Field{Name: "value_size", Ref: "5.4", Codec: model.U64LE}
	nodeValue  = &model.Field{Name: "value", Ref: "5.4", Codec: model.RawBytes}
	nodeOffs   = &model.Field{Name: "offsets_size", Ref: "5.4", Codec: model.U64LE}
	nodeOff    = &model.Field{Name: "offsets", Ref: "5.4", Codec: model.RawBytes}
	updateF    = &model.Field{Name: "update", Ref: "5.4"}
	updCount   = &model.Field{Name: "num_values", Ref: "5.4", Codec: model.U64LE}
	updValues  = &model.Field{Name: "values", Ref: "5.4"}
	updValue   = &model.Field{Name: "value", Ref: "5.4"}
	updNameLen = &model.Field{Name: "name_length", Ref: "5.4", Codec: model.U64LE}
	conMetaF   = &model.Field{Name: "fragment_metadata", Doc: "footers of several fragments", Ref: "5.4"}
	conCount   = &model.Field{Name: "num_fragments", Ref: "5.4", Codec: model.U32LE}
	conEntries = &model.Field{Name: "entries", Ref: "5.4"}
	conEntry   = &model.Field{Name: "entry", Ref: "5.4"}
	conOffset  = &model.Field{Name: "footer_offset", Doc: "in this payload", Ref: "5.4", Codec: model.U64LE}
)

// readCondition reads a condition tree.
func readCondition(c *model.Cursor) {
	nodes := 0
	readNode(c, &nodes)
}

// readNode reads one node of a condition tree and those below it; nodes counts them.
func readNode(c *model.Cursor, nodes *int) {
	if *nodes++; *nodes > mostFields {
		c.Wrong(model.RuleCap, nil, "more", "at most "+filter.Text(mostFields)+" comparisons and expressions")
		c.Stop()
	}
	c.Struct(nodeF, func(c *model.Cursor) {
		if c.Field(nodeKind).Uint() == 0 {
			c.Field(nodeComb)
			readList(c, c.Field(nodeCount), nodeKids, 10, func(c *model.Cursor) { readNode(c, nodes) })
			return
		}
		op := c.Field(nodeOp)
		readText(c, nodeName, nodeField)
		readText(c, nodeSize, nodeValue)
		if op.Uint() == 6 || op.Uint() == 7 {
			readText(c, nodeOffs, nodeOff)
		}
	})
}

// readUpdate reads the payload of an update commit.
func readUpdate(c *model.Cursor) {
	readCondition(c)
	n := c.Field(updCount)
	countFits(c, countTooLarge, n, 16)
	records(c, updValues, updValue, n.Uint(), func(c *model.Cursor) {
		readText(c, updNameLen, nameF)
		readText(c, nodeSize, nodeValue)
	})
}

// readConsolidated reads the payload of a consolidated fragment metadata file: names, and footers without their lengths.
func (a *array) readConsolidated(c *model.Cursor) {
	var offsets []model.Node
	readList(c, c.Field(conCount), conEntries, 16, func(c *model.Cursor) {
		c.Struct(conEntry, func(c *model.Cursor) {
			readText(c, updNameLen, nameF)
			offsets = append(offsets, c.Field(conOffset))
		})
	})
	at := c.Pos()
	for i, off := range offsets {
		if off.Int() < at {
			c.Wrong(footerLength, off, off.Value, "ascending offsets behind the entries")
			continue
		}
		c.At(off.Int(), func(c *model.Cursor) {
			end := c.Pos() + c.Left()
			if i+1 < len(offsets) && offsets[i+1].Int() > c.Pos() {
				end = min(end, offsets[i+1].Int())
			}
			f := a.readFooter(c, end-c.Pos(), footerF.Named("footer[%d]", i))
			c.OffsetOf(off, f.self)
			at = c.Pos()
		})
	}
}

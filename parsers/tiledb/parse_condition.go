package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
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
func readConsolidated(c *model.Cursor, a *array) {
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

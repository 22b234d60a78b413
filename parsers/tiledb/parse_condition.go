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

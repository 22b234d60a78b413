package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// readCondition reads a condition tree.
func readCondition(c *model.Cursor) {
	nodes := 0
	readNode(c, &nodes)
}

// readNode reads one node of a condition tree and those below it; nodes counts them.
func readNode(c *model.Cursor, nodes *int) {
	if *nodes++; *nodes > storage.MostFields {
		c.Wrong(model.RuleCap, nil, "more", "at most "+filter.Text(storage.MostFields)+" comparisons and expressions")
		c.Stop()
	}
	c.Struct(nodeF, func(c *model.Cursor) {
		if c.Field(nodeKind).Uint() == 0 {
			c.Field(nodeComb)
			storage.ReadList(c, c.Field(nodeCount), nodeKids, 10, func(c *model.Cursor) { readNode(c, nodes) })
			return
		}
		op := c.Field(nodeOp)
		storage.ReadText(c, nodeName, nodeField)
		storage.ReadText(c, nodeSize, nodeValue)
		if op.Uint() == 6 || op.Uint() == 7 {
			storage.ReadText(c, nodeOffs, nodeOff)
		}
	})
}

// readUpdate reads the payload of an update commit.
func readUpdate(c *model.Cursor) {
	readCondition(c)
	n := c.Field(updCount)
	storage.CountFits(c, rule.CountTooLarge, n, 16)
	storage.Records(c, updValues, updValue, n.Uint(), func(c *model.Cursor) {
		storage.ReadText(c, updNameLen, schema.NameF)
		storage.ReadText(c, nodeSize, nodeValue)
	})
}

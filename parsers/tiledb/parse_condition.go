package tiledb

import (
	"bytes"
	"context"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// condition is a node of the condition of a delete commit: a comparison of a field, or several nodes.
type condition struct {
	kids []*condition // nil: a comparison
	how  byte

	op     byte
	field  string
	values [][]byte // one value; several for IN and NOT_IN
	odd    bool     // the values are not at their stated starts
}

// How nodes are combined, and the operators of comparisons (3.8).
const (
	allOf = 0
	anyOf = 1

	opNotEqual  = 5
	opIn        = 6
	opNotIn     = 7
	alwaysTrue  = 253
	alwaysFalse = 254
)

// readCondition reads a condition tree.
func readCondition(c *model.Cursor) *condition {
	nodes := 0
	return readNode(c, &nodes)
}

// readNode reads one node of a condition tree and those below it; nodes counts them.
func readNode(c *model.Cursor, nodes *int) *condition {
	if *nodes++; *nodes > storage.MostFields {
		c.Wrong(model.RuleCap, nil, "more", "at most "+filter.Text(storage.MostFields)+" comparisons and expressions")
		c.Stop()
	}
	x := &condition{}
	c.Struct(nodeF, func(c *model.Cursor) {
		if c.Field(nodeKind).Uint() == 0 {
			x.how, x.kids = byte(c.Field(nodeComb).Uint()), []*condition{}
			storage.ReadList(c, c.Field(nodeCount), nodeKids, 10, func(c *model.Cursor) { x.kids = append(x.kids, readNode(c, nodes)) })
			return
		}
		x.op = byte(c.Field(nodeOp).Uint())
		x.field = string(readBytes(c, nodeName, nodeField))
		x.values = [][]byte{readBytes(c, nodeSize, nodeValue)}
		if x.op == opIn || x.op == opNotIn {
			x.cut(readBytes(c, nodeOffs, nodeOff))
		}
	})
	return x
}

// cut splits the concatenated values of IN and NOT_IN; starts has 8 bytes for each.
func (x *condition) cut(starts []byte) {
	all := x.values[0]
	x.values = nil
	for i := 0; i+8 <= len(starts) && !x.odd; i += 8 {
		from, to := filter.Uint(starts[i:], 8), uint64(len(all))
		if i+16 <= len(starts) {
			to = filter.Uint(starts[i+8:], 8)
		}
		if x.odd = from > to || to > uint64(len(all)); !x.odd {
			x.values = append(x.values, all[from:to])
		}
	}
}

// readBytes reads a length and a leaf, and returns all its bytes.
func readBytes(c *model.Cursor, length, f *model.Field) []byte {
	n := c.Field(length)
	b := bytes.Clone(c.Peek(int64(min(n.Uint(), uint64(c.Left())))))
	c.LengthOf(n, c.FieldN(f, n.Int()))
	return b
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

// conditionOf reads the condition of a delete commit, whose bytes begin with its generic tile; nil if it is incomplete.
func conditionOf(ctx context.Context, key func() []byte, b []byte) (x *condition) {
	n := storage.ListLength(b)
	if n > int64(len(b)) {
		return nil
	}
	lock := &storage.Lock{Key: key} // the missing key is reported at the commit of the document
	snap := (&model.Snapshot{Primary: "commit"}).With("commit", model.BytesContent(b[:n]))
	model.Parse(ctx, snap, &model.Format{Parse: func(c *model.Cursor) {
		g := storage.ReadTile(c, lock, deleteF, func(c *model.Cursor, _ *storage.GenericTile) {
			if read := readCondition(c); c.Left() == 0 {
				x = read
			}
		})
		storage.OpenNow(c, g.Payload)
	}})
	return x
}

// names tells whether a comparison is of a field.
func (c *condition) names(field string) bool {
	for _, k := range c.kids {
		if k.names(field) {
			return true
		}
	}
	return c.kids == nil && c.field == field
}

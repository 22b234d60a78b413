package idv

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// The structural edits (§7.4). All but compact append to the stream and repoint its header.
var actions = []model.Action{
	{Name: "rename-column", Label: "Rename column…", Doc: "renames a column", Params: []model.Param{{Name: "name", Label: "Name"}},
		On: onColumn, Plan: columnPlan(func(c *rewriting, col *column, args map[string]string) error {
			c.over[leaf{col.name.at, chars}] = []byte(args["name"])
			return nil
		})},
	{Name: "drop-column", Removes: true, Label: "Remove column", Doc: "removes a column from the directory; its blocks stay until the file is compacted",
		On:   onColumn,
		Plan: columnPlan(func(c *rewriting, col *column, _ map[string]string) error { return c.reorder(col, -1) })},
	{Name: "move-column", Label: "Move column…", Doc: "moves a column in the directory",
		Params: []model.Param{{Name: "to", Label: "Place, from 0"}},
		On:     onColumn, Plan: columnPlan(func(c *rewriting, col *column, args map[string]string) error {
			to, err := number(args["to"], 0, int64(len(c.stream.cols)-1))
			if err != nil {
				return err
			}
			return c.reorder(col, int(to))
		})},
	{Name: "set-compression", Label: "Set compression…", Doc: "stores all blocks of a column, or of all columns, deflated or uncompressed",
		Params: []model.Param{{Name: "kind", Label: "Compression", Default: "deflate", Choices: []string{"none", "deflate"}}},
		On:     func(t *model.Tree, s *model.Span) bool { return onColumn(t, s) || onStream(t, s) }, Plan: recompress},
	{Name: "set-slot-name", Label: "Set slot name…", Doc: "names a slot of a vector column",
		Params: []model.Param{{Name: "slot", Label: "Slot, from 0"}, {Name: "name", Label: "Name"}},
		On:     onColumn, Plan: columnPlan(func(c *rewriting, col *column, args map[string]string) error {
			if col.codec.Kind != block.Vector || col.codec.Size <= 0 || col.codec.Size > maxTyped {
				return fmt.Errorf("column %q is not a fixed-length vector", col.name.s)
			}
			slot, err := number(args["slot"], 0, col.codec.Size-1)
			if err != nil {
				return err
			}
			return c.setName(col, "SlotNames", slot, col.codec.Size, args["name"])
		})},
	{Name: "set-key-value", Label: "Set key value…", Doc: "sets the value of a raw key",
		Params: []model.Param{{Name: "key", Label: "Raw key, from 1"}, {Name: "value", Label: "Text"}},
		On:     onColumn, Plan: columnPlan(func(c *rewriting, col *column, args map[string]string) error {
			k := col.codec
			if k.Kind == block.Vector {
				k = k.Item
			}
			if k.Kind != block.Key || k.Count < 1 || k.Count > maxTyped {
				return fmt.Errorf("column %q is not a key with at most %d values", col.name.s, maxTyped)
			}
			key, err := number(args["key"], 1, int64(k.Count))
			if err != nil {
				return err
			}
			return c.setName(col, "KeyValues", key-1, int64(k.Count), args["value"])
		})},
	{Name: "drop-metadata", Removes: true, Label: "Remove metadata…", Doc: "removes a metadata kind of a column from the directory",
		Params: []model.Param{{Name: "kind", Label: "Kind"}},
		On:     onColumn, Plan: columnPlan(func(c *rewriting, col *column, args map[string]string) error {
			for _, m := range col.entries {
				if m.kind.s == args["kind"] {
					c.drop[c.stream.base+m.entry[0]] = true
					return nil
				}
			}
			return fmt.Errorf("column %q has no metadata %q", col.name.s, args["kind"])
		})},
	{Name: "set-text", Label: "Set text…", Doc: "changes one string of a block; the ends after it are updated",
		Params: []model.Param{{Name: "text", Label: "Text"}, {Name: "missing", Label: "Missing", Default: "no", Choices: []string{"no", "yes"}}},
		On:     func(t *model.Tree, s *model.Span) bool { return s.Field == bound }, Plan: setText},
	{Name: "cut-rows", Removes: true, Label: "Cut rows…", Doc: "keeps only the first rows", Params: []model.Param{{Name: "rows", Label: "Rows to keep"}},
		On: onStream, Plan: cutRows},
	{Name: "drop-rows", Removes: true, Label: "Remove rows…", Doc: "removes rows from all columns and rewrites the stream",
		Params: []model.Param{{Name: "first", Label: "First row, from 0", First: "rows"},
			{Name: "count", Label: "How many", Default: "1", Count: "rows"}}, On: onStream, Plan: dropRows},
	{Name: "add-rows", Label: "Add rows…", Doc: "appends empty rows, to be filled in in the table, and rewrites the stream",
		Params: []model.Param{{Name: "count", Label: "How many", Default: "1"}}, On: onStream, Plan: addRows},
	{Name: "set-rows-per-block", Label: "Set rows per block…", Doc: "changes the number of rows per block and rewrites the stream",
		Params: []model.Param{{Name: "rows", Label: "Rows of a block"}}, On: onStream, Plan: setBlockRows},
	{Name: "set-booleans", Label: "Set form of booleans…", Doc: "stores a column of booleans with missing values (DvBool, of ML.NET to 0.5) or without (Boolean); missing ones become false",
		Params: []model.Param{{Name: "type", Label: "Type", Default: "Boolean", Choices: []string{"Boolean", "DvBool"}}},
		On: func(t *model.Tree, s *model.Span) bool {
			_, c := columnOf(t, s)
			return c != nil && c.readable() && (c.codec.Scalar().Kind == block.Bool || c.codec.Scalar().Kind == block.Bool2)
		}, Plan: columnPlan(func(c *rewriting, col *column, args map[string]string) error { return c.retype(col, args["type"]) })},
	{Name: "compact", Label: "Compact", Doc: "rewrites the stream in the order of ML.NET's writer, without unreachable bytes; blocks are copied unchanged", On: onStream,
		Plan: func(ctx context.Context, t *model.Tree, span *model.Span, _ map[string]string) ([]model.Edit, error) {
			return streamOf(t, span).in(ctx, t).change().file()
		}},
}

func number(s string, lo, hi int64) (int64, error) {
	if hi < lo {
		return 0, fmt.Errorf("there are no rows or columns to choose from")
	}
	n, err := model.ParseInt(s)
	if err != nil || n < lo || n > hi {
		return 0, fmt.Errorf("%q is not a number from %d to %d", s, lo, hi)
	}
	return n, nil
}

// streamOf returns the stream with a root, header or directory span, or nil.
func streamOf(t *model.Tree, span *model.Span) *stream {
	for _, s := range stateOf(t).all() {
		if span == s.root || s.space == span.Range.Space && span.Range.Off == s.base && span.Field == headerField ||
			s.tocSpan != nil && span.Range == s.tocSpan.Range && span.Field == toc {
			return s
		}
	}
	return nil
}

func onStream(t *model.Tree, s *model.Span) bool { return streamOf(t, s) != nil }

// columnOf returns the column whose entry is, or contains, a span.
func columnOf(t *model.Tree, span *model.Span) (*stream, *column) {
	for k := span; k != nil && k.Parent() != nil; k = k.Parent() {
		if k.Parent().Field != toc || k.Index() < 0 {
			continue
		}
		if s := streamOf(t, k.Parent()); s != nil && k.Index() < int64(len(s.cols)) {
			return s, s.cols[k.Index()]
		}
	}
	return nil, nil
}

func onColumn(t *model.Tree, s *model.Span) bool {
	_, c := columnOf(t, s)
	return c != nil
}

// columnPlan makes the plan of an action on a column.
func columnPlan(do func(c *rewriting, col *column, args map[string]string) error) func(context.Context, *model.Tree, *model.Span,
	map[string]string) ([]model.Edit, error) {
	return func(ctx context.Context, t *model.Tree, span *model.Span, args map[string]string) ([]model.Edit, error) {
		s, col := columnOf(t, span)
		if col == nil {
			return nil, fmt.Errorf("%s is not a column", span.Path())
		}
		c := s.in(ctx, t).change()
		if err := do(c, col, args); err != nil {
			return nil, err
		}
		return c.edits()
	}
}

// reorder moves a column, or removes it if to is negative.
func (c *rewriting) reorder(col *column, to int) error {
	order := []int{}
	for i := range c.stream.cols {
		if i != col.index {
			order = append(order, i)
		}
	}
	if to >= 0 {
		order = append(order[:to:to], append([]int{col.index}, order[to:]...)...)
	}
	c.order = order
	return nil
}

// recompress stores the blocks of a column, or of all columns of a stream, with the other compression.
func recompress(ctx context.Context, t *model.Tree, span *model.Span, args map[string]string) ([]model.Edit, error) {
	s, col := columnOf(t, span)
	list := []*column{col}
	if col == nil {
		s = streamOf(t, span)
		list = s.cols
	}
	c := s.in(ctx, t).change()
	for _, col := range list {
		if err := c.recompress(col, args["kind"]); err != nil {
			return nil, err
		}
	}
	return c.edits()
}

// maxRecompress is how many stored bytes of a column are rewritten at once.
const maxRecompress = 1 << 30

// recompress stores the blocks of a column with the other compression.
func (c *rewriting) recompress(col *column, name string) error {
	kind := byte(0)
	if name == "deflate" {
		kind = 1
	}
	if kind == col.compression {
		return nil
	}
	if err := c.eachBlock(col, kind, func(_ int64, b []byte) ([]byte, error) { return b, nil }); err != nil {
		return err
	}
	c.over[leaf{col.compressionAt, compression}] = []byte{kind}
	return nil
}

// setName changes one text in the vector of a metadata kind, which it adds if there is none.
func (c *rewriting) setName(col *column, kind string, i, n int64, name string) error {
	for _, m := range col.entries {
		if m.kind.s == kind {
			return c.rename(col, m, i, name)
		}
	}
	texts := make([]block.Raw, n)
	texts[i].B = []byte(name)
	b, err := textVector(texts)
	if err != nil {
		return err
	}
	c.extra[col.index] = append(c.extra[col.index], newEntry{kind, block.DefineVector(block.Define("TextSpan", nil), n), b})
	return nil
}

// rename changes one text in the vector of a metadata entry.
func (c *rewriting) rename(col *column, m *metadata, i int64, name string) error {
	kind := m.kind.s
	if !m.readable() || m.codec.Kind != block.Vector || m.codec.Item.Kind != block.Text {
		return fmt.Errorf("%s of column %q does not contain strings", kind, col.name.s)
	}
	_, b, how, err := c.metaValue(col, m)
	if how.Err != nil {
		return fmt.Errorf("%s of column %q is damaged", kind, col.name.s)
	}
	if err != nil {
		return err
	}
	all, err := block.Read(m.codec, b, 1).Raws(0, 1)
	if err != nil {
		return fmt.Errorf("%s of column %q: %w", kind, col.name.s, err)
	}
	if i >= all[0].Len {
		return fmt.Errorf("%s of column %q has %d entries only", kind, col.name.s, all[0].Len)
	}
	all[0].Set(i, block.Raw{B: []byte(name)})
	if b, err = block.Encode(m.codec, all); err != nil {
		return err
	}
	return c.metaBlock(m, b)
}

// textVector writes a block of one vector of texts (§3.7).
func textVector(texts []block.Raw) ([]byte, error) {
	n := int64(len(texts))
	codec := &block.Codec{Kind: block.Vector, Item: &block.Codec{Kind: block.Text}, Size: n}
	return block.Encode(codec, []block.Raw{{List: &block.List{Len: n, Items: texts}}})
}

func setText(ctx context.Context, t *model.Tree, span *model.Span, args map[string]string) ([]model.Edit, error) {
	v, ok := stateOf(t).derived.Load(span.Range.Space)
	if !ok {
		return nil, fmt.Errorf("%s is not in a decoded block", span.Path())
	}
	d := v.(*derivedBlock)
	k, err := d.read(ctx, t, span.Range.Space)
	if err != nil {
		return nil, err
	}
	if _, _, ok := k.TextAt(span.Index()); !ok {
		return nil, fmt.Errorf("the strings of the block cannot be read")
	}
	return d.s.in(ctx, t).rewrite(rewritten{d, func() ([]byte, error) {
		return k.PutTexts(map[int64]block.Raw{span.Index(): {B: []byte(args["text"]), Missing: args["missing"] == "yes"}})
	}})
}

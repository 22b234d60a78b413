package idv

import (
	"fmt"

	"spandrel/parsers/idv/block"
)

// retype stores the booleans of a column in the other of their two forms: DvBool has missing values, which become false as readers
// treat them, and Boolean has none.
func (c *rewriting) retype(col *column, name string) error {
	k, field := col.codec, codecField
	for k.Kind == block.Vector {
		k, field = k.Item, itemField
	}
	kind := block.LoadNames[name]
	if k.Kind != block.Bool && k.Kind != block.Bool2 || kind != block.Bool && kind != block.Bool2 {
		return fmt.Errorf("column %q does not contain Booleans", col.name.s)
	}
	other := *col.codec
	if item := *k; field == itemField {
		item.Kind = kind
		other.Item = &item
	} else {
		other.Kind = kind
	}
	err := c.eachBlock(col, col.compression, func(k int64, b []byte) ([]byte, error) {
		n := c.stream.rowsOf(col, k)
		all, err := block.Read(col.codec, b, n).Raws(0, n)
		if err != nil {
			return nil, err
		}
		if kind == block.Bool {
			neverMissing(all)
		}
		return block.Encode(&other, all)
	})
	c.over[leaf{k.Off, field}] = block.Define(name, nil)
	return err
}

// neverMissing turns missing booleans into false, also in vectors.
func neverMissing(all []block.Raw) {
	for i, v := range all {
		if v.List != nil {
			neverMissing(v.Items)
		} else if v.B[0] > 1 {
			all[i] = block.Raw{B: []byte{0}}
		}
	}
}

// eachBlock replaces the decoded bytes of all blocks of a column, and stores them with a compression.
func (c *rewriting) eachBlock(col *column, compression byte, with func(k int64, b []byte) ([]byte, error)) error {
	total := 0
	for k := range col.blocks {
		b, err := c.decoded(col, k)
		if err == nil {
			b, err = with(k, b)
		}
		if err != nil {
			return err
		}
		stored, err := compress(compression, b)
		if err != nil {
			return err
		}
		if total += len(stored); total > maxRecompress {
			return fmt.Errorf("column %q is too large to rewrite at once", col.name.s)
		}
		c.block(col.index, k, stored, len(b))
	}
	return nil
}

package idv

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"spandrel/model"
)

// Repairs that need more than the field at fault.

// codecFixes add the repairs of key types, which need what else the column says: its key values, and its keys.
func (s *stream) codecFixes() {
	var metas []*metadata
	for _, c := range s.cols {
		metas = append(metas, c.entries...)
	}
	slices.SortFunc(metas, func(a, b *metadata) int { return cmp.Compare(a.entry[0], b.entry[0]) })
	for i := range s.findings {
		f := &s.findings[i]
		if f.rule != 29 && f.rule != 34 && f.rule != 35 && f.rule != 43 {
			continue
		}
		if k, ok := slices.BinarySearchFunc(s.cols, f.at-s.base, func(c *column, at int64) int { return compare(c.entry, at) }); ok {
			c := s.cols[k]
			for k, field := c.codec, codecField; k != nil; k, field = k.item, itemField {
				s.codecFix(f, c, k, field)
			}
		}
		if k, ok := slices.BinarySearchFunc(metas, f.at-s.base, func(m *metadata, at int64) int { return compare(m.entry, at) }); ok {
			for k, field := metas[k].codec, codecField; k != nil; k, field = k.item, itemField {
				s.codecFix(f, nil, k, field)
			}
		}
	}
}

// compare says whether a range, offset and length, lies before (-1) or behind (1) an offset, or holds it.
func compare(r [2]int64, at int64) int {
	switch {
	case r[0]+r[1] <= at:
		return -1
	case r[0] > at:
		return 1
	}
	return 0
}

// codecFix adds the repairs that codec k, of a column or (nil) of metadata, has for a finding.
func (s *stream) codecFix(f *finding, c *column, k *codec, field *model.Field) {
	if f.rule == 29 {
		if c != nil && f.at > k.off && f.at < k.surplus[0] && f.set != nil && s.tocEnd == s.tail && (k.item == nil || f.at < k.item.off) {
			f.set, f.fixes = nil, s.surplusFixes(k)
		}
		return
	}
	if f.at < k.off || f.at >= k.off+k.n || k.kind != kindKey || k.item == nil {
		return
	}
	switch {
	case f.rule == 34 && c != nil:
		f.fixes = s.keyCountFixes(c, k, f.at)
	case f.rule != 34 && k.count > 0 && k.name.s == "Key":
		f.fixes = s.newKeyFixes(c, k, field, f.rule == 35)
	}
}

// surplusFixes take parameters away that the codec does not have (rule 029), where the directory is sound behind them: elsewhere
// their length is what is wrong.
func (s *stream) surplusFixes(k *codec) []model.Fix {
	return []model.Fix{{Label: fmt.Sprintf("drop the surplus of %d bytes", k.surplus[1]), Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		ch := s.change(t)
		ch.over[leaf{k.surplus[0], params}] = []byte{}
		return ch.edits()
	}}}
}

// keyValues is how many key values a column has, or 0.
func (c *column) keyValues() uint64 {
	for _, m := range c.entries {
		if k := m.codec; m.kind.s == "KeyValues" && k.kind == kindVector && k.size > 0 {
			return uint64(k.size)
		}
	}
	return 0
}

// keyCountFixes set the count of a key to the number of its key values, which its keys must not exceed, or else to the largest
// of its keys (rule 034).
func (s *stream) keyCountFixes(c *column, k *codec, at int64) []model.Fix {
	set := func(n uint64) []model.Edit {
		return []model.Edit{model.Replace(model.Range{Space: s.space, Off: at, Len: 8}, binary.LittleEndian.AppendUint64(nil, n))}
	}
	if n := c.keyValues(); n > 0 && n <= topKey(k.item) {
		return []model.Fix{{Label: fmt.Sprintf("set count to %d, as there are key values", n), Safe: true, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
			top, err := s.largestKey(t, c)
			if err == nil && top > n {
				err = fmt.Errorf("column %q has keys up to %d and %d key values", c.name.s, top, n)
			}
			return set(n), err
		}}}
	}
	return []model.Fix{{Label: "set count to the largest key", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		top, err := s.largestKey(t, c)
		return set(max(1, top)), err
	}}}
}

// largestKey looks through all blocks of a column of keys, or of vectors of keys.
func (s *stream) largestKey(t *model.Tree, c *column) (top uint64, err error) {
	if c.compression > 1 {
		return 0, fmt.Errorf("the blocks of column %q cannot be read", c.name.s)
	}
	for n := range c.blocks {
		b, err := s.decoded(t, c, n)
		if err != nil {
			return 0, err
		}
		ix := newIdvIndex(c.codec, b, s.rowsOf(c, n))
		if ix.trouble != "" {
			return 0, fmt.Errorf("block %d of column %q: %s", n, c.name.s, ix.trouble)
		}
		if ix.items != nil {
			ix = ix.items
		}
		w := ix.codec.base().width()
		for i := range ix.n {
			top = max(top, unsigned(ix.b[ix.valuesAt+w*i:], w))
		}
	}
	return top, nil
}

// newKeyFixes give a key of the old type today's (rules 035 and 043). Raw keys stay; a min, which today's type does not have, goes,
// so that needs a decision, as a count does that is wrong, and a type that newer readers take as it is.
func (s *stream) newKeyFixes(c *column, k *codec, field *model.Field, refused bool) []model.Fix {
	fix := model.Fix{Label: "make it a Key2", Safe: refused && k.min == 0 && !k.badCount}
	count := k.count
	if k.badCount && c != nil && c.keyValues() > 0 && c.keyValues() <= topKey(k.item) {
		count, fix.Safe = c.keyValues(), refused && k.min == 0
	}
	if k.min != 0 {
		fix.Label += fmt.Sprintf(" without its min of %d", k.min)
	}
	fix.Build = func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		item, err := t.Bytes(background, model.Range{Space: s.space, Off: k.item.off, Len: k.item.n})
		if err != nil {
			return nil, err
		}
		params := binary.LittleEndian.AppendUint64(item, count)
		ch := s.change(t)
		ch.over[leaf{k.off, field}] = append(binary.AppendUvarint(appendText(nil, "Key2"), uint64(len(params))), params...)
		return ch.edits()
	}
	return []model.Fix{fix}
}

// blockRowsFixes find the rows per block where columns have none (rule 037): another column has it, or the blocks say it.
func (s *stream) blockRowsFixes(other *column) []model.Fix {
	if other != nil {
		return []model.Fix{{Label: fmt.Sprintf("set it to %d, as in column %q", other.rpb, other.name.s), Safe: true,
			Build: func(ctx context.Context, _ *model.Tree) ([]model.Edit, error) {
				return s.setBlockRows(other.rpb), s.whole()
			}}}
	}
	return []model.Fix{{Label: "take it from the blocks", Safe: true, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		n, err := s.countBlockRows(t)
		return s.setBlockRows(n), cmp.Or(err, s.whole())
	}}}
}

// whole tells why the column directory may be another thing than it seems.
func (s *stream) whole() error {
	if len(s.cols) != int(max(0, s.columnCount)) {
		return s.damagedTOC()
	}
	for _, c := range s.cols {
		if c.name.n == 0 || !c.readable() {
			return s.damagedTOC()
		}
	}
	return nil
}

func (s *stream) damagedTOC() error {
	return fmt.Errorf("the column directory at 0x%x is damaged: repair it first", s.base+s.toc)
}

// sameRowsFixes give all columns the rows per block that their blocks say (rule 038).
func (s *stream) sameRowsFixes() []model.Fix {
	return []model.Fix{{Label: "take it from the blocks", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		n, err := s.countBlockRows(t)
		return s.setBlockRows(n), err
	}}}
}

// setBlockRows gives all columns that have other rows per block these.
func (s *stream) setBlockRows(n int64) (edits []model.Edit) {
	for _, c := range s.cols {
		if c.rpb != n {
			edits = append(edits, model.Replace(model.Range{Space: s.space, Off: c.rpbAt, Len: c.lookupAt - c.rpbAt}, binary.AppendUvarint(nil, uint64(n))))
		}
	}
	return edits
}

// countBlockRows finds the rows per block that the first block of every column says, where the lookup tables have as many
// entries as that asks for and their last blocks hold what is left.
func (s *stream) countBlockRows(t *model.Tree) (rpb int64, err error) {
	for _, c := range s.cols {
		if !c.readable() || s.rows <= 0 {
			continue
		}
		first := s.ownRows(t, c, 0)
		if first <= 0 || first > s.rows {
			continue
		}
		blocks := (s.rows-1)/first + 1
		if s.ownRows(t, c, blocks-1) != s.rows-(blocks-1)*first {
			continue
		}
		if rpb > 0 && first != rpb {
			return 0, fmt.Errorf("some blocks hold %d rows, and some %d", rpb, first)
		}
		rpb = first
	}
	if rpb == 0 {
		return 0, fmt.Errorf("no column tells how many rows a block has")
	}
	return rpb, nil
}

// ownRows is how many rows the k-th block of a column says, or seems, to hold; 0 when that cannot be told.
func (s *stream) ownRows(t *model.Tree, c *column, k int64) int64 {
	if at := c.lookup + 16*k; k > 1<<31 || at < headerSize || at > s.tableEnd(c)-16 {
		return 0
	}
	peek := peeker(t, s.space)
	e := peek(s.base+c.lookup+16*k, 16)
	if len(e) < 16 {
		return 0
	}
	b := decodeEntry(e, c.index, k)
	if b.off < headerSize || b.n <= 0 || b.end() > s.bound {
		return 0
	}
	sh := shape{codec: c.codec, compression: c.compression, declared: int64(b.dec), at: s.rangeOf(b), col: c, budget: model.DecodedBudget()}
	out, _ := sh.decode(peek(sh.at.Off, sh.at.Len), nil)
	return ownCount(c.codec, out)
}

// nameFixes give a column without a name one that is not taken (rule 025).
func (s *stream) nameFixes(c *column, taken map[string]bool) []model.Fix {
	name := fmt.Sprintf("column %d", c.index)
	for taken[name] {
		name += "_"
	}
	return []model.Fix{{Label: fmt.Sprintf("call it %q", name), Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		ch := s.change(t)
		ch.over[leaf{c.name.at, chars}] = []byte(name)
		return ch.edits()
	}}}
}

// zlibFixes make deflate of the zlib streams (compression 2) that only the specification's page knows (rule 036): a zlib stream
// is a deflate stream between two bytes of header and four of checksum, so only the lookup table changes.
func (s *stream) zlibFixes(c *column) []model.Fix {
	if c.compression != 2 {
		return nil
	}
	return []model.Fix{{Label: "take the zlib streams as deflate", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		at := model.Range{Space: s.space, Off: s.base + c.lookup, Len: 16 * c.blocks}
		table, err := t.Bytes(background, at)
		if err != nil {
			return nil, err
		}
		for k := range c.blocks {
			b := decodeEntry(table[16*k:], c.index, k)
			head, err := t.Bytes(background, model.Range{Space: s.space, Off: s.base + b.off, Len: 2})
			if err != nil || b.n < 8 || head[0]&15 != 8 || (int(head[0])<<8|int(head[1]))%31 != 0 {
				return nil, fmt.Errorf("%s is not a zlib stream", s.blockName(b))
			}
			binary.LittleEndian.PutUint64(table[16*k:], uint64(b.off+2))
			binary.LittleEndian.PutUint32(table[16*k+8:], uint32(b.n-6))
		}
		edits := []model.Edit{model.Replace(model.Range{Space: s.space, Off: c.compressionAt, Len: 1}, []byte{1})}
		if c.blocks > 0 {
			edits = append(edits, model.Replace(at, table))
		}
		return edits, nil
	}}}
}

// lookupFixes search for the lookup table of a column where its neighbours leave room (rule 040).
func (s *stream) lookupFixes(c *column) []model.Fix {
	n := (s.rows-1)/max(1, c.rpb) + 1
	if n > maxBlocks {
		return nil
	}
	return []model.Fix{{Label: "search the lookup table", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		peek := peeker(t, s.space)
		var try []int64
		for _, o := range s.cols {
			if o != c && o.blocks == n {
				try = append(try, o.lookup+16*n*int64(c.index-o.index))
			}
			for _, m := range o.entries {
				try = append(try, m.off-16*n)
			}
			if o.meta > 0 {
				try = append(try, o.meta-16*n)
			}
		}
		try = append(try, s.toc-16*n)
		for _, off := range try {
			if s.sound(peek, c, off, n) {
				return s.setField("", c.lookupAt-s.base, model.I64LE, off)[0].Edits, nil
			}
		}
		return nil, fmt.Errorf("no lookup table of %d blocks stands where the others leave room", n)
	}}}
}

// sound tells whether n lookup entries at an offset lead to blocks inside the stream.
func (s *stream) sound(peek func(off, n int64) []byte, c *column, off, n int64) bool {
	if off < headerSize || n > s.bound/16 || off > s.bound-16*n {
		return false
	}
	for _, o := range s.cols {
		if o != c && o.lookup == off {
			return false
		}
	}
	b := peek(s.base+off, 16*n)
	for k := int64(0); 16*k+16 <= int64(len(b)); k++ {
		e := decodeEntry(b[16*k:], c.index, k)
		if e.n <= 0 || e.dec < 0 || e.off < headerSize || e.end() > off || c.compression == 0 && e.n != e.dec {
			return false
		}
	}
	return int64(len(b)) == 16*n
}

// resizeFixes pad or cut a vector of texts to the length that the column asks for (rules 090 and 091).
func (s *stream) resizeFixes(c *column, m *metadata, n int64) []model.Fix {
	k := m.codec
	if k.kind != kindVector || k.item == nil || k.item.kind != kindText || k.rank != 1 || n < 1 || n > maxCell || !m.readable() {
		return nil
	}
	return []model.Fix{{Label: fmt.Sprintf("make it %d texts", n), Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		cell, ok := s.metaCell(t, c, m.kind.s)
		if !ok {
			return nil, fmt.Errorf("%s of column %q is damaged", m.kind.s, c.name.s)
		}
		names := namesOf(cell)
		texts := make([]*string, n)
		for i := range texts {
			texts[i] = new(string)
			if i < len(names) {
				texts[i] = &names[i]
			}
		}
		ch := s.change(t)
		ch.over[leaf{k.off + k.n - 4, dim}] = binary.LittleEndian.AppendUint32(nil, uint32(n))
		if err := ch.metaBlock(m, textVector(n, nil, texts)); err != nil {
			return nil, err
		}
		return ch.edits()
	}}}
}

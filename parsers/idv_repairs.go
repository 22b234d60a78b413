package parsers

import (
	"encoding/binary"
	"fmt"

	"spandrel/model"
)

// Repairs that need more than the field at fault.

// keyCountFixes set the count of a key to the number of its key values (rule 034).
func (s *idvStream) keyCountFixes() {
	for i := range s.findings {
		f := &s.findings[i]
		if f.rule != 34 {
			continue
		}
		for _, c := range s.cols {
			at := f.at - s.base
			if at < c.entry[0] || at >= c.entry[0]+c.entry[1] {
				continue
			}
			for _, m := range c.entries {
				if k := m.codec; m.kind.s == "KeyValues" && k.kind == idvVector && k.size > 0 {
					v := model.U(uint64(k.size))
					f.set = &v
				}
			}
		}
	}
}

// nameFixes give a column without a name one that no other has (rule 025).
func (s *idvStream) nameFixes(c *idvColumn) []model.Fix {
	name := fmt.Sprintf("column %d", c.index)
	for i := 0; i < len(s.cols); i++ {
		if s.cols[i].name.s == name {
			name, i = name+"_", -1
		}
	}
	return []model.Fix{{Label: fmt.Sprintf("call it %q", name), Build: func(t *model.Tree) ([]model.Edit, error) {
		ch := s.change(t)
		ch.over[idvLeaf{c.name.at, idvChars}] = []byte(name)
		return ch.edits()
	}}}
}

// zlibFixes make deflate of the zlib streams (compression 2) that only the specification's page knows (rule 036): a zlib stream
// is a deflate stream between two bytes of header and four of checksum, so only the lookup table changes.
func (s *idvStream) zlibFixes(c *idvColumn) []model.Fix {
	if c.compression != 2 {
		return nil
	}
	return []model.Fix{{Label: "take the zlib streams as deflate", Build: func(t *model.Tree) ([]model.Edit, error) {
		at := model.Range{Space: s.space, Off: s.base + c.lookup, Len: 16 * c.blocks}
		table, err := t.Bytes(idvBackground, at)
		if err != nil {
			return nil, err
		}
		for k := range c.blocks {
			b := idvDecodeEntry(table[16*k:], c.index, k)
			head, err := t.Bytes(idvBackground, model.Range{Space: s.space, Off: s.base + b.off, Len: 2})
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
func (s *idvStream) lookupFixes(c *idvColumn) []model.Fix {
	n := (s.rows-1)/max(1, c.rpb) + 1
	if n > idvMaxBlocks {
		return nil
	}
	return []model.Fix{{Label: "search the lookup table", Build: func(t *model.Tree) ([]model.Edit, error) {
		peek := idvPeek(t, s.space)
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
func (s *idvStream) sound(peek func(off, n int64) []byte, c *idvColumn, off, n int64) bool {
	if off < idvHeaderSize || n > s.bound/16 || off > s.bound-16*n {
		return false
	}
	for _, o := range s.cols {
		if o != c && o.lookup == off {
			return false
		}
	}
	b := peek(s.base+off, 16*n)
	for k := int64(0); 16*k+16 <= int64(len(b)); k++ {
		e := idvDecodeEntry(b[16*k:], c.index, k)
		if e.n <= 0 || e.dec < 0 || e.off < idvHeaderSize || e.end() > off || c.compression == 0 && e.n != e.dec {
			return false
		}
	}
	return int64(len(b)) == 16*n
}

// resizeFixes pad or cut a vector of texts to the length that the column asks for (rules 090 and 091).
func (s *idvStream) resizeFixes(c *idvColumn, m *idvMetadata, n int64) []model.Fix {
	k := m.codec
	if k.kind != idvVector || k.item == nil || k.item.kind != idvTextKind || k.rank != 1 || n < 1 || n > idvMaxCell || !m.readable() {
		return nil
	}
	return []model.Fix{{Label: fmt.Sprintf("make it %d texts", n), Build: func(t *model.Tree) ([]model.Edit, error) {
		cell, ok := s.metaCell(t, c, m.kind.s)
		if !ok {
			return nil, fmt.Errorf("%s of column %q is damaged", m.kind.s, c.name.s)
		}
		names := idvNames(cell)
		texts := make([]*string, n)
		for i := range texts {
			texts[i] = new(string)
			if i < len(names) {
				texts[i] = &names[i]
			}
		}
		ch := s.change(t)
		ch.over[idvLeaf{k.off + k.n - 4, idvDim}] = binary.LittleEndian.AppendUint32(nil, uint32(n))
		if err := ch.metaBlock(m, idvTextVector(n, nil, texts)); err != nil {
			return nil, err
		}
		return ch.edits()
	}}}
}

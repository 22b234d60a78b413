package idv

import (
	"context"
	"encoding/binary"
	"fmt"
	"unicode/utf16"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// tables has one for each map.
func (v *vocabulary) tables(t *model.Tree) (out []model.Table) {
	for i, m := range v.maps {
		tab := model.Table{Name: v.label, Title: "Terms of " + v.label, Rows: max(0, m.n), Key: []string{"key"},
			Doc: "what the keys of a column stand for; key 0 stands for none", Columns: model.Columns("key u64, term utf8")}
		if i > 0 {
			tab.Name = fmt.Sprintf("%s #%d", v.label, i+1)
		}
		if m.codec != nil {
			if !m.codec.Readable() {
				continue
			}
			tab.Columns[1].Type, tab.Columns[1].Kind = m.codec.Column()
		}
		tab.Columns[0].Fixed, tab.Columns[1].Fixed = "keys number the terms", "a model depends on its terms: train it again instead"
		tab.Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
			b, err := t.All(ctx, v.space)
			if err != nil {
				return nil, err
			}
			term := v.term(b, m)
			rows := make([]model.Row, 0, max(0, min(n, tab.Rows-first)))
			for i := first; i < min(first+n, tab.Rows); i++ {
				rows = append(rows, model.Row{{Value: model.U(uint64(i) + 1)}, term(i)})
			}
			return rows, nil
		}
		out = append(out, tab)
	}
	return out
}

// term returns the terms of a map, of the bytes of the vocabulary.
func (v *vocabulary) term(b []byte, m terms) func(i int64) model.Cell {
	part := func(r model.Range) []byte { return b[min(r.Off, int64(len(b))):min(r.End(), int64(len(b)))] }
	if m.codec != nil {
		return block.Read(m.codec, part(m.at), m.n).Cell
	}
	ids, ends, letters := part(m.at), part(v.ends), part(v.letters)
	return func(i int64) model.Cell {
		from, id := uint64(0), int64(-1)
		if 4*i+4 <= int64(len(ids)) {
			id = int64(int32(binary.LittleEndian.Uint32(ids[4*i:])))
		}
		if id < 0 || 8*id+8 > int64(len(ends)) {
			return model.Cell{Trouble: "no text"}
		}
		if id > 0 {
			from = binary.LittleEndian.Uint64(ends[8*id-8:])
		}
		to := binary.LittleEndian.Uint64(ends[8*id:])
		if from > to || to > uint64(len(letters)) {
			return model.Cell{Trouble: "its text is not among the characters"}
		}
		return model.Cell{Value: model.S(text16(letters[from:to])), Range: model.Range{Space: v.space, Off: v.letters.Off + int64(from), Len: int64(to - from)}}
	}
}

// text16 decodes UTF-16, little-endian.
func text16(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

package idv

import (
	"errors"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// Columns without names in a file of their own, or behind those that have one.

// fileOfLost makes a file of the columns without names: of each group of rows that all of them have.
func (s losing) fileOfLost() (*file, []model.SalvagedPart, error) {
	left := s.left()
	if left == nil {
		_, err := carving{s.contents}.blocks() // why not
		if err == nil {
			err = errors.New("no column is known")
		}
		return nil, nil, err
	}
	f := &file{version: versionBase + 6, compatible: versionBase + 6, rpb: left.rpb, rows: left.rows}
	groups := int(min((left.rows-1)/left.rpb+1, maxBlocks))
	kept, groups := s.worth(left, groups)
	if len(kept) == 0 {
		return nil, nil, errors.New("no group of rows is whole")
	}
	f.rows = min(left.rows, int64(groups)*left.rpb)
	for _, c := range kept {
		f.columns = append(f.columns, s.lostFile(c, groups))
	}
	of, rows := int64(-1), int64(-1)
	if s.stream.columnCount > 0 {
		of = max(s.stream.columnCount, int64(len(kept)))
	}
	if s.stream.rows > 0 {
		rows = max(s.stream.rows, f.rows)
	}
	lost := ""
	if slices.ContainsFunc(kept, func(c *lostColumn) bool { return c.name == "" }) {
		lost = "the names and types of all columns: the types are what the values look like"
	}
	behind := ""
	if left.capped {
		behind = fmt.Sprintf("what stands behind the first %d MiB of values: without the directory no more of a file of this size is searched",
			carving{s.contents}.searched()>>20)
	}
	return f, []model.SalvagedPart{
		{What: "columns", Saved: int64(len(kept)), Of: of, Lost: lost},
		{What: "rows", Saved: f.rows, Of: rows, Lost: behind}}, nil
}

// worth chooses columns and how many groups of rows of all of them are whole: a column that would cost more than half of the groups goes.
func (s losing) worth(left *remains, groups int) (kept []*lostColumn, whole int) {
	sound, most := make([]int, len(left.columns)), 0
	for i, c := range left.columns {
		if c.codec != nil {
			sound[i] = min(groups, s.soundTo(c, left))
			most = max(most, sound[i])
		}
	}
	whole = most
	for i, c := range left.columns {
		if sound[i] > 0 && 2*sound[i] >= most {
			kept, whole = append(kept, c), min(whole, sound[i])
		}
	}
	return kept, whole
}

// soundTo is how many of the first blocks of a lost column hold all values of their groups.
func (s losing) soundTo(c *lostColumn, r *remains) int {
	for k, e := range c.blocks {
		b, err := s.held(e, c.deflated)
		if err != nil || !block.Fits(c.codec, b, min(r.rpb, r.rows-int64(k)*r.rpb)) {
			return k
		}
	}
	return len(c.blocks)
}

// lostFile is a lost column in a file.
func (s losing) lostFile(c *lostColumn, groups int) fileColumn {
	col := fileColumn{name: c.called(), definition: c.definition, compression: c.compression()}
	for _, e := range c.blocks[:min(groups, len(c.blocks))] {
		col.blocks = append(col.blocks, fileBlock{s.t.Slice(s.ctx, model.Range{Space: s.stream.space, Off: s.stream.base + e.off, Len: int64(e.n)}), int64(e.dec)})
	}
	return col
}

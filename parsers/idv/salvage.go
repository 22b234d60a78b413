package idv

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/zipfile"
)

// salvage makes a new file of what can still be read: of a model archive the members that are whole; of a stream with a directory,
// or what is left of one, its columns and groups of rows; of one without, the blocks that inflate, with types as they seem.
func salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	st := stateOf(t)
	name := t.Snapshot.Primary
	if st.zip != nil {
		src, part := zipfile.Salvage(ctx, peeker(ctx, t, t.Root.Range.Space), t.Root.Range.Len)
		if src == nil {
			return nil, fmt.Errorf("no member of the archive is whole")
		}
		return &model.Salvaged{Files: map[string]model.Source{name: src}, Parts: []model.SalvagedPart{part}}, nil
	}
	if len(st.streams) == 0 {
		return nil, fmt.Errorf("there is no stream in this file")
	}
	s := st.all()[0]
	f, parts, err := s.keep(ctx, t)
	if err != nil || f == nil {
		if f, parts, err = s.carve(ctx, t); err != nil {
			return nil, err
		}
	}
	return &model.Salvaged{Files: map[string]model.Source{name: f.write()}, Parts: parts}, ctx.Err()
}

// keep takes the columns that the directory names, as far as their blocks can be read. A group of rows stays where all columns that
// stay have its block; a column that would cost more than half the groups goes instead. It returns nothing where no column has a name.
func (s *stream) keep(ctx context.Context, t *model.Tree) (*file, []model.SalvagedPart, error) {
	rpb, groups := int64(0), int64(0)
	for _, c := range s.cols {
		if c.readable() && c.rpb > 0 {
			rpb = c.rpb
			groups = max(groups, min((s.tableEnd(c)-c.lookup)/16, maxBlocks))
		}
	}
	rows := s.rows
	if n, err := s.agreedRows(ctx, t); err == nil {
		rows = n
	}
	if rows > 0 && rpb > 0 {
		groups = min(groups, (rows-1)/rpb+1)
	}
	if groups == 0 && s.rows != 0 || len(s.cols) == 0 {
		return nil, nil, nil
	}
	f := &file{version: s.version, compatible: s.compatible, rpb: max(1, rpb)}
	if s.compatible > s.version || s.compatible < versionBase+4 || s.compatible > versionBase+6 {
		f.version, f.compatible = versionBase+6, versionBase+6
	}
	good := make([][]*fileBlock, len(s.cols))
	counts := make([]int64, groups) // rows of each group
	for k := range counts {
		counts[k] = min(rpb, rows-int64(k)*rpb)
	}
	columns := model.SalvagedPart{What: "columns", Of: max(s.columnCount, int64(len(s.cols)))}
	var kept []int
	for i, c := range s.cols {
		n := int64(0)
		good[i], n = s.soundBlocks(ctx, t, c, counts)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if !c.readable() || 2*n < groups {
			columns.Lost += map[bool]string{true: ", "}[columns.Lost != ""] + c.name.s
			continue
		}
		kept = append(kept, i)
	}
	if len(kept) == 0 {
		return nil, nil, nil
	}
	for _, i := range kept {
		column, err := s.keepColumn(ctx, t, s.cols[i])
		if err != nil {
			return nil, nil, err
		}
		f.columns = append(f.columns, column)
	}
	lost := ""
	for k, n := range counts {
		whole := true
		for _, i := range kept {
			whole = whole && good[i][k] != nil
		}
		if !whole {
			lost = model.Thousands(int64(k)*rpb) + " to " + model.Thousands(int64(k)*rpb+n-1)
			continue
		}
		f.rows += n
		for j, i := range kept {
			f.columns[j].blocks = append(f.columns[j].blocks, *good[i][k])
		}
	}
	columns.Saved = int64(len(kept))
	if len(s.cols) < int(s.columnCount) {
		columns.Lost += map[bool]string{true: ", "}[columns.Lost != ""] + "those that the directory does not name any more"
	}
	if lost != "" {
		lost = "among them rows " + lost + ", whose blocks cannot be read"
	}
	return f, []model.SalvagedPart{columns, {What: "rows", Saved: f.rows, Of: max(rows, 0), Lost: lost}}, nil
}

// soundBlocks returns the blocks of a column that hold all values of their group, nil for others, and how many do.
func (s *stream) soundBlocks(ctx context.Context, t *model.Tree, c *column, counts []int64) (out []*fileBlock, n int64) {
	out = make([]*fileBlock, len(counts))
	if !c.readable() {
		return out, 0
	}
	peek := peeker(ctx, t, s.space)
	for k := range out {
		at := c.lookup + 16*int64(k)
		if at < headerSize || at > s.size-16 || ctx.Err() != nil {
			break
		}
		e := peek(s.base+at, 16)
		if len(e) < 16 {
			break
		}
		b := decodeEntry(e, c.index, int64(k))
		if b.off < headerSize || b.n <= 0 || b.dec <= 0 || b.end() > s.size {
			continue
		}
		sh := s.shape(b)
		sh.rows = counts[k]
		in, err := t.Bytes(ctx, sh.at)
		if err != nil || sh.over() {
			continue
		}
		decoded, how := sh.decode(in, nil)
		if how.Err == nil && int64(len(decoded)) >= sh.declared && block.Fits(c.codec, decoded[:sh.declared], sh.rows) {
			out[k] = &fileBlock{t.Slice(ctx, sh.at), sh.declared}
			n++
		}
	}
	return out, n
}

// keepColumn takes the name, the type and the metadata of a column that can be read.
func (s *stream) keepColumn(ctx context.Context, t *model.Tree, c *column) (fileColumn, error) {
	definition, err := t.Bytes(ctx, model.Range{Space: s.space, Off: c.codec.Off, Len: c.codec.N})
	out := fileColumn{name: c.name.s, definition: definition, compression: c.compression}
	for _, m := range c.entries {
		if !m.readable() || m.off < headerSize || m.n <= 0 || m.off > s.size-m.n || m.kind.n == 0 {
			continue
		}
		sh := s.metaShape(c, m)
		stored, err := t.Bytes(ctx, sh.at)
		if err != nil {
			continue
		}
		if b, how := sh.decode(stored, nil); how.Err != nil || !block.Fits(m.codec, b, 1) {
			continue
		}
		entry, err := t.Bytes(ctx, model.Range{Space: s.space, Off: m.kind.length, Len: m.offAt - m.kind.length})
		if err != nil {
			continue
		}
		out.metadata = append(out.metadata, fileMetadata{append([]byte(nil), entry...), append([]byte(nil), stored...)})
	}
	return out, err
}

// carve makes a file of the blocks that inflate: without a directory, columns have no names, and types are what the bytes look like.
func (s *stream) carve(ctx context.Context, t *model.Tree) (*file, []model.SalvagedPart, error) {
	c, err := s.carveBlocks(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	f := &file{version: versionBase + 6, compatible: versionBase + 6, rpb: c.rpb, rows: c.rows}
	for i := range c.columns {
		col := fileColumn{name: fmt.Sprintf("Column%d", i), definition: c.definitions[i], compression: 1}
		for k := range c.groups {
			x := c.found[k*c.columns+i]
			col.blocks = append(col.blocks, fileBlock{t.Slice(ctx, model.Range{Space: s.space, Off: s.base + x.off, Len: int64(x.n)}), int64(len(x.b))})
		}
		f.columns = append(f.columns, col)
	}
	of, rows := int64(-1), int64(-1)
	if s.columnCount > 0 {
		of = max(s.columnCount, int64(c.columns))
	}
	if s.rows > 0 {
		rows = max(s.rows, c.rows)
	}
	return f, []model.SalvagedPart{
		{What: "columns", Saved: int64(c.columns), Of: of, Lost: "the names and types of all columns: the types are what the values look like"},
		{What: "rows", Saved: c.rows, Of: rows}}, nil
}

package taridx

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

func tables(_ context.Context, t *model.Tree) []model.Table {
	x := stateOf(t)
	if x == nil || x.rows == nil {
		return nil
	}
	tables := []model.Table{x.rowsTable()}
	if x.n <= maxSamples {
		tables = append(tables, x.samplesTable())
	}
	if len(x.fold.shards) > 0 {
		tables = append(tables, x.shardsTable(), x.payloadsTable())
	}
	return tables
}

// rowsTable is the rows, including what follows from the tables and the shards.
func (x *index) rowsTable() model.Table {
	tab := model.Records("rows", "rows", x.t, x.rows)
	fields := tab.Read
	tab.Columns = append(tab.Columns,
		model.Column{Name: "extension", Doc: "the name of extid", Type: "utf8", Kind: model.Text},
		model.Column{Name: "stem", Doc: "of the member, if its shard is present", Type: "utf8", Kind: model.Text},
		model.Column{Name: "shard", Doc: "in " + x.fold.orderName, Type: "utf8", Kind: model.Text},
		model.Column{Name: "member", Doc: "name in the tar header", Type: "utf8", Kind: model.Text})
	tab.Key = []string{"stem", "extension"}
	tab.Stored("fid", "offset", "extid", "crashid", "shard", "member")
	tab.Payload = func(ctx context.Context, i int64) (model.Range, bool) {
		r, err := x.readRow(ctx, i)
		if err != nil {
			return model.Range{}, false
		}
		at, _, ok := x.payloadOf(r)
		return at, ok
	}
	tab.Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
		rows, err := fields(ctx, first, n)
		for i := range rows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			c := rows[i]
			r := entryRow{fid: uint16(c[fid].Value.Uint()), off: c[offset].Value.Uint(), ext: uint16(c[extID].Value.Uint()),
				crash: uint32(c[crashID].Value.Uint()), hash: c[keyHash].Value.Uint()}
			rows[i] = append(c, x.followers(r)...)
		}
		return rows, err
	}
	if !x.dead && x.rows.Range.End() == x.t.Root.Range.End() {
		tab.Fill, tab.Judges = editor{x}.fill, true
	}
	return tab
}

// payloadOf is the place of the payload of a row's member, as far as the shard has it, and its size.
func (x *index) payloadOf(r entryRow) (at model.Range, size int64, ok bool) {
	h := x.fold.of(r.fid)
	head, ok := x.fold.member(r.fid, r.off)
	if !ok || h.span == nil || head.Size < 0 || int64(r.off) > h.span.Range.Len-tarfile.Block {
		return at, 0, false
	}
	at = model.Range{Space: h.span.Range.Space, Off: h.span.Range.Off + int64(r.off) + tarfile.Block}
	at.Len = min(head.Size, h.span.Range.End()-at.Off)
	return at, head.Size, true
}

// The columns after the fields of a row.
const (
	extension = keyHash + 1 + iota
	stemName
	shardName
	memberName
)

// followers are the cells of a row that follow from the tables and the shards: its extension, stem, shard and member.
func (x *index) followers(r entryRow) model.Row {
	cells := make(model.Row, 4)
	if int(r.ext) < len(x.exts) {
		cells[0].Value = model.S(x.exts[r.ext])
	}
	if s := x.stem(r); s != "" {
		cells[1].Value = model.S(s)
	}
	if h := x.fold.of(r.fid); h != nil {
		cells[2].Value = model.S(h.name)
		if head, ok := x.fold.head(h, r.off); ok && head.SumOK {
			cells[3] = model.Cell{Value: model.S(head.Name), Range: h.at(int64(r.off), 100)}
		}
	}
	return cells
}

// maxSamples is the number of rows up to which samples are grouped in memory.
const maxSamples = 4 << 20

// countedSamples is the number of rows up to which samples are counted before someone looks at them. The header may be wrong.
const countedSamples = 1 << 16

// samplesTable has a row per sample, with the row number of each extension.
func (x *index) samplesTable() model.Table {
	tab := model.Table{Name: "samples", Title: "samples: rows grouped by key", Groups: true, Layout: true, Rows: min(x.n, int64(min(x.head["n_stems"].Uint(), 1<<62))),
		Columns: []model.Column{{Name: "stem", Type: "utf8", Kind: model.Text},
			{Name: "keyhash", Type: "u64", Kind: model.Uint, Show: model.ShowHex, Fixed: byRows},
			{Name: "crashid", Type: "u32", Kind: model.Uint, Fixed: byRows}, {Name: "rows", Type: "u64", Kind: model.Uint, Fixed: byRows}}}
	exts := x.exts[:min(len(x.exts), 256)]
	for _, e := range exts {
		tab.Columns = append(tab.Columns, model.Column{Name: "row of " + e, Type: "u64", Kind: model.Uint, Fixed: byRows})
	}
	if x.n <= countedSamples {
		if groups, err := x.grouped(); err == nil {
			tab.Rows = int64(len(groups))
		}
	}
	tab.Read = func(ctx context.Context, first, n int64) (out []model.Row, err error) {
		groups, err := x.grouped()
		if err != nil {
			return nil, err
		}
		for s := first; s < min(first+n, int64(len(groups))); s++ {
			row, err := x.sampleRow(ctx, groups[s], len(exts))
			if err != nil {
				return out, err
			}
			out = append(out, row)
		}
		return out, nil
	}
	tab.Set = x.nameSamples
	return tab
}

// byRows says why a cell of a sample cannot be typed.
const byRows = "it follows from the rows of the sample: edit these in the table of rows"

// nameSamples gives samples the names typed in the table of samples.
func (x *index) nameSamples(ctx context.Context, cells []model.Typed) ([]model.Edit, error) {
	groups, err := x.grouped()
	if err != nil {
		return nil, err
	}
	names := map[[2]uint64]string{}
	for _, c := range cells {
		r, err := x.readRow(ctx, groups[c.Row][0])
		if err != nil {
			return nil, err
		}
		names[r.key()] = c.Text
	}
	return renameSamples(ctx, editor{x}, names)
}

// sampleRow is the sample of some rows, whose extensions have a column each.
func (x *index) sampleRow(ctx context.Context, rows []int64, exts int) (model.Row, error) {
	row := make(model.Row, 4+exts)
	for _, i := range rows {
		r, err := x.readRow(ctx, i)
		if err != nil {
			return nil, err
		}
		at := x.rows.Child(i).Range
		if row[1].Value.Kind == model.None {
			row[1], row[2] = model.Cell{Value: model.U(r.hash), Range: at}, model.Cell{Value: model.U(uint64(r.crash)), Range: at}
			if stem := x.stem(r); stem != "" {
				row[0] = model.Cell{Value: model.S(stem), Range: at}
			}
		}
		if int(r.ext) < exts {
			row[4+r.ext] = model.Cell{Value: model.I(i), Range: at}
		}
	}
	row[3].Value = model.I(int64(len(rows)))
	return row, nil
}

// shardsTable is the shards of the fold. Members are counted when the row is read.
func (x *index) shardsTable() model.Table {
	return model.Table{Name: "shards", Title: "shards, in " + x.fold.orderName, Aside: true, Layout: true, Rows: int64(len(x.fold.order)),
		Columns: []model.Column{{Name: "fid", Type: "u16", Kind: model.Uint}, {Name: "name", Type: "utf8", Kind: model.Text, Fixed: "it is the name of a file: rename the file itself"},
			{Name: "size", Type: "u64", Kind: model.Uint},
			{Name: "members", Type: "u64", Kind: model.Uint}, {Name: "end", Doc: "the end of the member chain", Type: "u64", Kind: model.Uint}},
		Read: model.RowsOf(int64(len(x.fold.order)), func(ctx context.Context, i int64) (model.Row, error) {
			row, h := model.Row{{Value: model.I(i)}, {}, {}, {}, {}}, x.fold.order[i]
			if h == nil {
				row[1].Trouble = "no such shard"
				return row, nil
			}
			w, members := x.fold.walk(ctx, h), int64(0)
			for range w.members {
				members++
			}
			row[1] = model.Cell{Value: model.S(h.name), Range: h.span.Range}
			row[2].Value = model.I(h.entry.Size)
			if row[3].Value, row[4].Value = model.I(members), model.I(w.end); w.err != nil {
				row[4].Trouble = w.err.Error()
			}
			return row, ctx.Err()
		})}
}

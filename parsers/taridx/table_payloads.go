package taridx

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"spandrel/model"
)

// payloadsTable is the content of the members: what an import replaces.
func (x *index) payloadsTable() model.Table {
	c := contents{x}
	const fixed = "it comes from the header of the member: rename the member in the tree"
	tab := model.Table{Name: "payloads", Title: "payloads of the members", Aside: true, Layout: true, Rows: x.n,
		Doc: "The content of the members, in the order of the rows. New content moves what follows in the shard, and the rows with it.",
		Columns: []model.Column{{Name: "member", Doc: "name in the tar header", Type: "utf8", Kind: model.Text, Fixed: fixed},
			{Name: "stem", Type: "utf8", Kind: model.Text, Fixed: fixed}, {Name: "extension", Type: "utf8", Kind: model.Text, Fixed: fixed},
			{Name: "payload", Type: "bytes", Kind: model.Bytes}}}
	for j := range payloadBytes { // names are read without the payloads
		tab.Columns[j].Batch = func(ctx context.Context, first, n int64) (b model.Batch, err error) {
			for i := first; i < min(first+n, x.n) && err == nil; i++ {
				var r entryRow
				r, err = x.readRow(ctx, i)
				b.Append("utf8", c.names(r)[j].Value)
			}
			return b, cmp.Or(err, ctx.Err())
		}
	}
	tab.Read = func(ctx context.Context, first, n int64) (rows []model.Row, err error) {
		for held := int64(0); n > 0 && first < x.n && held < pagePayloads && err == nil; first, n = first+1, n-1 {
			var row model.Row
			if row, err = c.row(ctx, first); err == nil {
				rows, held = append(rows, row), held+int64(len(row[payloadBytes].Value.Text()))
			}
		}
		return rows, err
	}
	put := func(ctx context.Context, cells []model.Typed, runs []model.Run) ([]model.Edit, error) {
		y := payloads{x: editor{x}}
		if err := y.take(ctx, cells, runs); err != nil {
			return nil, err
		}
		return y.edits(ctx)
	}
	tab.Put, tab.Set = put, func(ctx context.Context, cells []model.Typed) ([]model.Edit, error) { return put(ctx, cells, nil) }
	return tab
}

// payloadBytes is the column of the payload.
const payloadBytes = 3

// How many bytes of payloads a page has, about, and how long one may be that is read as a whole.
const (
	pagePayloads = 1 << 20
	mostPayload  = 64 << 20
)

// contents reads the members of rows.
type contents struct{ x *index }

// names are the cells of a row before its payload.
func (c contents) names(r entryRow) model.Row {
	all := c.x.followers(r)
	return model.Row{all[memberName-extension], all[stemName-extension], all[0]}
}

// row is the names and the content of a row's member.
func (c contents) row(ctx context.Context, i int64) (model.Row, error) {
	r, err := c.x.readRow(ctx, i)
	if err != nil {
		return nil, err
	}
	return append(c.names(r), c.payload(ctx, r)), ctx.Err()
}

// payload is the content of a row's member.
func (c contents) payload(ctx context.Context, r entryRow) model.Cell {
	at, size, ok := c.x.payloadOf(r)
	cell := model.Cell{Range: at}
	switch {
	case !ok:
		cell.Trouble = "the member is missing"
	case at.Len < size:
		cell.Trouble = "the payload is truncated"
	case size > mostPayload:
		cell.Trouble = fmt.Sprintf("%s bytes are too many for a cell: use the action extract", model.Thousands(size))
	default:
		b, err := c.x.t.Bytes(ctx, at)
		if cell.Value = model.Raw(b); err != nil {
			cell.Trouble = err.Error()
		}
	}
	return cell
}

// take adds new payloads to the list.
func (y *payloads) take(ctx context.Context, cells []model.Typed, runs []model.Run) error {
	for _, c := range cells {
		v, err := model.ParseValue(model.Bytes, c.Text)
		if c.Missing {
			v = model.Value{}
		}
		if err = errors.Join(err, y.put(ctx, c.Row, c.Column, v)); err != nil {
			return err
		}
	}
	for _, r := range runs {
		for i := range r.Rows {
			if err := y.put(ctx, r.First+i, r.Column, r.Value("bytes", i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// put adds the new payload of a row.
func (y *payloads) put(ctx context.Context, row int64, column int, v model.Value) error {
	switch {
	case column != payloadBytes:
		return fmt.Errorf("row %d: only the payload can be changed", row)
	case v.Kind == model.None:
		return fmt.Errorf("row %d: the payload is missing; to remove a member, remove its row", row)
	}
	r, err := y.x.readRow(ctx, row)
	y.list = append(y.list, payload{entryRow: r, row: row, with: model.Memory([]byte(v.Text()))})
	return err
}

package scdl

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"spandrel/model"
)

// denseTable is the matrix with its zeros, as an array of cells and genes: AnnData's X. Only visible rows are read. There is
// none if the number of genes is unknown.
func (a viewer) denseTable(ctx context.Context, prefix string, parts []part, total int64) (out model.Table, ok bool) {
	genes, known := a.geneLimits(ctx).most()
	if !known || genes > 1<<31 || total > 0 && int64(genes) > 1<<62/total {
		return out, false
	}
	n, value := int64(genes), codecOf(parts[0].data.dtype)
	zero, _, err := value.Decode(make([]byte, value.Size()))
	if err != nil || slices.ContainsFunc(parts, func(p part) bool { return p.data.dtype != parts[0].data.dtype }) {
		return out, false
	}
	out = model.Table{Name: prefix + "dense", Title: fmt.Sprintf("dense: %s [%s]", value.Type(), model.ShapeText([]int64{total, n})), Aside: true, Layout: true, Rows: total * n,
		Doc:     "the matrix with its zeros: a row is a cell, a column a gene",
		Columns: []model.Column{{Name: "value", Type: value.Type(), Kind: value.Kind()}}}
	out.Read = func(ctx context.Context, first, count int64) (rows []model.Row, err error) {
		count = min(count, out.Rows-first, maxItems)
		for at := first; at < first+count; {
			cell := at / n
			k := sort.Search(len(parts), func(k int) bool { return parts[k].first+parts[k].rows > cell })
			from := at - cell*n
			line := slices.Repeat(model.Row{{Value: zero}}, int(min(n-from, first+count-at)))
			if err := a.fillRow(ctx, line, parts[k], cell, from); err != nil {
				return rows, err
			}
			for i := range line {
				rows = append(rows, line[i:i+1])
			}
			at += int64(len(line))
		}
		return rows, ctx.Err()
	}
	return out.AsTensor([]int64{total, n}, false), true
}

// fillRow copies the values of a cell from one gene on into a row of zeros.
func (a viewer) fillRow(ctx context.Context, row model.Row, p part, cell, from int64) error {
	sparse, err := a.matrixRow(ctx, p, cell)
	if err != nil {
		return err
	}
	if trouble := sparse[1].Trouble + sparse[3].Trouble; trouble != "" {
		for i := range row {
			row[i].Trouble = trouble
		}
		return nil
	}
	w, codec := widthOf(p.col.dtype), widthOf(p.data.dtype)
	cols, err := a.t.Bytes(ctx, sparse[2].Range)
	if err != nil {
		return err
	}
	for k, gene := range numbers(nil, cols, w) {
		if i := int64(gene) - from; gene < 1<<62 && i >= 0 && i < int64(len(row)) {
			at := sparse[3].Range
			row[i] = model.Cell{Value: sparse[3].Items[k], Range: model.Range{Space: at.Space, Off: at.Off + int64(k)*codec, Len: codec}}
		}
	}
	return nil
}

package scdl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"spandrel/model"
)

// fillFeatures replaces rows of a table of cells or genes from one on. Removed ones are removed from the matrix too; new ones have no values yet.
func (a viewer) fillFeatures(ctx context.Context, f features, list []block, g givenRows) ([]model.Edit, error) {
	r, err := a.reshape(ctx)
	if err != nil {
		return nil, err
	}
	if len(list) != len(f.blocks) {
		return nil, errors.New("some of the tables cannot be read: repair the archive first")
	}
	gone, fresh, err := g.match(ctx)
	if err != nil || len(gone) > 0 && !f.genes {
		return r.dropped(gone, err)
	}
	if len(gone) > 0 {
		return r.droppedGenes(f, list, gone)
	}
	last := len(list) - 1
	if err := g.fits(fresh, last, list[last].to); err != nil {
		return nil, err
	}
	rows := func(s *sheet) error {
		for i := fresh; i < g.N; i++ {
			if err := s.add(func(column int) (string, bool) {
				c := g.Cell(g.From+i, list[last].to[column])
				return c.Text, c.Missing
			}); err != nil {
				return fmt.Errorf("row %d of the new rows, column %w", i, err) // which the refusal names
			}
		}
		return nil
	}
	if !f.genes {
		err := r.add(make([]newCell, g.N-fresh), rows)
		return r.edits, err
	}
	if err := r.numbered(list[last].rows.Rows + g.N - fresh); err != nil {
		return nil, err
	}
	e, err := r.rewrite(ctx, f.blocks[last], rows)
	return []model.Edit{e}, err
}

// fits is an error if rows from one on cannot be added to the last block, which has these columns.
func (g givenRows) fits(from int64, last int, columns []int) error {
	for i := from; i < g.N; i++ {
		for column := range g.table.Columns {
			switch text := g.text(i, column); {
			case text == "":
			case column == 0 && text != strconv.Itoa(last):
				return g.wrong(i, column, "new rows belong to the last block, %d, not to %.80s", last, text)
			case column > 0 && !slices.Contains(columns, column):
				return g.wrong(i, column, "the last block, to which rows are added, has no such column")
			}
		}
	}
	return nil
}

// droppedGenes drops rows of the table of genes, which are numbered across its blocks.
func (r *reshaping) droppedGenes(f features, list []block, gone intervals) ([]model.Edit, error) {
	var out []ofBlock
	for k, b := range list {
		var genes intervals
		for _, g := range gone {
			if from, to := max(g.from, b.first), min(g.to, b.first+b.rows.Rows); from < to {
				genes = genes.add(from-b.first, to-b.first)
			}
		}
		switch {
		case len(genes) == 0:
			continue
		case genes.below(b.rows.Rows) == b.rows.Rows && len(list) == 1:
			return nil, errors.New("none of the genes would be left")
		case genes.below(b.rows.Rows) == b.rows.Rows:
			return nil, fmt.Errorf("no gene of block %d would be left", k)
		}
		out = append(out, ofBlock{k, genes})
	}
	err := r.dropGenes(&f, out...)
	return r.edits, err
}

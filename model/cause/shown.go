package cause

import (
	"context"

	"spandrel/model"
)

// Shown is the tree that shows most of the document, and the repair that leads to it: the document itself, with nil; or the document
// after a proven and lossless repair, if the cause is about a whole file, whose rows are not where they should be, or if
// more can be read then.
func (g *Diagnosis) Shown(ctx context.Context) (*model.Tree, *Repair) {
	if len(g.Causes) == 0 {
		return g.Tree, nil
	}
	c := g.Causes[0]
	if c.Grade != Proven || len(c.Repairs) == 0 || !c.Repairs[0].Safe || c.Repairs[0].To == nil {
		return g.Tree, nil
	}
	var t *model.Tree
	err := model.Contain(func() error {
		t = model.Parse(ctx, c.Repairs[0].To, c.Repairs[0].Format)
		return ctx.Err()
	})
	if err != nil || g.Format != nil && !c.whole && cellsIn(ctx, t) <= cellsIn(ctx, g.Tree) {
		return g.Tree, nil
	}
	return t, c.Repairs[0]
}

// cellsIn counts the cells of the tables that a document is opened for, in columns that are known.
func cellsIn(ctx context.Context, t *model.Tree) (n int64) {
	model.Contain(func() error {
		for _, table := range t.Tables(ctx) {
			for _, c := range table.Columns {
				if !table.Aside && !c.Guessed {
					n += table.Rows
				}
			}
		}
		return nil
	})
	return n
}

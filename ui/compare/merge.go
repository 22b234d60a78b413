package compare

import (
	"context"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// merge adds to this document what another one changed of the base, from which both were made.
type merge struct {
	p            *Find
	base, theirs *doc.Document
}

// Merge adds to this document what another one changed of the base. What both changed is listed, to choose from.
func (p *Find) Merge(base, theirs *doc.Document) {
	m := &merge{p, base, theirs}
	p.Kind.SetSelected(findDifferences)
	p.Doc.Lower.Show(kit.TabFind)
	p.say("merging…")
	m.add("", func(text string, err error) {
		if err != nil {
			p.say("cannot merge: " + err.Error())
			return
		}
		m.list(text)
	})
}

// add adds what this document lacks, as one step, and says what that was; of conflicts, what the other document says in the one at a path.
func (m *merge) add(path string, then func(text string, err error)) {
	p, t, d := m.p, m.p.Doc.Tree(), m.p.Doc.ForWorkers()
	p.cancel.Stop()
	p.cancel = kit.Watched(p.Doc.Window, "merging", model.Index, func(ctx context.Context, _ kit.Progress) (*merged, error) {
		return m.plan(ctx, d, path)
	}, func(x *merged, err error) {
		p.cancel = nil
		switch {
		case err != nil:
			then("", err)
		case x.plan.Empty():
			then("nothing else to merge", nil)
		case t != p.Doc.Tree():
			then("", doc.ErrMeanwhile)
		default:
			p.Doc.Editor.Unlock()
			p.Doc.Editor.Commit(x.plan)
			p.Doc.Editor.InTurn(func() {
				p.Doc.Editor.Next()
				then(x.text, nil)
			})
		}
	})
}

// merged is the result of a merge: what this document lacks, as a plan and in words.
type merged struct {
	*model.Merged
	plan *model.Plan
	text string
}

// plan finds what this document lacks.
func (m *merge) plan(ctx context.Context, d *model.Document, path string) (*merged, error) {
	var trees []*model.Tree
	for _, o := range []*doc.Document{m.base, m.theirs} {
		release, open := o.Window.Hold()
		if !open {
			return nil, errClosed
		}
		defer release()
		trees = append(trees, o.Model.Tree)
	}
	o := model.MergeOptions{Only: path}
	if path != "" {
		o.Prefer = 'b'
	}
	all, err := model.MergeContent(ctx, trees[0], d.Tree, trees[1], o)
	if err != nil {
		return nil, err
	}
	plan, err := all.Plan(ctx, d)
	if err != nil {
		return nil, err
	}
	_, name := doc.NamesOf(m.p.Doc, m.theirs)
	plan.Label = "merge " + name
	return &merged{all, plan, "merged from " + name + ": " + all.Text()}, nil
}

// list lists what both documents changed, after what was merged.
func (m *merge) list(done string) {
	p := m.p
	here, there := doc.NamesOf(p.Doc, m.theirs)
	_, base := doc.NamesOf(p.Doc, m.base)
	p.Columns = []rows.Column{{Title: "where", Width: 200}, {Title: base + " (base)", Width: 180}, {Title: here, Width: 180}, {Title: there, Width: 180}}
	p.Fits = true
	d := p.Doc.ForWorkers()
	p.list("looking for conflicts", "conflict", func() string { return "; " + done }, func(ctx context.Context, _ kit.Progress) (items []doc.Place, err error) {
		x, err := m.plan(ctx, d, "")
		if err != nil {
			return nil, err
		}
		tables := d.Tree.Tables(ctx)
		return model.Map(x.Conflicts[:min(len(x.Conflicts), doc.FindMost)], func(c model.Conflict) doc.Place { return m.row(tables, c) }), nil
	})
}

// row is a conflict as a row.
func (m *merge) row(tables []model.Table, c model.Conflict) doc.Place {
	path := elementPath(tables, c.Table, c.Row, c.Path)
	row := doc.Place{Cells: []rows.Cell{{Text: path, Tail: true}, {Text: c.TextBase}, {Text: c.TextA}, {Text: c.TextB}}}
	if c.Table != "" && c.RowA >= 0 {
		row.Cell = &doc.CellRef{Table: c.Table, Row: c.RowA, Column: c.Column}
	}
	if c.Settleable() {
		row.Settle = func(then func(error)) { m.add(c.Path, func(_ string, err error) { then(err) }) }
	}
	return row
}

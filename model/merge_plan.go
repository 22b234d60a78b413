package model

import (
	"context"
	"errors"
	"fmt"
)

// Plan is the change of A as one step: first the cells and fields, then, on a copy that has them, the added and removed rows.
func (m *Merged) Plan(ctx context.Context, a *Document) (*Plan, error) {
	copied := &Document{Path: a.Path, Format: a.Format, Tree: a.Tree, Candidates: a.Candidates}
	whole := &Plan{Label: "merge", From: a.Tree.Snapshot, To: a.Tree.Snapshot}
	step := func(edits []Edit, err error) error {
		if err != nil || len(edits) == 0 {
			return err
		}
		p, err := copied.Plan(ctx, whole.Label, edits...)
		if err != nil {
			return err
		}
		copied.Apply(ctx, p, nil)
		whole.Patches, whole.Warnings = append(whole.Patches, p.Patches...), append(whole.Warnings, p.Warnings...)
		whole.Notes, whole.To = append(whole.Notes, p.Notes...), p.To
		return ctx.Err()
	}
	if err := step(m.edits(ctx, a.Tree)); err != nil {
		return nil, err
	}
	for i := range m.Tables {
		if err := step(m.Tables[i].fill(ctx, copied.Tree)); err != nil {
			return nil, err
		}
	}
	return whole, nil
}

// Counts are the numbers of cells that change, and of added and removed rows.
func (m *Merged) Counts() (cells, added, dropped int64) {
	for _, t := range m.Tables {
		cells, added, dropped = cells+int64(len(t.Cells)), added+t.Added, dropped+t.Dropped
	}
	return cells, added, dropped
}

// Text says what changes in A.
func (m *Merged) Text() string {
	cells, added, dropped := m.Counts()
	text := ""
	for _, n := range []struct {
		n         int64
		what, how string
	}{{cells, "cells", ""}, {added, "rows", " added"}, {dropped, "rows", " dropped"}, {int64(len(m.Fields)), "fields", ""}} {
		if n.n > 0 {
			text += ", " + Count(n.n, n.what) + n.how
		}
	}
	if text == "" {
		return "nothing"
	}
	return text[2:]
}

// edits are the edits of fields and cells.
func (m *Merged) edits(ctx context.Context, t *Tree) (edits []Edit, err error) {
	for _, f := range m.Fields {
		s, err := t.Find(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		v, err := s.Field.Parse(f.Text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		edits = append(edits, SetValue(s, v))
	}
	for _, x := range m.Tables {
		table, ok := TableNamed(t.Tables(ctx), x.Name)
		if !ok || len(x.Cells) == 0 {
			continue
		}
		more, err := table.Edits(ctx, t, x.Cells)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", x.Name, err)
		}
		edits = append(edits, more...)
	}
	return edits, nil
}

// fill are the edits that add and remove rows of a table whose cells are merged.
func (x *MergedTable) fill(ctx context.Context, tree *Tree) ([]Edit, error) {
	t, ok := TableNamed(tree.Tables(ctx), x.Name)
	switch {
	case !x.Fills:
		return nil, nil
	case !ok || t.Fill == nil:
		return nil, fmt.Errorf("table %s cannot change its number of rows", x.Name)
	}
	rows := RowReader{Table: &t}
	var failed error
	edits, err := t.Fill(ctx, GivenRows{From: x.From, N: int64(len(x.Rows)), Cell: func(row int64, column int) Typed {
		r := x.Rows[row-x.From]
		if r.A < 0 {
			out := r.Cells[column]
			out.Row, out.Column = row, column
			return out
		}
		out := Typed{Row: row, Column: column, Missing: true}
		cells, err := rows.At(ctx, r.A)
		if err != nil || column >= len(cells) {
			failed = errors.Join(failed, err)
		} else {
			out.Text, out.Missing = cells[column].Typed(&t.Columns[column])
		}
		return out
	}})
	if err = errors.Join(failed, err); err != nil {
		return nil, fmt.Errorf("table %s: %w", x.Name, err)
	}
	return edits, nil
}

// Rearranged makes the edits after which the rows of a table from one on are others, which are its own or new ones.
func Rearranged(ctx context.Context, tree *Tree, table string, from int64, rows []MergedRow) ([]Edit, error) {
	return (&MergedTable{Name: table, From: from, Rows: rows, Fills: true}).fill(ctx, tree)
}

package doc

import (
	"context"
	"slices"
	"sync"

	"spandrel/model"
)

// Unsaved is how the document differs from its saved state, as seen by workers. The zero value differs nowhere.
type Unsaved struct {
	now   Tints // where bytes differ
	saved *savedTree
}

// savedTree is the saved state, which is parsed when it is first needed.
type savedTree struct {
	of     *model.Snapshot
	format *model.Format
	mu     sync.Mutex
	tree   *model.Tree
}

// read returns the tree; nil if ctx ends meanwhile.
func (s *savedTree) read(ctx context.Context) *model.Tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tree == nil {
		if t := model.Parse(ctx, s.of, s.format); ctx.Err() == nil {
			s.tree = t
		}
	}
	return s.tree
}

// Unsaved is what is not saved now. While a change is previewed, that is shown instead.
func (d *Document) Unsaved() Unsaved {
	e := d.Editor
	if !e.Dirty || e.Saving || d.Preview != nil {
		return Unsaved{}
	}
	saved, format := d.Model.OnDisk(), d.Model.Format
	if e.saved == nil || e.saved.of != saved {
		e.saved = &savedTree{of: saved, format: format}
	}
	runs := map[string][]model.Changed{}
	for _, name := range append(d.Tree().Snapshot.Edited(), saved.Edited()...) {
		runs[name] = d.Model.Unsaved(name)
	}
	return Unsaved{Tints{tree: d.Tree(), runs: runs}, e.saved}
}

// Cells tells which cells of a page of a table differ: their bytes, and what they mean, because an encoded block is rewritten as a whole. view
// shows the saved table in the order of this one. Where rows were added or removed, and cells have no counterparts, only bytes count.
func (u *Unsaved) Cells(ctx context.Context, table *model.Table, first int64, page []model.Row, view func(model.Table) model.Table) [][]bool {
	if u.saved == nil {
		return nil
	}
	was := Tints{Other: u.saved.read(ctx)}
	if other, ok := was.table(ctx, table); ok && other.Rows == table.Rows {
		other = view(other)
		if rows, err := other.Read(ctx, first, int64(len(page))); err == nil && len(rows) == len(page) {
			return u.touched(page, Tinted(page, rows))
		}
	}
	return u.touched(page, nil)
}

// touched are those of the cells that differ whose bytes were changed; of all cells if it is not known which differ, except decoded ones.
func (u *Unsaved) touched(page []model.Row, differ [][]bool) [][]bool {
	out := make([][]bool, len(page))
	for i, row := range page {
		out[i] = make([]bool, len(row))
		for k := range row {
			switch sp := u.now.tree.Space(row[k].Range.Space); {
			case sp == nil || differ != nil && !differ[i][k] || differ == nil && sp.Derived():
			default:
				out[i][k] = u.now.Touches(row[k].Range)
			}
		}
	}
	return out
}

// table is the table of that name on the other side, with its columns in the same order.
func (v *Tints) table(ctx context.Context, table *model.Table) (other model.Table, ok bool) {
	if v.Other == nil {
		return other, false
	}
	other, ok = model.TableNamed(v.Other.Tables(ctx), table.Name)
	if ok && table.From != nil && slices.Max(table.From) < len(other.Columns) {
		other = other.Arrange(table.From)
	}
	return other, ok && len(other.Columns) == len(table.Columns)
}

package tiledb

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
)

// asOfNow is the time at which everything written is visible.
const asOfNow = math.MaxUint64 - 1

// view is an array as opened at a time: the schema, the fragments and the deletions that count then.
type view struct {
	a      *array
	at     uint64 // ms since 1970
	schema *schema.Schema
}

// counts tells whether the reader sees what has a time range and a version in its name. Sparse fragments from version 14 on store when each of their cells
// was written, so that a part of them may count.
func (v *view) counts(s stamp) bool {
	if s.version >= 14 && !v.schema.Dense() {
		return s.from <= v.at
	}
	return s.to <= v.at
}

// sees tells whether a fragment counts at the time of the view.
func (v *view) sees(f *frag) bool {
	s := v.a.commits
	if s == nil || v.at == asOfNow {
		return f.live
	}
	gone := s.vacuum[f.name]
	return s.committed(f) && v.counts(f.stamp) && !(gone.ok && v.counts(gone))
}

// schemaAsOf is the schema for readers at a time: the last one that is not later, or the first of all.
func (a *array) schemaAsOf(ctx context.Context, at uint64) *schema.Schema {
	if at == asOfNow || len(a.schemas.Order) == 0 {
		return a.schemas.Current()
	}
	name := a.schemas.Order[0]
	for _, x := range a.schemas.Order {
		if when := stampOf(x); when.ok && when.to <= at {
			name = x
		}
	}
	if s := a.schemas.Schema(ctx, name); s != nil {
		return s
	}
	return a.schemas.Current()
}

// times are the moments at which what readers see changed: writes, deletions, schemas.
func (a *array) times() (out []model.Moment) {
	add := func(ms uint64, what string, write bool) {
		if ms > 0 && ms < math.MaxInt64 {
			out = append(out, model.Moment{MS: int64(ms), Text: what, Write: write})
		}
	}
	for i, f := range a.fragList {
		if a.commits != nil && !a.commits.committed(f) {
			continue
		}
		label := arrayMeaning{a}.fragment(i)
		if f.stamp.from != f.stamp.to {
			add(f.stamp.from, "start of "+label, true)
		}
		add(f.stamp.to, label, true)
	}
	for name := range deleteCommits(a) {
		add(stampOf(name).to, "deletion", false)
	}
	for _, name := range a.schemas.Order {
		add(stampOf(name).to, "schema", false)
	}
	slices.SortStableFunc(out, func(x, y model.Moment) int { return cmp.Compare(x.MS, y.MS) })
	return joined(out)
}

// joined makes moments of the same time one, and says the time of each.
func joined(list []model.Moment) (out []model.Moment) {
	for _, m := range list {
		if n := len(out); n > 0 && out[n-1].MS == m.MS {
			out[n-1].Text, out[n-1].Write = out[n-1].Text+", "+m.Text, out[n-1].Write || m.Write
			continue
		}
		out = append(out, m)
	}
	for i := range out {
		when := "timestamp " + model.Thousands(out[i].MS)
		if out[i].MS >= clockFrom {
			when = time.UnixMilli(out[i].MS).UTC().Format("2006-01-02 15:04:05.000") + " UTC"
		}
		out[i].Text += " · " + when
	}
	return out
}

// readAs is the cells of a view as rows.
type readAs interface {
	rows() int64
	read(ctx context.Context, first, n int64) ([]model.Row, error)
	place(ctx context.Context, row int64) (cellPlace, error)
	runs(ctx context.Context, first, n int64, f func(context.Context, runOfRows) error) error
	table() *cellTable
}

func (x *cellTable) table() *cellTable { return x }

// viewAt is the cells of the array as readers see them at a time.
func (a *array) viewAt(ctx context.Context, at uint64) (readAs, error) {
	v := &view{a: a, at: at, schema: a.schemaAsOf(ctx, at)}
	if v.schema == nil {
		return nil, errNoSchema
	}
	frags := v.glances(ctx)
	if v.schema.Dense() {
		b, err := newBox(ctx, v.cells(), frags, nil)
		if err == nil {
			return b, nil
		}
		x := v.cells()
		x.take(frags)
		x.unmerged = err.Error() + ": the cells of each write are listed"
		return x, ctx.Err()
	}
	x := v.cells()
	x.take(frags)
	return x, x.merge(ctx, frags)
}

// glances are the fragments that count at the time of the view.
func (v *view) glances(ctx context.Context) []glance {
	return slices.DeleteFunc(glances(ctx, v.a), func(g glance) bool { return !v.sees(g.f) })
}

// cells is a table of the view, without fragments.
func (v *view) cells() *cellTable { return &cellTable{a: v.a, view: v, cols: fieldsOf(v.schema)} }

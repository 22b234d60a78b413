package idv

import (
	"context"
	"fmt"

	"spandrel/model"
)

// outline is the logical view of a document: its columns, with type, names of slots or keys, and blocks.
func outline(ctx context.Context, t *model.Tree) (out []model.Meaning, err error) {
	st := stateOf(t)
	for _, s := range st.boxed {
		_ = t.Open(ctx, s)
	}
	streams := st.all()
	for _, s := range streams {
		if len(s.cols) == 0 {
			continue
		}
		m := model.Meaning{Label: "columns", Text: model.Words("%d, %d rows each", len(s.cols), s.rows), Open: true,
			More: model.Paged("columns", int64(len(s.cols)), func(_ context.Context, i int64) model.Meaning { return columnMeaning(s, t, s.cols[i]) })}
		if s.label != "" {
			m.Label, m.Open = s.label, len(streams) == 1
		}
		out = append(out, m)
	}
	return out, ctx.Err()
}

// columnMeaning is a column: its directory entry, and the place of its rows.
func columnMeaning(s *stream, t *model.Tree, c *column) model.Meaning {
	at := func(r [2]int64) model.Range { return model.Range{Space: s.space, Off: s.base + r[0], Len: r[1]} }
	m := model.Meaning{Label: c.name.s, Text: c.codec.String(), Icon: model.IconOf(c.codec.Column()), At: at(c.entry)}
	m.More = func(ctx context.Context) (out []model.Meaning, err error) {
		in := s.in(ctx, t)
		in.load(c)
		names := func(label string, list []string) {
			if len(list) == 0 {
				return
			}
			out = append(out, model.Meaning{Label: label, Text: model.Thousands(int64(len(list))),
				More: model.Paged(label, int64(len(list)), func(_ context.Context, i int64) model.Meaning {
					return model.Meaning{Label: fmt.Sprint(i), Text: list[i]}
				})})
		}
		names("slots", c.slotsN)
		names("keys", c.labels)
		for _, e := range c.entries {
			out = append(out, model.Meaning{Label: e.kind.s, Text: "metadata, " + e.codec.String(), At: at(e.entry)})
		}
		return append(out, model.Meaning{Label: "blocks", Text: model.Words("%d of %d rows each", c.blocks, c.rpb), Span: c.table,
			More: model.Paged("blocks", c.blocks, func(ctx context.Context, k int64) model.Meaning { return blockMeaning(ctx, s, t, c, k) })}), nil
	}
	return m
}

// blockMeaning is block k of a column: the rows that it holds.
func blockMeaning(ctx context.Context, s *stream, t *model.Tree, c *column, k int64) model.Meaning {
	m := model.Meaning{Label: fmt.Sprintf("rows %d to %d", k*c.rpb, min((k+1)*c.rpb, s.rows)-1)}
	e, ok := s.in(ctx, t).entryOf(c, k)
	if !ok || e.n < 0 {
		m.Text = "cannot be found"
		return m
	}
	m.Text = model.Words("%d bytes", e.n)
	if e.dec != e.n {
		m.Text += fmt.Sprintf(", decoded %d", e.dec)
	}
	m.At = model.Range{Space: s.space, Off: s.base + e.off, Len: int64(e.n)}
	return m
}

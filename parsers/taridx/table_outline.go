package taridx

import (
	"context"
	"fmt"
	"strings"

	"spandrel/model"
)

// outline is the logical view of an index: samples with their members, and the shards that contain these.
func outline(_ context.Context, t *model.Tree) (out []model.Meaning, err error) {
	x := stateOf(t)
	if x == nil || x.rows == nil {
		return nil, nil
	}
	if x.n <= maxSamples {
		tab := x.samplesTable()
		out = append(out, model.Meaning{Label: "samples", Text: model.Thousands(tab.Rows), Open: true, More: tab.Meanings("samples", x.sample)})
	}
	var shards []model.Meaning
	for i, h := range x.fold.order {
		m := model.Meaning{Label: fmt.Sprintf("shard %d", i), Text: "not there"}
		if h != nil {
			m = model.Meaning{Label: h.name, Text: model.Count(h.entry.Size, "bytes"), Span: h.span}
		}
		shards = append(shards, m)
	}
	return append(out, model.Meaning{Label: "shards", Text: model.Thousands(int64(len(shards))), Kids: shards}), nil
}

// sample is a row of the table of samples: its members are those it has rows for.
func (x *index) sample(i int64, r model.Row) model.Meaning {
	m := model.Meaning{Label: r[0].Value.Text()}
	if r[0].Value.Kind == model.None {
		m.Label = fmt.Sprintf("sample %d, whose name is unknown", i)
	}
	var exts []string
	var rows []int64
	for k, c := range r[4:] {
		if c.Value.Kind != model.None {
			exts, rows = append(exts, x.exts[k]), append(rows, c.Value.Int())
		}
	}
	m.Text, m.At = strings.Join(exts, ", "), x.together(r)
	m.More = func(ctx context.Context) (out []model.Meaning, err error) {
		for k, row := range rows {
			e, err := x.readRow(ctx, row)
			if err != nil {
				return out, err
			}
			text := model.Count(int64(e.size), "bytes")
			if h := x.fold.of(e.fid); h != nil {
				text += " in " + h.name
			}
			out = append(out, model.Meaning{Label: exts[k], Text: text, Icon: model.IconOfFile("." + exts[k]), Span: x.rows.Child(row)})
		}
		return out, nil
	}
	return m
}

// together is the rows of a sample, if they are contiguous; otherwise, the first.
func (x *index) together(r model.Row) model.Range {
	at, n := r[1].Range, int64(1)
	for _, c := range r[4:] {
		if c.Value.Kind != model.None && c.Range != at {
			n, at.Len = n+1, max(at.Len, c.Range.End()-at.Off)
		}
	}
	if at.Len != n*r[1].Range.Len {
		return r[1].Range
	}
	return at
}

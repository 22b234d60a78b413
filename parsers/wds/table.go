package wds

import (
	"context"
	"strings"

	"spandrel/model"
)

func tables(ctx context.Context, t *model.Tree) []model.Table {
	x := model.StateOf[*index](t)
	switch {
	case x == nil:
		return nil
	case x.lines != nil && t.Open(ctx, x.lines) == nil:
		return []model.Table{x.samplesTable(t)}
	case !x.dali && len(x.archives) > 0:
		return []model.Table{x.shardsTable()}
	}
	return nil
}

// samplesTable has a row per sample: its key, its components, and where they begin and end in the archive.
func (x *index) samplesTable(t *model.Tree) model.Table {
	tab := model.Table{Name: "samples", Title: "samples", Doc: "the components of each sample and where they are in the archive", Rows: x.lines.Count(),
		Columns: model.Columns("key utf8, extensions utf8, components u64, bytes u64, offset u64")}
	tab.Read = model.RowsOf(tab.Rows, func(ctx context.Context, i int64) (model.Row, error) {
		s := x.lines.Child(i)
		b, err := t.Bytes(ctx, model.Range{Space: s.Range.Space, Off: s.Range.Off, Len: min(s.Range.Len, mostLine)})
		if err != nil {
			return nil, err
		}
		words, per := strings.Fields(string(b)), x.per()
		row, exts, sum, first := model.Row{{}, {}, {}, {}, {}}, []string(nil), uint64(0), uint64(0)
		for k := 0; k+per <= len(words); k += per {
			exts = append(exts, words[k])
			sum += number(words[k+2])
			if k == 0 {
				first = number(words[1])
				if x.named {
					key, _ := keyOf(words[3])
					row[0].Value = model.S(key)
				}
			}
		}
		row[0].Range = s.Range
		row[1].Value, row[2].Value = model.S(strings.Join(exts, " ")), model.U(uint64(len(exts)))
		row[3].Value, row[4].Value = model.U(sum), model.U(first)
		return row, nil
	})
	fixed(&tab, "it is made up of the components: set those instead")
	return tab
}

// shardsTable has a row per archive.
func (x *index) shardsTable() model.Table {
	tab := model.Table{Name: "shards", Title: "archives", Doc: "the archives of the data set, as the index lists them", Rows: int64(len(x.archives)),
		Columns: model.Columns("url utf8, nsamples i64, filesize i64, md5sum utf8"), Key: []string{"url"}}
	tab.Read = model.RowsOf(tab.Rows, func(_ context.Context, i int64) (model.Row, error) {
		h := x.archives[i]
		row := model.Row{{Value: model.S(h.url), Range: h.span.Range}, {}, {}, {}}
		for k, n := range []model.Node{h.samples, h.size, h.sum} {
			if n.Span != nil {
				row[k+1] = model.Cell{Value: n.Value, Range: n.Range}
			}
		}
		return row, nil
	})
	tab.Columns[0].Fixed = "archives are compared by this name: set it in the tree"
	return tab
}

func fixed(tab *model.Table, why string) {
	for i := range tab.Columns {
		tab.Columns[i].Fixed = why
	}
}

// card names the checksums of whole archives in the index, which a full check compares.
func card(_ context.Context, t *model.Tree) []model.CardLine {
	n := 0
	if x := model.StateOf[*index](t); x != nil {
		for _, h := range x.archives {
			if h.sum.Span != nil {
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	return []model.CardLine{{Label: model.SumsLabel, Text: model.Words("MD5 of %d archives", n)}}
}

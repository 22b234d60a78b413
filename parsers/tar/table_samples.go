package tar

import (
	"context"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// mostExts is the largest number of columns for members in the table of samples.
const mostExts = 32

// extensions are those of the first samples, in order of first appearance.
func (s *shard) extensions(ctx context.Context) (out []string) {
	for i, members := int64(0), 0; i < int64(len(s.samples)) && members < mostLooked; i++ {
		_, list, err := s.parts(ctx, i)
		if err != nil {
			return out
		}
		members += len(list) + 1
		for _, p := range list {
			if !slices.Contains(out, p.ext) && len(out) < mostExts {
				out = append(out, p.ext)
			}
		}
	}
	return out
}

// table has a row per sample: its key, and the length of each of its members.
func (s *shard) table(ctx context.Context) model.Table {
	tab := model.Table{Name: "samples", Title: "samples", Doc: "consecutive members that differ only after the first dot, as webdataset groups them", Rows: int64(len(s.samples)),
		Columns: model.Columns("key utf8, members i64, bytes u64"), Groups: true, Key: []string{"key"}}
	exts := s.extensions(ctx)
	for _, e := range exts {
		tab.Columns = append(tab.Columns, model.Column{Name: "." + e, Type: "u64", Kind: model.Uint, Show: model.ShowSize, Doc: "bytes of the member"})
	}
	tab.Read = model.RowsOf(tab.Rows, func(ctx context.Context, i int64) (model.Row, error) {
		key, list, err := s.parts(ctx, i)
		row := make(model.Row, len(tab.Columns))
		sum := uint64(0)
		for _, p := range list {
			sum += p.size.Value.Uint()
			if k := slices.Index(exts, p.ext); k >= 0 {
				row[3+k] = p.size
				if m := s.members.Child(s.child(p.row)); m != nil {
					row[3+k].Range = model.Range{Space: m.Range.Space, Off: m.Range.Off + tarfile.Block, Len: max(0, m.Range.Len-tarfile.Block)}
				}
			}
		}
		row[0].Value, row[1].Value, row[2].Value = model.S(key), model.I(int64(len(list))), model.U(sum)
		return row, err
	})
	for i := range tab.Columns {
		tab.Columns[i].Fixed = "it is computed from the members"
	}
	return tab
}

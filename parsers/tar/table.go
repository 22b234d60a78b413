package tar

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

var actions = []model.Action{{
	Name: "drop-member", Label: "Drop the member", Doc: "Takes a member with its header out of the archive.",
	On: func(_ *model.Tree, s *model.Span) bool { return memberOf(s) != nil },
	Plan: func(_ context.Context, _ *model.Tree, s *model.Span, _ map[string]string) ([]model.Edit, error) {
		if s = memberOf(s); s == nil {
			return nil, fmt.Errorf("there is no member here")
		}
		return []model.Edit{model.Replace(s.Range, nil)}, nil
	},
}}

// memberOf returns the member that a span is or lies in.
func memberOf(s *model.Span) *model.Span {
	for ; s != nil; s = s.Parent() {
		if s.Field == member {
			return s
		}
	}
	return nil
}

func tables(ctx context.Context, t *model.Tree) []model.Table {
	f := model.StateOf[*file](t)
	if f == nil || f.members == nil {
		return nil
	}
	tab := model.Table{Name: "members", Title: "members", Doc: "the chain of members", Columns: model.Columns("name utf8, type utf8, size u64, mtime u64, offset u64")}
	if t.Open(ctx, f.members) == nil {
		tab.Rows = f.members.Count()
	}
	tab.Read = model.RowsOf(tab.Rows, func(ctx context.Context, i int64) (model.Row, error) {
		s := f.members.Child(i)
		b, err := t.Bytes(ctx, model.Range{Space: s.Range.Space, Off: s.Range.Off, Len: min(s.Range.Len, tarfile.Block)})
		if err != nil {
			return nil, err
		}
		if !tarfile.IsHeader(b) {
			return model.Row{{Trouble: "no header"}, {}, {}, {}, {Value: model.U(uint64(s.Range.Off))}}, nil
		}
		at := func(off, n int64) model.Range {
			return model.Range{Space: s.Range.Space, Off: s.Range.Off + off, Len: n}
		}
		h := tarfile.Parse(b)
		when, _, _ := tarfile.Octal(12).Decode(b[136:])
		row := model.Row{{Value: model.S(h.Name), Range: at(0, 100)}, {Value: model.S(string(rune(h.Typ))), Label: types[string(rune(h.Typ))], Range: at(156, 1)},
			{Range: at(124, 12)}, {Value: when, Range: at(136, 12)}, {Value: model.U(uint64(s.Range.Off))}}
		if h.Size >= 0 {
			row[2].Value = model.U(uint64(h.Size))
		}
		return row, nil
	})
	return []model.Table{tab}
}

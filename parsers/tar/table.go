package tar

import (
	"context"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

var actions = []model.Action{{
	Name: "drop-member", Removes: true, Label: "Remove the member", Doc: "Removes a member from the archive, with its header and any extension headers before it.",
	On: func(_ *model.Tree, s *model.Span) bool { return memberOf(s) != nil },
	Plan: func(ctx context.Context, t *model.Tree, s *model.Span, _ map[string]string) ([]model.Edit, error) {
		if s = memberOf(s); s == nil {
			return nil, fmt.Errorf("there is no member here")
		}
		all := s.Range
		if f, k := model.StateOf[*file](t), s.Index(); f != nil {
			if err := f.needed(ctx, t, k); err != nil {
				return nil, err
			}
			for _, at := range slices.Backward(f.before(k)) {
				r := f.members.Child(at).Range
				typ, err := t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off + 156, Len: 1})
				if err != nil || typ[0] == 'g' {
					break // records for all members
				}
				all.Off = r.Off
			}
		}
		all.Len = s.Range.End() - all.Off
		return []model.Edit{model.Replace(all, nil)}, nil
	},
}}

// needed says why child k of the chain cannot be removed: others need it.
func (f *file) needed(ctx context.Context, t *model.Tree, k int64) error {
	helpers, is := slices.BinarySearch(f.helpers, k)
	if is {
		return fmt.Errorf("this header describes the member after it: remove that one")
	}
	i := k - int64(helpers)
	own, err := f.row(ctx, t, i)
	for i++; i < f.number() && err == nil; i++ {
		var row model.Row
		if row, err = f.row(ctx, t, i); err == nil && row[1].Value.Text() == "1" && row[6].Value.Text() == own[0].Value.Text() {
			return fmt.Errorf("%s is a hard link to it, and has no content of its own", row[0].Value.Text())
		}
	}
	return err
}

// memberOf returns the member that contains a span.
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
	tab := model.Table{Name: "members", Title: "members", Doc: "the members with the names and sizes from their extension headers",
		Columns: model.Columns("name utf8, type utf8, size u64, mtime i64, offset u64, stored u64, link utf8")}
	if t.Open(ctx, f.members) == nil {
		tab.Rows = f.number()
	}
	tab.Read = model.RowsOf(tab.Rows, func(ctx context.Context, i int64) (model.Row, error) { return f.row(ctx, t, i) })
	tab.Key = []string{"name"}
	tab.Stored("offset", "stored")
	tab.Payload = func(ctx context.Context, i int64) (model.Range, bool) {
		s := f.members.Child(f.child(i))
		row, err := f.row(ctx, t, i)
		if err != nil || s == nil || row[5].Value.Kind == model.None {
			return model.Range{}, false
		}
		n := min(row[5].Value.Int(), s.Range.Len-tarfile.Block)
		return model.Range{Space: s.Range.Space, Off: s.Range.Off + tarfile.Block, Len: max(0, n)}, true
	}
	out := []model.Table{tab}
	if f.samples != nil {
		out = append(out, (&shard{f, t}).table(ctx))
	}
	return out
}

package tar

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

var actions = []model.Action{{
	Name: "drop-member", Label: "Drop the member", Doc: "Takes a member out of the archive, with its header and those in front that are for it.",
	On: func(_ *model.Tree, s *model.Span) bool { return memberOf(s) != nil },
	Plan: func(ctx context.Context, t *model.Tree, s *model.Span, _ map[string]string) ([]model.Edit, error) {
		if s = memberOf(s); s == nil {
			return nil, fmt.Errorf("there is no member here")
		}
		all := s.Range
		if f, k := model.StateOf[*file](t), s.Index(); f != nil {
			for _, at := range slices.Backward(f.before(k)) {
				r := f.members.Child(at).Range
				typ, err := t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off + 156, Len: 1})
				if err != nil || typ[0] == 'g' {
					break // records for all
				}
				all.Off = r.Off
			}
		}
		all.Len = s.Range.End() - all.Off
		return []model.Edit{model.Replace(all, nil)}, nil
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
	tab := model.Table{Name: "members", Title: "members", Doc: "the members by their real names and sizes, as the headers in front of them say",
		Columns: model.Columns("name utf8, type utf8, size u64, mtime i64, offset u64, stored u64, link utf8")}
	if t.Open(ctx, f.members) == nil {
		tab.Rows = max(0, f.members.Count()-int64(len(f.helpers)))
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

// child is which child of the chain member i is: helper headers are none.
func (f *file) child(i int64) int64 {
	return i + int64(sort.Search(len(f.helpers), func(k int) bool { return f.helpers[k]-int64(k) > i }))
}

// before lists the helper headers in front of child k of the chain, which are for it; none are for one of them.
func (f *file) before(k int64) []int64 {
	last, is := slices.BinarySearch(f.helpers, k)
	if is {
		return nil
	}
	first := last
	for first > 0 && f.helpers[first-1] == k-int64(last-first)-1 && last-first < mostHelpers {
		first--
	}
	return f.helpers[first:last]
}

// describe reads the helper headers in front of child k of the chain.
func (f *file) describe(ctx context.Context, t *model.Tree, k int64) (d described, err error) {
	d = undescribed()
	for _, at := range f.before(k) {
		r := f.members.Child(at).Range
		r.Len = min(r.Len, tarfile.Block+mostHelper)
		b, err := t.Bytes(ctx, r)
		if err != nil {
			return d, err
		}
		if !tarfile.IsHeader(b) {
			continue
		}
		h := tarfile.Parse(b)
		d.add(h, b[tarfile.Block:][:max(0, min(h.Size, int64(len(b))-tarfile.Block))])
	}
	return d, nil
}

// mostHelpers is how many helper headers in front of a member are read.
const mostHelpers = 16

// row is member i as readers see it.
func (f *file) row(ctx context.Context, t *model.Tree, i int64) (model.Row, error) {
	k := f.child(i)
	s := f.members.Child(k)
	b, err := t.Bytes(ctx, model.Range{Space: s.Range.Space, Off: s.Range.Off, Len: min(s.Range.Len, tarfile.Block)})
	if err != nil {
		return nil, err
	}
	if !tarfile.IsHeader(b) {
		return model.Row{{Trouble: "no header"}, {}, {}, {}, {Value: model.U(uint64(s.Range.Off))}, {}, {}}, nil
	}
	d, err := f.describe(ctx, t, k)
	if err != nil {
		return nil, err
	}
	at := func(off, n int64) model.Range {
		return model.Range{Space: s.Range.Space, Off: s.Range.Off + off, Len: n}
	}
	h := tarfile.Parse(b)
	typ := string(rune(h.Typ))
	row := model.Row{{}, {Value: model.S(typ), Label: types[typ], Range: at(156, 1)}, {}, {}, {Value: model.U(uint64(s.Range.Off))}, {}, {}}
	name, own := d.name(b, h)
	if row[0].Value = model.S(name); own {
		row[0].Range = at(0, 100)
	}
	stored := h.Size
	if d.size >= 0 {
		stored = d.size
	} else {
		row[2].Range, row[5].Range = at(124, 12), at(124, 12)
	}
	size := stored
	if n, ok := tarfile.RealSize(b); ok {
		size, row[2].Range = n, at(483, 12)
	} else if d.real >= 0 {
		size, row[2].Range = d.real, model.Range{}
	}
	if stored >= 0 {
		row[2].Value, row[5].Value = model.U(uint64(size)), model.U(uint64(stored))
	}
	if whole, _, _ := strings.Cut(d.mtime, "."); d.mtime != "" {
		if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
			row[3].Value = model.I(n)
		}
	} else if n, ok := tarfile.Signed(b[136:148]); ok {
		row[3] = model.Cell{Value: model.I(n), Range: at(136, 12)}
	}
	if link, _, _ := bytes.Cut(b[157:257], []byte{0}); d.link != "" {
		row[6].Value = model.S(d.link)
	} else if h.Typ == '1' || h.Typ == '2' {
		row[6] = model.Cell{Value: model.S(strings.ToValidUTF8(string(link), "\uFFFD")), Range: at(157, 100)}
	}
	return row, nil
}

package tar

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

const (
	mostExts   = 32  // columns of the table of samples
	mostLooked = 200 // members from which the columns come, and samples that are compared with each other
	mostSplit  = 20  // samples that are reported
)

// shard is an archive that is a part of a data set in the convention of webdataset: members that follow each other and differ behind the first
// dot of their names only are one sample.
type shard struct {
	*file
	t *model.Tree
}

// part is a member of a sample.
type part struct {
	ext  string
	row  int64
	size model.Cell
}

// parts are the key of sample i and its members.
func (s *shard) parts(ctx context.Context, i int64) (key string, out []part, err error) {
	from, to := s.samples[i].row, s.members.Count()-int64(len(s.helpers))
	if i+1 < int64(len(s.samples)) {
		to = s.samples[i+1].row
	}
	for k := from; k < min(to, from+mostOfSample); k++ {
		row, err := s.row(ctx, s.t, k)
		if err != nil {
			return "", nil, err
		}
		m := sampleName.FindStringSubmatch(row[0].Value.Text())
		if m == nil || row[1].Value.Text() != "0" && row[1].Value.Text() != "\x00" {
			continue
		}
		if key == "" {
			key = m[1]
		}
		if m[1] == key {
			out = append(out, part{strings.ToLower(m[2]), k, row[2]})
		}
	}
	return key, out, nil
}

// extensions are those of the first samples, in the order in which they come.
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

// table is a row a sample: its key, and how long each of its members is.
func (s *shard) table(ctx context.Context) model.Table {
	tab := model.Table{Name: "samples", Title: "samples", Doc: "members that follow each other and differ behind the first dot only, as webdataset puts them together", Rows: int64(len(s.samples)),
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
		tab.Columns[i].Fixed = "it follows from the members"
	}
	return tab
}

// alike tells whether most samples have the same members: then the archive surely is a shard, and no folder of other files.
func (s *shard) alike(ctx context.Context) (bool, error) {
	n := min(int64(len(s.samples)), mostLooked)
	count := map[string]int64{}
	for i := range n {
		_, list, err := s.parts(ctx, i*int64(len(s.samples))/n)
		if err != nil {
			return false, err
		}
		var exts []string
		for _, p := range list {
			exts = append(exts, p.ext)
		}
		slices.Sort(exts)
		if len(exts) > 1 {
			count[strings.Join(exts, " ")]++
		}
	}
	return n > 2 && slices.Max(append(slices.Collect(maps.Values(count)), 0))*5 >= n*3, nil
}

// split reports the samples whose members stand in several places.
func (s *shard) split(ctx context.Context, p *model.Probe) error {
	order := make([]int64, len(s.samples))
	for i := range order {
		order[i] = int64(i)
	}
	slices.SortFunc(order, func(a, b int64) int {
		return cmp.Or(cmp.Compare(s.samples[a].key, s.samples[b].key), cmp.Compare(a, b))
	})
	told := 0
	for k := 1; k < len(order) && told < mostSplit; k++ {
		a, b := order[k-1], order[k]
		if s.samples[a].key != s.samples[b].key {
			continue
		}
		if told == 0 {
			if alike, err := s.alike(ctx); err != nil || !alike {
				return err
			}
		}
		first, _, err := s.parts(ctx, a)
		if err != nil {
			return err
		}
		again, list, err := s.parts(ctx, b)
		if err != nil {
			return err
		}
		if first != again || len(list) == 0 {
			continue
		}
		told++
		member := s.members.Child(s.child(list[0].row))
		p.Wrong(splitSample, member, again+"."+list[0].ext, model.Words("a place beside the other members of %s", first))
	}
	return ctx.Err()
}

package tar

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"spandrel/model"
)

const (
	mostLooked = 200 // members that determine the columns of the table of samples, and samples that are compared
	mostSplit  = 20  // samples that are reported
)

// deep reads the members, which reports their problems.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	f := model.StateOf[*file](t)
	if f == nil || f.members == nil {
		return nil
	}
	if err := t.Open(ctx, f.members); err != nil || f.samples == nil {
		return err
	}
	return (&shard{f, t}).split(ctx, p)
}

// shard is an archive that is part of a dataset by the convention of webdataset: consecutive members whose names differ only after the first
// dot are one sample.
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

// sampleOf is the key of the sample that a member belongs to, and its extension; "" for none.
func sampleOf(member model.Row) (key, ext string) {
	m := sampleName.FindStringSubmatch(member[0].Value.Text())
	if typ := member[1].Value.Text(); m == nil || typ != "0" && typ != "\x00" {
		return "", ""
	}
	return m[1], m[2]
}

// parts are the key of sample i and its members.
func (s *shard) parts(ctx context.Context, i int64) (key string, out []part, err error) {
	from, to := s.samples[i].row, s.number()
	if i+1 < int64(len(s.samples)) {
		to = s.samples[i+1].row
	}
	for k := from; k < min(to, from+mostOfSample); k++ {
		row, err := s.row(ctx, s.t, k)
		if err != nil {
			return "", nil, err
		}
		of, ext := sampleOf(row)
		if key = cmp.Or(key, of); of != "" && of == key {
			out = append(out, part{strings.ToLower(ext), k, row[2]})
		}
	}
	return key, out, nil
}

// alike tells whether most samples have the same members: then the archive is certainly a shard, and not an ordinary folder.
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

// split reports the samples whose members are in several places.
func (s *shard) split(ctx context.Context, p *model.Probe) error {
	order := model.Indices(len(s.samples))
	slices.SortFunc(order, func(a, b int) int {
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
		first, _, err := s.parts(ctx, int64(a))
		again, list, other := s.parts(ctx, int64(b))
		switch err := cmp.Or(err, other); {
		case err != nil:
			return err
		case first == again && len(list) > 0:
			told++
			member := s.members.Child(s.child(list[0].row))
			p.Wrong(splitSample, member, again+"."+list[0].ext, model.Words("a place next to the other members of %s", first))
		}
	}
	return ctx.Err()
}

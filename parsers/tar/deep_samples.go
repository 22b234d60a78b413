package tar

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"spandrel/model"
)

const (
	mostLooked = 200 // members that determine the columns of the table of samples, and samples that are compared
	mostSplit  = 20  // samples that are reported
	leastAlike = 20  // of so many samples, all but one must have the same members for the other to lack some
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

// usual is what extensions most samples have, as their sum, and how many samples do.
func (s *shard) usual() (exts uint64, n int) {
	count := map[uint64]int{}
	for _, b := range s.samples {
		if count[b.exts]++; b.several && count[b.exts] > n {
			exts, n = b.exts, count[b.exts]
		}
	}
	return exts, n
}

// lacking reports the few samples without a member that nearly all have.
func (s *shard) lacking(ctx context.Context, p *model.Probe) error {
	exts, n := s.usual()
	if few := len(s.samples) - n; few == 0 || few*leastAlike > len(s.samples) || len(s.beside) > 0 || s.lost {
		return nil
	}
	_, usual, err := s.parts(ctx, int64(slices.IndexFunc(s.samples, func(b begin) bool { return b.exts == exts })))
	var names []string
	first := int64(-1)
	for i, b := range s.samples {
		if b.exts == exts || err != nil {
			continue
		}
		var key string
		var has []part
		key, has, err = s.parts(ctx, int64(i))
		lacks := slices.DeleteFunc(slices.Clone(usual), func(u part) bool { return slices.ContainsFunc(has, func(h part) bool { return h.ext == u.ext }) })
		if len(lacks) == len(usual) || len(has)+len(lacks) > len(usual) {
			continue // it is another kind of sample
		}
		for _, u := range lacks {
			names = append(names, key+"."+u.ext)
		}
		if first < 0 {
			first = s.child(b.row)
		}
	}
	if len(names) > 0 {
		p.Wrong(lacking, s.members.Child(first), nil, nil, model.Saying("%d members are missing that %s of %s samples have: %s", len(names),
			model.Thousands(int64(n)), model.Thousands(int64(len(s.samples))), model.Few(names, mostSplit)))
	}
	return err
}

// split reports the samples whose members are in several places.
func (s *shard) split(ctx context.Context, p *model.Probe) error {
	order := model.Indices(len(s.samples))
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.samples[a].key, s.samples[b].key), cmp.Compare(a, b))
	})
	told, split := 0, false
	for k := 1; k < len(order) && told < mostSplit; k++ {
		a, b := order[k-1], order[k]
		if s.samples[a].key != s.samples[b].key {
			continue
		}
		if _, usual := s.usual(); told == 0 && (len(s.samples) < 3 || usual*5 < len(s.samples)*3) {
			return nil // not a shard, but an ordinary folder
		}
		first, before, err := s.parts(ctx, int64(a))
		again, list, other := s.parts(ctx, int64(b))
		switch err := cmp.Or(err, other); {
		case err != nil:
			return err
		case first == again && len(list) > 0:
			told++
			member := s.members.Child(s.child(list[0].row))
			if copied := (repeated{again, before, list}); len(copied.pairs()) > 0 {
				s.repeats.Store(true)
				p.Wrong(twice, member, again+"."+list[0].ext, "one sample "+first, model.About(copied))
				continue
			}
			split = true
			p.Wrong(splitSample, member, again+"."+list[0].ext, model.Words("a place next to the other members of %s", first))
		}
	}
	if split {
		return ctx.Err()
	}
	return s.lacking(ctx, p)
}

// repeated is a sample that is in the archive twice: the members of both.
type repeated struct {
	key           string
	first, second []part
}

// pairs are the members of the second that are in the first too, after those.
func (r repeated) pairs() (out [][2]part) {
	for _, b := range r.second {
		if i := slices.IndexFunc(r.first, func(a part) bool { return a.ext == b.ext }); i >= 0 {
			out = append(out, [2]part{r.first[i], b})
		}
	}
	return out
}

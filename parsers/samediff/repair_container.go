package samediff

import (
	"cmp"
	"context"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
)

// fixes offers repairs of a container as a whole: another layout, or its sections in order.
func (k *container) fixes(f *model.Finding) []model.Fix {
	if f.Rule == sectionOrder {
		return []model.Fix{k.reorder()}
	}
	return []model.Fix{later("rewrite in the usual layout", false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return normalise(ctx, t, nil, nil)
	})}
}

// fixes offers what helps a section.
func (s *section) fixes(f *model.Finding) []model.Fix {
	switch f.Rule {
	case noChecksum:
		return []model.Fix{later("add a checksum", true, s.addCRC)}
	case oddFraming:
		return []model.Fix{later("add zlib framing to the stream", true, s.rewrap)}
	}
	return []model.Fix{later("store the section uncompressed", f.Rule == headerCompressed, s.store)}
}

// rewrap adds zlib framing to the stream of a section.
func (s *section) rewrap(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
	plain, err := s.plain(ctx, t)
	if err != nil {
		return nil, err
	}
	z, err := inflate.Deflate(inflate.Zlib, usualLevel, plain)
	return []model.Edit{model.Replace(s.data.Range, z)}, err
}

// reorder sorts the sections into the order of section 2.1 (H-28), keeping those of unknown types after their predecessors.
func (k *container) reorder() model.Fix {
	return model.Fix{Label: "put the sections in order", Safe: true, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		order, as := slices.Clone(k.sections), map[*section]uint32{}
		for i, s := range order {
			if as[s] = s.rec.typ; s.rec.typ > shardInfo && i > 0 {
				as[s] = as[order[i-1]]
			}
		}
		slices.SortStableFunc(order, func(a, b *section) int { return cmp.Compare(as[a], as[b]) })
		out := &model.Joined{}
		for _, s := range order {
			out.Add(t.Slice(ctx, s.span.Range))
		}
		at := k.sections[0].span.Range
		at.Len = k.sections[len(k.sections)-1].span.Range.End() - at.Off
		return []model.Edit{model.Splice{Range: at, With: out, Loose: true}}, nil
	}}
}

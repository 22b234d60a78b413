package samediff

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
)

// fixes offers repairs of a container as a whole: another layout, its sections in order, or without one.
func (k *container) fixes(f *model.Finding) []model.Fix {
	switch f.Rule {
	case sectionOrder:
		return []model.Fix{k.reorder()}
	case oddMagic, littleContainer, oddRecords:
		return []model.Fix{later("rewrite in the usual layout", false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
			return normalise(ctx, t, nil, nil)
		})}
	case onlyShard:
		return []model.Fix{later("remove the section", true, func(context.Context, *model.Tree) ([]model.Edit, error) {
			for _, s := range k.sections {
				if s.rec.typ == shardInfo {
					return []model.Edit{model.Replace(s.span.Range, nil)}, nil
				}
			}
			return nil, errNoSection
		})}
	}
	return nil
}

// fixes offers what helps a section.
func (s *section) fixes(f *model.Finding) []model.Fix {
	store := func(label string, safe bool) []model.Fix {
		return []model.Fix{later(label, safe, s.store)}
	}
	switch f.Rule {
	case sectionTwice:
		return []model.Fix{{Label: "remove the second one", Loses: model.Words("the second section, of %s bytes", model.Thousands(s.rec.size)),
			Edits: []model.Edit{model.Replace(s.span.Range, nil)}}}
	case noChecksum:
		return []model.Fix{later("add a checksum", true, s.addCRC)}
	case oddFraming:
		return []model.Fix{later("add zlib framing to the stream", true, s.rewrap)}
	case headerCompressed:
		return store("store the section uncompressed", true)
	case arraysCompressed, inflatesTooFar:
		return store("store the section uncompressed", false)
	}
	return nil
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

// fixes offers to end the record where the file does, if what exists can be read on its own.
func (x cutRecord) fixes(*model.Finding) []model.Fix {
	k := x.k
	if k.layout.code != "R1" || x.typ > shardInfo {
		return nil
	}
	size := x.at.Len - x.head
	label := model.Words("end the section after the %s existing bytes", model.Thousands(size))
	loses := model.Words("the rest of the section, which had %s bytes", model.Thousands(int64(min(x.declared, 1<<62))))
	if x.declared <= uint64(size) { // only the checksum is missing
		label, loses, size = "write the truncated checksum", "", int64(x.declared)
	}
	return []model.Fix{{Label: label, Loses: loses, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		b, err := t.Bytes(ctx, model.Range{Space: x.at.Space, Off: x.at.Off + x.head, Len: size})
		if err != nil {
			return nil, err
		}
		if loses != "" && (x.flags&15 != 0 || !decodes(x.typ, b)) {
			return nil, fmt.Errorf("the rest of the section cannot be read on its own")
		}
		return []model.Edit{model.Splice{Range: x.at, With: k.writeRecord(byte(x.typ), x.flags, b), Loose: true}}, nil
	}}}
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

// fixes offers to unpack a file from gzip.
func (x wrapper) fixes(*model.Finding) []model.Fix {
	return []model.Fix{later("unpack the file from its wrapper", false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		plain := t.Slice(ctx, x.inner.at)
		if err := t.Space(x.inner.at.Space).Fault(); err != nil {
			return nil, err
		}
		if x.outer.file != x.inner.file {
			return []model.Edit{model.FileEdit{File: x.inner.file, Create: plain}}, nil
		}
		return []model.Edit{model.Splice{Range: x.raw.Range, With: plain}}, nil
	})}
}

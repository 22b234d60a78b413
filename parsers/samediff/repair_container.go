package samediff

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
)

// offering is what a finding carries for a repair that is made on demand.
func offering(label string, safe bool, edits planned) model.Detail {
	return model.About([]model.Fix{later(label, safe, edits)})
}

// usualLayout offers to rewrite a container in the usual layout.
func usualLayout() model.Detail {
	return offering("rewrite in the usual layout", false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return normalise(ctx, t, nil, nil)
	})
}

// unsharded removes the shard information.
func (k *container) unsharded(context.Context, *model.Tree) ([]model.Edit, error) {
	for _, s := range k.sections {
		if s.rec.typ == shardInfo {
			return []model.Edit{model.Replace(s.span.Range, nil)}, nil
		}
	}
	return nil, errNoSection
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

// endRecord offers to end a record where the file does, if what exists can be read on its own: at is its place, declared the stated length.
func (k *container) endRecord(at model.Range, r *record, declared uint64) []model.Fix {
	if k.layout.code != "R1" || r.typ > shardInfo {
		return nil
	}
	typ, flags, size := r.typ, r.flags, at.Len-k.layout.head
	label := model.Words("end the section after the %s existing bytes", model.Thousands(size))
	loses := model.Words("the rest of the section, which had %s bytes", model.Thousands(int64(min(declared, 1<<62))))
	if declared <= uint64(size) { // only the checksum is missing
		label, loses, size = "write the truncated checksum", "", int64(declared)
	}
	return []model.Fix{{Label: label, Loses: loses, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		b, err := t.Bytes(ctx, model.Range{Space: at.Space, Off: at.Off + k.layout.head, Len: size})
		if err != nil {
			return nil, err
		}
		if loses != "" && (flags&15 != 0 || !decodes(typ, b)) {
			return nil, fmt.Errorf("the rest of the section cannot be read on its own")
		}
		return []model.Edit{model.Splice{Range: at, With: k.writeRecord(byte(typ), flags, b), Loose: true}}, nil
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

// unwrapped offers to unpack a file from gzip; outer is the file that contains it, as raw.
func (d *doc) unwrapped(outer *doc, raw model.Node) []model.Fix {
	return []model.Fix{later("unpack the file from its wrapper", false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		plain := t.Slice(ctx, d.at)
		if err := t.Space(d.at.Space).Fault(); err != nil {
			return nil, err
		}
		if outer.file != d.file {
			return []model.Edit{model.FileEdit{File: d.file, Create: plain}}, nil
		}
		return []model.Edit{model.Splice{Range: raw.Range, With: plain}}, nil
	})}
}

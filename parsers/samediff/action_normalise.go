package samediff

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/samediff/flat"
)

// normalise rewrites a container in the layout of profile P1 (section 5.1, W3): what its sections hold stays.
func normalise(ctx context.Context, t *model.Tree, _ *model.Span, _ map[string]string) ([]model.Edit, error) {
	d := main(t)
	k := d.con
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	x := &boxed{ctx: ctx, t: t}
	for _, s := range k.sections {
		if s.rec.typ == header {
			continue // rewritten
		}
		code, data, err := k.normal(ctx, t, s)
		if err != nil {
			return nil, err
		}
		x.record(byte(s.rec.typ), code, data)
	}
	f, err := x.file()
	return []model.Edit{model.FileEdit{File: d.file, Create: f}}, err
}

// normal returns the payload of a section as profile P1 has it, and its compression.
func (k *container) normal(ctx context.Context, t *model.Tree, s *section) (code byte, data model.Source, err error) {
	code = s.rec.code()
	indexed := s.arrays != nil && s.arrays.region >= 0 && k.order == binary.LittleEndian
	var plain []byte
	switch {
	case code > 1 || s.variant == opaque:
	case s.variant == "list":
		list, err := k.listed(ctx, t, s)
		if err == nil {
			data, err = arraysPayload(ctx, t, list, binary.BigEndian)
		}
		return 0, data, err
	case s.rec.typ == metadata && s.variant != "":
		plain = flatMetadata(merge(k.metadataMap(), nil))
	case s.rec.typ == shardInfo && s.variant != "" && k.shard != nil:
		plain = flatShardInfo(*k.shard)
	case indexed || s.variant == "prefix8" || s.variant == "prefix4":
		if plain, err = s.plain(ctx, t); err != nil {
			return 0, nil, err
		}
		if indexed {
			slices.Reverse(plain[:8])
		} else {
			plain = plain[s.variant[6]-'0':]
		}
	}
	if plain == nil {
		return code, t.Slice(ctx, s.data.Range), nil
	}
	if s.derived {
		plain, err = inflate.Deflate(inflate.Zlib, 6, plain)
	}
	return code, model.Memory(plain), err
}

// plain is the payload of a section, inflated.
func (s *section) plain(ctx context.Context, t *model.Tree) ([]byte, error) {
	b, err := t.Bytes(ctx, s.data.Range)
	if err != nil || !s.derived {
		return b, err
	}
	return inflate.All(ctx, inflate.FramingOf(b), b, min(int64(len(b))*maxRatio, model.DecodeLimit(int64(len(b)))))
}

// listed returns the arrays of an ARRAYS section that is a list of them.
func (k *container) listed(ctx context.Context, t *model.Tree, s *section) (list []*data, err error) {
	for _, p := range k.doc.flats {
		if p.section != s || err != nil {
			continue
		}
		err = p.view(ctx, t, func(b flat.Buffer) error {
			a := p.data(b, b.Root(), p.owner, "section")
			if a == nil {
				return fmt.Errorf("%s cannot be read: repair it first", p.owner)
			}
			list = append(list, a)
			return nil
		})
	}
	return list, err
}

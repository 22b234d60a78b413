package samediff

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/samediff/flat"
)

// sectionOf returns the section that contains a span.
func sectionOf(t *model.Tree, s *model.Span) *section {
	k := main(t).con
	if k == nil {
		return nil
	}
	for up := s; up != nil; up = up.Parent() {
		for _, sec := range k.sections {
			if sec.span == up {
				return sec
			}
		}
	}
	return nil
}

func onSection(ok func(*section) bool) func(t *model.Tree, s *model.Span) bool {
	return func(t *model.Tree, s *model.Span) bool {
		sec := sectionOf(t, s)
		return sec != nil && sec.flags.Span != nil && ok(sec)
	}
}

var errNoSection = errors.New("not inside a section")

// inSection makes the plan of an action from its effect on the section around the requested place.
func inSection(effect func(s *section, args map[string]string) planned) func(context.Context, *model.Tree, *model.Span, map[string]string) ([]model.Edit, error) {
	return func(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
		if sec := sectionOf(t, s); sec != nil {
			return effect(sec, args)(ctx, t)
		}
		return nil, errNoSection
	}
}

// compress deflates a section.
func (s *section) compress(args map[string]string) planned {
	return func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		level, err := strconv.Atoi(args["level"])
		if err != nil || level < 0 || level > 9 {
			return nil, fmt.Errorf("the level is a number from 0 to 9, not %q", args["level"])
		}
		plain, err := t.Bytes(ctx, s.data.Range)
		if err != nil {
			return nil, err
		}
		z, err := inflate.Deflate(inflate.Zlib, level, plain)
		if int64(len(z))*maxRatio < int64(len(plain)) && err == nil {
			err = fmt.Errorf("%d bytes would shrink to %d: readers reject a ratio above %d", len(plain), len(z), maxRatio)
		}
		return []model.Edit{model.Replace(s.data.Range, z), s.flag(0, 1)}, err
	}
}

// flag is the edit that clears and sets bits in the flags of a record.
func (s *section) flag(out, in byte) model.Edit {
	return model.SetValue(s.flags.Span, model.U(uint64(s.rec.flags&^out|in)))
}

// store stores a section uncompressed, whatever its ratio; a decompression bomb stays compressed.
func (s *section) store(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
	z, err := t.Bytes(ctx, s.data.Range)
	if err != nil {
		return nil, err
	}
	plain, err := inflate.All(ctx, inflate.FramingOf(z), z, min(flat.MaxSize, model.DecodeLimit(int64(len(z)))))
	return []model.Edit{model.Replace(s.data.Range, plain), s.flag(15, 0)}, err
}

// addCRC sets the flag and puts the CRC after the data.
func (s *section) addCRC(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
	h := model.CRC32.New()
	r := s.data.Range
	if err := t.Stream(ctx, r, 1<<20, func(_ int64, b []byte) error { h.Write(b); return nil }); err != nil {
		return nil, err
	}
	sum := make([]byte, 4)
	s.con.order.PutUint32(sum, uint32(model.CRC32.Value(h).Uint()))
	return []model.Edit{s.flag(0, 0x80),
		model.Splice{Range: model.Range{Space: r.Space, Off: r.End()}, With: model.Memory(sum), Into: s.span.Path()}}, nil
}

// dropCRC removes the CRC and its flag.
func (s *section) dropCRC(context.Context, *model.Tree) ([]model.Edit, error) {
	return []model.Edit{s.flag(0x80, 0), model.Replace(s.sum.Range, nil)}, nil
}

// normalise rewrites a container in the layout of profile P1 (section 5.1, W3): the content of its sections stays. It refuses what a new header
// would hide.
func normalise(ctx context.Context, t *model.Tree, _ *model.Span, _ map[string]string) ([]model.Edit, error) {
	d := main(t)
	k := d.con
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	if err := undamaged(ctx, t); err != nil {
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

// normal returns the payload of a section according to profile P1, and its compression.
func (k *container) normal(ctx context.Context, t *model.Tree, s *section) (code byte, data model.Source, err error) {
	code = s.rec.code()
	indexed := s.arrays != nil && s.arrays.region >= 0 && k.order == binary.LittleEndian
	var plain []byte
	switch {
	case code > 1 || s.variant == opaque:
	case s.variant == "list":
		list, err := s.list(ctx, t)
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
		plain, err = inflate.Deflate(inflate.Zlib, usualLevel, plain)
	}
	return code, model.Memory(plain), err
}

// usualLevel is the compression level if nothing indicates another.
const usualLevel = 6

// plain is the payload of a section, inflated.
func (s *section) plain(ctx context.Context, t *model.Tree) ([]byte, error) {
	b, err := t.Bytes(ctx, s.data.Range)
	if err != nil || !s.derived {
		return b, err
	}
	return inflate.All(ctx, inflate.FramingOf(b), b, min(int64(len(b))*maxRatio, model.DecodeLimit(int64(len(b)))))
}

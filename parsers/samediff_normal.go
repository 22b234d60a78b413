package parsers

import (
	"encoding/binary"

	"spandrel/model"
)

// sdToNormal is the fix of what differs from profile P1.
var sdToNormal = []model.Fix{{Label: "rewrite in the layout of profile P1", Build: func(t *model.Tree) ([]model.Edit, error) {
	return sdNormalise(sdBackground, t, nil, nil)
}}}

// sdNormalise rewrites a container in the layout of profile P1 (section 5.1, W3): what its sections hold stays.
func sdNormalise(ctx sdCtx, t *model.Tree, _ *model.Span, _ map[string]string) ([]model.Edit, error) {
	d := sdMain(t)
	k := d.con
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	x := &sdBoxed{ctx: ctx}
	for _, s := range k.sections {
		if s.rec.typ == sdHeader {
			continue // written anew
		}
		code, data, err := k.normal(ctx, t, s)
		if err != nil {
			return nil, err
		}
		if err := x.record(byte(s.rec.typ), code, data); err != nil {
			return nil, err
		}
	}
	f, err := x.file()
	return []model.Edit{{File: d.file, Create: f}}, err
}

// normal returns the payload of a section as profile P1 has it, and its compression.
func (k *sdContainer) normal(ctx sdCtx, t *model.Tree, s *sdSection) (code byte, data model.Source, err error) {
	data, err = sdSource(ctx, t, s.data.Range)
	if s.rec.code() > 1 || err != nil {
		return s.rec.code(), data, err
	}
	swap := k.order == binary.LittleEndian && s.rec.typ == sdArraysType && s.arrays != nil && s.arrays.region >= 0
	prefix := s.variant == "prefix8" || s.variant == "prefix4"
	meta := s.rec.typ == sdMetadata && s.variant != "" && s.variant != sdOpaque
	if !swap && !prefix && !meta {
		return s.rec.code(), data, nil
	}
	plain, err := t.Bytes(ctx, s.data.Range)
	if err == nil && s.derived {
		plain, err = sdInflateAll(ctx, sdFraming(plain), plain, int64(len(plain))*sdMaxRatio)
	}
	if err != nil {
		return 0, nil, err
	}
	switch {
	case swap:
		sdReverse(plain[:8])
	case s.variant == "prefix8":
		plain = plain[8:]
	case prefix:
		plain = plain[4:]
	case meta:
		m := map[string]string{}
		for _, e := range k.meta.entries {
			m[e.key] = e.value
		}
		keys, values := sdMerge(m, nil)
		plain = sdFlatMetadata(keys, values)
	}
	if s.derived {
		plain, err = sdDeflate("zlib", 6, plain)
	}
	return s.rec.code(), model.Memory(plain), err
}

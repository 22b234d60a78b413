package samediff

import (
	"context"
	"math/bits"

	"spandrel/model"
)

// resumming offers to write a checksum where the checksum itself must be what is damaged: all but one byte of it agree, its bytes are
// turned around, or the one over all sections says that the bytes are right.
func resumming(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	if f.Span == nil || f.Want.Kind == model.None {
		return nil
	}
	v, err := t.Value(ctx, f.Span)
	if err != nil {
		return nil
	}
	fix := model.SetTo(f.Span, f.Want)
	stored, sum := uint32(v.Uint()), uint32(f.Want.Uint())
	switch {
	case f.Rule == sectionChecksum && main(t).con.wholeAgrees(ctx, t, f.Span):
		fix.Label = "write the checksum: the one over all sections proves the bytes right"
	case blemished(stored, sum):
		fix.Label = "write the checksum: only part of it differs, so it is what is damaged"
	default:
		return nil
	}
	return []model.Fix{fix}
}

// blemished tells whether a checksum differs from another in one byte, or by its byte order. Damaged bytes would change all of it.
func blemished(a, b uint32) bool {
	d := a ^ b
	one := d&0xff == d || d&0xff00 == d || d&0xff0000 == d || d&0xff000000 == d
	return one || a == bits.ReverseBytes32(b) || a-b+1 <= 2
}

// wholeAgrees tells whether the checksum over all sections is that of their bytes, and covers the section that a checksum belongs to.
func (k *container) wholeAgrees(ctx context.Context, t *model.Tree, sum *model.Span) bool {
	if k == nil || k.header == nil {
		return false
	}
	field := k.header.field(2)
	if field == nil {
		return false
	}
	stored, err := t.Value(ctx, field)
	if err != nil || stored.Int() == 0 {
		return false
	}
	h := model.CRC32.New()
	covered := false
	for _, s := range k.sections {
		if s.rec.typ == header {
			continue
		}
		covered = covered || s.sum.Span == sum
		if t.Stream(ctx, s.data.Range, 1<<20, func(_ int64, b []byte) error { h.Write(b); return nil }) != nil {
			return false
		}
	}
	return covered && model.CRC32.Value(h).Uint() == stored.Uint()
}

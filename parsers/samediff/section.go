package samediff

import (
	"context"
	"hash/crc32"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/samediff/flat"
)

// flag is the edit that takes bits out of the flags of a record and puts others in.
func (s *section) flag(out, in byte) model.Edit {
	return model.SetValue(s.flags.Span, model.U(uint64(s.rec.flags&^out|in)))
}

// store inflates a section in place, whatever its ratio.
func (s *section) store(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
	z, err := t.Bytes(ctx, s.data.Range)
	if err != nil {
		return nil, err
	}
	plain, err := inflate.Source(ctx, inflate.FramingOf(z), z, flat.MaxSize)
	return []model.Edit{model.Splice{Range: s.data.Range, With: plain}, s.flag(15, 0)}, err
}

// addCRC sets the flag and puts the CRC behind the data.
func (sec *section) addCRC(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
	h := model.CRC32.New()
	r := sec.data.Range
	if err := t.Stream(ctx, r, 1<<20, func(_ int64, b []byte) error { h.Write(b); return nil }); err != nil {
		return nil, err
	}
	sum := make([]byte, 4)
	sec.con.order.PutUint32(sum, uint32(model.CRC32.Value(h).Uint()))
	return []model.Edit{sec.flag(0, 0x80),
		model.Splice{Range: model.Range{Space: r.Space, Off: r.End()}, With: model.Memory(sum), Into: sec.span.Path()}}, nil
}

// section is a record in the tree.
type section struct {
	rec        record
	index      int
	span       *model.Span // the record
	typ, flags model.Node
	length     model.Node
	data, sum  model.Node
	variant    string
	arrays     *arrays
	derived    bool
	con        *container
}

// writeRecord makes a record of layout R1.
func (k *framing) writeRecord(typ, flags byte, data []byte) []byte {
	out := append([]byte{typ}, make([]byte, 8)...)
	k.order.PutUint64(out[1:], uint64(len(data)))
	out = append(append(out, flags), data...)
	if flags&0x80 != 0 {
		sum := make([]byte, 4)
		k.order.PutUint32(sum, crc32.ChecksumIEEE(data))
		out = append(out, sum...)
	}
	return out
}

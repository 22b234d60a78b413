package samediff

import (
	"fmt"
	"hash/crc32"

	"spandrel/model"
)

// sums checks the CRC and the size of every member (SDF-085).
func (z *archive) sums(t *model.Tree, ctx bufContext, p *model.Probe) error {
	for _, m := range z.members {
		if !m.localOK || m.flags&zipEncrypted != 0 || m.data.Span == nil {
			continue
		}
		r := m.data.Range
		if m.method != 0 {
			if m.inflated.Span == nil {
				continue
			}
			r = m.inflated.Range
			n, err := t.Size(ctx, r.Space)
			if err != nil {
				continue
			}
			r.Off, r.Len = 0, n
		}
		if r.Len != m.usize {
			p.Report(model.Finding{Rule: memberChecksum, Span: m.dir["usize"].Span, Found: fmt.Sprint(m.usize), Expected: fmt.Sprint(r.Len), Message: m.name + ": the size is wrong",
				Fixes: m.resize(r.Len)})
		}
		h := crc32.NewIEEE()
		if err := t.Stream(ctx, r, 1<<20, func(_ int64, b []byte) error { h.Write(b); return nil }); err != nil {
			return err
		}
		if h.Sum32() != m.crc {
			p.Report(model.Finding{Rule: memberChecksum, Span: m.dir["crc"].Span, Found: fmt.Sprintf("%08x", m.crc), Expected: fmt.Sprintf("%08x", h.Sum32()),
				Message: m.name + ": the CRC is wrong", Fixes: m.correct("write the CRC of the bytes", "crc", uint64(h.Sum32()))})
		}
	}
	return nil
}

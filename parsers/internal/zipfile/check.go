package zipfile

import (
	"context"
	"fmt"
	"hash/crc32"

	"spandrel/model"
)

// Kind is what can be wrong with an archive. A format gives each kind a rule of its own.
type Kind uint8

// The kinds of problems.
const (
	NoDirectory Kind = iota // the end record or the directory cannot be read
	NoMember                // the directory leads to no member
	Differs                 // a local header and the directory disagree
	Junk                    // bytes in front of the archive or behind it
	WrongData               // the data of a member are not those that were stored: size or CRC-32 disagree
)

// Issue is what Repairs needs to know of a finding: Finding.About.
type Issue struct {
	Kind    Kind
	Archive *Archive
	Member  *Member
	at      *model.Span // bytes that do not belong
	field   string      // of the header
	node    model.Node  // where it differs
	value   model.Value // that it should have
}

func (z *reading) wrong(c *model.Cursor, i Issue, at model.Place, found, want any, more ...model.Detail) {
	if r := z.Rules[i.Kind]; r != nil {
		c.Wrong(r, at, found, want, append(more, model.About(i))...)
	}
}

// headerWords are the fields of headers as people read them.
var headerWords = map[string]string{"method": "the method", "flags": "the flags", "crc": "the CRC", "csize": "the stored size", "usize": "the size",
	"name": "the name", "time": "the time", "date": "the date"}

// compare compares a local header, and the record behind the data, with the directory.
func (z *reading) compare(c *model.Cursor, m *Member) {
	differ := func(in map[string]model.Node, record, field string, want model.Value) {
		n := in[field]
		if n.Span == nil || n.Value.Equal(want) {
			return
		}
		z.wrong(c, Issue{Kind: Differs, Archive: z.Archive, Member: m, field: field, node: n, value: want}, n, nil, want.String(),
			model.Saying("%s: %s of the %s is not that of the directory", m.Name, headerWords[field], record))
	}
	const local = "local header"
	differ(m.Head, local, "name", model.S(m.Name))
	differ(m.Head, local, "method", model.U(uint64(m.Method)))
	differ(m.Head, local, "flags", model.U(uint64(m.Flags)))
	differ(m.Head, local, "time", model.U(uint64(m.stamp&0xffff)))
	differ(m.Head, local, "date", model.U(uint64(m.stamp>>16)))
	sums := func(in map[string]model.Node, record string, later bool) {
		sum := func(field string, wide bool, want uint64) {
			if n := in[field]; n.Span != nil && !(wide || n.Range.Len == 4 && n.Uint() == max32 && m.Head["extraLength"].Int() >= 20) && !(later && n.Uint() == 0) {
				differ(in, record, field, model.U(want))
			}
		}
		sum("crc", false, uint64(m.CRC))
		sum("csize", m.packed64 && record == local, uint64(m.Packed))
		sum("usize", m.size64 && record == local, uint64(m.Size))
	}
	sums(m.Head, local, m.Flags&hasDescriptor != 0 || m.Head["flags"].Uint()&hasDescriptor != 0) // then they may follow the data
	sums(m.tail, "record behind the data", false)
}

// Sums reads every member, on all cores, and checks its size and its CRC-32. Those whose data does not inflate have said so.
func (z *Archive) Sums(ctx context.Context, t *model.Tree, p *model.Probe, rule *model.Rule) error {
	return p.Each(ctx, "archives", int64(len(z.Members)), func(ctx context.Context, p *model.Probe, i int64) error {
		if m := z.Members[i]; m.Found && !m.Encrypted() && m.Plain.Span != nil && m.Entry != nil {
			return z.sum(ctx, t, p, rule, m)
		}
		return nil
	})
}

// sum checks the size and the CRC-32 of a member.
func (z *Archive) sum(ctx context.Context, t *model.Tree, p *model.Probe, rule *model.Rule, m *Member) error {
	r := m.Plain.Range
	if m.Method != 0 || r.Space != m.Data.Range.Space {
		n, err := t.Size(ctx, r.Space)
		if err != nil {
			return ctx.Err()
		}
		r.Off, r.Len = 0, n
	}
	h := crc32.NewIEEE()
	if err := t.Stream(ctx, r, 1<<20, func(_ int64, b []byte) error { h.Write(b); return nil }); err != nil {
		return err
	}
	report := func(field string, found, want any, v uint64) {
		p.Wrong(rule, m.Entry[field].Span, found, want, model.About(Issue{Kind: WrongData, Archive: z, Member: m, field: field, value: model.U(v)}),
			model.Saying("%s: %s", m.Name, map[string]string{"usize": "the size is not that of its data", "crc": "the checksum is not that of its data"}[field]))
	}
	if r.Len != m.Size {
		report("usize", fmt.Sprintf("%d bytes", m.Size), fmt.Sprintf("%d bytes", r.Len), uint64(r.Len))
	}
	if sum := h.Sum32(); sum != m.CRC {
		report("crc", fmt.Sprintf("%08x", m.CRC), fmt.Sprintf("%08x", sum), uint64(sum))
	}
	return nil
}

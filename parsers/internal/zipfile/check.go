package zipfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
)

// Kind is a kind of problem with an archive. A format gives each kind a rule of its own.
type Kind uint8

// The kinds of problems.
const (
	NoDirectory Kind = iota // the end record or the directory cannot be read
	NoMember                // the directory leads to no member
	Differs                 // a local header and the directory disagree
	Junk                    // bytes before or after the archive
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
	head    model.Range // of a local header that is lost, with its name
}

// Wants is the right value of a wrong header field; None if the problem is not about a single field.
func (i Issue) Wants() model.Value { return i.value }

func (z *reading) wrong(c *model.Cursor, i Issue, at model.Place, found any, more ...model.Detail) {
	if r := z.Rules[i.Kind]; r != nil {
		c.Wrong(r, at, found, nil, append(more, model.About(i))...)
	}
}

// headerWords are the fields of headers in words.
var headerWords = map[string]string{"signature": "the mark", "method": "the method", "flags": "the flags", "crc": "the checksum", "csize": "the stored size", "usize": "the size",
	"name": "the name", "nameLength": "the length of the name", "extraLength": "the length of the extra field", "commentLength": "the length of the comment", "time": "the time", "date": "the date",
	"localOffset": "the offset of the member", "disk": "the number of the disk", "cdDisk": "the disk of the directory", "diskStart": "the number of the disk", "intAttr": "the kind of content", "entries": "the number of members",
	"entriesHere": "the number of members on this disk", "cdSize": "the size of the directory", "cdOffset": "the offset of the directory"}

// differ reports a wrong field, and says what is wrong.
func (z *reading) differ(c *model.Cursor, m *Member, n model.Node, should stands, says model.Detail) {
	if n.Span == nil || n.Value.Equal(should.want) {
		return
	}
	r := z.Rules[should.kind]
	if r == nil {
		r = z.Rules[Differs]
	}
	if r != nil {
		field := n.Span.Field.Name
		more := []model.Detail{model.About(Issue{Kind: Differs, Archive: z.Archive, Member: m, field: field, node: n, value: should.want}), says}
		if field == "nameLength" || field == "extraLength" {
			more = append(more, model.Graded(model.Error)) // readers take the data from where these say that they begin
		}
		c.Wrong(r, n, n.Span.Field.Text(n.Value), n.Span.Field.Text(should.want), more...)
	}
}

// stands is the right value of a header field, and the kind of problem if it differs.
type stands struct {
	field string
	kind  Kind
	want  model.Value
}

// settled lists the fields that both headers of a member have, with their right values. Sizes and sum are left out if a header
// need not have them.
func (m *Member) settled(sums func(field string) bool) (out []stands) {
	u := func(field string, kind Kind, v int64) { out = append(out, stands{field, kind, model.U(uint64(v))}) }
	u("method", WrongData, int64(m.Method))
	u("flags", Differs, int64(m.Flags))
	u("time", Differs, int64(m.stamp&0xffff))
	u("date", Differs, int64(m.stamp>>16))
	for _, s := range []stands{{"crc", WrongData, model.U(uint64(m.CRC))}, {"csize", WrongData, model.I(m.Packed)}, {"usize", WrongData, model.I(m.Size)}} {
		if sums(s.field) {
			out = append(out, s)
		}
	}
	return out
}

// compare compares a local header, and the record after the data, with the right values: those of the directory, unless something contradicts it.
func (z *reading) compare(c *model.Cursor, m *Member) {
	report := func(in map[string]model.Node, record string, list []stands) {
		for _, s := range list {
			s.kind = Differs
			z.differ(c, m, in[s.field], s, model.Saying("%s: %s in the %s does not match the directory", m.Name, headerWords[s.field], record))
		}
	}
	sums := func(in map[string]model.Node, record string, later bool) []stands {
		return m.settled(func(field string) bool {
			n := in[field]
			wide := record == local && (field == "csize" && m.packed64 || field == "usize" && m.size64)
			return n.Span != nil && !(wide || n.Range.Len == 4 && n.Uint() == max32 && m.Head["extraLength"].Int() >= 20) && !(later && n.Uint() == 0)
		})
	}
	report(m.Head, local, append(sums(m.Head, local, (m.Flags|uint16(m.Head["flags"].Uint()))&hasDescriptor != 0), // then they may follow the data
		stands{"name", Differs, model.S(m.Name)}, stands{"nameLength", Differs, model.I(m.headName)}, stands{"extraLength", Differs, model.I(m.headExtra)}))
	z.version(c, m, m.Head["needs"], m.there.needs)
	z.differ(c, m, m.Head["signature"], stands{"signature", NoMember, model.U(localSignature)}, model.Saying("%s: its header does not begin with the right signature", m.Name))
	report(m.tail, "record after the data", append(sums(m.tail, "", false), stands{"signature", Differs, model.U(descriptorSignture)}))
}

const local = "header before the data"

// compareEntry compares an entry of the directory with the right values.
func (z *reading) compareEntry(c *model.Cursor, m *Member) {
	z.version(c, m, m.Entry["needs"], m.here.needs)
	for _, s := range m.settled(func(field string) bool { return !m.Wide }) {
		z.differ(c, m, m.Entry[s.field], s, model.Saying("%s: %s in the directory does not match the member", m.Name, headerWords[s.field]))
	}
	for _, s := range []stands{{"signature", NoDirectory, model.U(entrySignature)}, {"nameLength", NoDirectory, model.I(int64(len(m.Name)))}, {"extraLength", NoDirectory, model.I(m.extra)},
		{"commentLength", NoDirectory, model.I(m.comment)}, {"name", NoDirectory, model.S(m.Name)}, {"localOffset", NoMember, model.I(m.local - z.Bias)}, {"diskStart", Differs, model.U(0)}, {"intAttr", Differs, model.U(m.Entry["intAttr"].Uint() & 7)}} {
		if n := m.Entry[s.field]; s.field == "localOffset" && n.Uint() == max32 || s.field == "diskStart" && n.Uint() == 0xffff && m.extra > 0 {
			continue // it is in a ZIP64 field
		}
		z.differ(c, m, m.Entry[s.field], s, model.Saying("%s: %s in its entry of the directory is wrong", m.Name, headerWords[s.field]))
	}
}

// version reports a non-existent version needed, if the other header has an existing one.
func (z *reading) version(c *model.Cursor, m *Member, n model.Node, other uint16) {
	if n.Span != nil && !isVersion(n.Uint()) && isVersion(uint64(other)) {
		z.differ(c, m, n, stands{"needs", Differs, model.U(uint64(other))}, model.Saying("%s: the format version that it requires does not exist", m.Name))
	}
}

// compareEnd compares the end record with the directory and with what follows it.
func (z *reading) compareEnd(c *model.Cursor, f map[string]model.Node, comment int64) {
	if z.end64At >= 0 {
		return
	}
	should := z.endFields(comment)
	for _, field := range endRecord {
		name, kind := field.Name, NoDirectory
		if strings.Contains(strings.ToLower(name), "disk") || name == "entriesHere" {
			kind = Differs // nothing needs it
		}
		if strings.HasPrefix(name, "entries") && len(z.Members) == MaxMembers {
			continue
		}
		z.differ(c, nil, f[name], stands{name, kind, model.I(should[name])}, model.Saying("%s in the end record is wrong", headerWords[name]))
	}
}

// Sums reads every member, on all cores, and checks its size and its CRC-32. Members that do not inflate have been reported.
func (z *Archive) Sums(ctx context.Context, t *model.Tree, p *model.Probe, rule *model.Rule) error {
	return p.Each(ctx, "archives", int64(len(z.Members)), func(ctx context.Context, p *model.Probe, i int64) error {
		return z.sum(ctx, t, p, rule, z.Members[i])
	})
}

// OpenedSums is Sums that opens each member first: what was inflated for its structure is still available for its sum.
func (z *Archive) OpenedSums(ctx context.Context, t *model.Tree, p *model.Probe, rule *model.Rule) error {
	return p.Each(ctx, "archives", int64(len(z.Members)), func(ctx context.Context, p *model.Probe, i int64) error {
		if m := z.Members[i]; m.Plain.Span != nil {
			if err := t.Open(ctx, m.Plain.Span); err != nil && ctx.Err() != nil {
				return err
			}
		}
		return z.sum(ctx, t, p, rule, z.Members[i])
	})
}

// maxHeld is the longest deflated member that is kept in memory for its sum.
const maxHeld = 64 << 20

// stating is the field that states the size or the CRC-32 of a member: that of the directory, or if it is lost, that of the record after the data or of
// the local header.
func (m *Member) stating(field string) model.Node {
	switch {
	case m.Entry != nil:
		return m.Entry[field]
	case m.descriptor > 0:
		return m.tail[field]
	}
	return m.Head[field]
}

// sum checks the size and the CRC-32 of a member.
func (z *Archive) sum(ctx context.Context, t *model.Tree, p *model.Probe, rule *model.Rule, m *Member) error {
	if !m.Found || m.Torn || m.Encrypted() || m.Plain.Span == nil {
		return nil
	}
	n, sum, whole, err := z.streamed(ctx, t, p, m)
	if err != nil || !whole {
		return err // for truncated data neither is evidence
	}
	report := func(field, wrong string, found, want any, v uint64, more ...model.Detail) {
		p.Wrong(rule, m.stating(field).Span, found, want, append(more, model.Saying("%s: the %s does not match its data", m.Name, wrong),
			model.About(Issue{Kind: WrongData, Archive: z, Member: m, field: field, value: model.U(v)}))...)
	}
	m.Streamed = n
	if n != m.Size {
		report("usize", "size", model.Words("%d bytes", m.Size), model.Words("%d bytes", n), uint64(n))
	}
	if sum != m.CRC {
		report("crc", "checksum", fmt.Sprintf("%08x", m.CRC), fmt.Sprintf("%08x", sum), uint64(sum), func(f *model.Finding) { f.Sum = model.CRC32 })
	}
	return nil
}

// streamed returns the size and CRC-32 of a member's content, and whether all of it could be read. If not, that is reported, unless it already was.
func (z *Archive) streamed(ctx context.Context, t *model.Tree, p *model.Probe, m *Member) (n int64, sum uint32, whole bool, err error) {
	h, r, long := crc32.NewIEEE(), m.Plain.Range, m.Method == 8 && m.Size > maxHeld
	var fault error
	if m.Method != 0 || r.Space != m.Data.Range.Space { // in a space of its own, whose size is known when all of it is in memory
		if r.Off = 0; !long {
			r.Len, err = t.Size(ctx, r.Space)
		}
		fault = t.Space(r.Space).Fault()
	}
	if err != nil || errors.As(fault, &inflate.Corrupt{}) { // reported already
		return 0, 0, false, ctx.Err()
	}
	if long || m.Method == 8 && fault != nil { // not all of it is in memory
		n, _, whole = inflate.Copy(ctx, h, bufio.NewReaderSize(t.Reader(ctx, m.Data.Range), 64<<10), math.MaxInt64)
		if !whole && ctx.Err() == nil {
			p.Wrong(model.RuleUndecoded, m.Data, nil, nil, model.Saying("%s: its compressed data is damaged", m.Name))
		}
		return n, h.Sum32(), whole, ctx.Err()
	}
	if err := t.Stream(ctx, r, 1<<20, func(_ int64, b []byte) error { h.Write(b); return nil }); err != nil {
		return 0, 0, false, err
	}
	return r.Len, h.Sum32(), true, ctx.Err()
}

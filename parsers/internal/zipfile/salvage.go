package zipfile

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"spandrel/model"
)

// Salvage writes a new archive of the intact members: those that the directory names, wherever their own headers are now, and others whose names it does not
// have. Lost are the other members that it names and, if it is incomplete, those that only a header names.
func Salvage(ctx context.Context, at func(off, n int64) []byte, size int64) (out model.Source, part model.SalvagedPart, kept []*Member) {
	x := &saving{at: at, named: map[string]bool{}}
	entries, complete := listed(ctx, at, size)
	for _, m := range entries {
		x.named[m.Name] = true
	}
	x.find(ctx, size)
	for _, m := range entries {
		x.entry(ctx, m)
	}
	x.others(complete)
	part = model.SalvagedPart{What: "members", Of: -1}
	out = x.archive(&part)
	if part.Lost = strings.Join(x.lost, ", "); complete {
		part.Of = part.Saved + int64(len(x.lost))
	}
	return out, part, x.kept
}

// saving is a new archive of the intact members of another.
type saving struct {
	at     func(off, n int64) []byte
	named  map[string]bool // by the directory
	found  []*carved
	kept   []*Member // in the new archive
	broken []string  // names in headers of members that are not intact
	lost   []string
}

// carved is an intact member found by its own header.
type carved struct {
	*Member
	inside bool // a member that is stored and not intact: it may belong to an archive in that one
	used   bool
}

// listed returns the members that the directory names, also if lost or surplus bytes have moved it, and tells whether these are all.
func listed(ctx context.Context, at func(off, n int64) []byte, size int64) ([]*Member, bool) {
	from := max(0, size-EndBytes)
	tail := at(from, size-from)
	z, err := Scan(ctx, tail, at, size, nil)
	if err == nil {
		return z.Members, !z.doubt && len(z.Members) < MaxMembers
	}
	if i := findEnd(tail, from); i >= 0 {
		e := tail[i:]
		moved := &Archive{dirSize: u32(e[12:])}
		if moved.dirAt = from + int64(i) - moved.dirSize; moved.dirAt >= 0 && moved.scanEntries(at, size) == nil && len(moved.Members) > 0 {
			return moved.Members, int64(len(moved.Members)) == u16(e[10:])
		}
	}
	return z.Members, false
}

// find looks for intact members by their headers, also in what members that are not intact should fill: bytes may be missing in those.
func (x *saving) find(ctx context.Context, size int64) {
	c, inside := &carver{at: x.at, size: size, ends: map[int64]int64{}}, int64(0)
	c.walk(ctx, func(m *Member) int64 {
		if m.Whole(ctx, x.at) && m.vouched(x.at) {
			x.found = append(x.found, &carved{Member: m, inside: m.local < inside})
			return m.End()
		}
		x.broken = append(x.broken, m.Name)
		if c.spent += m.Packed; c.spent > mostSettled+4*size {
			return m.End()
		}
		if m.Method == 0 {
			inside = max(inside, m.End())
		}
		return m.dataAt
	})
}

// vouched tells whether the sum of a member found by its header is one that was stored before or after its data, and not computed from them.
func (m *Member) vouched(at func(off, n int64) []byte) bool {
	if m.CRC == m.here.crc {
		return !m.Torn || m.Size > 0
	}
	d := at(m.dataAt+m.Packed, 8)
	return len(d) == 8 && m.descriptor > 0 && (m.CRC == uint32(u32(d)) || m.CRC == uint32(u32(d[4:])))
}

// entry keeps a member that the directory names, or notes that it is lost. Its own header is kept, unless only the entry leads to its data.
func (x *saving) entry(ctx context.Context, m *Member) {
	i := slices.IndexFunc(x.found, func(c *carved) bool {
		same := c.CRC == m.CRC && c.Size == m.Size
		return !c.used && (same && (c.local == m.local || c.Name == m.Name) || c.local == m.local && c.Name == m.Name)
	})
	switch {
	case i >= 0:
		x.found[i].used = true
		x.kept = append(x.kept, x.found[i].Member)
	case m.Found && m.Whole(ctx, x.at):
		x.kept = append(x.kept, m)
	default:
		x.lost = append(x.lost, m.Name)
	}
}

// others keeps the intact members that the directory does not name.
func (x *saving) others(complete bool) {
	named := x.kept
	within := func(c *carved) bool {
		return slices.ContainsFunc(named, func(m *Member) bool { return m.local < c.local && c.local < m.End() })
	}
	for _, c := range x.found {
		if !c.used && !c.inside && !x.named[c.Name] && !within(c) {
			x.kept = append(x.kept, c.Member)
		}
	}
	if complete {
		return
	}
	for _, name := range x.broken {
		if !x.named[name] {
			x.lost = append(x.lost, name)
		}
	}
}

// archive is the new archive, nil if it is empty.
func (x *saving) archive(part *model.SalvagedPart) model.Source {
	var whole []*Member
	var out []byte
	slices.SortStableFunc(x.kept, func(a, b *Member) int { return cmp.Compare(a.local, b.local) })
	for _, m := range x.kept {
		if m.beyond() || int64(len(out))+m.End()-m.local >= max32 {
			x.lost = append(x.lost, m.Name)
			continue
		}
		moved := *m
		moved.local = int64(len(out))
		if m.there == (stated{}) { // its own header led to it
			out = append(out, x.at(m.local, m.End()-m.local)...)
		} else {
			moved.here.needs, moved.Flags = m.there.needs, m.Flags&^hasDescriptor
			out = append(append(out, record(localRecord, localSignature, moved.stated().fields(m.Name))...), m.Name...)
			out = append(out, x.at(m.dataAt, m.Packed)...)
		}
		whole = append(whole, &moved)
	}
	if part.Saved = int64(len(whole)); part.Saved == 0 {
		return nil
	}
	return model.Memory(append(out, Rebuilt(whole, int64(len(out)))...))
}

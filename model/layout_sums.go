package model

import (
	"io"
	"slices"
	"sort"
)

// Checksums over changed bytes.

// sums computes the checksums over changed bytes, those of smaller ranges first, because a checksum may cover another. One that did not match before stays:
// a new one would hide that unedited bytes are damaged.
func (p *planner) sums() (changed bool, err error) {
	var sums []*Link
	size := map[*Link]int64{}
	for _, l := range p.links {
		if l.Kind != ChecksumLink || len(l.Targets) == 0 {
			continue
		}
		for _, s := range l.Targets {
			size[l] += s.Range.Len
		}
		if slices.ContainsFunc(l.Targets, p.after.changed) && !p.failing(l) {
			sums = append(sums, l)
		}
	}
	sort.SliceStable(sums, func(i, j int) bool { return size[sums[i]] < size[sums[j]] })
	for _, l := range sums {
		v, err := p.sum(l)
		if err != nil {
			return false, err
		}
		ok, err := p.derive(l, v)
		if err != nil {
			return false, err
		}
		changed = changed || ok
	}
	return changed, nil
}

// failing tells whether a checksum does not match the unedited bytes, some of which remain.
func (p *planner) failing(l *Link) bool {
	if fails, known := p.failed[l]; known {
		return fails
	}
	fails := slices.ContainsFunc(l.Targets, func(s *Span) bool { return !p.after.replaced(s) })
	if fails {
		want, ok, err := l.Want(p.ctx, p.t)
		is, unread := p.t.Value(p.ctx, l.Field)
		fails = err == nil && unread == nil && ok && !is.Equal(want)
	}
	p.failed[l] = fails
	return fails
}

// sum is the checksum of a link after the changes.
func (p *planner) sum(l *Link) (Value, error) {
	h := l.Sum.New()
	for _, s := range l.Targets {
		b, err := p.after.reader(s)
		if err != nil {
			return Value{}, err
		}
		if _, err := io.Copy(h, b); err != nil {
			return Value{}, err
		}
	}
	return l.Sum.Value(h), nil
}

package taridx

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"spandrel/parsers/internal/tarfile"
)

// maxMatch is how many rows and members are matched with each other in memory.
const maxMatch = 1 << 20

// match is how rows and members correspond. Everything in a row is also in the header of its member, so a row that fits
// none is found by its other fields, or by the rows around it.
type match struct {
	members []member           // of all existing shards, ordered by fid
	read    map[int64]entryRow // the invalid rows, unchanged
	rows    []int              // for each row the number of its member, or −1
	unsound map[int64]bool     // rows that match no member exactly
	noise   map[int64]bool     // those among them that no indexer could have written
	foreign map[uint16]bool    // shards that are not the ones that were indexed
	exts    map[int]string     // names of extensions according to the members of their rows
	stems   map[int]string     // the same for collision stems
	missing []int              // members of samples that have no row

	at     map[spot]int      // the member at a place, while it is matched
	byName map[nameKey][]int // members of a hash and an extension, while it is matched
}

// member is a member of a shard and the row that it should have.
type member struct {
	row    entryRow
	name   string
	usable bool
	broken bool // its header is damaged
	taken  bool
}

type spot struct {
	fid uint16
	off uint64
}

type nameKey struct {
	hash uint64
	ext  uint16
}

// noExt is the id of an extension that is not in the table.
const noExt = 1<<16 - 1

// usable tells whether a member can be a file of a sample: the reference cannot load an index with rows of helper headers,
// folders, links and names without an extension.
func usable(h tarfile.Head) bool {
	stem, ext := nameParts(h.Name)
	regular := h.Typ == '0' || h.Typ == 0 && !strings.HasSuffix(h.Name, "/") || h.Typ == '7' || h.Typ == 'S'
	return regular && stem != "" && ext != ""
}

// matched returns the match of an index with its shards. It reads all headers of all shards, once.
func (x *index) matched(ctx context.Context) (*match, error) {
	x.once.Lock()
	defer x.once.Unlock()
	if x.match != nil {
		return x.match, nil
	}
	if len(x.fold.shards) == 0 || x.n > maxMatch {
		return nil, fmt.Errorf("there are no shards beside the index, or more than %d rows", maxMatch)
	}
	m := &match{unsound: map[int64]bool{}, noise: map[int64]bool{}, foreign: map[uint16]bool{}, at: map[spot]int{}, byName: map[nameKey][]int{}}
	rows, err := x.allRows(ctx)
	if err != nil {
		return nil, err
	}
	if err := m.collect(ctx, x, rows); err != nil {
		return nil, err
	}
	m.rename(x, rows)
	m.fit(x, rows)
	for i, r := range rows {
		if m.unsound[int64(i)] && x.neverIndexed(r) {
			m.noise[int64(i)] = true
		}
	}
	m.moved(rows)
	m.seek(rows)
	m.order(rows)
	for i := range m.members {
		if e := &m.members[i]; e.usable && !e.taken && !m.foreign[e.row.fid] && !x.fold.of(e.row.fid).cuts(e.row) {
			m.missing = append(m.missing, i)
		}
	}
	m.settle(rows)
	x.match = m
	return m, nil
}

// settle releases what was needed for matching: the document keeps the rest, which is a third, while it is open.
func (m *match) settle(rows []entryRow) {
	m.read = make(map[int64]entryRow, len(m.unsound))
	for i := range m.unsound {
		m.read[i] = rows[i]
	}
	m.at, m.byName, m.members = nil, nil, slices.Clone(m.members)
}

// neverIndexed tells whether no indexer could have written a row: it is blank, points between blocks, or at non-existent names.
func (x *index) neverIndexed(r entryRow) bool {
	return r == entryRow{} || r.off%tarfile.Block != 0 || r.ext != noExt && int(r.ext) >= len(x.exts) || int64(r.crash) > int64(len(x.stems))
}

// collect reads the members of all shards.
func (m *match) collect(ctx context.Context, x *index, rows []entryRow) error {
	ids := idsOf(x.exts)
	places := sync.OnceValue(func() map[spot]entryRow { return byPlace(rows) })
	for fid, h := range x.fold.order {
		if h == nil {
			continue
		}
		for off, head := range x.fold.walk(ctx, h).all {
			if len(m.members) >= maxMatch {
				return fmt.Errorf("more than %d members", maxMatch)
			}
			r := rowOf(x, uint16(fid), off, head, ids)
			if !head.SumOK { // its header is damaged: its row is more reliable
				if row, ok := places()[spot{r.fid, r.off}]; ok {
					r = row
				}
			}
			m.at[spot{r.fid, r.off}] = len(m.members)
			m.members = append(m.members, member{row: r, name: head.Name, usable: usable(head), broken: !head.SumOK})
		}
	}
	return ctx.Err()
}

// idsOf maps extensions to their ids; one that is in the table twice has its first id.
func idsOf(exts []string) map[string]uint16 {
	ids := map[string]uint16{}
	for id, name := range slices.Backward(exts[:min(len(exts), noExt)]) {
		ids[name] = uint16(id)
	}
	return ids
}

// rowOf is the row that a member should have, according to its header; ids are those of extensions.
func rowOf(x *index, fid uint16, off int64, head tarfile.Head, ids map[string]uint16) entryRow {
	stem, ext := nameParts(head.Name)
	r := entryRow{fid: fid, off: uint64(off), size: uint64(head.Size), ext: noExt, crash: x.stemIDs[stem], hash: xxhash.Sum64String(stem)}
	if id, ok := ids[ext]; ok {
		r.ext = id
	}
	return r
}

// byPlace are rows by the place they point at.
func byPlace(rows []entryRow) map[spot]entryRow {
	out := make(map[spot]entryRow, len(rows))
	for _, r := range rows {
		out[spot{r.fid, r.off}] = r
	}
	return out
}

// rename determines the names in the tables from the members of their rows. If those agree and the table has no
// such name, members count as having the row's id.
func (m *match) rename(x *index, rows []entryRow) {
	exts, stems := votes{}, votes{}
	collides := m.collisions()
	for _, r := range rows {
		if i, ok := m.at[spot{r.fid, r.off}]; ok && !m.members[i].broken && m.members[i].row.size == r.size && m.members[i].row.hash == r.hash {
			stem, ext := nameParts(m.members[i].name)
			exts.add(int(r.ext), ext)
			if r.crash > 0 && int64(r.crash) <= int64(len(x.stems)) && collides[r.hash] {
				stems.add(int(r.crash)-1, stem)
			}
		}
	}
	m.exts, m.stems = exts.unanimous(x.exts), stems.unanimous(x.stems)
	extIDs, stemIDs := inverse(m.exts, x.exts), inverse(m.stems, x.stems)
	for i := range m.members {
		e := &m.members[i]
		stem, ext := nameParts(e.name)
		if id, ok := extIDs[ext]; ok && !e.broken {
			e.row.ext = uint16(id)
		}
		if id, ok := stemIDs[stem]; ok && !e.broken {
			e.row.crash = uint32(id + 1)
		}
		k := nameKey{e.row.hash, e.row.ext}
		m.byName[k] = append(m.byName[k], i)
	}
}

// collisions are the hashes shared by members of several stems.
func (m *match) collisions() map[uint64]bool {
	first, collides := map[uint64]string{}, map[uint64]bool{}
	for i := range m.members {
		e := &m.members[i]
		if e.broken {
			continue
		}
		stem, _ := nameParts(e.name)
		if other, ok := first[e.row.hash]; ok && other != stem {
			collides[e.row.hash] = true
		}
		first[e.row.hash] = stem
	}
	return collides
}

// fit assigns every row the member that says the same, and finds the shards that are not those that were indexed.
func (m *match) fit(x *index, rows []entryRow) {
	m.rows = make([]int, len(rows))
	shards := map[uint16]*fitting{}
	for i, r := range rows {
		m.rows[i] = -1
		k, ok := m.at[spot{r.fid, r.off}]
		if ok && m.members[k].row == r && !m.members[k].taken {
			m.take(int64(i), k)
		} else {
			m.unsound[int64(i)] = true
		}
		if r.hash == 0 || x.neverIndexed(r) {
			continue // such a row says nothing about its shard
		}
		if shards[r.fid] == nil {
			shards[r.fid] = &fitting{}
		}
		var there *member
		if ok {
			there = &m.members[k]
		}
		shards[r.fid].add(r, there, func() bool { return m.named(r) })
	}
	for fid, f := range shards {
		if f.other > 0 {
			m.foreign[fid] = f.foreign()
		}
	}
}

// named tells whether a row's shard has exactly one member with its name and size.
func (m *match) named(r entryRow) bool {
	n, same := 0, false
	for _, k := range m.byName[nameKey{r.hash, r.ext}] {
		if e := &m.members[k]; e.row.fid == r.fid {
			n, same = n+1, e.row.size == r.size
		}
	}
	return n == 1 && same
}

func (m *match) take(row int64, k int) { m.rows[row], m.members[k].taken = k, true }

// moved finds the members of rows of which only the place is wrong, by name and size.
func (m *match) moved(rows []entryRow) {
	for i, r := range rows {
		if !m.unsound[int64(i)] || m.foreign[r.fid] {
			continue
		}
		if k, ok := m.onlyNamed(r); ok && m.members[k].row.fid == r.fid && m.members[k].row.size == r.size {
			m.take(int64(i), k)
		}
	}
}

// seek finds the members of the other rows with a wrong field: at their place, or by name.
func (m *match) seek(rows []entryRow) {
	for i, r := range rows {
		if m.rows[i] >= 0 || m.foreign[r.fid] {
			continue
		}
		if k, ok := m.at[spot{r.fid, r.off}]; ok && !m.members[k].taken && alike(m.members[k].row, r) >= 2 {
			m.take(int64(i), k)
			continue
		}
		if k, ok := m.onlyNamed(r); ok {
			m.take(int64(i), k)
		}
	}
}

// onlyNamed is the one member with a row's name that no other row has.
func (m *match) onlyNamed(r entryRow) (member int, ok bool) {
	for _, k := range m.byName[nameKey{r.hash, r.ext}] {
		e := &m.members[k]
		if e.taken || m.foreign[e.row.fid] {
			continue
		}
		if ok {
			return 0, false
		}
		member, ok = k, true
	}
	return member, ok
}

// alike counts the equal fields of two rows for one place.
func alike(a, b entryRow) (n int) {
	for _, same := range []bool{a.size == b.size, a.hash == b.hash, a.ext == b.ext} {
		if same {
			n++
		}
	}
	return n
}

// order assigns a run of unusable rows the members between those of the rows around it, if there are as many.
func (m *match) order(rows []entryRow) {
	for i := 0; i < len(rows); i++ {
		if m.rows[i] >= 0 {
			continue
		}
		to := i
		for to < len(rows) && m.rows[to] < 0 {
			to++
		}
		if slices.ContainsFunc(rows[i:to], func(r entryRow) bool { return r.hash != 0 && m.foreign[r.fid] }) {
			i = to
			continue
		}
		free := m.between(i, to)
		if len(free) == to-i {
			for n, k := range free {
				m.take(int64(i+n), k)
			}
		}
		i = to
	}
}

// between are the unassigned members between those of the rows around some.
func (m *match) between(from, to int) (free []int) {
	first, last := 0, len(m.members)
	if from > 0 {
		first = m.rows[from-1] + 1
	}
	if to < len(m.rows) {
		last = m.rows[to]
	}
	for k := first; k < last; k++ {
		if e := &m.members[k]; !e.taken && e.usable && !m.foreign[e.row.fid] {
			free = append(free, k)
		}
	}
	return free
}

// right returns the right content of a row, if that is known.
func (m *match) right(i int64) (*member, bool) {
	if i >= int64(len(m.rows)) || m.rows[i] < 0 || m.members[m.rows[i]].row.ext == noExt {
		return nil, false
	}
	return &m.members[m.rows[i]], true
}

// whole tells whether every row has its member, so that unassigned members are what the index has lost.
func (m *match) whole() bool {
	return !slices.Contains(slices.Collect(maps.Values(m.foreign)), true) && !slices.Contains(m.rows, -1)
}

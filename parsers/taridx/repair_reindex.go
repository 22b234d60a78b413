package taridx

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// numbering assigns the ids of extensions and the numbers of colliding stems in order of first appearance, as the indexer does.
type numbering struct {
	exts, stems []string
	extID       map[string]uint16
	first       map[uint64]string // the first stem of each hash, which needs no collision number
	stemID      map[string]uint32
	rows        int // rows made so far
}

func newNumbering() *numbering {
	return &numbering{extID: map[string]uint16{}, first: map[uint64]string{}, stemID: map[string]uint32{}}
}

// ext is the id of an extension.
func (n *numbering) ext(name string) (uint16, error) {
	id, ok := n.extID[name]
	if ok {
		return id, nil
	}
	if len(n.exts) == noExt {
		return 0, errors.New("more than 65535 extensions")
	}
	id = uint16(len(n.exts))
	n.extID[name], n.exts = id, append(n.exts, name)
	return id, nil
}

// row makes the row of a member.
func (n *numbering) row(fid uint16, off int64, head tarfile.Head) (entryRow, error) {
	if n.rows++; n.rows > maxRewrite {
		return entryRow{}, fmt.Errorf("more than %d members", maxRewrite)
	}
	stem, ext := nameParts(head.Name)
	id, err := n.ext(ext)
	if err != nil {
		return entryRow{}, err
	}
	r := entryRow{fid: fid, off: uint64(off), size: uint64(head.Size), ext: id, hash: xxhash.Sum64String(stem)}
	if canon, ok := n.first[r.hash]; !ok {
		n.first[r.hash] = stem
	} else if canon != stem {
		if n.stemID[stem] == 0 {
			n.stems = append(n.stems, stem)
			n.stemID[stem] = uint32(len(n.stems))
		}
		r.crash = n.stemID[stem]
	}
	return r, nil
}

// indexed makes the rows of all shards by the reader rules of section 6, without helper headers, folders, links and names without an
// extension, which the reference cannot load. damaged are the shards that could not be read completely.
func (f *fold) indexed(ctx context.Context) (n *numbering, rows []entryRow, damaged []string, err error) {
	n = newNumbering()
	if len(f.shards) == 0 {
		return nil, nil, nil, errors.New("there are no shards beside the index")
	}
	for fid, h := range f.shards {
		w := f.walk(ctx, h)
		for off, head := range w.all {
			if !usable(head) {
				continue
			}
			r, err := n.row(uint16(fid), off, head)
			if err != nil {
				return nil, nil, nil, err
			}
			rows, w.unsound = append(rows, r), w.unsound || h.cuts(r)
		}
		if w.err != nil || w.unsound {
			damaged = append(damaged, h.name)
		}
	}
	return n, rows, damaged, ctx.Err()
}

// reindex rebuilds the index from the shards.
func (x editor) reindex(ctx context.Context) ([]model.Edit, error) {
	n, rows, damaged, err := x.fold.indexed(ctx)
	if err != nil {
		return nil, err
	}
	if len(damaged) > 0 {
		return nil, fmt.Errorf("%s is damaged: its members would be lost", damaged[0])
	}
	return x.replace(ctx, n.exts, n.stems, rows)
}

// tally counts the rows that match no member, except noise, and those that agree with their members.
func (m *match) tally() (lost, sound int64) {
	for i, k := range m.rows {
		switch {
		case k < 0 && !m.noise[int64(i)]:
			lost++
		case k >= 0 && !m.unsound[int64(i)]:
			sound++
		}
	}
	return lost, sound
}

// inOrder tells whether the members of each sample are adjacent in the shards. If not, the rows may have been grouped, in an order that nothing
// in the shards shows.
func (m *match) inOrder() bool {
	var rows []entryRow
	for _, e := range m.members {
		rows = append(rows, e.row)
	}
	_, grouped := groups(rows)
	return grouped == 1
}

// reindexFix offers the rebuilt index. If shards have lost members, or the rows have a custom order, it says
// what that loses.
func (x editor) reindexFix(ctx context.Context) []model.Fix {
	build := func(ctx context.Context, _ *model.Tree) ([]model.Edit, error) { return x.reindex(ctx) }
	f := model.Fix{Label: "rebuild the index from the shards", Copies: true, Build: build}
	if len(x.fold.shards) == 0 {
		return nil
	}
	if m, err := x.matched(ctx); err == nil {
		lost, sound := m.tally()
		if sound == 0 && x.n > 0 && len(m.members) == 0 || slices.ContainsFunc(m.members, func(e member) bool { return e.broken }) {
			return nil // no row would remain, or names and sizes would come from damaged headers
		}
		f.Copies = m.inOrder()
		if f.Says = m.outdated(x.fold.shards); lost > 0 {
			f.Loses = model.Words("%s rows that match no member of the shards", model.Thousands(lost))
		}
	}
	if f.Loses == "" && x.fold.missingShard() != "" {
		f.Loses = placesOfMissing
	}
	return []model.Fix{f}
}

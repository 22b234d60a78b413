package taridx

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// editor makes edits of an index.
type editor struct{ *index }

// rewrite keeps the rows selected by keep, lets order reorder them, and sets what is derived from them. The names are unchanged.
func (x editor) rewrite(ctx context.Context, keep func(int64, entryRow) bool, order func([]entryRow)) ([]model.Edit, error) {
	all, err := x.allRows(ctx)
	if err != nil {
		return nil, err
	}
	rows := all[:0]
	for i, r := range all {
		if keep == nil || keep(int64(i), r) {
			rows = append(rows, r)
		}
	}
	if order != nil {
		order(rows)
	}
	return x.derived(rows), nil
}

// mapped is the edit that changes rows one by one, in place.
func (x editor) mapped(change func(r *entryRow)) (model.Edit, error) {
	src, err := x.t.Mapped(x.rows.Range, rowSize, func(_ int64, b []byte) {
		r := decode(b)
		change(&r)
		r.put(b)
	})
	return model.Splice{Range: x.rows.Range, With: src, Into: x.rows.Path()}, err
}

// named are the edits that write other names into a text block, and their number into the header.
func (x editor) named(block *model.Span, list []string) []model.Edit {
	count := x.head["n_ext"]
	if block == x.stemSpan {
		count = x.head["n_crash"]
	}
	return []model.Edit{model.Splice{Range: block.Range, With: model.Memory([]byte(strings.Join(list, "\n"))), Into: block.Path()},
		model.SetValue(count.Span, model.I(int64(len(list))))}
}

// derived replaces the rows, and sets their number, that of the samples, and the contiguous flag.
func (x editor) derived(rows []entryRow) []model.Edit {
	stems, flag := groups(rows)
	return []model.Edit{
		model.Splice{Range: x.rows.Range, With: model.Memory(encode(rows...)), Into: x.rows.Path()},
		model.SetValue(x.head["n_rows"].Span, model.I(int64(len(rows)))),
		model.SetValue(x.head["n_stems"].Span, model.I(stems)),
		model.SetValue(x.head["flags"].Span, model.U(x.head["flags"].Uint()&^1|flag)),
	}
}

// settled replaces the rows. Names that lost their last row are removed, and the only remaining stem of a hash loses its number.
func (x editor) settled(ctx context.Context, before, rows []entryRow, exts, stems []string) ([]model.Edit, error) {
	rows = slices.Clone(rows)
	promote(before, rows)
	u := usage{make([]int, len(exts)), make([]int, len(stems))}
	for i := len(x.stems); i < len(stems); i++ {
		u.stems[i] = wasUsed // a new stem that is the first of its hash needs no number
	}
	u.mark(before, wasUsed)
	u.mark(rows, isUsed)
	newExts, extTo := without(exts, u.exts)
	newStems, stemTo := without(stems, u.stems)
	for i, r := range rows {
		if int(r.ext) < len(exts) {
			rows[i].ext = uint16(extTo[r.ext])
		}
		if r.crash > 0 && int64(r.crash) <= int64(len(stems)) {
			rows[i].crash = uint32(stemTo[r.crash-1] + 1)
		}
	}
	if slices.Equal(newExts, x.exts) && slices.Equal(newStems, x.stems) {
		return x.derived(rows), nil
	}
	if x.dead || x.rows.Range.End() != x.t.Root.Range.End() {
		return nil, errors.New("the index is damaged: repair it first")
	}
	return x.replace(ctx, newExts, newStems, rows)
}

// usage tells which names of the tables the rows use.
type usage struct{ exts, stems []int }

const (
	wasUsed = iota + 1 // by the old rows
	isUsed             // by the new rows
)

func (u usage) mark(rows []entryRow, as int) {
	for _, r := range rows {
		if int(r.ext) < len(u.exts) {
			u.exts[r.ext] = as
		}
		if r.crash > 0 && int64(r.crash) <= int64(len(u.stems)) {
			u.stems[r.crash-1] = as
		}
	}
}

// without drops the names that no row uses any more, and returns the new ids of the others.
func without(names []string, used []int) (kept []string, to []int) {
	for i, name := range names {
		to = append(to, len(kept))
		if used[i] != wasUsed {
			kept = append(kept, name)
		}
	}
	return kept, to
}

// promote makes a collision stem the first of its hash, if the rows of the first one are removed.
func promote(before, rows []entryRow) {
	collided := map[uint64]bool{}
	for _, r := range rows {
		if r.crash > 0 {
			collided[r.hash] = true
		}
	}
	plain := func(list []entryRow) map[uint64]bool { // the hashes of these that a stem without a number has
		out := map[uint64]bool{}
		for _, r := range list {
			if r.crash == 0 && collided[r.hash] {
				out[r.hash] = true
			}
		}
		return out
	}
	had, has, first := plain(before), plain(rows), map[uint64]uint32{}
	for i, r := range rows {
		if r.crash == 0 || !had[r.hash] || has[r.hash] {
			continue
		}
		if first[r.hash] = cmp.Or(first[r.hash], r.crash); r.crash == first[r.hash] {
			rows[i].crash = 0
		}
	}
}

// groups counts samples and tells whether their rows are adjacent (section 6.4).
func groups(rows []entryRow) (stems int64, flag uint64) {
	seen := map[[2]uint64]bool{}
	runs := int64(0)
	for i, r := range rows {
		seen[r.key()] = true
		if i == 0 || r.key() != rows[i-1].key() {
			runs++
		}
	}
	if stems = int64(len(seen)); runs == stems || len(rows) < 2 {
		flag = 1
	}
	return stems, flag
}

// newHeader makes the header of an index.
func newHeader(exts, crashes []string, rows []entryRow) []byte {
	text, stems := strings.Join(exts, "\n"), strings.Join(crashes, "\n")
	n, flag := groups(rows)
	h, le := make([]byte, headerSize), binary.LittleEndian
	copy(h, magic)
	le.PutUint16(h[8:], 1)
	le.PutUint16(h[12:], rowSize)
	le.PutUint16(h[14:], headerSize)
	le.PutUint64(h[16:], uint64(n))
	le.PutUint64(h[24:], uint64(len(rows)))
	le.PutUint32(h[32:], uint32(len(exts)))
	le.PutUint32(h[36:], uint32(len(crashes)))
	le.PutUint64(h[40:], uint64(headerSize+len(text)))
	le.PutUint64(h[48:], uint64(headerSize+len(text)+len(stems)))
	h[56] = byte(flag)
	return h
}

// newIndex makes the bytes of an index.
func newIndex(exts, crashes []string, rows []entryRow) []byte {
	b := append(newHeader(exts, crashes, rows), strings.Join(exts, "\n")...)
	return append(append(b, strings.Join(crashes, "\n")...), encode(rows...)...)
}

// replace rewrites the whole index, keeping what is not derived from the header, unless it is shifted.
func (x editor) replace(ctx context.Context, exts, crashes []string, rows []entryRow) ([]model.Edit, error) {
	if len(exts) > 1<<16 {
		return nil, fmt.Errorf("%d extensions, but at most 65536", len(exts))
	}
	all := x.t.Root.Range
	b := newIndex(exts, crashes, rows)
	if x.rows != nil && !x.dead {
		h, err := x.t.Bytes(ctx, model.Range{Space: all.Space, Len: headerSize})
		if err != nil {
			return nil, err
		}
		if isPlausible(h, all.Len) {
			copy(b[10:12], h[10:12])
			b[56] |= h[56] &^ 1
			if !bytes.Contains(b[headerSize:], bytes.Trim(h[57:headerSize], "\x00")) { // otherwise they are what follows a header that lost bytes
				copy(b[57:], h[57:headerSize])
			}
		}
	}
	return []model.Edit{model.Splice{Range: all, With: model.Memory(b), Loose: true}}, nil
}

package taridx

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// maxRewrite is how many rows an action takes into memory: 32 bytes each.
const maxRewrite = 1 << 25

// actions are the structural edits of section 12.
var actions = []model.Action{
	{Name: "drop-rows", Label: "Drop rows", On: onRows, Params: []model.Param{{Name: "from", Label: "First row", Default: "0"}, {Name: "to", Label: "Last row", Default: "0"}},
		Plan: func(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
			x := t.State.(*index)
			from, err1 := strconv.ParseInt(args["from"], 0, 64)
			to, err2 := strconv.ParseInt(args["to"], 0, 64)
			if err1 != nil || err2 != nil || from < 0 || to < from || to >= x.n {
				return nil, fmt.Errorf("rows 0 to %d", x.n-1)
			}
			return x.rewrite(ctx, func(i int64, _ entryRow) bool { return i < from || i > to }, nil)
		}},
	{Name: "drop-helpers", Label: "Drop rows of helper headers, folders and links", On: onRows,
		Plan: func(ctx context.Context, t *model.Tree, _ *model.Span, _ map[string]string) ([]model.Edit, error) {
			return t.State.(*index).withoutHelpers(ctx)
		}},
	{Name: "add-row", Label: "Add the row of a member", On: onRows, Params: []model.Param{{Name: "shard", Label: "Shard, by its number in the fold", Default: "0"}, {Name: "offset", Label: "Offset of the tar header", Default: "0"}},
		Plan: addRow},
	{Name: "make-contiguous", Label: "Group the rows by sample", Doc: "stable, by first appearance: the shard order is kept", On: onRows,
		Plan: func(ctx context.Context, t *model.Tree, _ *model.Span, _ map[string]string) ([]model.Edit, error) {
			x := t.State.(*index)
			at := map[[2]uint64]int{}
			return x.rewrite(ctx, nil, func(rows []entryRow) {
				for _, r := range rows {
					k := [2]uint64{r.hash, uint64(r.crash)}
					if _, ok := at[k]; !ok {
						at[k] = len(at)
					}
				}
				slices.SortStableFunc(rows, func(a, b entryRow) int {
					return cmp.Compare(at[[2]uint64{a.hash, uint64(a.crash)}], at[[2]uint64{b.hash, uint64(b.crash)}])
				})
			})
		}},
	{Name: "sort-rows", Label: "Put the rows in shard order", On: onRows,
		Plan: func(ctx context.Context, t *model.Tree, _ *model.Span, _ map[string]string) ([]model.Edit, error) {
			return t.State.(*index).rewrite(ctx, nil, func(rows []entryRow) {
				slices.SortStableFunc(rows, func(a, b entryRow) int { return cmp.Or(cmp.Compare(a.fid, b.fid), cmp.Compare(a.off, b.off)) })
			})
		}},
	{Name: "renumber-fid", Label: "Give a shard another number", On: onRows, Params: []model.Param{{Name: "from", Label: "fid now", Default: "0"}, {Name: "to", Label: "fid to be", Default: "0"}},
		Plan: func(_ context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
			x := t.State.(*index)
			from, err1 := strconv.ParseUint(args["from"], 0, 16)
			to, err2 := strconv.ParseUint(args["to"], 0, 16)
			if err1 != nil || err2 != nil {
				return nil, errors.New("0 to 65535")
			}
			src, err := t.Mapped(x.rows.Range, rowSize, func(_ int64, b []byte) {
				if uint64(binary.LittleEndian.Uint16(b)) == from {
					binary.LittleEndian.PutUint16(b, uint16(to))
				}
			})
			return []model.Edit{model.Splice{Range: x.rows.Range, With: src, Into: x.rows.Path()}}, err
		}},
	{Name: "drop-extension", Label: "Drop this unused extension", On: func(t *model.Tree, s *model.Span) bool {
		return s.Field == entry && s.Parent().Field == exts
	}, Plan: func(ctx context.Context, t *model.Tree, s *model.Span, _ map[string]string) ([]model.Edit, error) {
		return t.State.(*index).dropExt(ctx, s.Index())
	}},
	{Name: "reindex", Label: "Re-index from the shards", On: onRows,
		Plan: func(ctx context.Context, t *model.Tree, _ *model.Span, _ map[string]string) ([]model.Edit, error) {
			return t.State.(*index).reindex(ctx)
		}},
}

func onRows(t *model.Tree, s *model.Span) bool {
	x, ok := t.State.(*index)
	return ok && x.rows != nil && (s.Parent() == nil || s.Field == rowsField || s.Parent().Field == rowsField)
}

// rewrite keeps the rows that keep says, lets order put them in another order, and sets what is derived: n_rows, n_stems and
// the contiguous flag. more are added. The tables stay as they are.
func (x *index) rewrite(ctx context.Context, keep func(int64, entryRow) bool, order func([]entryRow), more ...entryRow) ([]model.Edit, error) {
	if x.n > maxRewrite {
		return nil, fmt.Errorf("%d rows are too many to be rewritten in memory: at most %d", x.n, maxRewrite)
	}
	rows := make([]entryRow, 0, x.n)
	if err := x.each(ctx, func(i int64, r entryRow) {
		if keep == nil || keep(i, r) {
			rows = append(rows, r)
		}
	}); err != nil {
		return nil, err
	}
	for _, m := range more { // behind the last row of the same sample
		at := len(rows)
		for i := len(rows) - 1; i >= 0; i-- {
			if rows[i].hash == m.hash && rows[i].crash == m.crash {
				at = i + 1
				break
			}
		}
		rows = slices.Insert(rows, at, m)
	}
	if order != nil {
		order(rows)
	}
	stems, flag := groups(rows)
	return []model.Edit{
		model.Splice{Range: x.rows.Range, With: model.Memory(encode(rows)), Into: x.rows.Path()},
		model.SetValue(x.head["n_rows"].Span, model.I(int64(len(rows)))),
		model.SetValue(x.head["n_stems"].Span, model.I(stems)),
		model.SetValue(x.head["flags"].Span, model.U(x.head["flags"].Uint()&^1|flag)),
	}, nil
}

// groups counts samples and tells whether their rows are adjacent (section 6.4).
func groups(rows []entryRow) (stems int64, flag uint64) {
	seen := map[[2]uint64]bool{}
	runs := int64(0)
	for i, r := range rows {
		seen[[2]uint64{r.hash, uint64(r.crash)}] = true
		if i == 0 || r.hash != rows[i-1].hash || r.crash != rows[i-1].crash {
			runs++
		}
	}
	if stems = int64(len(seen)); runs == stems || len(rows) < 2 {
		flag = 1
	}
	return stems, flag
}

func encode(rows []entryRow) []byte {
	b, le := make([]byte, 0, len(rows)*rowSize), binary.LittleEndian
	for _, r := range rows {
		b = le.AppendUint64(le.AppendUint64(le.AppendUint16(b, r.fid), r.off), r.size)
		b = le.AppendUint64(le.AppendUint32(le.AppendUint16(b, r.ext), r.crash), r.hash)
	}
	return b
}

// replace writes the whole index anew, keeping of the header what is not derived.
func (x *index) replace(ctx context.Context, exts, crashes []string, rows []entryRow) ([]model.Edit, error) {
	if len(exts) > 1<<16 {
		return nil, fmt.Errorf("%d extensions, at most 65536", len(exts))
	}
	all := x.t.Root.Range
	h, err := x.t.Bytes(ctx, model.Range{Space: all.Space, Len: headerSize})
	if err != nil {
		return nil, err
	}
	text, stems := strings.Join(exts, "\n"), strings.Join(crashes, "\n")
	n, flag := groups(rows)
	le := binary.LittleEndian
	copy(h, "TARIDX\x00\x00")
	le.PutUint16(h[8:], 1)
	le.PutUint16(h[12:], rowSize)
	le.PutUint16(h[14:], headerSize)
	le.PutUint64(h[16:], uint64(n))
	le.PutUint64(h[24:], uint64(len(rows)))
	le.PutUint32(h[32:], uint32(len(exts)))
	le.PutUint32(h[36:], uint32(len(crashes)))
	le.PutUint64(h[40:], uint64(headerSize+len(text)))
	le.PutUint64(h[48:], uint64(headerSize+len(text)+len(stems)))
	h[56] = h[56]&^1 | byte(flag)
	b := append(append(append(h, text...), stems...), encode(rows)...)
	return []model.Edit{model.Splice{Range: all, With: model.Memory(b), Loose: true}}, nil
}

// reindex makes the index anew from the shards by the reader rules of section 6, without helper headers, folders, links and
// names without an extension, which the reference cannot load.
func (x *index) reindex(ctx context.Context) ([]model.Edit, error) {
	if len(x.shards) == 0 {
		return nil, errors.New("there are no shards beside the index")
	}
	var exts, crashes []string
	var rows []entryRow
	extID, first, crashID := map[string]uint16{}, map[uint64]string{}, map[string]uint32{}
	for fid, h := range x.shards {
		if fid > 1<<16-1 {
			return nil, errors.New("more than 65536 shards")
		}
		if _, err := x.scan(ctx, h, func(off int64, head tarfile.Head) error {
			if !usable(head) {
				return nil
			}
			stem, ext := nameParts(head.Name)
			if len(rows) >= maxRewrite {
				return fmt.Errorf("more than %d members", maxRewrite)
			}
			id, ok := extID[ext]
			if !ok {
				if len(exts) == 1<<16 {
					return errors.New("more than 65536 extensions")
				}
				id = uint16(len(exts))
				extID[ext], exts = id, append(exts, ext)
			}
			hash := xxhash.Sum64String(stem)
			r := entryRow{fid: uint16(fid), off: uint64(off), size: uint64(head.Size), ext: id, hash: hash}
			if canon, ok := first[hash]; !ok {
				first[hash] = stem
			} else if canon != stem {
				if crashID[stem] == 0 {
					crashes = append(crashes, stem)
					crashID[stem] = uint32(len(crashes))
				}
				r.crash = crashID[stem]
			}
			rows = append(rows, r)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return x.replace(ctx, exts, crashes, rows)
}

// addRow appends the row of a member behind those of its sample, or at the end.
func addRow(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	x := t.State.(*index)
	fid, err1 := strconv.ParseUint(args["shard"], 0, 16)
	off, err2 := strconv.ParseUint(args["offset"], 0, 62)
	if err1 != nil || err2 != nil || int(fid) >= len(x.order) || x.order[fid] == nil {
		return nil, fmt.Errorf("a shard from 0 to %d and an offset in it", len(x.order)-1)
	}
	head, ok := x.member(x.order[fid], off)
	if !ok || !head.SumOK {
		return nil, fmt.Errorf("no tar header at 0x%x of %s", off, x.order[fid].name)
	}
	stem, ext := nameParts(head.Name)
	id := slices.Index(x.exts, ext)
	if id < 0 {
		return nil, fmt.Errorf("the extension %q of %s is not in the table", ext, head.Name)
	}
	r := entryRow{fid: uint16(fid), off: off, size: uint64(max(0, head.Size)), ext: uint16(id), crash: x.crashIDs[stem], hash: xxhash.Sum64String(stem)}
	return x.rewrite(ctx, nil, nil, r)
}

// review refuses names that the reference cannot load and asks about what silently changes meaning (section 12).
func review(t *model.Tree, e model.Edit) (string, error) {
	set, _ := e.(model.Set)
	isExt := strings.HasPrefix(set.Path, "ext[")
	if (isExt || strings.HasPrefix(set.Path, "crash[")) && strings.HasSuffix(set.Path, "/name") && set.Value.Kind == model.Text {
		name := set.Value.Text()
		x, _ := t.State.(*index)
		switch {
		case name == "" || strings.ContainsFunc(name, space):
			return "", fmt.Errorf("an entry is not empty and holds no white space: the reference could not load the index")
		case isExt && x != nil && slices.Contains(x.exts, name):
			return "", fmt.Errorf("the extension %q is in the table already", name)
		case isExt:
			return "rows keep their extension id: members of the shards must be renamed too, or rule TIX-048 fires", nil
		}
	}
	return "", nil
}

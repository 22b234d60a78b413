package taridx

import (
	"context"
	"errors"
	"slices"
	"strings"

	"spandrel/model"
)

// salvage makes a new index: existing shards are indexed from their members, for missing ones the readable rows are kept.
func salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	x := stateOf(t)
	if x == nil {
		return nil, errors.New("nothing in it could be read")
	}
	n, rows, damaged, err := x.fold.indexed(ctx)
	if err != nil && len(x.fold.shards) > 0 {
		return nil, err
	}
	if n == nil {
		n = newNumbering()
	}
	kept, lost, err := x.kept(ctx, n, rows, damaged)
	if err != nil {
		return nil, err
	}
	rows = append(rows, kept...)
	all := len(rows)
	rows = slices.DeleteFunc(rows, x.fold.cutOff)
	lost += int64(all - len(rows))
	slices.SortStableFunc(rows, func(a, b entryRow) int { return int(a.fid) - int(b.fid) })
	if len(rows) == 0 {
		return nil, errors.New("there are no shards beside the index, and none of its rows can be read")
	}
	of := int64(len(rows)) + lost
	if said := x.head["n_rows"].Uint(); said < 1<<40 && !x.dead && len(x.fold.shards) == 0 {
		of = max(of, int64(said))
	}
	part := model.SalvagedPart{What: "rows", Saved: int64(len(rows)), Of: of}
	if of > part.Saved {
		part.Lost = "those whose shards are missing, or that are truncated or damaged"
	}
	if len(damaged) > 0 {
		part.Lost = strings.Join(damaged, ", ") + " cannot be read completely"
	}
	name := x.fold.name
	if name == "" {
		name = "index"
	}
	return &model.Salvaged{Files: map[string]model.Source{name + ".taridx": model.Memory(newIndex(n.exts, n.stems, rows))},
		Parts: []model.SalvagedPart{part}}, nil
}

// kept are the rows that only the index has: all of them without shards, otherwise those of members after the place up to which a
// shard can be read, numbered as readers count the existing shards and with ids in the tables of n. Rows of a missing shard
// are lost: readers would look for them in another one. So are rows without a member in a damaged shard; in others such rows are wrong.
func (x *index) kept(ctx context.Context, n *numbering, have []entryRow, damaged []string) (rows []entryRow, lost int64, err error) {
	known, stems := map[spot]bool{}, map[uint32]uint32{}
	for _, r := range have {
		known[spot{r.fid, r.off}] = true
	}
	err = x.each(ctx, func(_ int64, r entryRow) {
		h := x.fold.of(r.fid)
		if len(x.fold.shards) > 0 && h == nil {
			lost++
			return
		} else if h != nil {
			r.fid = uint16(slices.Index(x.fold.shards, h))
		}
		if known[spot{r.fid, r.off}] {
			return
		}
		if x.fold.reaches(h, r.off) { // no member begins there, or no longer
			if slices.Contains(damaged, h.name) {
				lost++
			}
			return
		}
		if len(rows) >= maxRewrite || !renumbered(x, &r, n, stems) {
			lost++
			return
		}
		known[spot{r.fid, r.off}] = true
		rows = append(rows, r)
	})
	return rows, lost, err
}

// reaches tells whether a shard that is there has the place of a header.
func (f *fold) reaches(h *shard, off uint64) bool {
	if h == nil {
		return false
	}
	_, there := f.head(h, off)
	return there
}

// renumbered gives a row ids in the tables of n, where stems are the collision stems that already have one. It returns false for an impossible
// row, or one without an extension.
func renumbered(x *index, r *entryRow, n *numbering, stems map[uint32]uint32) bool {
	if !likely(*r, uint64(len(x.exts)), uint64(len(x.stems))) || x.exts[r.ext] == "" {
		return false
	}
	id, err := n.ext(x.exts[r.ext])
	if err != nil {
		return false
	}
	r.ext = id
	if r.crash > 0 {
		if stems[r.crash] == 0 {
			n.stems = append(n.stems, x.stems[r.crash-1])
			stems[r.crash] = uint32(len(n.stems))
		}
		r.crash = stems[r.crash]
	}
	return true
}

// quantities are the numbers that several places of an index state.
func quantities(ctx context.Context, t *model.Tree) (out []model.Quantity) {
	x := stateOf(t)
	if x == nil || x.rows == nil || x.dead {
		return nil
	}
	field := func(name string) model.Witness {
		n := x.head[name]
		return model.Witness{Text: "the header", Value: n.Value, Field: n.Span}
	}
	rows := []model.Witness{field("n_rows"), {Text: "the space after the names", Value: model.I(x.n), Weak: true}}
	if m, err := x.matched(ctx); err == nil && m.whole() {
		rows = append(rows, model.Witness{Text: model.Count(int64(len(x.fold.shards)), "shards"), Value: model.I(x.n + int64(len(m.missing)))})
	}
	if n, ok := x.uniform(ctx); ok {
		rows = append(rows, model.Witness{Text: "the sample count in the header", Value: model.I(n)})
	}
	out = append(out, model.Quantity{Name: "rows", Witnesses: rows},
		model.Quantity{Name: "extension names", Witnesses: []model.Witness{field("n_ext"), {Text: "the names after the header",
			Value: model.I(int64(len(x.exts)))}}},
		model.Quantity{Name: "collision stems", Witnesses: []model.Witness{field("n_crash"), {Text: "the stems before the rows",
			Value: model.I(int64(len(x.stems)))}}})
	if s := x.counted(ctx); s != nil {
		out = append(out, model.Quantity{Name: "samples", Witnesses: []model.Witness{field("n_stems"), {Text: "the rows",
			Value: model.I(int64(s.samples)), Weak: true}}})
	}
	return out
}

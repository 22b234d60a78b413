package tiledb

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"path"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// A deletion leaves cells in their fragments: readers skip cells written before it for which its condition is
// not true (section 5.4 of the sheet: the stored condition is the opposite of the requested one).

// deletion is a delete commit: its time, its name, and which cells survive it.
type deletion struct {
	at      uint64
	name    string
	survive *condition
}

// deletions lists the delete commits that readers at a time know; ok is false if one of them cannot be read.
func deletions(ctx context.Context, a *array, at uint64) (out []deletion, ok bool) {
	ok = true
	for name, b := range deleteCommits(a) {
		when := stampOf(name)
		if when.to > at {
			continue
		}
		if c := conditionOf(ctx, a.lock.Key, b); c == nil || !c.judged() {
			ok = false
		} else {
			out = append(out, deletion{when.from, name, c})
		}
	}
	slices.SortFunc(out, func(x, y deletion) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.name, y.name)) })
	return out, ok
}

// deleteCommits are the delete commits of an array by name, including those inside consolidated ones.
func deleteCommits(a *array) map[string][]byte {
	s, files, out := a.commits, map[string][]byte{}, map[string][]byte{}
	if s == nil {
		s = a.readCommits()
	}
	for name, at := range s.deletes {
		b, read := files[at.file]
		if !read {
			b = fileBytes(a.d.t, at.file, mostCommits)
			files[at.file] = b
		}
		if at.off < int64(len(b)) || at.off == 0 {
			out[name] = b[at.off:]
		}
	}
	return out
}

// sentence is a deletion that cells of a fragment must survive.
type sentence struct {
	deletion
	survives test
	timed    bool // the deletion was between the writes of the fragment: cells written later survive
}

// sentences returns the deletions that cells of a fragment must survive: those that are not earlier, and had not been applied when
// it was consolidated.
func (f *frag) sentences(ctx context.Context, all []deletion, need map[int]bool) (out []sentence, err error) {
	if len(all) == 0 || all[len(all)-1].at < f.stamp.from {
		return nil, nil
	}
	var done []string
	if f.meta.Deletes {
		if done, err = f.conditions(ctx); err != nil {
			return nil, err
		}
	}
	for _, d := range all {
		if d.at < f.stamp.from || slices.ContainsFunc(done, func(name string) bool { return path.Base(name) == d.name }) {
			continue
		}
		x := sentence{deletion: d, timed: f.meta.Times && d.at <= f.stamp.to}
		if x.survives = d.survive.on(f, need); x.survives == nil {
			return nil, errUnjudged
		}
		out = append(out, x)
	}
	return out, nil
}

// test evaluates a condition given what is known about a cell so far: the result is combined with it, by or instead of and. TileDB does the same with
// bitmaps of all cells of a tile, and its answers for missing values and fields follow from the order.
type test func(t *cellsOfTile, i int, or, yes bool) bool

// on is the condition for cells of a fragment; need gets the slots that it reads. It is nil if a comparison makes no sense.
func (c *condition) on(f *frag, need map[int]bool) test {
	if c.kids == nil {
		return c.comparison(f, need)
	}
	kids := make([]test, len(c.kids))
	for i, k := range c.kids {
		if kids[i] = k.on(f, need); kids[i] == nil {
			return nil
		}
	}
	return func(t *cellsOfTile, i int, or, yes bool) bool {
		all := func(yes bool) bool {
			for _, k := range kids {
				yes = k(t, i, c.how == anyOf, yes)
			}
			return yes
		}
		switch {
		case c.how == anyOf:
			return all(false) && yes
		case or:
			return all(true) || yes
		}
		return all(yes)
	}
}

// comparison compares the stored bytes of a field. For a field that the fragment does not have it is never true.
func (c *condition) comparison(f *frag, need map[int]bool) test {
	slot := f.named(c.field)
	if slot < 0 {
		return func(*cellsOfTile, int, bool, bool) bool { return false }
	}
	need[slot] = true
	s := &f.slots[slot]
	values := make([]model.Value, len(c.values))
	number := storage.IsNumber(s.Datatype)
	for k, b := range c.values {
		v, _, err := storage.CodecOf(s.Datatype).Decode(b)
		if number && err != nil {
			return nil
		}
		values[k] = v
	}
	holds := func(b []byte) bool {
		switch {
		case c.op >= alwaysTrue:
			return c.op == alwaysTrue
		case c.op >= opIn:
			return slices.ContainsFunc(c.values, func(v []byte) bool { return bytes.Equal(v, b) }) == (c.op == opIn)
		case s.Datatype == filter.Char && !s.Variable() && len(c.values[0]) > 0: // TileDB compares one character
			return compared(c.op, int(int8(b[0]))-int(int8(c.values[0][0])), false)
		case !number:
			return compared(c.op, bytes.Compare(b, c.values[0]), false)
		}
		v, _, _ := storage.CodecOf(s.Datatype).Decode(b)
		return compared(c.op, storage.Compare(v, values[0]), v.Kind == model.Float && (v.Float() != v.Float() || values[0].Float() != values[0].Float()))
	}
	return func(t *cellsOfTile, i int, or, yes bool) bool {
		if yes == or {
			return yes
		}
		return !(s.Nullable && t.fields[slot].Null(i)) && holds(t.fields[slot].At(s, i))
	}
}

// compared tells whether an operator holds for an order; NaN is only unequal.
func compared(op byte, order int, nan bool) bool {
	if nan {
		return op == opNotEqual
	}
	return [...]bool{order < 0, order <= 0, order > 0, order >= 0, order == 0, order != 0}[op]
}

// judged tells whether the condition can be applied to cells.
func (c *condition) judged() bool {
	if c.kids == nil {
		return !c.odd && (c.op <= opNotIn || c.op == alwaysTrue || c.op == alwaysFalse)
	}
	return c.how <= anyOf && !slices.ContainsFunc(c.kids, func(k *condition) bool { return !k.judged() })
}

// conditions are the delete commits that have been applied to the fragment's cells.
func (f *frag) conditions(ctx context.Context) (out []string, err error) {
	t, m := f.a.d.t, f.meta
	if m.Version < 15 || m.ListsAt.Span == nil {
		return nil, nil
	}
	if err := t.Open(ctx, m.ListsAt.Span); err != nil {
		return nil, err
	}
	s := m.ListsAt.Get(fragment.DoneTile.Name)
	if s == nil || t.Open(ctx, s) != nil || s.Get(storage.PayloadF.Name) == nil {
		return nil, nil
	}
	b, err := t.All(ctx, s.Get(storage.PayloadF.Name).Range.Space)
	if err != nil || len(b) < 8 {
		return nil, err
	}
	for b = b[8:]; len(b) >= 8 && binary.LittleEndian.Uint64(b) <= uint64(len(b)-8); b = b[8+binary.LittleEndian.Uint64(b):] {
		out = append(out, string(b[8:8+binary.LittleEndian.Uint64(b)]))
	}
	return out, nil
}

package parsers

import (
	"encoding/binary"
	"fmt"

	"spandrel/model"
)

// vectors checks a block of vectors (§3.7).
func (k *idvChecker) vectors(c *idvCodec, n int64) bool {
	at := k.pos
	stored, ok := k.i32()
	if !ok {
		return false
	}
	if stored != n {
		k.found(68, 0, at, 4, fmt.Sprint(stored), fmt.Sprint(n))
		return false
	}
	at = k.pos
	size, ok := k.i32()
	if !ok {
		return false
	}
	if c.size > 0 && size != c.size {
		k.found(69, 0, at, 4, fmt.Sprint(size), fmt.Sprint(c.size), idvInt(c.size))
	} else if size < 0 {
		k.found(69, 0, at, 4, fmt.Sprint(size), "0 or more")
	}
	var lengths []byte
	if size <= 0 {
		at := k.pos
		if lengths = k.need(4 * n); lengths == nil && n > 0 {
			return false
		}
		k.lengths(c, lengths, at)
	}
	countsAt := k.pos
	counts := k.need(4 * n)
	if counts == nil && n > 0 {
		return false
	}
	length := func(i int64) int64 {
		if lengths == nil {
			return size
		}
		return int64(int32(binary.LittleEndian.Uint32(lengths[4*i:])))
	}
	explicit, items := k.counts(counts, countsAt, length)
	at = k.pos
	indices, ok := k.i32()
	if !ok {
		return false
	}
	switch {
	case indices < 0:
		k.found(73, 0, at, 4, fmt.Sprint(indices), fmt.Sprint(explicit), idvInt(explicit))
		return false
	case indices != explicit:
		sev := model.Error
		if indices > explicit {
			sev = model.Warning
		}
		k.found(73, sev, at, 4, fmt.Sprint(indices), fmt.Sprint(explicit), idvInt(explicit))
	}
	at = k.pos
	b := k.need(4 * indices)
	if b == nil && indices > 0 {
		return false
	}
	k.indices(b, counts, at, length)
	return c.item.readable() && k.values(c.item, items)
}

func (k *idvChecker) lengths(c *idvCodec, b []byte, at int64) {
	unit := int64(1)
	for i, d := range c.dims {
		if i > 0 && d > 0 && unit < 1<<31 {
			unit *= int64(d)
		}
	}
	for i := 0; i+4 <= len(b); i += 4 {
		switch v := int64(int32(binary.LittleEndian.Uint32(b[i:]))); {
		case v < 0:
			k.found(70, 0, at+int64(i), 4, fmt.Sprint(v), "0 or more")
		case v%unit != 0:
			k.found(70, model.Warning, at+int64(i), 4, fmt.Sprint(v), fmt.Sprintf("a multiple of %d", unit))
		}
	}
}

// idvMaxItems keeps sums of hostile lengths inside int64.
const idvMaxItems = 1 << 40

// counts checks how many items vectors have, and returns the sums of the explicit and of all stored items.
func (k *idvChecker) counts(b []byte, at int64, length func(i int64) int64) (explicit, items int64) {
	for i := int64(0); 4*i < int64(len(b)); i++ {
		v, n := int64(int32(binary.LittleEndian.Uint32(b[4*i:]))), length(i)
		switch {
		case v == -1:
			items += max(0, n)
		case v < 0:
			k.found(71, 0, at+4*i, 4, fmt.Sprint(v), fmt.Sprintf("-1, or 0 to %d", n-1))
		default:
			if v == n {
				k.found(71, 0, at+4*i, 4, fmt.Sprint(v), "-1: all items are there", idvInt(-1))
			} else if v > n {
				k.found(71, 0, at+4*i, 4, fmt.Sprint(v), fmt.Sprintf("-1, or 0 to %d", n-1))
			}
			explicit, items = explicit+v, items+v
		}
		items = min(items, idvMaxItems)
	}
	return explicit, items
}

// indices checks that those of each sparse vector increase and stay inside it.
func (k *idvChecker) indices(b, counts []byte, at int64, length func(i int64) int64) {
	j := int64(0)
	for i := int64(0); 4*i < int64(len(counts)); i++ {
		prev, n := int64(-1), length(i)
		for range max(0, int64(int32(binary.LittleEndian.Uint32(counts[4*i:])))) {
			if 4*j+4 > int64(len(b)) {
				return
			}
			v := int64(int32(binary.LittleEndian.Uint32(b[4*j:])))
			if v <= prev || v >= n {
				k.found(72, 0, at+4*j, 4, fmt.Sprint(v), fmt.Sprintf("%d to %d", prev+1, n-1))
			}
			prev = v
			j++
		}
	}
}

// checkRanges checks the value of CategoricalSlotRanges: pairs of first and last slot, ascending and disjoint (093).
func (s *idvStream) checkRanges(sh idvShape, b []byte, report func(idvFinding)) {
	ix := newIdvIndex(sh.codec, b, 1)
	if ix.trouble != "" {
		return
	}
	cell := ix.cell(0)
	slots := int64(1) << 31
	if c := sh.col.codec; c.kind == idvVector && c.size > 0 {
		slots = c.size
	}
	prev := int64(-1)
	for i := 0; i+1 < len(cell.Items); i += 2 {
		from, to := cell.Items[i].Int(), cell.Items[i+1].Int()
		if from <= prev || to < from || to >= slots {
			report(idvFinding{rule: 93, at: ix.itemsAt + int64(4*i), n: 8, found: fmt.Sprintf("%d to %d", from, to), expected: fmt.Sprintf("inside %d to %d", prev+1, slots-1),
				fixes: s.dropEntry(sh.col, sh.meta)})
			return
		}
		prev = to
	}
}

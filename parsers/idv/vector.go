package idv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"spandrel/model"
)

// vectors checks a block of vectors (§3.7).
func (k *checker) vectors(c *codec, n int64) bool {
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
	if want := max(0, c.size); size < 0 || c.size > 0 && size != c.size {
		expected, fits := "0 or more", k.fits(func(k *checker) bool { return k.sized(c, n, want) })
		if c.size > 0 {
			expected = fmt.Sprint(c.size)
		}
		f := finding{rule: 69, at: at, n: 4, found: fmt.Sprint(size), expected: expected}
		if fits {
			f.set = intOf(want)
		}
		if k.add(f); !fits {
			return false
		}
		size = want
	}
	return k.sized(c, n, size)
}

// fits tells whether the rest of the block is read to its end exactly, without looking at findings.
func (k *checker) fits(read func(k *checker) bool) bool {
	try := &checker{b: k.b, pos: k.pos, report: func(finding) {}}
	return read(try) && try.pos == int64(len(try.b))
}

// sized checks what follows the size of vectors.
func (k *checker) sized(c *codec, n, size int64) bool {
	var lengths []byte
	if size <= 0 {
		at := k.pos
		if lengths = k.need(4 * n); lengths == nil && n > 0 {
			return false
		}
		k.lengths(c, lengths, at)
	}
	length := func(i int64) int64 {
		if lengths == nil {
			return size
		}
		return int64(int32(binary.LittleEndian.Uint32(lengths[4*i:])))
	}
	countsAt := k.pos
	counts := k.need(4 * n)
	if counts == nil && n > 0 {
		return false
	}
	sum := k.counts(counts, countsAt, length)
	at := k.pos
	indices, ok := k.i32()
	if !ok {
		return false
	}
	reads := func(indices int64) bool {
		return k.fits(func(k *checker) bool {
			k.pos += 4 * indices
			return k.pos <= int64(len(k.b)) && k.values(c.item, sum.items)
		})
	}
	if sum.wholes > 0 {
		bare := indices == sum.explicit-sum.full && reads(indices)
		counts = k.whole(counts, countsAt, length, bare, indices == sum.explicit)
		if bare {
			sum.explicit = indices
		}
	}
	if indices != sum.explicit || !sum.sure {
		if k.count[71] > 0 {
			return false // and the sum is not known
		}
		f := finding{rule: 73, sev: model.Error, at: at, n: 4, found: fmt.Sprint(indices), expected: fmt.Sprint(sum.explicit)}
		if indices > sum.explicit {
			f.sev = model.Warning
		}
		fits := reads(sum.explicit)
		if fits {
			f.set = intOf(sum.explicit)
		}
		switch k.add(f); {
		case fits:
			indices = sum.explicit
		case indices < sum.explicit:
			return false
		}
	}
	at = k.pos
	b := k.need(4 * indices)
	if b == nil && indices > 0 {
		return false
	}
	k.indices(b, counts, at, length)
	return c.item.readable() && k.values(c.item, sum.items)
}

func (k *checker) lengths(c *codec, b []byte, at int64) {
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

// maxItems keeps sums of hostile lengths inside int64.
const maxItems = 1 << 40

// sums is what the counts of vectors add up to: the explicit items, those of them in vectors that hold all their items, how
// many such vectors there are, and all items that are stored. sure is false when a count says nothing.
type sums struct {
	explicit, full, wholes, items int64
	sure                          bool
}

// counts checks how many items vectors have. Vectors that are full are left to whole.
func (k *checker) counts(b []byte, at int64, length func(i int64) int64) sums {
	sum := sums{sure: true}
	for i := int64(0); 4*i < int64(len(b)); i++ {
		v, n := int64(int32(binary.LittleEndian.Uint32(b[4*i:]))), length(i)
		switch {
		case v == -1:
			sum.items += max(0, n)
		case v < 0:
			k.found(71, 0, at+4*i, 4, fmt.Sprint(v), fmt.Sprintf("-1, or 0 to %d", n-1))
			sum.sure = false
		default:
			if v > n {
				k.found(71, 0, at+4*i, 4, fmt.Sprint(v), fmt.Sprintf("-1, or 0 to %d", n-1))
			} else if v == n {
				sum.full, sum.wholes = sum.full+v, sum.wholes+1
			}
			sum.explicit, sum.items = sum.explicit+v, sum.items+v
		}
		sum.items = min(sum.items, maxItems)
	}
	return sum
}

// whole reports vectors that count all their items, which must be dense (071). Their indices are not there (bare), or are
// listed, and go with the repair. It returns the counts as they should be read.
func (k *checker) whole(counts []byte, at int64, length func(i int64) int64, bare, listed bool) []byte {
	out := counts
	if bare {
		out = bytes.Clone(counts)
	}
	for i := int64(0); 4*i < int64(len(counts)); i++ {
		v := int64(int32(binary.LittleEndian.Uint32(counts[4*i:])))
		if v < 0 || v != length(i) {
			continue
		}
		f := finding{rule: 71, at: at + 4*i, n: 4, found: fmt.Sprint(v), expected: "-1: all items are there"}
		switch {
		case bare:
			binary.LittleEndian.PutUint32(out[4*i:], math.MaxUint32)
			f.set = intOf(-1)
		case v == 0 && listed:
			f.set = intOf(-1)
		case listed:
			f.label, f.mend = "store the vector with all its items", func(ix *index) ([]byte, error) { return ix.dense(i) }
		}
		k.add(f)
	}
	return out
}

// indices checks that those of each sparse vector increase and stay inside it.
func (k *checker) indices(b, counts []byte, at int64, length func(i int64) int64) {
	j := int64(0)
	for i := int64(0); 4*i < int64(len(counts)); i++ {
		prev, n := int64(-1), length(i)
		first := j
		for range max(0, int64(int32(binary.LittleEndian.Uint32(counts[4*i:])))) {
			if 4*j+4 > int64(len(b)) {
				return
			}
			v := int64(int32(binary.LittleEndian.Uint32(b[4*j:])))
			if v <= prev || v >= n {
				f := finding{rule: 72, at: at + 4*j, n: 4, found: fmt.Sprint(v), expected: fmt.Sprintf("%d to %d", prev+1, n-1)}
				last := first + int64(binary.LittleEndian.Uint32(counts[4*i:]))
				if k.count[72] < maxFound && 4*last <= int64(len(b)) && sortable(b[4*first:4*last], n) {
					f.label, f.mend = "sort the indices with their values", func(ix *index) ([]byte, error) { return ix.sorted(i) }
				}
				k.add(f)
			}
			prev = v
			j++
		}
	}
}

// checkRanges checks the value of CategoricalSlotRanges: pairs of first and last slot, ascending and disjoint (093).
func (s *stream) checkRanges(sh shape, b []byte, report func(finding)) {
	ix := newIdvIndex(sh.codec, b, 1)
	if ix.trouble != "" {
		return
	}
	cell := ix.cell(0)
	slots := int64(1) << 31
	if c := sh.col.codec; c.kind == kindVector && c.size > 0 {
		slots = c.size
	}
	prev := int64(-1)
	for i := 0; i+1 < len(cell.Items); i += 2 {
		from, to := cell.Items[i].Int(), cell.Items[i+1].Int()
		if from <= prev || to < from || to >= slots {
			report(finding{rule: 93, at: ix.itemsAt + int64(4*i), n: 8, found: fmt.Sprintf("%d to %d", from, to), expected: fmt.Sprintf("inside %d to %d", prev+1, slots-1),
				fixes: s.dropEntry(sh.col, sh.meta)})
			return
		}
		prev = to
	}
}

package block

import "math"

// maxItems keeps sums of hostile lengths within int64.
const maxItems = 1 << 40

// sums is the totals of the counts of vectors: explicit items, those in vectors that store all their items, the number
// of such vectors, and all stored items. sure is false if a count is implausible.
type sums struct {
	explicit, full, wholes, items int64
	sure                          bool
}

// vectors reads a block of vectors (§3.7), according to its own count.
func (k *reading) vectors(c *Codec, n int64) bool {
	at := k.pos
	stored, ok := k.i32(NumVectors)
	if !ok {
		return false
	}
	k.Own = stored
	if stored != n {
		k.issue(Issue{Problem: VectorCount, At: at, N: 4, Found: stored, Want: n})
		if stored < 0 || stored > k.left()/4 {
			return false
		}
	}
	v := &k.vec
	at = k.pos
	if v.size, ok = k.i32(Size); !ok {
		return false
	}
	if k.assume.hasSize {
		v.size = k.assume.size
	} else if v.size < 0 || c.Size > 0 && v.size != c.Size {
		k.issue(Issue{Problem: VectorSize, At: at, N: 4, Found: v.size, Want: max(0, c.Size)})
	}
	if v.size <= 0 {
		if v.lengths, ok = k.numbers(Lengths, I4, 4, stored); !ok {
			return false
		}
	}
	v.countsAt = k.pos
	if v.counts, ok = k.numbers(Counts, I4, 4, stored); !ok {
		return false
	}
	v.n = stored
	v.add()
	return k.vectorItems(c) && stored == n
}

// vectorItems reads the indices and items of a block of vectors, according to their counts.
func (k *reading) vectorItems(c *Codec) bool {
	v, at := &k.vec, k.pos
	indices, ok := k.i32(NumIndices)
	if !ok {
		return false
	}
	if k.assume.hasIndices {
		indices = k.assume.indices
	} else if v.bare = v.sum.wholes > 0 && indices == v.sum.explicit-v.sum.full; !v.bare && indices != v.sum.explicit && v.sum.sure {
		k.issue(Issue{Problem: IndexSum, At: at, N: 4, Found: indices, Want: v.sum.explicit})
	}
	v.indicesAt = k.pos
	if indices < 0 || indices > k.left()/4 {
		if indices == v.sum.explicit {
			k.issue(Issue{Problem: Short, At: k.pos, N: k.left(), Found: k.left(), Want: 4 * indices})
		}
		return false
	}
	v.indices, _ = k.numbers(Indices, I4, 4, indices)
	k.items, k.deep = v.sum.items, true
	defer func() { k.deep = false }()
	return k.values(c.Item, k.items)
}

// add adds up the counts.
func (v *vectors) add() {
	v.sum = sums{sure: true}
	for i := range v.n {
		n, count := v.length(i), num32(v.counts, i)
		switch {
		case count == -1:
			v.sum.items += max(0, n)
		case count < 0:
			v.sum.sure = false
		default:
			if count == n {
				v.sum.full, v.sum.wholes = v.sum.full+count, v.sum.wholes+1
			}
			v.sum.explicit, v.sum.items = v.sum.explicit+count, v.sum.items+count
		}
		v.sum.items = min(v.sum.items, maxItems)
	}
}

// length is the length of vector i.
func (v *vectors) length(i int64) int64 {
	if v.lengths == nil {
		return v.size
	}
	return num32(v.lengths, i)
}

// listed is how many items of vector i have an index; -1 if all are stored without.
func (v *vectors) listed(i int64) int64 {
	n := num32(v.counts, i)
	if v.bare && n == v.length(i) {
		return -1
	}
	return n
}

// place determines the starts of vectors among items and indices, and tells whether there are enough indices.
func (v *vectors) place() bool {
	v.placed.Do(func() {
		v.starts, v.explicit = make([]int64, v.n+1), make([]int64, v.n+1)
		for i := range v.n {
			items, listed := v.length(i), int64(0)
			if n := v.listed(i); n >= 0 {
				items, listed = n, n
			}
			v.starts[i+1] = min(v.starts[i]+max(0, items), maxItems)
			v.explicit[i+1] = min(v.explicit[i]+listed, maxItems)
		}
	})
	return v.explicit[v.n] <= int64(len(v.indices))/4
}

// alternatives are possible readings of a block of vectors.
func (k *Block) alternatives() (out []assumption) {
	want := max(0, k.Codec.Size)
	if v := &k.vec; v.counts != nil || v.size < 0 || want > 0 {
		if v.size != want {
			out = append(out, assumption{size: want, hasSize: true})
		}
		if v.n > 0 && v.sum.sure && v.sum.explicit <= math.MaxInt32 {
			out = append(out, assumption{indices: v.sum.explicit, hasIndices: true})
		}
	}
	return out
}

// blame is what is wrong in a block that fits under an assumption.
func (k *Block) blame(a assumption) (out []Issue) {
	for _, i := range k.issues {
		if a.hasSize && i.Problem == VectorSize || a.hasIndices && i.Problem == IndexSum {
			i.Fits = true
			out = append(out, i)
		}
	}
	if size, ok := k.Part(Size, false); ok && a.hasSize && len(out) == 0 { // the type does not fix the length, so only the following bytes show it
		out = append(out, Issue{Problem: VectorSize, At: size.Off, N: 4, Found: num32(k.B[size.Off:], 0), Want: a.size, Fits: true})
	}
	return out
}

package idv

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Repairs of vectors: the block is written anew.

// sortable tells whether the indices of a sparse vector of n items are all different and inside it.
func sortable(b []byte, n int64) bool {
	v := make([]int32, len(b)/4)
	for i := range v {
		v[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	slices.Sort(v)
	return len(v) > 0 && v[0] >= 0 && int64(v[len(v)-1]) < n && len(slices.Compact(v)) == len(b)/4
}

// sorted returns the block with the explicit items of sparse vector i in the order of their indices.
func (ix *index) sorted(i int64) ([]byte, error) {
	old := ix.indices[4*ix.indexStart[i] : 4*ix.indexStart[i+1]]
	index := func(j int64) uint32 { return binary.LittleEndian.Uint32(old[4*j:]) }
	order := make([]int64, len(old)/4)
	for j := range order {
		order[j] = int64(j)
	}
	slices.SortFunc(order, func(a, b int64) int { return cmp.Compare(index(a), index(b)) })
	out, err := ix.items.permuted(ix.itemStart[i], order)
	if err != nil {
		return nil, err
	}
	at := ix.itemsAt - int64(len(ix.indices)) + 4*int64(ix.indexStart[i])
	for j, from := range order {
		binary.LittleEndian.PutUint32(out[at+4*int64(j):], index(from))
	}
	return out, nil
}

// dense returns the block with vector i, all of whose items are listed, stored without indices.
func (ix *index) dense(i int64) ([]byte, error) {
	from, to := int64(ix.indexStart[i]), int64(ix.indexStart[i+1])
	for j := from; j < to; j++ {
		if int64(binary.LittleEndian.Uint32(ix.indices[4*j:])) != j-from {
			return nil, fmt.Errorf("the indices are not those of all items")
		}
	}
	first := ix.itemsAt - int64(len(ix.indices)) // of the indices
	counts := first - 4 - int64(len(ix.counts))
	out := append([]byte(nil), ix.b[:first+4*from]...)
	binary.LittleEndian.PutUint32(out[counts+4*i:], 1<<32-1)
	binary.LittleEndian.PutUint32(out[first-4:], uint32(int64(len(ix.indices))/4-(to-from)))
	return append(out, ix.b[first+4*to:]...), nil
}

// permuted returns the block with items in another order: item from+j becomes what item from+order[j] was.
func (ix *index) permuted(from int64, order []int64) ([]byte, error) {
	out := append([]byte(nil), ix.b...)
	move := func(at, bits int64) { // of values that stand at a byte offset, one behind the other
		for j, o := range order {
			to, of := (from+int64(j))*bits, (from+o)*bits
			if bits >= 8 {
				copy(out[at+to/8:at+to/8+bits/8], ix.b[at+of/8:])
				continue
			}
			mask := byte(1)<<bits - 1
			v := ix.b[at+of/8] >> (of % 8) & mask
			out[at+to/8] = out[at+to/8]&^(mask<<(to%8)) | v<<(to%8)
		}
	}
	switch base := ix.codec.base(); base {
	case kindText:
		end := ix.textEnd()
		if !utf8.Valid(ix.b[ix.textAt:end]) {
			return nil, fmt.Errorf("the text is not valid UTF-8")
		}
		old := ix.all()
		texts := slices.Clone(old)
		for j, o := range order {
			texts[from+int64(j)] = old[from+o]
		}
		return append(append(out[:ix.boundAt-4], encodeTexts(texts)...), ix.b[end:]...), nil
	case kindBool:
		move(ix.valuesAt, 1)
	case kindBool2:
		move(ix.valuesAt, 2)
	case kindDateZone:
		move(ix.valuesAt, 16)
		move(ix.valuesAt+2*ix.n, 64)
	default:
		move(ix.valuesAt, 8*base.width())
	}
	return out, nil
}

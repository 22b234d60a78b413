package block

import (
	"math"

	"spandrel/model"
)

// Batch appends a range of values in columnar form: numbers unchanged, a byte per truth value, vectors of
// fixed length in full. ok is false if they must be read as cells: for other types, and if something is wrong with the block.
func (k *Block) Batch(out *model.Batch, from, to int64) (ok bool) {
	if k.Trouble() != "" || from < 0 || to > k.Held() {
		return false
	}
	switch base := k.Codec.Base(); {
	case k.Codec.Kind == Vector:
		return k.batchVectors(out, from, to)
	case base == Text:
		return k.batchTexts(out, from, to)
	case base == Bool:
		for i := from; i < to; i++ {
			out.Data = append(out.Data, k.B[k.base[0]+i/8]>>(i%8)&1)
		}
	case plain(base):
		w := base.Width()
		out.Data = append(out.Data, k.B[k.base[0]+from*w:k.base[0]+to*w]...)
	default:
		return false
	}
	out.Rows += to - from
	return true
}

// plain tells whether the values of a kind are consecutive numbers.
func plain(k Kind) bool {
	return k.Number() != nil && k != Bool && k != Bool2 && k != DateZone && k != RowID
}

func (k *Block) batchTexts(out *model.Batch, from, to int64) bool {
	if out.Starts == nil {
		out.Starts = []int32{0}
	}
	for i := from; i < to; i++ {
		v, _, _, _ := k.text(i)
		out.Rows++
		out.Null = model.Flagged(out.Null, out.Rows, v.Kind == model.None)
		if out.Data = append(out.Data, v.Text()...); len(out.Data) > math.MaxInt32 {
			return false
		}
		out.Starts = append(out.Starts, int32(len(out.Data)))
	}
	return true
}

// batchVectors fills in what sparse vectors do not store: zeros.
func (k *Block) batchVectors(out *model.Batch, from, to int64) bool {
	v, item := &k.vec, k.Codec.Item.Base()
	size, w := k.Codec.Size, item.Width()
	if size <= 0 || size > maxCell || !plain(item) || !v.place() {
		return false
	}
	held := k.heldItems()
	for i := from; i < to; i++ {
		first, last := v.starts[i], v.starts[i+1]
		if v.length(i) != size || last > held {
			return false
		}
		b := k.B[k.base[1]+first*w : k.base[1]+last*w]
		if v.listed(i) < 0 {
			if last-first != size {
				return false
			}
			out.Data = append(out.Data, b...)
			continue
		}
		row := v.spread(i, b, w, size)
		if row == nil {
			return false
		}
		out.Data = append(out.Data, row...)
	}
	out.Rows += to - from
	return true
}

// spread puts the items of sparse vector i, of w bytes each, at their indices among zeros; nil if the indices do not increase, or are out of range.
func (v *vectors) spread(i int64, items []byte, w, size int64) []byte {
	row := make([]byte, size*w)
	before := int64(-1)
	for j := range int64(len(items)) / w {
		at := num32(v.indices, v.explicit[i]+j)
		if at <= before || at >= size {
			return nil
		}
		copy(row[at*w:], items[j*w:(j+1)*w])
		before = at
	}
	return row
}

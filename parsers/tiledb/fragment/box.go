package fragment

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Box is the range of each dimension, inclusive.
type Box [][2]model.Value

// Point is the box of one cell.
func Point(at []model.Value) (b Box) {
	for _, v := range at {
		b = append(b, [2]model.Value{v, v})
	}
	return b
}

// With is the smallest box that contains this one, if there is one, and another.
func (b Box) With(other Box) (out Box) {
	if b == nil {
		return other
	}
	for i, r := range b {
		if storage.Compare(other[i][0], r[0]) < 0 {
			r[0] = other[i][0]
		}
		if storage.Compare(other[i][1], r[1]) > 0 {
			r[1] = other[i][1]
		}
		out = append(out, r)
	}
	return out
}

// Within is the intersection with another box.
func (b Box) Within(other Box) (out Box) {
	for i, r := range b {
		if storage.Compare(r[0], other[i][0]) < 0 {
			r[0] = other[i][0]
		}
		if storage.Compare(r[1], other[i][1]) > 0 {
			r[1] = other[i][1]
		}
		out = append(out, r)
	}
	return out
}

// Holds tells whether coordinates are in the box.
func (b Box) Holds(at []model.Value) bool {
	for i, r := range b {
		if storage.Compare(at[i], r[0]) < 0 || storage.Compare(at[i], r[1]) > 0 {
			return false
		}
	}
	return true
}

// Meets tells whether the boxes have a cell in common.
func (b Box) Meets(other Box) bool {
	for i, r := range b {
		if i >= len(other) || storage.Compare(r[0], other[i][1]) > 0 || storage.Compare(r[1], other[i][0]) < 0 {
			return false
		}
	}
	return true
}

// Over tells whether the box contains another.
func (b Box) Over(other Box) bool {
	for i, r := range b {
		if i >= len(other) || storage.Compare(other[i][0], r[0]) < 0 || storage.Compare(other[i][1], r[1]) > 0 {
			return false
		}
	}
	return true
}

// Intervals are the ranges as in a footer.
func (b Box) Intervals() (out []schema.Interval) {
	for _, r := range b {
		out = append(out, schema.Interval{Low: model.Node{Value: r[0]}, High: model.Node{Value: r[1]}})
	}
	return out
}

// Place is the number of coordinates in the box, the last dimension fastest.
func (b Box) Place(at []model.Value) (n int) {
	for d, r := range b {
		n = n*int(storage.Spread(r[0], r[1])+1) + int(storage.Spread(r[0], at[d]))
	}
	return n
}

// Low is the first corner.
func (b Box) Low() (at []model.Value) {
	for _, r := range b {
		at = append(at, r[0])
	}
	return at
}

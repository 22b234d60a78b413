package taridx

import "slices"

// fitting is how the rows of a shard fit its members.
type fitting struct {
	all, other int      // rows, and those that fit no member by hash
	sized      int      // rows that have the size and the extension of their member
	sizes      []uint64 // some of these sizes
}

// add counts a row, with that of the member where it points, or nil; named tells whether the shard has the one member of its name elsewhere.
func (f *fitting) add(r entryRow, there *entryRow, named func() bool) {
	f.all++
	if (there == nil || there.hash != r.hash) && !named() {
		f.other++
	}
	if there != nil && there.size == r.size && there.ext == r.ext {
		f.sized++
		if len(f.sizes) < varied {
			f.sizes = appendNew(f.sizes, r.size)
		}
	}
}

// foreign tells whether a shard is another than the one that was indexed.
func (f *fitting) foreign() bool {
	return f.other > 2 && 2*f.other > f.all && (len(f.sizes) < varied || f.sized < f.all)
}

// varied is how many different sizes of members are no chance: where all rows have the size and extension of the members that they point at, those
// are what was indexed, whatever the hashes say.
const varied = 8

func appendNew(list []uint64, x uint64) []uint64 {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

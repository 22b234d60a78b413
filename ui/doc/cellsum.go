package doc

import (
	"hash/maphash"

	"spandrel/model"
)

// StatsPage is how many rows are read at a time where all of a table are.
const StatsPage = 4096

// CompareSeed is of all sums that are compared with each other.
var CompareSeed = maphash.MakeSeed()

// CellSum is a sum over all that a cell says.
func CellSum(c *model.Cell) uint64 {
	var h maphash.Hash
	h.SetSeed(CompareSeed)
	h.WriteString(c.Trouble)
	if !c.Vector {
		h.WriteString(c.Value.String())
		return h.Sum64()
	}
	maphash.WriteComparable(&h, c.Len)
	for i := range c.Items {
		if i < len(c.Index) {
			maphash.WriteComparable(&h, c.Index[i])
		}
		h.WriteString(c.Items[i].String())
		h.WriteByte(0)
	}
	return h.Sum64()
}

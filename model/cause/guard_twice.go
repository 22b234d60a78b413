package cause

import (
	"bytes"
	"fmt"
)

// twice: a piece that is there twice in a row was inserted, or it has replaced other bytes of that length. Only a length stated elsewhere tells
// these apart, because in both cases the file reads well without the second copy.
func (g guarded) twice() string {
	for _, c := range changes(g.all, g.base.snap, g.to) {
		was, err := g.base.snap.Content(c.File)
		if err != nil || c.Grown > 0 || c.Del < leastRepeated || c.Del > mostRepeated || c.Off+c.Del >= was.Len() {
			continue // a file that is whole before the copy lacks nothing
		}
		if e, ok := g.extents[c.File]; ok && !e.Least && !e.Guess && e.Size == was.Len()-c.Del {
			continue
		}
		if piece := bytesAt(was, c.Off, c.Del); bytes.Equal(piece, bytesAt(was, c.Off+c.Del, c.Del)) || c.Off >= c.Del && bytes.Equal(piece, bytesAt(was, c.Off-c.Del, c.Del)) {
			return fmt.Sprintf("one of the two copies may have replaced other bytes of %s", c.File)
		}
	}
	return ""
}

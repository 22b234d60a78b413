package idv

import (
	"fmt"

	"spandrel/model"
)

// kindFixes set the compression of a column to what its first block shows it to be.
func (r repairing) kindFixes(c *column) []model.Fix {
	e, ok := r.entryOf(r.ctx, r.t, c, 0)
	if !ok || e.off < headerSize || e.n <= 0 || e.end() > r.size {
		return nil
	}
	in, err := r.t.Bytes(r.ctx, r.rangeOf(e))
	if err != nil {
		return nil
	}
	for kind, name := range []string{"none", "deflate"} {
		sh := r.stream.shape(e)
		sh.compression = byte(kind)
		if b, how := sh.decode(in, nil); how.Err == nil && !how.More && how.Spare == 0 && int64(len(b)) == sh.declared && sh.holds(b) {
			return []model.Fix{{Label: fmt.Sprintf("set compression to %d (%s), as its blocks are", kind, name), Safe: true,
				Edits: []model.Edit{model.Replace(model.Range{Space: r.space, Off: c.compressionAt, Len: 1}, []byte{byte(kind)})}}}
		}
	}
	return nil
}

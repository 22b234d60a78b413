package idv

import (
	"encoding/binary"
	"path"
	"strings"

	"spandrel/model"
)

// parse reads whichever form the bytes have (§9.1).
func parse(c *model.Cursor) {
	st := &state{}
	c.Tree().State = st
	head := c.Peek(12)
	sig := func(at int) uint64 {
		if len(head) < at+8 {
			return 0
		}
		return binary.LittleEndian.Uint64(head[at:])
	}
	switch {
	case sig(0) == transposedSignature || sig(0) != headSignature && transposedTailed(c.PeekAt(max(0, c.Size()-8), 8)):
		parseTransposed(c, st)
	case sig(0) != headSignature && sig(4) == headSignature:
		prefixedStream(c, st, "")
	case isZip(head):
		if ext := strings.ToLower(path.Ext(c.Tree().Snapshot.Primary)); ext == ".idv" || ext == ".tdv" {
			c.Wrong(namedData, c.Range(0, 4), "a model (ZIP)", "binary data")
		}
		parseZip(c, st)
	default:
		parseStream(c, st, "")
	}
}

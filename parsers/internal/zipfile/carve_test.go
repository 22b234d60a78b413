package zipfile

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// TestCarveReadsOnce: of thousands of headers whose members do not end, none makes the rest of the archive be searched again.
func TestCarveReadsOnce(t *testing.T) {
	const n = 4000
	h := binary.LittleEndian.AppendUint32(nil, localSignature)
	h = append(append(h, 20, 0, hasDescriptor), make([]byte, 19)...)
	b := bytes.Repeat(append(h, 1, 0, 0, 0, 'a'), n)
	read := 0
	members := Carve(t.Context(), func(off, n int64) []byte {
		w := b[min(off, int64(len(b))):min(off+n, int64(len(b)))]
		read += len(w)
		return w
	}, int64(len(b)))
	if len(members) != n {
		t.Errorf("%d members", len(members))
	}
	if most := n * 8 * stride; read > most {
		t.Errorf("%d bytes read of %d, more than %d", read, len(b), most)
	}
}

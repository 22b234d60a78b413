package idv

import (
	"encoding/binary"
	"fmt"
	"spandrel/model"
)

// header reads the 256 bytes (§1).
func (s *directory) header(peek peek) (nodes []treeNode) {
	b := peek(s.base, headerSize)
	at := s.base
	for _, f := range headerFields {
		n := int64(f.Codec.Size())
		if at+n > s.base+int64(len(b)) {
			break
		}
		nodes = append(nodes, treeNode{field: f, off: at, n: n})
		at += n
	}
	if len(b) < headerSize {
		s.report(finding{rule: tooShort, at: s.base, n: s.size, found: fmt.Sprintf("%d bytes", s.size)})
		b = append(append([]byte(nil), b...), make([]byte, headerSize-len(b))...)
	}
	u64 := func(off int) uint64 { return binary.LittleEndian.Uint64(b[off:]) }
	s.version, s.compatible = u64(8), u64(16)
	s.toc, s.tail, s.rows = int64(u64(24)), int64(u64(32)), int64(u64(40))
	s.columnCount = int64(int32(binary.LittleEndian.Uint32(b[48:])))
	s.bound = s.tail
	if s.tail < headerSize || s.tail > s.size {
		s.bound = s.size
	}
	if s.size < headerSize {
		s.salvage = s.size < 52
		return nodes
	}
	if model.AllZero(b) {
		s.salvage = true
		s.report(finding{rule: noSignature, at: s.base, n: headerSize, found: "256 zero bytes", message: unfinished(peek(s.base+headerSize, 64))})
	}
	return nodes
}

// unfinished says what 256 zero bytes before other bytes mean: a header, which is written last, is missing, unless the zeros continue.
func unfinished(next []byte) string {
	if len(next) > 0 && model.AllZero(next) {
		return "its first bytes are zero, and not only those of the header"
	}
	return "a save was not finished (the header is written last)"
}

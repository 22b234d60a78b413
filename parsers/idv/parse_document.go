package idv

import (
	"encoding/binary"
	"sync"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/zipfile"
)

// state is what the tree remembers: the streams of a document, in the order in which they were found.
type state struct {
	mu      sync.Mutex
	streams []*stream
	// boxed are spans of embedded streams that have not been opened yet.
	boxed []*model.Span
	zip   *zipfile.Archive // of a model archive
	// recent is the texts of the block that somebody looked at last.
	recent struct {
		sync.Mutex
		space model.SpaceID
		ix    *block.Block
	}
	// derived tells by SpaceID which block a space is decoded from: *derivedBlock.
	derived sync.Map
}

// add remembers a stream; one that is read again, at the same place, takes the place of the former.
func (st *state) add(s *stream) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for i, old := range st.streams {
		if old.space == s.space && old.base == s.base {
			st.streams[i] = s
			return
		}
	}
	st.streams = append(st.streams, s)
}

func (st *state) all() []*stream {
	st.mu.Lock()
	defer st.mu.Unlock()
	return append([]*stream(nil), st.streams...)
}

func stateOf(t *model.Tree) *state {
	st, _ := t.State.(*state)
	if st == nil {
		st = &state{}
	}
	return st
}

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
	case sig(0) == tdvSignature || sig(0) != headSignature && tdvTailed(c.PeekAt(max(0, c.Size()-8), 8)):
		tdvParse(c, st)
	case sig(0) != headSignature && sig(4) == headSignature:
		prefixedStream(c, st, "")
	case isZip(head):
		parseZip(c, st)
	default:
		streamParse(c, st, "")
	}
}

// prefixedStream reads a stream behind its length (§9.1).
func prefixedStream(c *model.Cursor, st *state, label string) {
	n := c.Field(prefix)
	size, own := c.Left(), int64(0)
	if b := c.Peek(40); len(b) == 40 { // what the stream says itself: bytes may follow it
		own = int64(binary.LittleEndian.Uint64(b[32:]))
		if own >= headerSize && own <= size-8 && n.Int() == own+8 {
			size = own + 8
		}
	}
	if n.Int() != size {
		var more []model.Detail
		if own != size-8 { // bytes of the stream may be missing, or too many
			more = append(more, model.Doubtful)
		}
		c.Wrong(prefixWrong, n, nil, model.I(size), more...)
	}
	s := c.Block(streamField, size, func(c *model.Cursor) { streamParse(c, st, label) })
	c.LengthOf(n, s).As(prefixWrong).When(n.Int() == size)
}

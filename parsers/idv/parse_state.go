package idv

import (
	"context"
	"fmt"
	"strings"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// add stores a stream; one that is read again, at the same place, replaces the previous one.
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
		return &state{}
	}
	return st
}

// textsOf returns a decoded block of texts; the last one is cached.
func (st *state) textsOf(ctx context.Context, t *model.Tree, space model.SpaceID) *block.Block {
	d, ok := st.derived.Load(space)
	if !ok {
		return nil
	}
	st.recent.Lock()
	defer st.recent.Unlock()
	if st.recent.ix == nil || st.recent.space != space {
		k, err := d.(*derivedBlock).read(ctx, t, space)
		if err != nil {
			return nil
		}
		st.recent.space, st.recent.ix = space, k
	}
	return st.recent.ix
}

// holding returns the stream that contains a range, or nil.
func (st *state) holding(r model.Range) *stream {
	for _, s := range st.all() {
		if s.space == r.Space && r.Off >= s.base && r.End() <= s.base+s.size {
			return s
		}
	}
	return nil
}

// blockTarget is the block that a lookup entry refers to.
func blockTarget(t *model.Tree, s *model.Span) (model.Range, bool) {
	b, ok := t.Cached(model.Range{Space: s.Range.Space, Off: s.Range.Off, Len: 16})
	stream := stateOf(t).holding(s.Range)
	if !ok || len(b) < 16 || stream == nil {
		return model.Range{}, false
	}
	e := decodeEntry(b, 0, 0)
	r := model.Range{Space: stream.space, Off: stream.base + e.off, Len: max(0, int64(e.n))}
	return r, e.off >= 0 && e.off <= stream.size && r.Len <= stream.size-e.off
}

// maxNote is how much of a text a remark shows.
const maxNote = 80

// boundNote is the text that ends at a bound.
func boundNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	k := stateOf(t).textsOf(ctx, t, s.Range.Space)
	if k == nil {
		return ""
	}
	text, label, ok := k.TextAt(s.Index())
	switch {
	case !ok:
		return ""
	case label != "":
		return label
	case len(text) > maxNote:
		text = strings.ToValidUTF8(text[:maxNote], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}

// Fields with more meaning than their bytes: lookup entries lead to blocks, bounds end texts.
var (
	blockOffset  = &model.Field{Name: "offset", Codec: model.I64LE, Show: model.ShowHex, Target: blockTarget, Ref: "§2.3"}
	blockLength  = &model.Field{Name: "length", Codec: model.I32LE, Doc: "bytes in the file", Ref: "§2.3"}
	blockDecoded = &model.Field{Name: "decompressedLength", Codec: model.I32LE, Ref: "§2.3"}
	lookupRecord = model.NewRecord(blockOffset, blockLength, blockDecoded)
	bound        = &model.Field{Name: "bound", Codec: model.I32LE, Note: boundNote, Ref: "§3.4"}
)

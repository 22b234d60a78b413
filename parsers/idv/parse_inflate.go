package idv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/inflate"
)

// shape is what is known of a block before it is decoded.
type shape struct {
	codec       *block.Codec
	compression byte
	rows        int64 // values in it
	declared    int64 // decompressed length, or -1
	at          model.Range
	meta        *metadata
	col         *column
	first       int64 // row
	k           int64 // block
	entry       int64 // where the lookup entry is, in the space
	budget      int64 // how many decoded bytes are held at once; 0: all
}

// errBudget says that a block is larger than what is held of it. ML.NET's are about 8 MB (§4.5).
var errBudget = errors.New("it decodes to more than the memory for decoded blocks: a preference, SPANDREL_DECODED_MIB for commands. Only its beginning is shown")

// size is the decoded length that the file states, or -1.
func (sh *shape) size() int64 {
	if sh.compression == 0 {
		return sh.at.Len
	}
	return sh.declared
}

// over tells whether the decoded block may be larger than what is held of it.
func (sh *shape) over() bool {
	return sh.budget > 0 && min(sh.size(), sh.at.Len*inflate.MaxRatio) > sh.budget
}

// shape describes a block of rows.
func (s *stream) shape(b extent) shape {
	c := s.cols[b.col]
	return shape{codec: c.codec, compression: c.compression, rows: s.rowsOf(c, int64(b.k)), declared: int64(b.dec), at: s.rangeOf(b), col: c,
		first: int64(b.k) * c.rpb, k: int64(b.k), entry: s.entryAt(b), budget: model.DecodedBudget()}
}

// metaShape describes a metadata block: one value, of undeclared size.
func (s *stream) metaShape(c *column, m *metadata) shape {
	return shape{codec: m.codec, compression: m.compression, rows: 1, declared: -1, at: model.Range{Space: s.space, Off: s.base + m.off, Len: m.n}, meta: m, col: c, budget: model.DecodedBudget()}
}

const (
	surplus = 64 << 10 // what is shown of bytes beyond the declared length
	maxMeta = 1 << 28  // a metadata block does not declare its length
)

func (sh *shape) overFinding(s *stream) model.Finding {
	return model.Finding{Rule: model.RuleCap, Span: s.root, Range: sh.at, Message: s.describe(*sh, errBudget.Error()),
		Found: fmt.Sprintf("%d bytes", sh.size()), Expected: fmt.Sprintf("at most %d", sh.budget)}
}

// decode returns the decompressed bytes of a block in buf, which it may grow, and how that went. Stored blocks are returned
// as they are. What is there before damage is returned too.
func (sh *shape) decode(in, buf []byte) ([]byte, inflate.Outcome) {
	if sh.compression != 1 {
		return in, inflate.Outcome{}
	}
	want := sh.declared
	if want < 0 {
		want = maxMeta
	}
	drop := int64(0)
	if sh.over() {
		want, drop = sh.budget, sh.declared-sh.budget
	}
	return inflate.Into(context.Background(), buf, in, inflate.Request{Framing: inflate.Raw, Want: want, Drop: drop, Surplus: surplus, Exact: sh.declared >= 0})
}

// deflate compresses a block as ML.NET's default does.
func deflate(b []byte) ([]byte, error) { return inflate.Deflate(inflate.Raw, 6, b) }

// derive makes the span of a block's decoded bytes.
func (s *stream) derive(c *model.Cursor, f *model.Field, data model.Node, sh shape) {
	fate := &inflate.Outcome{}
	var mu sync.Mutex
	var over error
	if sh.over() {
		over = errBudget
	}
	tr := &model.Transform{Name: "stored", Decode: func(_ context.Context, in []byte, _ int64) ([]byte, error) {
		if over != nil {
			in = in[:min(int64(len(in)), sh.budget)]
		}
		return bytes.Clone(in), over
	}, Encode: model.Identity.Encode}
	if sh.compression == 1 {
		tr = &model.Transform{Name: "deflate", Decode: func(_ context.Context, in []byte, _ int64) ([]byte, error) {
			b, how := sh.decode(in, nil)
			mu.Lock()
			*fate = how
			mu.Unlock()
			if how.Dropped == 0 {
				return b, nil
			}
			return b, over
		}, Encode: deflate}
	}
	if over != nil {
		tr.Encode = nil
	}
	if sh.compression > 1 || sh.codec.Kind == block.Unknown && sh.compression == 0 {
		return // a dead column: its bytes are shown, and are not understood
	}
	n := c.Derive(f, model.Derived{Transform: tr, From: []model.Node{data}, At: &sh.at, Size: max(-1, sh.size()), Body: func(c *model.Cursor) {
		b := c.Peek(c.Left())
		mu.Lock()
		how := *fate
		mu.Unlock()
		s.body(c, sh, b, how)
	}, Fail: func(err error) model.Finding {
		if err == errBudget {
			return sh.overFinding(s)
		}
		return model.Finding{Rule: inflateShort, Span: data.Span, Message: err.Error()}
	}})
	if n.Span != nil && s.st != nil {
		s.st.derived.Store(n.Range.Space, &derivedBlock{s, sh})
	}
}

// derivedBlock says which block a derived space holds.
type derivedBlock struct {
	s  *stream
	sh shape
}

// metaBlock reads the block of a metadata entry.
func (s *stream) metaBlock(c *model.Cursor, r *region) {
	data := c.FieldN(dataField, c.Left())
	s.derive(c, decoded, data, s.metaShape(r.col, r.meta))
}

// holds tells whether decoded bytes are the values of the block and nothing else.
func (sh *shape) holds(b []byte) bool {
	return sh.codec.Readable() && block.Read(sh.codec, b, sh.rows).Whole
}

// problems says what inflating a block showed (§5, 056 and 057), and returns whether it ended before its declared length.
func (sh *shape) problems(b []byte, how inflate.Outcome, report func(finding)) (short bool) {
	if sh.at.Len == 0 && sh.rows > 0 && sh.codec.Readable() {
		report(finding{rule: inflateShort, at: -1, found: "a block of no bytes", expected: plural(sh.rows, "row")})
		return true
	}
	if sh.compression != 1 {
		return false
	}
	all := int64(len(b)) + how.Dropped
	bad := func(rule *model.Rule, found, expected string) {
		f := finding{rule: rule, at: -1, found: found, expected: expected}
		if intact := how.Err == nil && sh.meta == nil && all < sh.declared+surplus && all > 0; intact && (rule == inflateShort && sh.holds(b) || how.More && !sh.over() && sh.holds(b)) {
			f.about.patch = sh.lengthPatch(fmt.Sprintf("set the decompressed length to %d", all), 12, all)
		} else if how.More && sh.declared >= 0 && !sh.over() && sh.holds(b[:sh.declared]) {
			f.about.count = sh.declared
		} else if how.Spare > 0 && sh.meta == nil && rule == inflateSurplus && !how.More && how.Err == nil {
			f.about.patch = sh.lengthPatch("cut the length", 8, sh.at.Len-how.Spare)
		}
		report(f)
	}
	switch {
	case sh.declared >= 0 && all < sh.declared:
		why := fmt.Sprintf("%d bytes", all)
		if how.Err != nil {
			why += ", then: " + how.Err.Error()
		}
		bad(inflateShort, why, fmt.Sprintf("%d bytes", sh.declared))
		return true
	case how.Err != nil && sh.declared < 0:
		bad(inflateShort, how.Err.Error(), "")
		return true
	case how.Err != nil:
		bad(inflateSurplus, "the deflate stream does not end well: "+how.Err.Error(), "")
	case how.More:
		bad(inflateSurplus, fmt.Sprintf("%d bytes or more", all), fmt.Sprintf("%d bytes", sh.declared))
	case how.Spare > 0:
		bad(inflateSurplus, fmt.Sprintf("%d compressed bytes left over", how.Spare), "none")
	}
	return false
}

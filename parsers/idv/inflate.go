package idv

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"

	"spandrel/model"
)

// shape is what is known of a block before it is decoded.
type shape struct {
	codec       *codec
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

// errIdvBudget says that a block is larger than what is held of it. ML.NET's are about 8 MB (§4.5).
var errIdvBudget = errors.New("it decodes to more than the memory for decoded blocks: a preference, SPANDREL_DECODED_MIB for commands. Only its beginning is shown")

// size is the decoded length that the file states, or -1.
func (sh *shape) size() int64 {
	if sh.compression == 0 {
		return sh.at.Len
	}
	return sh.declared
}

// over tells whether the decoded block may be larger than what is held of it.
func (sh *shape) over() bool {
	return sh.budget > 0 && min(sh.size(), sh.at.Len*maxRatio) > sh.budget
}

// shape describes a block of rows.
func (s *stream) shape(b block) shape {
	c := s.cols[b.col]
	return shape{codec: c.codec, compression: c.compression, rows: s.rowsOf(c, int64(b.k)), declared: int64(b.dec), at: s.rangeOf(b), col: c,
		first: int64(b.k) * c.rpb, k: int64(b.k), entry: s.entryAt(b), budget: model.DecodedBudget()}
}

// metaShape describes a metadata block: one value, of undeclared size.
func (s *stream) metaShape(c *column, m *metadata) shape {
	return shape{codec: m.codec, compression: m.compression, rows: 1, declared: -1, at: model.Range{Space: s.space, Off: s.base + m.off, Len: m.n}, meta: m, col: c, budget: model.DecodedBudget()}
}

// outcome is how inflating went.
type outcome struct {
	err     error // the deflate stream is damaged or ends early
	more    bool  // it goes on behind what was taken
	spare   int   // compressed bytes behind its end
	dropped int64 // bytes behind those taken that were counted, and not held
}

const (
	surplus  = 64 << 10 // what is shown of bytes beyond the declared length
	maxRatio = 1032     // deflate cannot do better
	maxMeta  = 1 << 28  // a metadata block does not declare its length
)

var inflaters = sync.Pool{New: func() any { return flate.NewReader(bytes.NewReader(nil)) }}

func (sh *shape) overFinding(s *stream) model.Finding {
	return model.Finding{Rule: model.RuleCap, Span: s.root, Range: sh.at, Message: s.describe(*sh, errIdvBudget.Error()),
		Found: fmt.Sprintf("%d bytes", sh.size()), Expected: fmt.Sprintf("at most %d", sh.budget)}
}

// decode returns the decompressed bytes of a block in buf, which it may grow, and how that went. Stored blocks are returned
// as they are. What is there before damage is returned too.
func (sh *shape) decode(in, buf []byte) ([]byte, outcome) {
	if sh.compression != 1 {
		return in, outcome{}
	}
	want := sh.declared
	if want < 0 {
		want = maxMeta
	}
	drop := int64(0)
	if sh.over() {
		want, drop = sh.budget, sh.declared-sh.budget
	}
	src := bytes.NewReader(in)
	z := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(z)
	z.(flate.Resetter).Reset(src, nil)
	return readAll(z, src, buf, want, drop, sh.declared >= 0)
}

// readAll reads want bytes and drops some behind them, and then reads up to surplus more to see whether that was all; those
// are kept where nothing was dropped. It asks for memory as the input allows it, so a length that the input cannot have costs
// nothing; where exact is set, want is likely.
func readAll(z io.Reader, src *bytes.Reader, buf []byte, want, drop int64, exact bool) ([]byte, outcome) {
	size := want + min(want/4, 1+surplus) // so that a surplus does not move the whole buffer
	if !exact {
		size = min(want, 4*int64(src.Len())+512)
	}
	size = min(size, int64(src.Len())*maxRatio)
	if int64(cap(buf)) < size {
		buf = make([]byte, 0, size)
	}
	buf = buf[:0]
	var err error
	for err == nil && int64(len(buf)) < want {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		var n int
		n, err = z.Read(buf[len(buf):min(int64(cap(buf)), want)])
		buf = buf[:len(buf)+n]
	}
	fate := outcome{}
	if err == nil && drop > 0 {
		fate.dropped, err = io.CopyN(io.Discard, z, drop)
	}
	if err == nil {
		one := make([]byte, 1)
		var n int
		if n, err = z.Read(one); n > 0 {
			fate.more = true
			rest, e := io.ReadAll(io.LimitReader(z, surplus))
			if err = e; drop > 0 {
				fate.dropped += int64(n + len(rest))
			} else {
				buf = append(append(buf, one...), rest...)
			}
		}
	}
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		fate.err = err
	}
	fate.spare = src.Len()
	return buf, fate
}

// deflate compresses a block as ML.NET's default does.
func deflate(b []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, 6)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// derive makes the span of a block's decoded bytes.
func (s *stream) derive(c *model.Cursor, f *model.Field, data model.Node, sh shape) {
	fate := &outcome{}
	var mu sync.Mutex
	var over error
	if sh.over() {
		over = errIdvBudget
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
			if how.dropped == 0 {
				return b, nil
			}
			return b, over
		}, Encode: deflate}
	}
	if over != nil {
		tr.Encode = nil
	}
	if sh.compression > 1 || sh.codec.kind == kindUnknown && sh.compression == 0 {
		return // a dead column: its bytes are shown, and are not understood
	}
	n := c.Derive(f, model.Derived{Transform: tr, From: []model.Node{data}, At: &sh.at, Size: max(-1, sh.size()), Body: func(c *model.Cursor) {
		b := c.Peek(c.Left())
		mu.Lock()
		how := *fate
		mu.Unlock()
		s.body(c, sh, b, how)
	}, Fail: func(err error) model.Finding {
		if err == errIdvBudget {
			return sh.overFinding(s)
		}
		return model.Finding{Rule: rules[56], Span: data.Span, Message: err.Error()}
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
	k := &checker{b: b}
	return sh.codec.readable() && k.fits(func(k *checker) bool { return k.values(sh.codec, sh.rows) })
}

// problems says what inflating a block showed (§5, 056 and 057), and returns whether it ended before its declared length.
func (sh *shape) problems(b []byte, how outcome, report func(finding)) (short bool) {
	if sh.compression != 1 {
		return false
	}
	entry := model.Range{Space: sh.at.Space, Off: sh.entry + 8, Len: 4}
	set := func(label string, at model.Range, v int) []model.Fix {
		return []model.Fix{{Label: label, Edits: []model.Edit{model.Replace(at, binary.LittleEndian.AppendUint32(nil, uint32(v)))}}}
	}
	var fixes []model.Fix
	all := int64(len(b)) + how.dropped
	bad := func(rule int, found, expected string) {
		f := finding{rule: rule, at: -1, found: found, expected: expected, fixes: fixes}
		if intact := how.err == nil && sh.meta == nil && all < sh.declared+surplus && all > 0; intact && (rule == 56 || how.more && !sh.over() && sh.holds(b)) {
			at := entry
			at.Off += 4
			f.fixes = set(fmt.Sprintf("set the decompressed length to %d", all), at, int(all))
		} else if how.more && sh.declared >= 0 && !sh.over() && sh.holds(b[:sh.declared]) {
			f.label, f.ask = "store the block without the surplus", true
			f.mend = func(ix *index) ([]byte, error) { return ix.b[:sh.declared], nil }
		}
		report(f)
	}
	switch {
	case sh.declared >= 0 && all < sh.declared:
		why := fmt.Sprintf("%d bytes", all)
		if how.err != nil {
			why += ", then: " + how.err.Error()
		}
		bad(56, why, fmt.Sprintf("%d bytes", sh.declared))
		return true
	case how.err != nil && sh.declared < 0:
		bad(56, how.err.Error(), "")
		return true
	case how.err != nil:
		bad(57, "the deflate stream does not end well: "+how.err.Error(), "")
	case how.more:
		bad(57, fmt.Sprintf("%d bytes or more", all), fmt.Sprintf("%d bytes", sh.declared))
	case how.spare > 0:
		if sh.meta == nil {
			fixes = set("cut the length", entry, int(sh.at.Len)-how.spare)
		}
		bad(57, fmt.Sprintf("%d compressed bytes left over", how.spare), "none")
	}
	return false
}

package idv

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/inflate"
)

// shape describes a block of rows.
func (s *stream) shape(b extent) shape {
	c := s.cols[b.col]
	return shape{codec: c.codec, compression: c.compression, rows: s.rowsOf(c, int64(b.k)), declared: int64(b.dec), at: s.rangeOf(b), col: c,
		first: int64(b.k) * c.rpb, k: int64(b.k), budget: model.DecodedBudget()}
}

// metaShape describes a metadata block: one value, of undeclared size.
func (s *stream) metaShape(c *column, m *metadata) shape {
	return shape{codec: m.codec, compression: m.compression, rows: 1, declared: -1, at: model.Range{Space: s.space, Off: s.base + m.off,
		Len: m.n}, meta: m, col: c, budget: model.DecodedBudget()}
}

// overFinding says that only the beginning of a block is shown.
func (sh *shape) overFinding(root *model.Span) model.Finding {
	var found any
	if sh.size() >= 0 {
		found = model.Words("%d bytes", sh.size())
	}
	return model.Wrong(model.RuleCap, model.Spot{Span: root, Range: sh.at}, found, fmt.Sprintf("at most %d", sh.budget), model.Saying("%s", sh.describe(errBudget.Error())))
}

// derive makes the span of a block's decoded bytes.
func (s *stream) derive(c *model.Cursor, f *model.Field, data model.Node, sh shape) {
	if sh.compression > 1 || sh.codec.Kind == block.Unknown && sh.compression == 0 {
		return // an unreadable column: its bytes are shown undecoded
	}
	tr, fate := sh.transform()
	n := c.Derive(f, model.Derived{Transform: tr, From: data, At: &sh.at, Size: max(-1, sh.size()), Body: func(c *model.Cursor) {
		s.body(c, sh, c.Peek(c.Left()), *fate.Load())
	}, Fail: func(err error) model.Finding {
		if err == errBudget {
			return sh.overFinding(s.root)
		}
		return model.Wrong(inflateShort, data.Span, nil, nil, model.Saying("%v", err))
	}})
	if n.Span != nil && s.st != nil {
		s.st.derived.Store(n.Range.Space, &derivedBlock{s, sh})
	}
}

// transform computes the decoded bytes of a block, and the outcome. A block of which only the beginning is kept cannot be encoded again.
func (sh shape) transform() (*model.Transform, *atomic.Pointer[inflate.Outcome]) {
	var over error
	if sh.over() {
		over = errBudget
	}
	of := &atomic.Pointer[inflate.Outcome]{}
	of.Store(&inflate.Outcome{})
	tr := &model.Transform{Name: "stored", Decode: func(_ context.Context, in []byte, _ int64) ([]byte, error) {
		if over != nil {
			in = in[:min(int64(len(in)), sh.budget)]
		}
		return bytes.Clone(in), over
	}, Encode: model.Identity.Encode}
	if sh.compression == 1 {
		tr = &model.Transform{Name: "deflate", Decode: func(ctx context.Context, in []byte, _ int64) ([]byte, error) {
			b, how := sh.decode(ctx, in, nil)
			of.Store(&how)
			if how.More && sh.declared < 0 {
				return b, errBudget
			}
			if how.Dropped == 0 {
				return b, nil
			}
			return b, over
		}, Encode: func(_ context.Context, out []byte) ([]byte, error) { return compress(1, out) }, Flips: inflate.Flips(inflate.Raw)}
	}
	if over != nil {
		tr.Encode = nil
	}
	return tr, of
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

// read reads the decoded block that a space holds.
func (d *derivedBlock) read(ctx context.Context, t *model.Tree, id model.SpaceID) (*block.Block, error) {
	b, err := t.All(ctx, id)
	if err != nil {
		return nil, err
	}
	return block.Read(d.sh.codec, b, d.sh.rows), nil
}

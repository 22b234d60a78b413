package idv

import (
	"context"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// maxLocated is how many blocks with findings are opened so that the findings name the exact field.
const maxLocated = 2000

// deep decodes every block once, on all cores, and checks every value.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	st := stateOf(t)
	for _, s := range st.boxed {
		if err := t.Open(ctx, s); err != nil {
			return err
		}
	}
	for _, s := range st.all() {
		if err := (&sweep{contents: s.in(ctx, t), metas: s.metaTasks()}).run(p); err != nil {
			return err
		}
	}
	if st.zip != nil {
		return st.zip.Sums(ctx, t, p, model.RuleChecksum)
	}
	return nil
}

// task is a block to check: of rows if meta is nil.
type task struct {
	shape shape
	block extent
	meta  *region
}

// metaTasks lists the metadata blocks of a stream, shared ones once.
func (s *stream) metaTasks() []task {
	var out []task
	done := map[*region]bool{}
	for _, c := range s.cols {
		for _, m := range c.entries {
			if m.region != nil && m.compression <= 1 && !done[m.region] {
				done[m.region] = true
				out = append(out, task{shape: s.metaShape(c, m), meta: m.region})
			}
		}
	}
	return out
}

// sweep is a check of all blocks of a stream.
type sweep struct {
	contents
	metas   []task
	located atomic.Int64
	spare   atomic.Int64 // blocks with bits after the last Boolean
	skipped atomic.Int64 // skipped blocks, because the previous ones decode to more than a file of this size can contain
}

func (s *sweep) run(p *model.Probe) error {
	s.fewerRows(p)
	err := p.Each(s.ctx, "blocks", int64(len(s.metas)+len(s.stream.blocks)), func(ctx context.Context, p *model.Probe, i int64) error {
		if k, ok := s.task(i); ok {
			return s.check(ctx, p, k)
		}
		return nil
	})
	if n := s.spare.Load(); n >= leastMirrored {
		if is, _ := mirrored(s.contents); is {
			p.Report(s.stream.diagnose(finding{rule: mirroredBits, at: -1, found: model.Words("%s with bits after the last Boolean", model.Count(n, "blocks"))}, s.stream.root))
		}
	}
	if n := s.skipped.Load(); n > 0 {
		p.Wrong(model.RuleCap, s.stream.root, nil, nil, model.Saying("blocks share their bytes and decode to more than the file could contain: %s of them were not checked", model.Thousands(n)))
	}
	if n := s.located.Load() - maxLocated; n > 0 {
		p.Wrong(model.RuleCap, s.stream.root, nil, nil, model.Saying("%d more blocks have findings: they are reported without the field", n))
	}
	return err
}

// fewerRows reports that the blocks of all columns contain more rows than the header says: readers stop before the last ones.
func (s *sweep) fewerRows(p *model.Probe) {
	at := s.stream.headerSpan(rowCount)
	if at == nil || s.stream.rows <= 0 {
		return
	}
	if n, err := s.agreedRows(); err == nil && n > s.stream.rows {
		p.Wrong(valuesSurplus, at, model.Count(s.stream.rows, "rows"), model.I(n), model.Doubtful,
			model.Saying("the header says %s, but the blocks of the columns contain %s", model.Count(s.stream.rows, "rows"), model.Thousands(n)))
	}
}

// task returns what to check: metadata, then blocks in file order; ok is false for blocks of unreadable columns, and for
// those shared with the previous one.
func (s *sweep) task(i int64) (k task, ok bool) {
	if i < int64(len(s.metas)) {
		return s.metas[i], true
	}
	i -= int64(len(s.metas))
	b := s.stream.blocks[i]
	k = task{shape: s.stream.shape(b), block: b}
	if c := s.stream.cols[b.col]; c.compression > 1 || c.codec.Kind == block.Unknown {
		return k, false
	}
	if i > 0 {
		a := s.stream.blocks[i-1]
		if a.off == b.off && a.n == b.n && a.dec == b.dec && a.col == b.col && s.stream.shape(a).rows == k.shape.rows {
			return k, false
		}
	}
	return k, true
}

// keep is the largest buffer that a worker keeps.
const keep = 64 << 20

// check decodes one block and reports what is wrong with it.
func (s *sweep) check(ctx context.Context, p *model.Probe, k task) error {
	sh := &k.shape
	size := max(sh.declared, sh.at.Len)
	if !s.affords(sh) {
		s.skipped.Add(1)
		return nil
	}
	if sh.compression == 1 && sh.over() {
		size = sh.budget
	}
	p.Hold(size)
	if size > keep {
		s.t.MakeRoom(size)
	}
	found, over, err := s.decoded(ctx, p, sh)
	if err != nil {
		if ctx.Err() == nil {
			p.Wrong(model.RuleUndecoded, sh.at, nil, nil, model.Saying("%v", err))
		}
		return ctx.Err()
	}
	if len(found) == 0 && !over {
		if k.meta != nil && k.meta.node.Span != nil {
			k.meta.node.Sound() // opening it would find nothing more, and there may be very many
		}
		return nil
	}
	if size > keep {
		debug.FreeOSMemory() // opening the block decodes it again: release the first copy
	}
	if s.located.Add(1) <= maxLocated && s.opened(ctx, k) {
		return nil // opening it has reported the findings
	}
	s.report(p, sh, over, found)
	return nil
}

// decoded returns the findings of a block; over tells whether it exceeds the decoding limit.
func (s *sweep) decoded(ctx context.Context, p *model.Probe, sh *shape) (found []finding, over bool, err error) {
	over = sh.compression == 1 && sh.over()
	visit := func(_ int64, in []byte) error {
		b, how := sh.decode(ctx, in, p.Buf)
		over = over || how.More && sh.declared < 0
		if sh.compression == 1 && cap(b) <= keep {
			p.Buf = b[:0]
		}
		inspect(s.stream.version, sh, block.Read(sh.codec, b, sh.rows), how, func(f finding) { found = append(found, f) })
		return nil
	}
	if sh.at.Len == 0 {
		err = visit(0, nil)
	} else {
		err = s.t.Stream(ctx, sh.at, sh.at.Len, visit)
	}
	if slices.ContainsFunc(found, func(f finding) bool { return f.rule == unusedBits }) {
		s.spare.Add(1)
	}
	return found, over, err
}

// report reports the problems of a block without spans.
func (s *sweep) report(p *model.Probe, sh *shape, over bool, found []finding) {
	if over {
		p.Report(sh.overFinding(s.stream.root))
	}
	for _, f := range found {
		f.message = sh.describe(f.message)
		d := s.stream.diagnose(f, s.stream.root)
		d.Range = sh.at
		p.Report(d)
	}
}

// opened opens the span of a block's decoded bytes, and tells whether there is one.
func (s *sweep) opened(ctx context.Context, k task) bool {
	var span *model.Span
	if k.meta == nil {
		span = s.stream.in(ctx, s.t).find(k.block)
	} else if frame := k.meta.node.Span; frame != nil && s.t.Open(ctx, frame) == nil {
		span = frame.Get(decoded.Name)
	}
	return span != nil && s.t.Open(ctx, span) == nil
}

package idv

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// maxLocated is how many blocks with findings are opened so that the findings name the exact field.
const maxLocated = 2000

// deep decodes every block once, in parallel, and checks every value.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	st := stateOf(t)
	for _, s := range st.boxed {
		if err := t.Open(ctx, s); err != nil {
			return err
		}
	}
	for _, s := range st.all() {
		if err := s.deep(ctx, t, p); err != nil {
			return err
		}
	}
	if st.zip != nil {
		return st.zip.Sums(ctx, t, p, model.RuleChecksum)
	}
	return nil
}

// task is a block to check: of rows when meta is nil.
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

// task returns what is to be checked of the i-th block in the order of the file; ok is false for blocks of dead columns, and for
// those that are the same as the one before.
func (s *stream) task(i int64) (k task, ok bool) {
	b := s.blocks[i]
	k = task{shape: s.shape(b), block: b}
	if c := s.cols[b.col]; c.compression > 1 || c.codec.Kind == block.Unknown {
		return k, false
	}
	if i > 0 {
		a := s.blocks[i-1]
		if a.off == b.off && a.n == b.n && a.dec == b.dec && a.col == b.col && s.shape(a).rows == k.shape.rows {
			return k, false
		}
	}
	return k, true
}

// fewerRows reports that the blocks of all columns hold more rows than the header says: readers stop before the last ones.
func (s *stream) fewerRows(ctx context.Context, t *model.Tree, p *model.Probe) {
	at := s.headerSpan(rowCount)
	if at == nil || s.rows <= 0 {
		return
	}
	if n, err := s.agreedRows(ctx, t); err == nil && n > s.rows {
		p.Wrong(valuesSurplus, at, plural(s.rows, "row"), model.I(n), model.Doubtful,
			model.Saying("the header says %s, and the blocks of the columns hold %s", plural(s.rows, "row"), model.Thousands(n)))
	}
}

// deep checks the blocks of a stream.
func (s *stream) deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	s.fewerRows(ctx, t, p)
	metas := s.metaTasks()
	count := int64(len(metas) + len(s.blocks))
	total, done := int64(0), atomic.Int64{}
	for _, k := range metas {
		total += k.shape.at.Len
	}
	for _, b := range s.blocks {
		total += int64(b.n)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, located atomic.Int64
	gate := memoryGate{free: inFlight}
	gate.cond = sync.NewCond(&gate.mu)
	var wg sync.WaitGroup
	workers := max(1, min(int64(runtime.GOMAXPROCS(0)), count))
	batch := max(1, min(16, count/(32*workers))) // so small that all workers end at about the same time
	worker := func() {
		defer wg.Done()
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		var buf []byte
		for ctx.Err() == nil {
			from := next.Add(batch) - batch
			if from >= count {
				return
			}
			for i := from; i < min(from+batch, count); i++ {
				if ctx.Err() != nil {
					return
				}
				k, ok := task{}, true
				if i < int64(len(metas)) {
					k = metas[i]
				} else {
					k, ok = s.task(i - int64(len(metas)))
				}
				var err error
				if ok {
					buf, err = s.check(ctx, t, k, buf, &gate, p, &located)
				}
				if err != nil {
					cancel(err)
					return
				}
				p.Progress(done.Add(k.shape.at.Len), total, "blocks")
			}
		}
	}
	for range workers {
		wg.Add(1)
		go worker()
	}
	wg.Wait()
	if located.Load() > maxLocated {
		p.Report(model.Finding{Rule: model.RuleCap, Span: s.root, Message: fmt.Sprintf("%d more blocks have findings: they are reported without the field", located.Load()-maxLocated)})
	}
	return context.Cause(ctx)
}

// check decodes one block in buf, which it returns for the next one.
func (s *stream) check(ctx context.Context, t *model.Tree, k task, buf []byte, gate *memoryGate, p *model.Probe, located *atomic.Int64) (next []byte, err error) {
	next = buf
	defer func() {
		if r := recover(); r != nil {
			p.Report(model.Finding{Rule: model.RuleInternal, Range: k.shape.at, Message: fmt.Sprint(r), Found: string(debug.Stack())})
		}
	}()
	size := max(k.shape.declared, k.shape.at.Len)
	over := k.shape.compression == 1 && k.shape.over()
	if over {
		size = k.shape.budget
	}
	gate.take(size)
	defer gate.give(size)
	var found []finding
	visit := func(in []byte) {
		b, how := k.shape.decode(in, buf)
		if k.shape.compression == 1 && cap(b) <= keep {
			next = b[:0]
		}
		s.inspect(k.shape, block.Read(k.shape.codec, b, k.shape.rows), how, func(f finding) { found = append(found, f) })
	}
	if k.shape.at.Len == 0 {
		visit(nil)
	} else if err := t.Stream(ctx, k.shape.at, k.shape.at.Len, func(_ int64, in []byte) error { visit(in); return nil }); err != nil {
		if ctx.Err() != nil {
			return next, ctx.Err()
		}
		p.Report(model.Finding{Rule: model.RuleUndecoded, Range: k.shape.at, Message: err.Error()})
		return next, nil
	}
	if len(found) == 0 && !over {
		return next, nil
	}
	if size > keep {
		debug.FreeOSMemory() // opening the block decodes it again: not beside its first copy
	}
	var span *model.Span
	if located.Add(1) <= maxLocated {
		span = s.decodedSpan(ctx, t, k)
	}
	if span != nil && t.Open(ctx, span) == nil {
		return next, nil // opening it reported what was found
	}
	if over {
		p.Report(k.shape.overFinding(s))
	}
	for _, f := range found {
		f.message = s.describe(k.shape, f.message)
		d := f.diagnose(s, s.root)
		d.Range = k.shape.at
		p.Report(d)
	}
	return next, nil
}

// decodedSpan returns the span of a block's decoded bytes, or nil where the tree has none.
func (s *stream) decodedSpan(ctx context.Context, t *model.Tree, k task) *model.Span {
	if k.meta == nil {
		return s.find(ctx, t, k.block)
	}
	frame := k.meta.node.Span
	if frame == nil || t.Open(ctx, frame) != nil {
		return nil
	}
	return frame.Get(decoded.Name)
}

const (
	inFlight = 512 << 20 // decoded bytes that workers hold together
	keep     = 64 << 20  // the largest buffer that a worker keeps
)

// memoryGate bounds what workers hold at a time; a block larger than the bound goes alone.
type memoryGate struct {
	mu   sync.Mutex
	cond *sync.Cond
	free int64
}

func (g *memoryGate) take(n int64) {
	n = min(n, inFlight)
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.free < n {
		g.cond.Wait()
	}
	g.free -= n
}

func (g *memoryGate) give(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.free += min(n, inFlight)
	g.cond.Broadcast()
}

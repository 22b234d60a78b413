package parsers

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"spandrel/model"
)

// idvMaxLocated is how many blocks with findings are opened so that the findings name the exact field.
const idvMaxLocated = 2000

// idvDeep decodes every block once, in parallel, and checks every value.
func idvDeep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	st := idvStateOf(t)
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
	return nil
}

// idvTask is a block to check: of rows when meta is nil.
type idvTask struct {
	shape idvShape
	block idvBlock
	meta  *idvRegion
}

// metaTasks lists the metadata blocks of a stream, shared ones once.
func (s *idvStream) metaTasks() []idvTask {
	var out []idvTask
	done := map[*idvRegion]bool{}
	for _, c := range s.cols {
		for _, m := range c.entries {
			if m.region != nil && m.compression <= 1 && !done[m.region] {
				done[m.region] = true
				out = append(out, idvTask{shape: s.metaShape(c, m), meta: m.region})
			}
		}
	}
	return out
}

// task returns what is to be checked of the i-th block in the order of the file; ok is false for blocks of dead columns, and for
// those that are the same as the one before.
func (s *idvStream) task(i int64) (k idvTask, ok bool) {
	b := s.blocks[i]
	k = idvTask{shape: s.shape(b), block: b}
	if c := s.cols[b.col]; c.compression > 1 || c.codec.kind == idvUnknown {
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

// deep checks the blocks of a stream.
func (s *idvStream) deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
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
	gate := idvGate{free: idvInFlight}
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
				k, ok := idvTask{}, true
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
	if located.Load() > idvMaxLocated {
		p.Report(model.Finding{Rule: model.RuleCap, Span: s.root, Message: fmt.Sprintf("%d more blocks have findings: they are reported without the field", located.Load()-idvMaxLocated)})
	}
	return context.Cause(ctx)
}

// check decodes one block in buf, which it returns for the next one.
func (s *idvStream) check(ctx context.Context, t *model.Tree, k idvTask, buf []byte, gate *idvGate, p *model.Probe, located *atomic.Int64) (next []byte, err error) {
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
	var found []idvFinding
	visit := func(in []byte) {
		b, how := k.shape.decode(in, buf)
		if k.shape.compression == 1 && cap(b) <= idvKeep {
			next = b[:0]
		}
		s.inspect(k.shape, b, how, func(f idvFinding) { found = append(found, f) })
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
	if size > idvKeep {
		debug.FreeOSMemory() // opening the block decodes it again: not beside its first copy
	}
	var span *model.Span
	if located.Add(1) <= idvMaxLocated {
		span = s.decodedSpan(t, k)
	}
	if span != nil && t.Open(ctx, span) == nil {
		return next, nil // opening it reported what was found
	}
	if over {
		p.Report(k.shape.overFinding(s))
	}
	for _, f := range found {
		f.message = s.describe(k.shape, f.message)
		d := f.diagnose(s.space, s.root)
		d.Range = k.shape.at
		p.Report(d)
	}
	return next, nil
}

// decodedSpan returns the span of a block's decoded bytes, or nil where the tree has none.
func (s *idvStream) decodedSpan(t *model.Tree, k idvTask) *model.Span {
	if k.meta == nil {
		return s.find(t, k.block)
	}
	frame := k.meta.node.Span
	if frame == nil || t.Open(idvBackground, frame) != nil {
		return nil
	}
	return frame.Get(idvDecoded.Name)
}

const (
	idvInFlight = 512 << 20 // decoded bytes that workers hold together
	idvKeep     = 64 << 20  // the largest buffer that a worker keeps
)

// idvGate bounds what workers hold at a time; a block larger than the bound goes alone.
type idvGate struct {
	mu   sync.Mutex
	cond *sync.Cond
	free int64
}

func (g *idvGate) take(n int64) {
	n = min(n, idvInFlight)
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.free < n {
		g.cond.Wait()
	}
	g.free -= n
}

func (g *idvGate) give(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.free += min(n, idvInFlight)
	g.cond.Broadcast()
}

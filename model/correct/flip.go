package correct

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/adler32"
	"math/bits"
	"runtime"
	"sort"
	"sync"

	"spandrel/model/parallel"
)

// Stream is a deflate stream, bare or with zlib framing, of which one bit may be wrong, and what is known about its content.
type Stream struct {
	In   []byte
	Zlib bool // 2-byte header before, 4-byte Adler-32 after
	// Length is its decoded length, or -1 if unknown; Limit is then the maximum.
	Length, Limit int
	// Accept tells whether decoded bytes are right; nil accepts anything. Without a sum, a length or Accept every bit
	// would fit. It may be called from several goroutines.
	Accept func(out []byte) bool
}

// Free is the longest stream that is searched without being asked: a second on one core.
const Free = 8 << 10

// Flip returns every single bit whose change makes the stream whole: it decodes to its end with nothing after it, to its length,
// with its Adler-32, to what is accepted. If there is none, it returns every such byte of a short stream, if a sum
// or the content decides. All bits that can matter are tried, each from the symbol that it belongs to; a trial
// ends as soon as it is in step with the broken stream again and cannot reach the right length any more. The changes are
// ordered by place: the right one is rarely far before the place where a stream breaks.
// progress, which may be nil, gets the number of bits done.
func (s *Stream) Flip(ctx context.Context, progress func(done, total int64)) ([]Change, error) {
	if s.Zlib && len(s.In) < 6 {
		return nil, nil
	}
	var found []Change
	if s.Zlib {
		found = s.frame()
	}
	body := s.body(s.In)
	run := &flips{Stream: s, body: body}
	run.trace()
	n := 8 * len(body)
	if run.broken {
		n = min(n, run.stop+1) // bytes after it were never read
	}
	more, err := run.all(ctx, n, oneBit, progress)
	if err == nil && len(found)+len(more) == 0 && len(s.In) <= freeBytes && (s.Zlib || s.Accept != nil) {
		more, err = run.all(ctx, (n+7)/8*256, oneByte, progress)
	}
	if err != nil {
		return nil, err
	}
	for _, c := range more {
		if s.Zlib {
			c.At += 2
		}
		found = append(found, c)
	}
	sort.Slice(found, func(i, j int) bool { return found[i].At < found[j].At })
	return found, nil
}

// freeBytes is the longest stream in which bytes are tried if no bit is the answer: also a second on one core.
const freeBytes = 1 << 10

// oneBit and oneByte number the changes of a stream.
func oneBit(i int) (at int, xor byte)  { return i / 8, 1 << (i % 8) }
func oneByte(i int) (at int, xor byte) { return i / 256, byte(i) }

func (s *Stream) body(in []byte) []byte {
	if s.Zlib {
		return in[2 : len(in)-4]
	}
	return in
}

func (s *Stream) limit() int {
	if s.Length >= 0 {
		return s.Length
	}
	return s.Limit
}

// frame tries the bits of zlib's header and of its checksum, assuming that the bytes between are right.
func (s *Stream) frame() (found []Change) {
	f := &inflater{in: s.body(s.In), limit: s.limit()}
	if !f.rest(nil) || !s.fits(f.out) {
		return nil
	}
	if x := binary.BigEndian.Uint32(s.In[len(s.In)-4:]) ^ adler32.Checksum(f.out); x != 0 { // a bit or a byte of the sum
		low := bits.TrailingZeros32(x) / 8
		if x >>= 8 * low; x >= 256 {
			return nil
		}
		return []Change{{int64(len(s.In) - 1 - low), []byte{byte(x)}}}
	}
	for bit := range 16 {
		c := Change{int64(bit / 8), []byte{1 << (bit % 8)}}
		if b := c.Apply(s.In[:2]); b[0]&15 == 8 && b[0]>>4 <= 7 && binary.BigEndian.Uint16(b)%31 == 0 && b[1]&0x20 == 0 {
			found = append(found, c)
		}
	}
	return found
}

// fits tells whether decoded bytes are right, apart from the sum.
func (s *Stream) fits(out []byte) bool {
	return (s.Length < 0 || len(out) == s.Length) && (s.Accept == nil || s.Accept(out))
}

// whole tells whether decoded bytes are right.
func (s *Stream) whole(out []byte) bool {
	if s.Length >= 0 && len(out) != s.Length {
		return false
	}
	if s.Zlib && adler32.Checksum(out) != binary.BigEndian.Uint32(s.In[len(s.In)-4:]) {
		return false
	}
	return s.Accept == nil || s.Accept(out)
}

// mark is the state before a symbol, or before the header of a block when lit is nil.
type mark struct {
	bit, out  int
	lit, dist *huffman
	final     bool
}

func (f *inflater) mark() mark {
	m := mark{bit: f.bit, out: len(f.out), final: f.final}
	if f.inside {
		m.lit, m.dist = f.lit, f.dist
	}
	return m
}

// flips is one search.
type flips struct {
	*Stream
	body   []byte
	marks  []mark
	out    []byte // output of the unchanged stream, up to the error
	broken bool
	bySize bool // it fails because of the length of the output
	stop   int  // the bit after the last one read
}

// trace decodes the unchanged stream and keeps the state before every symbol. Beyond a limit it continues only for the marks.
func (r *flips) trace() {
	f := &inflater{in: r.body, limit: 2*r.limit() + 1<<16}
	for {
		m := f.mark()
		r.marks = append(r.marks, m)
		if f.ended() {
			r.out, r.stop = f.out, f.bit
			r.broken = (f.bit+7)/8 != len(r.body)
			if r.broken {
				r.stop = 8 * len(r.body)
			}
			return
		}
		if err := f.step(); err != nil {
			r.bySize = err == errFar || err == errLimit
			r.out, r.broken, r.stop = f.out, true, min(f.bit+64, 8*len(r.body))
			if m.lit == nil { // the header of a block is long
				r.stop = min(m.bit+4096, 8*len(r.body))
			}
			return
		}
	}
}

// all tries n changes on all cores, in stripes so that each core goes through the stream once, and returns those that fit.
func (r *flips) all(ctx context.Context, n int, change func(i int) (at int, xor byte), progress func(done, total int64)) (found []Change, err error) {
	const stripe = 1 << 10
	var (
		mu    sync.Mutex
		next  int
		group parallel.Group
		lanes = make([]lane, min(runtime.GOMAXPROCS(0), (n+stripe-1)/stripe))
	)
	take := func() (from int) {
		mu.Lock()
		defer mu.Unlock()
		if from, next = next, next+stripe; progress != nil && from < n {
			progress(int64(from), int64(n))
		}
		return from
	}
	for i := range lanes {
		group.Go(func() {
			l := &lane{flips: r, in: bytes.Clone(r.body), out: make([]byte, 0, r.limit()+1)}
			for from := take(); from < n && ctx.Err() == nil; from = take() {
				l.stripe(ctx, from, min(from+stripe, n), change)
			}
			lanes[i] = *l
		})
	}
	group.Wait()
	for _, l := range lanes {
		found = append(found, l.found...)
	}
	return found, ctx.Err()
}

// lane is what one core does of a search.
type lane struct {
	*flips
	in, out []byte // the stream, some bytes of which are changed, and room for its output
	found   []Change
}

// stripe tries the changes [from, to).
func (l *lane) stripe(ctx context.Context, from, to int, change func(i int) (at int, xor byte)) {
	for i := from; i < to && ctx.Err() == nil; i++ {
		if at, xor := change(i); xor != 0 && at < len(l.in) && l.try(at, xor) {
			l.found = append(l.found, Change{int64(at), []byte{xor}})
		}
	}
}

// try changes bits of one byte and decodes from the symbol that contains the first of them.
func (l *lane) try(at int, xor byte) bool {
	r, bit := l.flips, 8*at+bits.TrailingZeros8(xor)
	i := sort.Search(len(r.marks), func(i int) bool { return r.marks[i].bit > bit }) - 1
	m := r.marks[i]
	if m.out > r.limit() {
		return false
	}
	out := l.out[:0]
	if keep := m.out - 1<<15; keep > 0 && !r.Zlib && r.Accept == nil {
		out = out[:m.out] // only the window for copies is needed if nothing uses the rest
		copy(out[keep:], r.out[keep:m.out])
	} else {
		out = append(out, r.out[:m.out]...)
	}
	l.in[at] ^= xor
	f := &inflater{in: l.in, bit: m.bit, out: out, limit: r.limit(), lit: m.lit, dist: m.dist, final: m.final, inside: m.lit != nil}
	ok := f.rest(r.after(i, 8*at+bits.Len8(xor)-1)) && r.whole(f.out)
	l.in[at] ^= xor
	l.out = f.out
	return ok
}

// after returns a function that tells whether a trial that is in step with the traced stream again can still
// succeed: it breaks where the traced stream did, unless that was because of its length, and ends as much longer or shorter as it is now.
func (r *flips) after(i, bit int) func(f *inflater) bool {
	done := false
	return func(f *inflater) bool {
		if done || f.bit <= bit {
			return true
		}
		for i < len(r.marks) && r.marks[i].bit < f.bit {
			i++
		}
		if i == len(r.marks) {
			return true
		}
		now, then := f.mark(), r.marks[i]
		by := now.out - then.out
		if then.out = now.out; now != then {
			return true
		}
		if done = true; r.broken {
			return r.bySize && by != 0
		}
		return r.Length < 0 || len(r.out)+by == r.Length
	}
}

// rest decodes to the end. going, if not nil, is asked between symbols whether to continue. It returns whether the
// stream ended where its bytes do.
func (f *inflater) rest(going func(*inflater) bool) bool {
	for !f.ended() {
		if f.step() != nil || going != nil && !going(f) {
			return false
		}
	}
	return (f.bit+7)/8 == len(f.in)
}

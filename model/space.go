package model

import (
	lru "container/list"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"spandrel/model/correct"
)

// Limits that keep hostile files from costing more than they are worth.
const (
	// CacheBudget is how many bytes of derived spaces a tree keeps unless SetCacheBudget changes it; the least recently used
	// are dropped first.
	CacheBudget = 128 << 20
	// MaxDerived is the largest derived space.
	MaxDerived = 2 << 30
	// DeflateRatio is how many times larger than its input deflate can make its output: 258 bytes from two bits.
	DeflateRatio = 1032
	// largeRatio is how many times larger than its origin a derived space may be if it does not fit into the cache, and less
	// if there is much of it: four times, and largeMore.
	largeRatio = 104 // above the limits of formats, so that those apply first
	largeMore  = 256 << 20
	// largeDerived is the size from which on it is worth the time to free memory first.
	largeDerived = 64 << 20
)

// Transform computes the bytes of a derived space from others, and back.
type Transform struct {
	Name string // deflate, zstd, filter pipeline …: shown beside the space
	// Decode returns at most limit bytes. With an error it returns what it decoded before: those bytes are shown. Stopping at the limit
	// before the end is an error too. in is only valid during the call.
	Decode func(ctx context.Context, in []byte, limit int64) ([]byte, error)
	// Encode is the inverse; nil if the bytes cannot be edited in the derived space.
	Encode func(ctx context.Context, out []byte) ([]byte, error)
	// Flips returns the single bits of in after whose flip it decodes completely, to length bytes unless that is unknown (-1), and is
	// accepted: where damage of one bit may be; none if it needs more work than there is left. nil if that is not supported.
	Flips func(ctx context.Context, in []byte, length int, accept func(out []byte) bool, w *correct.Work) ([]correct.Change, error)
	// SumBits is the size in bits of the checksum in the encoded bytes that Flips verifies a change against: 32 for an Adler-32. 0: it uses the
	// structure alone, which a wrong change may satisfy.
	SumBits int
}

// Identity is the transform of bytes that are stored unchanged but have an address space of their own: concatenated
// pieces, an embedded file.
var Identity = &Transform{
	Name: "stored",
	Decode: func(_ context.Context, in []byte, limit int64) ([]byte, error) {
		return append([]byte(nil), in[:min(int64(len(in)), limit)]...), nil
	},
	Encode: func(_ context.Context, out []byte) ([]byte, error) { return out, nil },
}

// Space is an address space of a tree: a file, or bytes derived from others.
type Space struct {
	ID        SpaceID
	File      string     // the file that the bytes come from in the end; "" when it has no name
	Root      *Span      // the span that covers it
	Raw       *Span      // of a derived space: the span that holds the encoded bytes
	Origin    Range      // of a derived space: where they come from
	Transform *Transform // nil for a file

	declared int64 // size that the file states for a derived space, or -1
	mu       sync.Mutex
	content  *Content // of a file, once someone reads it
	load     func() (*Content, error)
	fault    error // error of the transform; its output before that is kept

	unchecked atomic.Bool // the fault is an Unchecked
}

// stored is where the bytes of a derived space are stored unchanged in one piece: they are read there, and need no memory of their own.
func (s *Space) stored() (Range, bool) {
	if s.Transform != Identity {
		return Range{}, false
	}
	r := s.Origin
	if s.declared >= 0 {
		r.Len = min(r.Len, s.declared)
	}
	return r, true
}

// file returns the content of a file's space. Files are opened when first read, because a folder may have many.
func (s *Space) file() (*Content, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.content == nil {
		c, err := s.load()
		if err != nil {
			return nil, err
		}
		s.content = c
	}
	return s.content, nil
}

// opened tells whether the content of a file has been opened.
func (s *Space) opened() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.content != nil
}

// Declared is the size of a derived space according to the file, or -1.
func (s *Space) Declared() int64 { return s.declared }

// Derived tells whether the space is made by a transform.
func (s *Space) Derived() bool { return s.Transform != nil }

// Name is the name of the space in dumps: "file", or the path of the span whose decoded bytes it contains.
func (s *Space) Name() string {
	if s.Raw == nil {
		return "file"
	}
	return s.Raw.Path()
}

// Space returns an address space, or nil.
func (t *Tree) Space(id SpaceID) *Space {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id < 0 || int(id) >= len(t.spaces) {
		return nil
	}
	return t.spaces[id]
}

// Order compares the places of two ranges: by file, then by offset. A derived space is at the place of the bytes it comes from.
func (t *Tree) Order(a, b Range) int {
	return slices.Compare(t.place(a), t.place(b))
}

// place is the file's space and the offsets that lead to a range, from the outside in.
func (t *Tree) place(r Range) []int64 {
	if s := t.Space(r.Space); s != nil && s.Derived() {
		return append(t.place(s.Origin), r.Off)
	}
	return []int64{int64(r.Space), r.Off}
}

// Spaces returns all address spaces that are known so far.
func (t *Tree) Spaces() []*Space {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]*Space(nil), t.spaces...)
}

func (t *Tree) addSpace(s *Space) *Space {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.ID = SpaceID(len(t.spaces))
	t.spaces = append(t.spaces, s)
	return s
}

// Size returns the number of bytes of a space. A derived space is decoded for it.
func (t *Tree) Size(ctx context.Context, id SpaceID) (int64, error) {
	s := t.Space(id)
	if s == nil {
		return 0, fmt.Errorf("no space %d", id)
	}
	if !s.Derived() {
		c, err := s.file()
		if err != nil {
			return 0, err
		}
		return c.Len(), nil
	}
	if r, ok := s.stored(); ok {
		return r.Len, nil
	}
	b, err := t.decoded(ctx, s)
	return int64(len(b)), err
}

// decoded returns the bytes of a derived space, from the cache or by running the transform. Concurrent requests for the same space
// share one run. The bytes may be partial: s.fault then says why.
func (t *Tree) decoded(ctx context.Context, s *Space) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := t.cache.get(s.ID); ok {
		return b, nil
	}
	in, err := t.view(ctx, s.Origin)
	if err != nil {
		return nil, err
	}
	limit := DecodeLimit(int64(len(in)))
	ours := s.declared < 0 || s.declared > limit
	if !ours {
		limit = s.declared
	}
	if s.declared >= largeDerived || s.declared < 0 && 4*int64(len(in)) >= largeDerived {
		t.MakeRoom(limit)
	}
	var out []byte
	var fault error
	if err := Guard(func() error { out, fault = s.Transform.Decode(ctx, in, limit); return nil }); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if ours && int64(len(out)) >= limit && (fault != nil || s.declared > limit) {
		fault = beyondLimit(limit, s.declared)
	}
	s.fault = fault
	if is := IsUnchecked(fault); s.unchecked.Swap(is) != is && is {
		t.limit(s)
	}
	decodedBytes.Add(int64(len(out)))
	t.cache.put(s.ID, out)
	return out, nil
}

// DecodeLimit is the largest output accepted for n compressed bytes.
func DecodeLimit(n int64) int64 {
	return min(MaxDerived, max(DecodedBudget(), min(n*largeRatio, 4*n+largeMore)))
}

// cacheBudget is CacheBudget, unless the environment variable SPANDREL_DECODED_MIB or SetCacheBudget changes it.
var cacheBudget atomic.Int64

func init() {
	cacheBudget.Store(CacheBudget)
	if mib, err := strconv.Atoi(os.Getenv("SPANDREL_DECODED_MIB")); err == nil && mib > 0 {
		SetCacheBudget(int64(min(mib, 1<<20)) << 20)
	}
}

// DecodedBudget returns how many bytes of derived spaces each tree keeps.
func DecodedBudget() int64 { return cacheBudget.Load() }

// SetCacheBudget sets how many bytes of derived spaces each tree keeps. It applies to what is decoded from now on.
func SetCacheBudget(n int64) { cacheBudget.Store(n) }

// cache keeps the most recent derived bytes within the budget.
type cache struct {
	mu    sync.Mutex
	used  int64
	most  int64     // bytes; 0: only the budget limits them
	order *lru.List // of *cached, newest first
	at    map[SpaceID]*lru.Element
}

type cached struct {
	id SpaceID
	b  []byte
}

func newCache() *cache { return &cache{order: lru.New(), at: map[SpaceID]*lru.Element{}} }

func (c *cache) get(id SpaceID) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.at[id]
	if e == nil {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).b, true
}

// put adds bytes and drops old ones beyond the budget; the newest entry always stays.
func (c *cache) put(id SpaceID, b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at[id] = c.order.PushFront(&cached{id, b})
	c.used += int64(len(b))
	c.drop(0, 1)
}

// MakeRoom drops cached bytes if n more, which a check is about to use, would exceed the budget.
// It frees the memory before anything as large is allocated.
func (t *Tree) MakeRoom(n int64) {
	if t.cache.makeRoom(n) || n >= 4*largeDerived {
		debug.FreeOSMemory()
	}
}

// Passing makes the tree keep few of the bytes that it decodes, because it is read once from its beginning to its end.
func (t *Tree) Passing() { t.cache.most = passing }

// passing is how many bytes of derived spaces a tree keeps that is read once.
const passing = 48 << 20

// makeRoom drops what n more bytes would displace, before they are allocated: both together are not needed.
func (c *cache) makeRoom(n int64) (dropped bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	had := c.used
	c.drop(n, 0)
	return c.used < had
}

// drop drops the oldest bytes until n more fit into the budget, or so many entries are left.
func (c *cache) drop(n int64, keep int) {
	most := cacheBudget.Load()
	if c.most > 0 {
		most = min(most, c.most)
	}
	for c.used+n > most && c.order.Len() > keep {
		old := c.order.Remove(c.order.Back()).(*cached)
		delete(c.at, old.id)
		c.used -= int64(len(old.b))
	}
}

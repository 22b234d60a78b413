package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"strings"
	"sync"
)

// MaxPerRule is how many findings of one rule a tree keeps; the rest are counted.
const MaxPerRule = 1000

// Tree is the spans, links and findings of one snapshot. It is safe for concurrent use.
type Tree struct {
	Snapshot *Snapshot
	Format   *Format // nil when no format knows the bytes
	Root     *Span
	State    any // what the format remembers between parsing, tables and checks

	mu       sync.Mutex
	spaces   []*Space
	limited  []*Space // of those, the ones that were once not decoded completely for a reason outside their bytes
	links    []*Link
	findings []Finding
	perRule  map[*Rule]int
	omitted  map[*Rule]int
	suspect  []Range           // bytes whose checksum is wrong
	awaited  map[*lazy][]*Link // counts of lists that are not open yet
	derived  map[derivation]*Space
	cache    *cache
	watch    func(r Severity, n int) // hears of every finding
}

// Parse reads a snapshot. It always returns a tree: whatever is wrong is one of its findings.
func Parse(ctx context.Context, snap *Snapshot, f *Format) *Tree {
	return ParseWatched(ctx, snap, f, nil)
}

// ParseWatched is Parse with a function that is called for every finding, now and later, with its severity and the number of
// findings it stands for. watch is called from any worker, and may end useless work through ctx.
func ParseWatched(ctx context.Context, snap *Snapshot, f *Format, watch func(s Severity, n int)) *Tree {
	t := &Tree{Snapshot: snap, Format: f, perRule: map[*Rule]int{}, derived: map[derivation]*Space{}, cache: newCache(), watch: watch}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	t.Root = &Span{Field: &Field{Name: ""}, Shape: Struct, Range: Range{Space: NoSpace}}
	content := BytesContent(nil)
	if snap.Primary != "" {
		var err error
		if content, err = snap.Content(snap.Primary); err != nil {
			t.Report(Finding{Rule: RuleUndecoded, Span: t.Root, Message: err.Error()})
			content = BytesContent(nil)
		}
		s := t.addSpace(&Space{File: snap.Primary, Root: t.Root, content: content, declared: -1})
		t.Root.Range = Range{s.ID, 0, content.Len()}
	}
	c := &Cursor{t: t, ctx: ctx, frame: t.Root, space: t.Root.Range.Space, limit: content.Len(), end: content.Len(), made: new([]*Link)}
	body := func(*Cursor) {}
	if f != nil {
		body = f.Parse
	}
	t.Root.kids = c.run(body)
	t.keep(*c.made)
	t.checkLinks(ctx)
	return t
}

// StateOf returns what a format has stored with a tree, as the format's own type; the zero value if nothing.
func StateOf[T any](t *Tree) T {
	s, _ := t.State.(T)
	return s
}

// Report adds a finding. Above MaxPerRule findings of one rule are only counted, and long values are shortened. If something is
// incomplete because of a limit of this program, only notes about it are accepted.
func (t *Tree) Report(d Finding) {
	if d.Grade() != Note && t.undecided(d.Where().Space) {
		return
	}
	if t.watch != nil && !d.Newer { // problems of newer readers only are not errors
		t.watch(d.Grade(), 1)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.perRule[d.Rule]++; t.perRule[d.Rule] <= MaxPerRule {
		d.Found, d.Expected, d.Message = cut(d.Found), cut(d.Expected), cut(d.Message)
		t.findings = append(t.findings, d)
	} else {
		t.omit(d.Rule, 1)
	}
}

// Omit counts n more findings of a rule that has been reported often enough: making them takes time.
func (t *Tree) Omit(r *Rule, n int) {
	if n <= 0 {
		return
	}
	if t.watch != nil {
		t.watch(r.Severity, n)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.omit(r, n)
}

func (t *Tree) omit(r *Rule, n int) {
	if t.omitted == nil {
		t.omitted = map[*Rule]int{}
	}
	t.omitted[r] += n
}

// Findings returns the findings so far, and the number of omitted ones by rule.
func (t *Tree) Findings() (found []Finding, omitted map[*Rule]int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found = append([]Finding(nil), t.findings...)
	if err := t.Snapshot.Fault(); err != nil {
		found = append(found, Finding{Rule: RuleUndecoded, Span: t.Root, Message: err.Error()})
	}
	return found, maps.Clone(t.omitted)
}

// findingsFrom returns the findings from the n-th on, for callers that have seen the earlier ones.
func (t *Tree) findingsFrom(n int) []Finding {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Finding(nil), t.findings[n:]...)
}

// Links returns the links that are known so far.
func (t *Tree) Links() []*Link {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]*Link(nil), t.links...)
}

// keep adds the links that a frame declared, once they are complete: other workers read them from then on.
func (t *Tree) keep(links []*Link) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.links = append(t.links, links...)
}

// view returns the bytes of a range, without a copy if possible. It runs under Guard, and so must all use of the result
// that is not a copy.
func (t *Tree) view(ctx context.Context, r Range) ([]byte, error) {
	return t.part(r, func(s *Space) ([]byte, error) { return t.decoded(ctx, s) })
}

// see passes the bytes of a range to use, under Guard.
func (t *Tree) see(ctx context.Context, r Range, use func(b []byte) error) error {
	return Guard(func() error {
		b, err := t.view(ctx, r)
		if err != nil {
			return err
		}
		return use(b)
	})
}

// part is view with another source for the bytes of derived spaces.
func (t *Tree) part(r Range, decoded func(*Space) ([]byte, error)) ([]byte, error) {
	s := t.Space(r.Space)
	switch {
	case s == nil:
		return nil, fmt.Errorf("no space %d", r.Space)
	case r.Off < 0 || r.Len < 0:
		return nil, fmt.Errorf("range 0x%x+%d is outside the bytes", r.Off, r.Len)
	case !s.Derived():
		c, err := s.file()
		if err != nil {
			return nil, err
		}
		if r.Off > c.Len() || r.Len > c.Len()-r.Off {
			return nil, io.ErrUnexpectedEOF
		}
		return c.view(r.Off, r.Len)
	}
	if from, ok := s.stored(); ok {
		if r.Off > from.Len || r.Len > from.Len-r.Off {
			return nil, io.ErrUnexpectedEOF
		}
		return t.part(Range{from.Space, from.Off + r.Off, r.Len}, decoded)
	}
	b, err := decoded(s)
	if err != nil {
		return nil, err
	}
	if r.Off > int64(len(b)) || r.Len > int64(len(b))-r.Off {
		return nil, io.ErrUnexpectedEOF
	}
	return b[r.Off:r.End():r.End()], nil
}

// Bytes returns a copy of a range of at most MaxDerived bytes. Derived spaces are decoded for it.
func (t *Tree) Bytes(ctx context.Context, r Range) (b []byte, err error) {
	return t.copied(r, func(s *Space) ([]byte, error) { return t.decoded(ctx, s) })
}

// copied is like part, but returns a copy.
func (t *Tree) copied(r Range, decoded func(*Space) ([]byte, error)) (b []byte, err error) {
	if r.Len > MaxDerived {
		return nil, fmt.Errorf("%d bytes at once are more than %d", r.Len, int64(MaxDerived))
	}
	err = Guard(func() error {
		v, err := t.part(r, decoded)
		if err == nil {
			b = append(make([]byte, 0, len(v)), v...)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Cached is Bytes for callers that may not wait: ok is false if a derived space would have to be decoded first.
func (t *Tree) Cached(r Range) ([]byte, bool) {
	b, err := t.copied(r, func(s *Space) ([]byte, error) {
		if b, ok := t.cache.get(s.ID); ok {
			return b, nil
		}
		return nil, errNotDecoded
	})
	return b, err == nil
}

var errNotDecoded = errors.New("not decoded yet")

// Stream passes the bytes of a range to f in steps of at most step bytes, without copies, until f returns an error. It checks
// ctx between steps. f may not keep the slice.
func (t *Tree) Stream(ctx context.Context, r Range, step int64, f func(off int64, b []byte) error) error {
	var file *Content
	if s := t.Space(r.Space); s != nil && !s.Derived() {
		file, _ = s.file()
	}
	for off := r.Off; off < r.End(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(step, r.End()-off)
		if file != nil {
			file.willNeed(off, step)
		}
		if err := t.see(ctx, Range{r.Space, off, n}, func(b []byte) error { return f(off, b) }); err != nil {
			return err
		}
		off += n
	}
	return nil
}

// MaxValue is how many bytes of a leaf are decoded into a Value; of longer leaves, the first part.
const MaxValue = 1 << 20

// Value decodes a leaf. Structs and arrays have no value.
func (t *Tree) Value(ctx context.Context, s *Span) (v Value, err error) {
	if s.Field.Codec == nil || s.Shape != Leaf {
		return Value{}, nil
	}
	r := s.Range
	r.Len = min(r.Len, MaxValue)
	err = t.see(ctx, r, func(b []byte) (err error) {
		v, _, err = s.Field.Codec.Decode(b)
		return err
	})
	return v, err
}

// Open reads the children of a lazy span. It is safe to call twice, from anywhere; it may decode and take time.
func (t *Tree) Open(ctx context.Context, s *Span) error {
	l := s.lazy()
	if l == nil || l.kids.Load() != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kids.Load() != nil {
		return nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	depth := 0
	for p := s.parent; p != nil; p = p.parent {
		depth++
	}
	c := &Cursor{t: t, ctx: ctx, frame: s, space: s.Range.Space, base: s.Range.Off, pos: s.Range.Off,
		limit: s.Range.End(), end: s.Range.End(), depth: depth, quiet: l.reported, lazy: l, made: new([]*Link)}
	k := l.open(c)
	if err := ctx.Err(); err != nil {
		return err // what was read is not complete: it is read again when asked for
	}
	if l.element {
		l.links = *c.made
	}
	l.kids.Store(&k)
	if !l.reported {
		l.reported = true
		t.keep(*c.made)
		for _, link := range *c.made {
			link.check(ctx, t)
		}
	}
	t.counted(ctx, l)
	return nil
}

// Find returns the span at a path, opening the spans on the way. Names may contain any character, and elements of lists may be given by
// name: columns["Age"].
func (t *Tree) Find(ctx context.Context, path string) (*Span, error) {
	at := path
	if list, rest, ok := strings.Cut(path, "["); ok {
		at = t.listed(list) + "[" + rest
	}
	if s := t.find(ctx, t.Root, at); s != nil {
		return s, nil
	}
	if s := t.findNamed(ctx, path); s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("no field %q", path)
}

func (t *Tree) find(ctx context.Context, s *Span, path string) *Span {
	if s == nil || path == "" {
		return s
	}
	if t.Open(ctx, s) != nil {
		return nil
	}
	below := func(k *Span, rest string) *Span { return t.find(ctx, k, strings.TrimPrefix(rest, "/")) }
	if index, ok := strings.CutPrefix(path, "["); ok {
		return below(s.indexed(index))
	}
	i := int64(0)
	switch l := s.children().(type) {
	case *parts:
		return below(l.named(path))
	case list, *columns:
	default:
		i = max(0, s.Count()-1) // elements have no names; a gap may follow them
	}
	for ; i < s.Count(); i++ {
		k := s.Child(i)
		if k.Index() >= 0 {
			continue
		}
		if rest, ok := strings.CutPrefix(path, k.Name()); ok && (rest == "" || rest[0] == '/' || rest[0] == '[') {
			if f := below(k, rest); f != nil {
				return f
			}
		}
	}
	return nil
}

// At returns the deepest known span that contains a byte, or nil if the offset is not in the space.
func (t *Tree) At(space SpaceID, off int64) *Span {
	sp := t.Space(space)
	if sp == nil || sp.Root == nil {
		return nil
	}
	s := sp.Root
	if off < 0 || !sp.Derived() && off >= sp.Root.Range.Len {
		return nil
	}
	return s.At(off)
}

// AtOpen is At, but opens lazy spans on the way, so that the result is a leaf.
func (t *Tree) AtOpen(ctx context.Context, space SpaceID, off int64) (*Span, error) {
	for {
		s := t.At(space, off)
		if s == nil || s.Ready() {
			return s, nil
		}
		if err := t.Open(ctx, s); err != nil {
			return s, err
		}
	}
}

// Cover passes the deepest known spans that overlap a range to yield, in order, until it returns false.
func (t *Tree) Cover(r Range, yield func(*Span) bool) {
	for off := r.Off; off < r.End(); {
		s := t.At(r.Space, off)
		if s == nil || !yield(s) || s.Range.End() <= off {
			return
		}
		off = s.Range.End()
	}
}

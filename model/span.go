package model

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// SpaceID names an address space of a tree.
type SpaceID int32

// NoSpace is the space of a span without bytes of its own, such as a folder.
const NoSpace SpaceID = -1

// Range is a run of bytes in a space.
type Range struct {
	Space    SpaceID
	Off, Len int64
}

// End returns the offset after the last byte.
func (r Range) End() int64 { return r.Off + r.Len }

// Contains tells whether all of q is in r.
func (r Range) Contains(q Range) bool {
	return r.Space == q.Space && r.Off <= q.Off && q.End() <= r.End()
}

// Overlaps tells whether the ranges share a byte.
func (r Range) Overlaps(q Range) bool {
	return r.Space == q.Space && r.Off < q.End() && q.Off < r.End()
}

// State says how a span was created.
type State uint8

// The states of a span.
const (
	OK      State = iota
	Gap           // unknown bytes
	Bad           // damaged: reading stopped before or inside
	Pending       // not decoded yet
)

func (s State) String() string { return [...]string{"ok", "gap", "bad", "pending"}[s] }

// Span is a range of bytes with a meaning. It has no name, value or string of its own: those come from the field and the
// bytes. A span is immutable once its frame is complete, except that a lazy span gains children when it is opened.
// Elements of arrays and sequences are recreated on each request, so compare spans by Path, not by pointer.
type Span struct {
	Field  *Field
	Range  Range
	State  State
	Shape  Shape
	high   uint16 // with low: twice its number among the elements of a list or array, counted from 1, and 0 for a named child;
	low    uint32 // and 1 where the file gave it fewer bytes than it declared. A span takes 64 bytes, as there are many.
	parent *Span
	kids   children // *lazy, where it is opened on demand
}

// Shape is the kind of node.
type Shape uint8

// The shapes of a span.
const (
	Leaf Shape = iota
	Struct
	Array
)

// children is how a span stores its children: as a list, or by arithmetic over an array or a sequence.
type children interface {
	count() int64
	at(i int64) *Span
	find(off int64) int64 // the child of the same space that holds off, or -1
}

// lazy is the state of a span that is opened on demand.
type lazy struct {
	mu       sync.Mutex
	open     func(c *Cursor) children // runs under mu
	kids     atomic.Pointer[children]
	reported bool // findings and links of the first opening are kept; later ones add nothing
	element  bool // of a sequence: recreated on each request, together with its links
	links    []*Link
	keep     bool // it made spaces, so it is not dropped again
	sound    atomic.Bool
}

// A lazy span has no children itself: it gets them when it is opened.
func (l *lazy) count() int64     { return 0 }
func (l *lazy) at(int64) *Span   { return nil }
func (l *lazy) find(int64) int64 { return -1 }

// Parent returns the span that contains s, or nil for the root.
func (s *Span) Parent() *Span { return s.parent }

// Index returns the position of s in its list or array, or -1 for a named child.
func (s *Span) Index() int64 { return (int64(s.high)<<32|int64(s.low))>>1 - 1 }

// number makes s element i, of fewer than 2^47; -1 makes it a named child.
func (s *Span) number(i int64) {
	s.high, s.low = uint16((i+1)>>31), uint32(i+1)<<1|s.low&1
}

// cut tells whether s has fewer bytes than it declared, which clip notes.
func (s *Span) cut() bool { return s.low&1 != 0 }
func (s *Span) clip(cut bool) {
	if cut {
		s.low |= 1
	}
}

// lazy returns the lazy state of s, or nil.
func (s *Span) lazy() *lazy {
	l, _ := s.kids.(*lazy)
	return l
}

// Ready tells whether the children of s are known: it never was lazy, or it has been opened.
func (s *Span) Ready() bool {
	l := s.lazy()
	return l == nil || l.kids.Load() != nil
}

func (s *Span) children() children {
	if l := s.lazy(); l != nil {
		if k := l.kids.Load(); k != nil {
			return *k
		}
		return nil
	}
	return s.kids
}

// Count returns the number of children known so far; open a lazy span first.
func (s *Span) Count() int64 {
	if k := s.children(); k != nil {
		return k.count()
	}
	return 0
}

// Listed tells whether each child is a span of its own, possibly with gaps between them, and not an element of fixed stride.
func (s *Span) Listed() bool {
	_, ok := s.children().(list)
	return ok
}

// Child returns child i, in file order.
func (s *Span) Child(i int64) *Span {
	if k := s.children(); k != nil && i >= 0 && i < k.count() {
		return k.at(i)
	}
	return nil
}

// At returns the deepest known span, from s on, that contains a byte of its space; s if none of its children does.
func (s *Span) At(off int64) *Span {
	for k := s.children(); k != nil; k = s.children() {
		i := k.find(off)
		if i < 0 {
			break
		}
		s = k.at(i)
	}
	return s
}

// Get returns the child with a name, or nil. It searches open spans only.
func (s *Span) Get(name string) *Span {
	for i := range s.Count() {
		if k := s.Child(i); k.Index() < 0 && k.Name() == name {
			return k
		}
	}
	return nil
}

// element returns the child with index i, which is not child i if there are gaps between the elements of a list.
func (s *Span) element(i int64) *Span {
	k := s.Child(i)
	if k == nil || k.Index() == i {
		return k
	}
	if l, ok := s.children().(list); ok {
		for _, k := range l {
			if k.Index() == i {
				return k
			}
		}
	}
	return nil
}

// Name returns the last step of the path: a field's name, or [i] for an element.
func (s *Span) Name() string {
	switch {
	case s.Index() >= 0:
		return fmt.Sprintf("[%d]", s.Index())
	case s.State == Gap || s.State == Bad && s.Field == fieldBad:
		return fmt.Sprintf("%s@0x%x", s.Field.Name, s.Range.Off)
	}
	return s.Field.Name
}

// Path returns the place of s in the tree, such as arrays[2]/name. The root is "". A path remains valid after parsing again, a *Span
// does not.
func (s *Span) Path() string {
	var b strings.Builder
	s.path(&b)
	return b.String()
}

func (s *Span) path(b *strings.Builder) {
	if s.parent == nil {
		return
	}
	s.parent.path(b)
	if s.Index() < 0 && b.Len() > 0 {
		b.WriteByte('/')
	}
	b.WriteString(s.Name())
}

// Root returns the span at the top.
func (s *Span) Root() *Span {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

var (
	fieldGap = &Field{Name: "gap", Doc: "unknown bytes", Codec: RawBytes}
	fieldBad = &Field{Name: "bad", Doc: "damaged: reading stopped here", Codec: RawBytes}
)

// list is the children of a struct: spans in file order, those of other spaces last.
type list []*Span

func (l list) count() int64     { return int64(len(l)) }
func (l list) at(i int64) *Span { return l[i] }
func (l list) find(off int64) int64 {
	if len(l) == 0 {
		return -1
	}
	space := l[0].Range.Space
	n := sort.Search(len(l), func(i int) bool { return l[i].Range.Space != space || l[i].Range.Off > off })
	for i := n - 1; i >= 0; i-- { // empty spans may share the offset
		if off < l[i].Range.End() {
			return int64(i)
		}
		if l[i].Range.Len > 0 {
			break
		}
	}
	return -1
}

// elements is an array of fixed stride by arithmetic: records, or single fields if rec is nil.
type elements struct {
	parent *Span
	rec    *Record
	field  *Field // names the element
	stride int64
	n      int64
}

func (e *elements) count() int64 { return e.n }
func (e *elements) at(i int64) *Span {
	s := &Span{Field: e.field, Range: Range{e.parent.Range.Space, e.parent.Range.Off + i*e.stride, e.stride}, parent: e.parent}
	s.number(i)
	if e.rec != nil {
		s.Shape, s.kids = Struct, &columns{s, e.rec}
	}
	return s
}
func (e *elements) find(off int64) int64 {
	if i := (off - e.parent.Range.Off) / e.stride; off >= e.parent.Range.Off && i < e.n {
		return i
	}
	return -1
}

// columns is the fields of one record.
type columns struct {
	parent *Span
	rec    *Record
}

func (c *columns) count() int64 { return int64(len(c.rec.Fields)) }
func (c *columns) at(i int64) *Span {
	from, to := c.rec.starts[i], c.rec.starts[i+1]
	return &Span{Field: c.rec.Fields[i], Range: Range{c.parent.Range.Space, c.parent.Range.Off + from, to - from}, parent: c.parent}
}
func (c *columns) find(off int64) int64 {
	off -= c.parent.Range.Off
	if i := sort.Search(len(c.rec.Fields), func(i int) bool { return c.rec.starts[i+1] > off }); off >= 0 && i < len(c.rec.Fields) {
		return int64(i)
	}
	return -1
}

// tail is elements followed by the rest of the frame, as a Gap or Bad span.
type tail struct {
	children
	rest *Span
}

func (t *tail) count() int64 { return t.children.count() + 1 }
func (t *tail) at(i int64) *Span {
	if i == t.children.count() {
		return t.rest
	}
	return t.children.at(i)
}
func (t *tail) find(off int64) int64 {
	if off >= t.rest.Range.Off && off < t.rest.Range.End() {
		return t.children.count()
	}
	return t.children.find(off)
}

// indexed is the element whose index a path begins with, after the opening bracket, and the rest of the path.
func (s *Span) indexed(path string) (*Span, string) {
	num, rest, _ := strings.Cut(path, "]")
	i, err := strconv.ParseInt(num, 10, 64)
	if err != nil {
		return nil, ""
	}
	return s.element(i), rest
}

// precedes tells whether s comes before t, where neither contains the other.
func (s *Span) precedes(t *Span) bool {
	a, b := lineage(s), lineage(t)
	for i := 1; i < min(len(a), len(b)) && a[i-1].is(b[i-1]); i++ {
		if !a[i].is(b[i]) {
			return a[i].earlier(b[i])
		}
	}
	return false
}

// lineage is the spans around s, from the root on, and s.
func lineage(s *Span) (out []*Span) {
	for ; s != nil; s = s.parent {
		out = append(out, s)
	}
	slices.Reverse(out)
	return out
}

// earlier tells whether s comes before another child of its parent.
func (s *Span) earlier(t *Span) bool {
	if s.Index() >= 0 && t.Index() >= 0 {
		return s.Index() < t.Index()
	}
	for i := range s.parent.Count() {
		if k := s.parent.Child(i); k.is(s) || k.is(t) {
			return k.is(s)
		}
	}
	return false
}

// within tells whether s is t or below it.
func (s *Span) within(t *Span) bool {
	for ; s != nil; s = s.parent {
		if s.is(t) {
			return true
		}
	}
	return false
}

// is tells whether two spans, possibly created at different times, are the same.
func (s *Span) is(t *Span) bool {
	return s == t || s != nil && t != nil && s.Range == t.Range && s.Field == t.Field && s.Index() == t.Index()
}

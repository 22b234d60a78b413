package cause

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model"
)

// One field is wrong: which one, and what should it be? Suspects are the numbers of the document, those at findings first. Candidate
// values come from links, rules, quantities and siblings, then from typical damage, then from trying.

// kind is where a candidate value comes from; the later kinds have more evidence before any trial.
type kind int

const (
	tried   kind = iota // one of all values within reach
	near                // a typical damage away: one bit, one byte, one more or less, another byte order
	legal               // a legal value of the field, or a value of its siblings
	derived             // stated by a link, a rule or a quantity
)

// suspect is a number of the document that may be wrong.
type suspect struct {
	span  *model.Span
	path  string
	said  string // its path by names
	file  string
	off   int64
	raw   []byte
	value model.Value
}

// spot identifies a field by where it begins.
type spot struct {
	space model.SpaceID
	off   int64
}

func spotOf(s *model.Span) spot { return spot{s.Range.Space, s.Range.Off} }

// suspectOf is a number as a suspect; nil if its bytes are not those of a file, or cannot be read.
func suspectOf(ctx context.Context, t *model.Tree, s *model.Span) *suspect {
	sp := t.Space(s.Range.Space)
	if sp == nil || sp.Derived() {
		return nil
	}
	raw, err := t.Bytes(ctx, s.Range)
	if err != nil {
		return nil
	}
	v, _ := t.Value(ctx, s)
	return &suspect{s, s.Path(), t.Said(ctx, s), sp.File, s.Range.Off, raw, v}
}

// candidate is a value that a suspect may have had.
type candidate struct {
	raw  []byte
	kind kind
	why  string
	by   string // the part of the search that made it
}

const (
	maxSuspects = 2000
	maxBrute    = 32 // how many suspects are tried with every value within reach
)

// collector gathers suspects, the likeliest first.
type collector struct {
	ctx  context.Context
	t    *model.Tree
	seen map[spot]bool
	list []*suspect
}

// maxAsked is how many of the fields for which another value is suggested come before all other suspects.
const maxAsked = 32

// suspects lists the numbers of a document: those for which repairs, links or witnesses suggest another value, those at findings,
// those that findings relate to, those that measure damaged bytes, those before them, and all others.
func suspects(ctx context.Context, t *model.Tree, found []model.Finding, asked []*model.Span) []*suspect {
	c := &collector{ctx: ctx, t: t, seen: map[spot]bool{}}
	for _, s := range asked[:min(len(asked), maxAsked)] {
		c.add(s)
	}
	links := t.Links()
	for _, grade := range []model.Severity{model.Error, model.Warning, model.Note} {
		for i := range found {
			if found[i].Grade() == grade && len(c.list) < 64 {
				c.around(&found[i], links)
			}
		}
	}
	for i := range found {
		if found[i].Grade() != model.Note && len(c.list) < 256 {
			c.frames(found[i].Span)
			c.before(found[i].Span)
		}
	}
	c.below(t.Root, 0)
	return c.list
}

// around adds the numbers that a finding is about.
func (c *collector) around(f *model.Finding, links []*model.Link) {
	c.add(f.Span)
	at := f.Where()
	c.at(at)
	for _, r := range f.Related[:min(len(f.Related), 4)] {
		c.at(r)
	}
	for _, l := range links {
		hit := l.Field.Range == at
		for _, t := range l.Targets {
			hit = hit || t.Range.Contains(at) && at.Len > 0 || t.Range == at
		}
		if hit {
			c.add(l.Field)
			for _, t := range l.Targets {
				c.add(t)
			}
		}
	}
}

// frames adds the numbers of the frames that contain a span.
func (c *collector) frames(s *model.Span) {
	for p := s; p != nil; p = p.Parent() {
		for i := range min(p.Count(), 64) {
			if k := p.Child(i); k.Range.Off <= s.Range.Off {
				c.add(k)
			}
		}
	}
}

// before adds the numbers of the frames that contain a span, and of what precedes it there.
func (c *collector) before(s *model.Span) {
	for ; s != nil && s.Parent() != nil; s = s.Parent() {
		p := s.Parent()
		if p.Shape == model.Array && p.Count() > 64 {
			continue
		}
		n := min(p.Count(), 256)
		for i := n - 1; i >= 0; i-- {
			k := p.Child(i)
			if k.Range.Space == s.Range.Space && k.Range.Off > s.Range.Off {
				continue
			}
			if c.add(k); k.Range.Off >= s.Range.Off-256 {
				c.below(k, 1)
			}
		}
	}
}

// at adds the number at a place.
func (c *collector) at(r model.Range) {
	if sp := c.t.Space(r.Space); sp == nil || sp.Derived() {
		return
	}
	if s, err := c.t.AtOpen(c.ctx, r.Space, r.Off); err == nil {
		c.add(s)
	}
}

// below adds all numbers of a span except those of long arrays.
func (c *collector) below(s *model.Span, depth int) {
	if len(c.list) >= maxSuspects || depth > 12 || c.ctx.Err() != nil {
		return
	}
	if s.Shape == model.Leaf {
		c.add(s)
		return
	}
	if sp := c.t.Space(s.Range.Space); sp != nil && sp.Derived() {
		return
	}
	if c.t.Open(c.ctx, s) != nil {
		return
	}
	n := s.Count()
	if s.Shape == model.Array {
		n = min(n, 32)
	}
	for i := range min(n, 1024) {
		c.below(s.Child(i), depth+1)
	}
}

// add adds a span if it is a number stored in a file.
func (c *collector) add(s *model.Span) {
	if s == nil || s.Shape != model.Leaf || s.Field.Codec == nil || s.Range.Len < 1 || s.Range.Len > 8 {
		return
	}
	switch s.Field.Codec.Kind() {
	case model.Uint, model.Int, model.Bool:
	default:
		if s.Field.Codec.Size() < 0 || s.Field.Check == nil {
			return
		}
	}
	if c.seen[spotOf(s)] {
		return
	}
	c.seen[spotOf(s)] = true
	if x := suspectOf(c.ctx, c.t, s); x != nil {
		c.list = append(c.list, x)
	}
}

// values gathers candidate values of a suspect.
type values struct {
	s     *suspect
	seen  map[string]bool
	list  []candidate
	by    string // the part of the search that is adding to it
	worth *Worth
}

func (v *values) raw(b []byte, k kind, why string) {
	if v.worth.omits(v.by) || len(b) != len(v.s.raw) || bytes.Equal(b, v.s.raw) || v.seen[string(b)] || k < legal && (v.s.absurd(b) || v.s.negative(b)) || k < derived && v.s.unnamed(b) {
		return
	}
	v.seen[string(b)] = true
	v.list = append(v.list, candidate{b, k, why, v.by})
}

// absurd tells whether bytes are a number that no file could use, unless the present one is too.
func (s *suspect) absurd(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	big := uint64(1) << (8*len(b) - 12)
	was, is := number(s.raw, s.order()), number(b, s.order())
	return is > big && was < big
}

// negative tells whether bytes are a negative number, unless the present one is too: what documents count and where it is never is.
func (s *suspect) negative(b []byte) bool {
	v, _, err := s.span.Field.Codec.Decode(b)
	return err == nil && v.Kind == model.Int && v.Int() < 0 && !(s.value.Kind == model.Int && s.value.Int() < 0)
}

// unnamed tells whether bytes are a value without a name, in a field whose values have names.
func (s *suspect) unnamed(b []byte) bool {
	f := s.span.Field
	if len(f.Enum) == 0 {
		return false
	}
	v, _, err := f.Codec.Decode(b)
	return err == nil && v.IsNumber() && f.Enum[v.Uint()] == ""
}

func (s *suspect) order() binary.ByteOrder {
	if s.span.Field.Codec.Endian() == "be" {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// encode returns a number as the field stores it; nil if it does not fit.
func (s *suspect) encode(n uint64) []byte {
	raw, err := s.span.Field.Codec.Encode(unsigned(s, n))
	if err != nil || len(raw) != len(s.raw) {
		return nil
	}
	return raw
}

func (v *values) value(x model.Value, k kind, why string) {
	if b, err := v.s.span.Field.Codec.Encode(x); err == nil {
		v.raw(b, k, why)
	}
}

// damage adds what an error of one, a swapped byte order and a flipped bit make of a number.
func (v *values) damage() {
	b := v.s.raw
	v.raw(exchanged(b, len(b)), near, "the bytes in reverse order")
	if v.s.value.IsNumber() {
		n := v.s.value.Uint()
		for _, x := range []uint64{n - 1, n + 1, n >> 1, n >> 8, 0, 1} {
			v.value(unsigned(v.s, x), near, "one bit or one unit away")
		}
	}
	if len(b) == 8 {
		v.raw(exchanged(b, 4), near, "the bytes in reverse order")
		v.raw(exchanged(b, 2), near, "the bytes in reverse order")
	}
}

// unsigned is a number as a value of the suspect's kind.
func unsigned(s *suspect, x uint64) model.Value {
	if s.span.Field.Codec.Kind() == model.Int {
		shift := 64 - 8*len(s.raw)
		return model.I(int64(x<<shift) >> shift)
	}
	return model.U(x)
}

// closeTo tells whether one act of damage turns one number into another: one byte, an error of one, a flipped bit, a swapped byte
// order. Of two unrelated 32-bit numbers, one pair in a million is close.
func closeTo(a, b []byte) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	if model.Differences(a, b) == 1 || bytes.Equal(exchanged(a, len(a)), b) {
		return true
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		x, y := number(a, order), number(b, order)
		if x-y == 1 || y-x == 1 || x>>1 == y || y>>1 == x {
			return len(a) > 1
		}
	}
	return false
}

func number(b []byte, order binary.ByteOrder) (n uint64) {
	for i := range b {
		if order == binary.BigEndian {
			n = n<<8 | uint64(b[i])
		} else {
			n |= uint64(b[i]) << (8 * i)
		}
	}
	return n
}

// show prints bytes as a value of a field.
func show(f *model.Field, raw []byte) string {
	if v, _, err := f.Codec.Decode(raw); err == nil {
		return f.Said(v)
	}
	return fmt.Sprintf("% x", raw)
}

// how says in brackets what happened to the bytes of a number, if that can be seen.
func how(is, should []byte) string {
	switch {
	case len(is) < 2:
	case bytes.Equal(exchanged(is, len(is)), should):
		return " (its bytes are in reverse order)"
	case allOf(is, 0xff):
		return " (all of its bytes are 0xff)"
	}
	return ""
}

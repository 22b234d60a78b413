package parsers

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/parsers/internal/suite"
)

// wrongNumbers are events inside a file, for pairs: one of its numbers is another one, or bits of its front are.
var wrongNumbers = []event{
	{name: "a wrong number", says: changed1 + "| is [0-9]", back: true, files: wrongNumber},
	{name: "three bits", says: changed1 + "| is [0-9]", back: true, bytes: func(p *patient) []byte {
		for range 3 {
			p.b[p.IntN(min(len(p.b), 400))] ^= 1 << p.IntN(8)
		}
		return p.b
	}},
}

// numbers are the numbers of the document that have been read, of at most 8 bytes.
func (p *patient) numbers() (list []*model.Span) {
	var walk func(s *model.Span, depth int)
	walk = func(s *model.Span, depth int) {
		if s.Shape == model.Leaf && s.Ready() && s.Range.Len > 0 && s.Range.Len <= 8 {
			if v, err := p.d.Tree.Value(context.Background(), s); err == nil && v.IsNumber() {
				list = append(list, s)
			}
		}
		for i := range min(s.Count(), 64) {
			if depth < 6 {
				walk(s.Child(i), depth+1)
			}
		}
	}
	for _, sp := range p.d.Tree.Spaces() {
		if !sp.Derived() && sp.Root != nil {
			walk(sp.Root, 0)
		}
	}
	return list
}

// wrongNumber changes a bit or a byte of a number of the document, or adds one to it.
func wrongNumber(p *patient) *model.Snapshot {
	list := p.numbers()
	if len(list) == 0 {
		return nil
	}
	at := list[p.IntN(len(list))].Range
	c, err := p.d.Tree.Snapshot.Content(p.d.Tree.FileName(at))
	if err != nil || at.End() > c.Len() {
		return nil
	}
	b := make([]byte, at.Len)
	c.ReadAt(b, at.Off)
	switch p.IntN(3) {
	case 0:
		b[p.IntN(len(b))] ^= 1 << p.IntN(8)
	case 1:
		b[p.IntN(len(b))] = byte(p.Uint32())
	default:
		b[0]++
	}
	return p.d.Tree.Snapshot.With(p.d.Tree.FileName(at), c.Splice(at.Off, at.Len, model.Memory(b)))
}

// narrowNumber writes a number of 8 bytes of the main file in 4.
func narrowNumber(p *patient) *model.Snapshot {
	s := p.d.Tree.Snapshot
	c, err := s.Content(s.Primary)
	list := slices.DeleteFunc(p.numbers(), func(x *model.Span) bool {
		return x.Range.Len != 8 || p.d.Tree.FileName(x.Range) != s.Primary || x.Field.Codec.Endian() == "" || x.Range.End() > 4096
	})
	if err != nil || len(list) == 0 {
		return nil
	}
	x := list[p.IntN(len(list))]
	high := x.Range.Off
	if x.Field.Codec.Endian() == "le" {
		high += 4
	}
	b := make([]byte, 4)
	if c.ReadAt(b, high); !bytes.Equal(b, make([]byte, 4)) {
		return nil
	}
	return s.With(s.Primary, c.Splice(high, 4, nil))
}

// pair is two events that happened to a document one after the other, each of which is told rightly, and undone if it can be, where it happens alone.
type pair struct {
	a, b   *event
	p      *patient
	own    map[*model.Rule]bool
	both   *model.Snapshot
	format string
}

// TestPairs lets two of the events that SPANDREL_EVENTS selects happen to one document, SPANDREL_PAIRS times, and undoes them as a person would: the first
// repair that is offered, and again.
func TestPairs(t *testing.T) {
	var n int
	which, seed, _ := eventsAsked(t)
	if fmt.Sscan(os.Getenv("SPANDREL_PAIRS"), &n); n == 0 || which == nil {
		t.Skip("SPANDREL_PAIRS=COUNT SPANDREL_EVENTS=REGEXP asks for it")
	}
	list := slices.DeleteFunc(slices.Concat(events, wrongNumbers), func(e event) bool { return !which.MatchString(e.name) })
	w := ward{opened: map[string]*model.Document{}}
	var first, back said
	for i := 0; n > 0 && i < 100_000; i++ {
		if x := w.pair(t, list, seed, i); x != nil {
			n--
			said, undone := x.diagnose(t)
			first.add(said)
			back.add(undone)
		}
	}
	suite.Rate("first of two events", first.String())
	suite.Rate("both undone", fmt.Sprintf("%d of %d", back.back, back.backs))
}

// pair draws two events and a document that they can happen to; nil if those that were drawn cannot, or are not told rightly alone.
func (w ward) pair(t *testing.T, list []event, seed string, i int) *pair {
	r := draw(seed, "pairs", "", i)
	x := &pair{a: &list[r.IntN(len(list))], b: &list[r.IntN(len(list))], format: All()[r.IntN(len(All()))].Name}
	if x.a == x.b || !slices.Contains(x.a.formats(false), x.format) || !slices.Contains(x.b.formats(false), x.format) {
		return nil
	}
	if x.p = w.admit(t, x.format, r); x.p == nil {
		return nil
	}
	x.own = x.p.warnings()
	one := x.alone(x.a, x.p)
	if one == nil || x.alone(x.b, x.second(x.p.d, seed, i)) == nil {
		return nil
	}
	d := opened(x.p.d, one)
	if d.Format == nil {
		return nil
	}
	q := x.second(d, seed, i)
	if len(q.b) == 0 {
		return nil
	}
	if x.both = x.b.damaged(q); x.both == nil || sameState(x.both, one) {
		return nil
	}
	return x
}

// second is the patient of the second event, always the same file.
func (x *pair) second(d *model.Document, seed string, i int) *patient {
	q := &patient{Rand: draw(seed, "second", x.format, i), d: d, format: x.format, of: x.p.of, other: x.p.other}
	names := append(companions(x.p.d), x.p.file)
	q.file = names[q.IntN(len(names))]
	q.b = q.content(q.file)
	return q
}

// alone lets one event happen to the sound document; nil if it is not told rightly.
func (x *pair) alone(e *event, p *patient) *model.Snapshot {
	sound := x.p.d.Tree.Snapshot
	if len(p.b) == 0 {
		return nil
	}
	damaged := e.damaged(p)
	if damaged == nil {
		return nil
	}
	g, err := cause.Find(context.Background(), opened(x.p.d, damaged), cause.Options{Formats: All()})
	if err != nil {
		return nil
	}
	if what, _ := e.judge(g, x.format, x.own); what != right {
		return nil
	}
	if y := firstRepair(g); e.back && (y == nil || !sameState(y.To, sound)) {
		return nil
	}
	return damaged
}

// firstRepair is the first repair that a person is offered.
func firstRepair(g *cause.Diagnosis) *cause.Repair {
	for _, c := range g.Causes {
		for _, y := range c.Repairs {
			if y.To != nil {
				return y
			}
		}
	}
	return nil
}

// diagnose counts what is said first of both, and whether repeated repairs undo them.
func (x *pair) diagnose(t *testing.T) (first, undone said) {
	d, log := opened(x.p.d, x.both), ""
	for step := range 5 {
		g, err := cause.Find(context.Background(), d, cause.Options{Formats: All()})
		if err != nil {
			t.Fatal(err)
		}
		if step == 0 {
			first = x.told(g)
		}
		for _, c := range g.Causes {
			log += fmt.Sprintf("\n      %d %s: %s", step, c.Grade, c.Text)
		}
		y := firstRepair(g)
		if y == nil {
			break
		}
		log += " [" + y.Label + "]"
		if sameState(y.To, x.p.d.Tree.Snapshot) {
			undone.back = 1
			break
		}
		d = opened(&model.Document{Path: x.p.d.Path, Format: y.Format, Tree: d.Tree}, y.To)
	}
	undone.backs = b2i(x.a.back && x.b.back)
	undone.back *= undone.backs
	fmt.Printf("%-6s %d of %d back: %s, then %s, %s of %s%s\n", [...]string{"right", "unsure", "UNTRUE"}[first.unsure+2*first.untrue], undone.back, undone.backs, x.a.name, x.b.name, x.p.file, x.p.of, log)
	x.p.keep(t, x.both)
	return first, undone
}

// told counts the first sentence as right if it is about one of the two.
func (x *pair) told(g *cause.Diagnosis) (s said) {
	a, _ := x.a.judge(g, x.format, x.own)
	b, _ := x.b.judge(g, x.format, x.own)
	switch min(a, b) {
	case right:
		s.right++
	case unsure:
		s.unsure++
	case untrue:
		s.untrue++
	}
	return s
}

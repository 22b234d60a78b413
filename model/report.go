package model

import (
	"fmt"
	"strings"
)

// Place is where something is wrong: a Node, a *Span, a Range, or a Spot when the bytes at fault are not the whole span.
type Place interface {
	place() (s *Span, at Range, v Value)
}

// Spot is bytes of a span, or bytes near it.
type Spot struct {
	Span  *Span
	Range Range
}

func (n Node) place() (*Span, Range, Value)  { return n.Span, Range{}, n.Value }
func (s *Span) place() (*Span, Range, Value) { return s, Range{}, Value{} }
func (r Range) place() (*Span, Range, Value) { return nil, r, Value{} }
func (s Spot) place() (*Span, Range, Value)  { return s.Span, s.Range, Value{} }

// Detail says more of a finding than rule, place, found and wanted: Saying, Graded, Beside, Doubtful, ForNewer, About.
type Detail func(*Finding)

// Saying gives a finding a message of its own instead of the rule's title, as Printf does.
func Saying(format string, args ...any) Detail {
	return func(f *Finding) { f.Message = Words(format, args...) }
}

// Graded gives a finding another severity than its rule's.
func Graded(s Severity) Detail { return func(f *Finding) { f.Severity = s } }

// Beside names other places that have to do with it.
func Beside(places ...Place) Detail {
	return func(f *Finding) {
		for _, p := range places {
			switch s, at, _ := p.place(); {
			case at != Range{}:
				f.Related = append(f.Related, at)
			case s != nil:
				f.Related = append(f.Related, s.Range)
			}
		}
	}
}

// Doubtful says that something else than the field may be what is wrong: the wanted value is offered, and not safe.
func Doubtful(f *Finding) { f.Doubt = true }

// ForNewer says that only newer software objects: the file is as its writer wrote it, and no damage is looked for behind the finding.
func ForNewer(f *Finding) { f.Newer = true }

// About hands the format's repairs what they need to know of the place.
func About(x any) Detail { return func(f *Finding) { f.About = x } }

// Wrong makes a finding. found and want may be anything that prints: texts, numbers, Values, errors, bytes; nil says nothing.
// A found nil at a Node is its value. A want that is a Value is what the field at the place should be set to; anything else only
// says what was expected.
func Wrong(r *Rule, at Place, found, want any, more ...Detail) Finding {
	f := Finding{Rule: r, Found: printed(found), Expected: printed(want)}
	if at != nil {
		var v Value
		f.Span, f.Range, v = at.place()
		if found == nil {
			f.Found = v.String()
		}
	}
	if v, ok := want.(Value); ok {
		f.Want = v
	}
	if len(more) > 0 {
		return f.with(more)
	}
	return f
}

// with adds details. It is a function of its own so that a finding that has none does not cost an allocation: a file may have millions,
// of which few are kept.
func (d Finding) with(more []Detail) Finding {
	for _, add := range more {
		add(&d)
	}
	return d
}

// printed is a value of a finding as people read it.
func printed(x any) string {
	switch x := x.(type) {
	case nil:
		return ""
	case string:
		return strings.ToValidUTF8(x, "\uFFFD")
	case []byte:
		return fmt.Sprintf("% x", x[:min(len(x), 64)])
	case Node:
		return x.Value.String()
	}
	return fmt.Sprint(x)
}

// Wrong reports that a rule does not hold at a place, which is the frame itself when at is nil or has no span; see model.Wrong.
func (c *Cursor) Wrong(r *Rule, at Place, found, want any, more ...Detail) {
	if c.skim {
		*c.heard = true
		return
	}
	f := Wrong(r, at, found, want, more...)
	if f.Span == nil {
		f.Span = c.frame
	}
	c.Report(f)
}

// Wrong reports that a rule does not hold at a place; see model.Wrong.
func (p *Probe) Wrong(r *Rule, at Place, found, want any, more ...Detail) {
	p.Report(Wrong(r, at, found, want, more...))
}

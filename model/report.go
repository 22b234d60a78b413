package model

import (
	"fmt"
	"strings"
)

// Place is where something is wrong: a Node, a *Span, a Range, or a Spot if the wrong bytes are not the whole span.
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

// Detail adds to the rule, place, found and wanted values of a finding: Saying, Graded, Beside, Doubtful, ForNewer, About.
type Detail func(*Finding)

// Saying gives a finding a message of its own in place of the rule's title, formatted as by Printf.
func Saying(format string, args ...any) Detail {
	return func(f *Finding) { f.Message = Words(format, args...) }
}

// Graded gives a finding a severity other than its rule's.
func Graded(s Severity) Detail { return func(f *Finding) { f.Severity = s } }

// Beside adds related places.
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

// Doubtful means that something other than the field may be wrong: the wanted value is offered, and not safe.
func Doubtful(f *Finding) { f.Doubt = true }

// ForNewer means that only newer software objects: the file is as its writer wrote it, and the finding is no sign of damage.
func ForNewer(f *Finding) { f.Newer = true }

// About passes the format's repairs what they need to know about the place.
func About(x any) Detail { return func(f *Finding) { f.About = x } }

// Spared names the folder that nothing is lost without; "" for none.
func Spared(folder string) Detail { return func(f *Finding) { f.Spare = folder } }

// Wrong makes a finding. found and want may be anything that prints: texts, numbers, Values, errors, bytes; nil for none.
// If found is nil at a Node, it is the node's value. A want that is a Value is what the field at the place should be set to; anything else
// is only shown as expected.
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

// with adds details. It is a separate function so that a finding without details needs no allocation: a file may have millions,
// few of which are kept.
func (d Finding) with(more []Detail) Finding {
	for _, add := range more {
		add(&d)
	}
	return d
}

// printed is a value of a finding for people.
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

// Wrong reports a violation of a rule at a place, which is the frame itself if at is nil or has no span; see model.Wrong.
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

// Wrong reports a violation of a rule at a place; see model.Wrong.
func (p *Probe) Wrong(r *Rule, at Place, found, want any, more ...Detail) {
	p.Report(Wrong(r, at, found, want, more...))
}

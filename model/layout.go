package model

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Plan is a change that has been computed but not made: byte patches from one baseline, and the snapshot that they
// lead to. It is what a preview shows.
type Plan struct {
	Label    string
	Patches  []Patch
	Warnings []string // what the format wants confirmed
	Notes    []string // notes for after saving
	From, To *Snapshot
	group    string
}

// Patch replaces Del bytes of a file at Off by those of With.
type Patch struct {
	File string
	Off  int64
	Del  int64
	With Source
	Path string // the field, where it is one
	Why  string // "edited", or the link that it follows from
}

// maxRounds bounds how often links are followed until nothing changes.
const maxRounds = 8

// splice is a patch under construction: in a space of the baseline tree, a file or a derived space.
type splice struct {
	at    Range
	with  Source
	owner *Span // the span that the bytes belong to
	count int64 // elements added to the owner
	asked bool  // set by the user: links do not override it
	path  string
	why   string
}

func (s *splice) delta() int64 { return s.with.Len() - s.at.Len }

// planner computes a Plan.
type planner struct {
	ctx   context.Context
	t     *Tree
	after *layout
	files map[string]*Content // created, or nil: deleted
	made  map[SpaceID]*splice // encoded derived spaces, in their parents
	links []*Link
	near  map[*lazy]bool // elements of sequences whose links are among them

	failed map[*Link]bool // checksums over changed bytes: whether they did not match before
}

// Plan computes what edits change: the fields themselves and, through their links, every length, count, offset, copy and checksum
// that depends on them. Nothing changes until Apply. An error says which value does not fit, or why an edit cannot be made.
func (d *Document) Plan(ctx context.Context, label string, edits ...Edit) (*Plan, error) {
	return d.PlanOn(ctx, d.Tree, label, edits...)
}

// PlanOn is Plan for a tree of the document, for workers: it reads nothing that may change meanwhile.
func (d *Document) PlanOn(ctx context.Context, t *Tree, label string, edits ...Edit) (*Plan, error) {
	plan := &Plan{Label: label, From: t.Snapshot}
	edits, warnings, err := d.Format.prepare(ctx, t, edits)
	if err = errors.Join(err, t.Snapshot.Fault()); err != nil {
		return nil, err
	}
	plan.Warnings = warnings
	p := &planner{ctx: ctx, t: t, after: &layout{ctx, t, map[SpaceID][]*splice{}}, files: map[string]*Content{}, made: map[SpaceID]*splice{}, near: map[*lazy]bool{}, failed: map[*Link]bool{}}
	loose := true
	for _, e := range edits {
		if err := p.ask(e); err != nil {
			return nil, err
		}
		if s, ok := e.(Splice); ok && s.Note != "" {
			plan.Notes = append(plan.Notes, s.Note)
		}
		if f, ok := e.(FileEdit); ok {
			plan.Warnings = append(plan.Warnings, f.Warnings...)
		}
		loose = loose && isLoose(e)
	}
	if !loose {
		p.links = append(p.links, t.Links()...)
	}
	if err := p.settle(); err != nil {
		return nil, err
	}
	return plan, errors.Join(p.finish(plan), t.Snapshot.Fault())
}

// prepare lets the format review edits before they become a plan.
func (f *Format) prepare(ctx context.Context, t *Tree, edits []Edit) (out []Edit, warnings []string, err error) {
	if f == nil || f.Prepare == nil {
		return edits, nil, nil
	}
	return f.Prepare(ctx, t, edits)
}

// ask turns an edit into a splice or a file change.
func (p *planner) ask(e Edit) error {
	switch e := e.(type) {
	case Set:
		return p.set(e)
	case Splice:
		return p.splice(e)
	case FileEdit:
		if err := Clean(e.File); err != nil {
			return err
		}
		p.files[e.File] = nil
		if !e.Delete {
			p.files[e.File] = NewContent(e.Create)
		}
		return nil
	}
	return fmt.Errorf("no edit: %T", e)
}

// set encodes a value in place of the present one of a field.
func (p *planner) set(e Set) error {
	s, err := p.t.Find(p.ctx, e.Path)
	if err != nil {
		return err
	}
	if s.Shape != Leaf || s.Field.Codec == nil {
		return fmt.Errorf("%s is not a single value", e.Path)
	}
	if s.Field.Fixed != "" {
		return fmt.Errorf("%s cannot be edited: %s", e.Path, s.Field.Fixed)
	}
	p.around(s)
	b, err := s.Field.Codec.Encode(e.Value)
	if err != nil {
		return fmt.Errorf("%s at 0x%x: %w", e.Path, s.Range.Off, err)
	}
	if old, err := p.t.Value(p.ctx, s); err == nil && old.Same(e.Value) && s.Range.Len <= MaxValue {
		return nil // an equal value keeps the bytes, even where the file has them in another form
	}
	return p.after.add(&splice{at: s.Range, with: Memory(b), owner: s, asked: true, path: e.Path, why: "edited"})
}

// splice replaces bytes as they are.
func (p *planner) splice(e Splice) error {
	sp := &splice{at: e.Range, with: e.With, asked: true, why: "edited", count: e.Elements}
	if e.With == nil {
		sp.with = Memory(nil)
	}
	if size, err := p.t.Size(p.ctx, e.Range.Space); err != nil || e.Range.Off < 0 || e.Range.Len < 0 || e.Range.End() > size {
		return fmt.Errorf("past the end: %s at 0x%x", Count(max(1, e.Range.Len), "bytes"), e.Range.Off)
	}
	if e.Into != "" {
		s, err := p.t.Find(p.ctx, e.Into)
		if err != nil {
			return err
		}
		sp.owner = s
	}
	if s := p.t.At(e.Range.Space, e.Range.Off); s != nil {
		sp.path = s.Path()
		if p.around(s); sp.owner == nil && s.Range.Contains(e.Range) && e.Range.Off > s.Range.Off {
			sp.owner = s
		}
	}
	return p.after.add(sp)
}

// around also follows the links of the sequence elements that contain a span, because the tree does not keep them.
func (p *planner) around(s *Span) {
	for ; s != nil; s = s.parent {
		if l := s.lazy(); l.own() && s.Ready() && !p.near[l] {
			p.near[l] = true
			p.links = append(p.links, l.links...)
		}
	}
}

// inside tells whether a splice changes the bytes of a span, and so its length.
func (s *splice) inside(t *Span) bool {
	r := t.Range
	if s.at.Space != r.Space {
		return false
	}
	if s.at.Len > 0 {
		return r.Contains(s.at)
	}
	return r.Off < s.at.Off && s.at.Off < r.End() || s.owner != nil && s.owner.within(t)
}

// behind tells whether bytes are inserted at the place of an empty span that precedes the span they belong to.
func (s *splice) behind(t *Span) bool {
	return s.at.Len == 0 && t.Range.Len == 0 && s.owner != nil && t.precedes(s.owner)
}

// want returns what a link's field should be, before (if was is true) or after the changes.
func (p *planner) want(l *Link) (now Value, changed bool, err error) {
	for _, s := range l.Targets {
		if s.cut() || s.State == Bad {
			return Value{}, false, nil
		}
	}
	before, after := int64(0), int64(0)
	switch l.Kind {
	case LengthLink:
		before, after, err = p.after.lengths(l.Targets)
	case CountLink:
		before = l.Targets[0].elements()
		after, err = p.after.count(l.Targets[0])
	case OffsetLink:
		before, after = l.Targets[0].Range.Off, p.after.offset(l.Targets[0])
	case EndLink:
		after, err = p.after.length(l.Targets[0])
		before, after = l.Targets[0].Range.End(), p.after.offset(l.Targets[0])+after
	case SameLink:
		return p.after.given(l.Targets[0])
	}
	if err != nil {
		return Value{}, false, err
	}
	if l.Origin != nil {
		before -= l.Origin.Range.Off
		after -= p.after.offset(l.Origin)
	}
	if after -= l.Base; after%l.Unit != 0 {
		return Value{}, before != after+l.Base, fmt.Errorf("%s would not be a multiple of %d bytes", l.Targets[0].Path(), l.Unit)
	}
	return I(after/l.Unit + l.Bias), before != after+l.Base, nil
}

func readAll(s Source) ([]byte, error) {
	if s.Len() > MaxDerived {
		return nil, fmt.Errorf("%d bytes at once are more than %d", s.Len(), int64(MaxDerived))
	}
	b := make([]byte, s.Len())
	if _, err := s.ReadAt(b, 0); err != nil && !(err == io.EOF) {
		return nil, err
	}
	return b, nil
}

// apply makes the content between two offsets after splices, which are sorted and do not overlap.
func (c *Content) apply(list []*splice, from, to int64) *Content {
	var out []piece
	for _, s := range list {
		out = append(c.part(out, from, s.at.Off), piece{s.with, 0, s.with.Len()})
		from = s.at.End()
	}
	return join(c.part(out, from, to))
}

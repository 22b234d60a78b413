package doc

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/ui/align"
)

// AfterRepair is a damaged document after a proven repair, if its tables show more then.
type AfterRepair struct {
	Repair *cause.Repair
	Tree   *model.Tree // after the repair
	places *samePlaces
}

// afterRepairOf reads the rows of a document after its repair; nil if they show no more than before.
func afterRepairOf(ctx context.Context, d *model.Document, g *cause.Diagnosis) *AfterRepair {
	broken := func(f model.Finding) bool { return f.Grade() == model.Error }
	if d.Format != nil && !slices.ContainsFunc(g.Findings, broken) {
		return nil
	}
	t, repair := g.Shown(ctx)
	if repair == nil {
		return nil
	}
	if len(t.Tables(ctx)) == 0 {
		return nil
	}
	return &AfterRepair{Repair: repair, Tree: t, places: &samePlaces{of: t, in: d.Tree, spaces: map[model.SpaceID]*sameSpace{}}}
}

// Tables lists the tables after the repair. Their cells are at the places of their bytes in the unrepaired document; those whose bytes only exist
// after the repair have no place.
func (m *AfterRepair) Tables(ctx context.Context) []model.Table {
	list := slices.Clone(m.Tree.Tables(ctx))
	for i := range list {
		read := list[i].Read
		list[i].Set = nil
		list[i].Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
			rows, err := read(ctx, first, n)
			out := make([]model.Row, len(rows))
			for k, row := range rows {
				out[k] = slices.Clone(row)
				for c := range out[k] {
					out[k][c].Range = m.places.find(ctx, out[k][c].Range)
					out[k][c].Fixed = cmp.Or(out[k][c].Fixed, m.fixed())
				}
			}
			return out, err
		}
	}
	return list
}

// fixed says why a cell cannot be edited before the repair is applied.
func (m *AfterRepair) fixed() string {
	return "it is shown after the repair “" + m.Repair.Label + "”, which must be applied first"
}

// samePlaces finds the places of a changed document's bytes in the document before the change.
type samePlaces struct {
	of, in *model.Tree
	mu     sync.Mutex
	spaces map[model.SpaceID]*sameSpace // by their numbers after the change; nil: it is not in the document before it
}

// sameSpace is a space before a change, and where its bytes differ; or the bytes it is decoded from, if it was not decoded then.
type sameSpace struct {
	id      model.SpaceID
	runs    []model.Changed
	decoded bool
	from    model.Range
	stored  bool // they are those bytes
}

// find returns where bytes are before the change; none if they did not exist.
func (p *samePlaces) find(ctx context.Context, r model.Range) model.Range {
	if r.Len == 0 {
		return model.Range{}
	}
	p.mu.Lock()
	s, known := p.spaces[r.Space]
	p.mu.Unlock()
	if !known {
		s = p.space(ctx, r.Space)
		p.mu.Lock()
		p.spaces[r.Space] = s
		p.mu.Unlock()
	}
	switch {
	case s == nil:
		return model.Range{}
	case s.decoded:
		return p.find(ctx, s.origin(r))
	}
	at, _, paired := align.Opposed(s.runs, r.Off)
	last, _, alsoPaired := align.Opposed(s.runs, r.End()-1)
	if !paired || !alsoPaired || last-at != r.Len-1 {
		return model.Range{}
	}
	return model.Range{Space: s.id, Off: at, Len: r.Len}
}

// origin returns the bytes that decoded ones come from: for stored ones, just these.
func (s *sameSpace) origin(r model.Range) model.Range {
	switch {
	case !s.stored:
		return s.from
	case r.Off < s.from.Len:
		return model.Range{Space: s.from.Space, Off: s.from.Off + r.Off, Len: min(r.Len, s.from.Len-r.Off)}
	}
	return model.Range{}
}

// space finds a space in the document before the change: a file by its name, decoded bytes by their field, if
// they are decoded from the same bytes. For others, the bytes they are decoded from.
func (p *samePlaces) space(ctx context.Context, id model.SpaceID) *sameSpace {
	sp := p.of.Space(id)
	switch {
	case sp == nil:
		return nil
	case !sp.Derived():
		return p.file(ctx, sp)
	case sp.Root == nil || sp.Raw == nil:
		return nil
	}
	if s, err := p.in.Find(ctx, sp.Root.Path()); err == nil && s != nil {
		was := p.in.Space(s.Range.Space)
		if was != nil && was.Derived() && was.Raw != nil && p.find(ctx, sp.Raw.Range) == was.Raw.Range {
			return &sameSpace{id: was.ID}
		}
	}
	return &sameSpace{decoded: true, from: sp.Origin, stored: sp.Transform.Name == model.Identity.Name}
}

func (p *samePlaces) file(ctx context.Context, now *model.Space) *sameSpace {
	k := slices.IndexFunc(p.in.Spaces(), func(sp *model.Space) bool { return !sp.Derived() && sp.File == now.File })
	after, err := p.of.Snapshot.Content(now.File)
	if k < 0 || err != nil {
		return nil
	}
	was := p.in.Spaces()[k]
	before, err := p.in.Snapshot.Content(was.File)
	if err != nil {
		return nil
	}
	return &sameSpace{id: was.ID, runs: align.Exactly(ctx, after, before, after.Diff(before))} // what was rewritten may say the same
}

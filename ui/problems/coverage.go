package problems

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// Coverage says how many bytes of each space are explained, by what, and lists those that are not.
type Coverage struct {
	doc.List
	state  *widget.Label
	load   kit.Loader[coverage]
	Object fyne.CanvasObject
	space  model.SpaceID
}

// coverage is the result of a walk over the spans of a space that have been read.
type coverage struct {
	items, holes     []doc.Place
	explained, total int64
	left             int // how many spans may still be visited; below 0: there were more
}

// How many spans a walk visits, and how many it lists at most of each kind.
const (
	coverMost   = 200_000
	coverListed = 1000
)

// NewCoverage makes the list of what is known about the bytes.
func NewCoverage(d *doc.Document) *Coverage {
	p := &Coverage{List: doc.NewList(d, rows.Column{Title: "what", Width: 270}, rows.Column{Title: "bytes", Width: 100, Right: true},
		rows.Column{Title: "share", Width: 110, Right: true}, rows.Column{Title: "where", Width: 200}), space: model.NoSpace}
	p.Bind(p)
	p.state = kit.NewLine("")
	p.Object = container.NewBorder(p.state, nil, nil, nil, p.View)
	return p
}

func (p *Coverage) Selected(s doc.Selection) {
	if s.Range.Space != p.space && s.Range.Space != model.NoSpace {
		p.space = s.Range.Space
		p.Changed()
	}
}

func (p *Coverage) Changed() {
	t, id := p.Doc.Tree(), p.space
	sp := t.Space(id)
	if sp == nil || sp.Root == nil {
		p.space = model.NoSpace
		return
	}
	p.load.Load(p.Doc.Window, func(ctx context.Context) (coverage, error) { return coverageOf(ctx, t, sp) }, func(c coverage, err error) {
		if err != nil {
			return
		}
		p.Set(c.items)
		share := 100 * float64(c.explained) / float64(max(1, c.total))
		text := model.Words("%s: %s of %s bytes explained (%.2f %%)", p.Doc.SpaceTitle(id), model.Thousands(c.explained), model.Thousands(c.total), share)
		if c.left < 0 {
			text += ", of the part that was checked"
		}
		p.state.SetText(text)
	})
}

// coverageOf sums the bytes of the spans below the top ones of a space, and lists gaps and damage.
func coverageOf(ctx context.Context, t *model.Tree, sp *model.Space) (c coverage, err error) {
	if c.total, err = t.Size(ctx, sp.ID); err != nil {
		return c, err
	}
	var tops []doc.Place
	c.explained, c.left = c.total, coverMost
	for i := range sp.Root.Count() {
		k := sp.Root.Child(i)
		if k.Range.Space != sp.ID {
			continue
		}
		c.explained -= c.unexplained(ctx, k)
		if len(tops) < coverListed && k.State == model.OK {
			tops = append(tops, c.place(k))
		}
	}
	for _, list := range [][]doc.Place{c.holes, tops} {
		slices.SortStableFunc(list, func(a, b doc.Place) int { return cmp.Compare(b.At.Len, a.At.Len) })
		c.items = append(c.items, list...)
	}
	return c, ctx.Err()
}

// unexplained is the number of bytes of a span that no field explains. It notes where they are.
func (c *coverage) unexplained(ctx context.Context, s *model.Span) (n int64) {
	switch {
	case s.State == model.Gap || s.State == model.Bad && s.Shape == model.Leaf:
		if len(c.holes) < coverListed {
			c.holes = append(c.holes, c.place(s))
		}
		return s.Range.Len
	case s.Shape == model.Array && s.Count() > 1000:
		return 0 // elements are all alike
	}
	for i := range s.Count() {
		if c.left--; c.left < 0 || ctx.Err() != nil {
			return n
		}
		if k := s.Child(i); k.Range.Space == s.Range.Space {
			n += c.unexplained(ctx, k)
		}
	}
	return n
}

// place is a row for a span.
func (c *coverage) place(s *model.Span) doc.Place {
	what := rows.Cell{Text: show.NameOf(s), Swatch: 1 + int(doc.HueOf(s)%12)}
	if s.State != model.OK {
		what = rows.Cell{Text: what.Text, Hatch: true}
	}
	n := s.Range.Len
	return doc.Place{Span: s, At: s.Range, Cells: []rows.Cell{what, {Text: model.Thousands(n), Right: true}, {Text: fmt.Sprintf("%.2f %%", 100*float64(n)/float64(max(1, c.total))), Right: true},
		{Text: fmt.Sprintf("0x%x", s.Range.Off), Mono: true, Dim: true}}}
}

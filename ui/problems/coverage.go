package problems

import (
	"context"
	"fmt"
	"sort"

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
	items            []doc.Place
	explained, total int64
	cut              bool
}

// coverMost is how many spans a walk visits.
const coverMost = 200_000

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
		text := model.Words("%s: %d of %d bytes explained (%.2f %%)", p.Doc.SpaceTitle(id), c.explained, c.total, share)
		if c.cut {
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
	var tops, holes []doc.Place
	left := coverMost
	var unexplained func(s *model.Span) int64
	unexplained = func(s *model.Span) (n int64) {
		if s.State == model.Gap || s.State == model.Bad && s.Shape == model.Leaf {
			if len(holes) < 1000 {
				holes = append(holes, doc.Place{Span: s, At: s.Range, Cells: coverCells(show.NameOf(s), s.Range.Len, c.total, s)})
			}
			return s.Range.Len
		}
		if s.Shape == model.Array && s.Count() > 1000 {
			return 0 // elements are all alike
		}
		for i := range s.Count() {
			if left--; left < 0 || ctx.Err() != nil {
				c.cut = true
				return n
			}
			if k := s.Child(i); k.Range.Space == sp.ID {
				n += unexplained(k)
			}
		}
		return n
	}
	var missing int64
	for i := range sp.Root.Count() {
		k := sp.Root.Child(i)
		if k.Range.Space != sp.ID {
			continue
		}
		missing += unexplained(k)
		if len(tops) < 1000 && k.State == model.OK {
			tops = append(tops, doc.Place{Span: k, At: k.Range, Cells: coverCells(k.Name(), k.Range.Len, c.total, k)})
		}
	}
	c.explained = c.total - missing
	sort.SliceStable(holes, func(i, j int) bool { return holes[i].At.Len > holes[j].At.Len })
	sort.SliceStable(tops, func(i, j int) bool { return tops[i].At.Len > tops[j].At.Len })
	c.items = append(holes, tops...)
	return c, ctx.Err()
}

func coverCells(name string, n, total int64, s *model.Span) []rows.Cell {
	what := rows.Cell{Text: name, Swatch: 1 + int(doc.HueOf(s)%12)}
	if s.State != model.OK {
		what = rows.Cell{Text: name, Hatch: true}
	}
	return []rows.Cell{what, {Text: fmt.Sprint(n), Right: true}, {Text: fmt.Sprintf("%.2f %%", 100*float64(n)/float64(max(1, total))), Right: true},
		{Text: fmt.Sprintf("0x%x", s.Range.Off), Mono: true, Dim: true}}
}

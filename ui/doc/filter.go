package doc

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// FindMost is how many hits are listed.
const FindMost = 2000

// filterMost is how many spans a search of fields examines.
const filterMost = 2_000_000

// Search finds the fields that meet a condition: it walks the spans read so far and opens cheap ones: frames of the main file, and with all also those of
// other files, but no decoded spaces.
func Search(ctx context.Context, f model.Filter, t *model.Tree, all bool) (items []Place, err error) {
	left := filterMost
	cheap := func(s *model.Span) bool {
		sp := t.Space(s.Range.Space)
		return sp != nil && !sp.Derived() && (all || sp.ID == t.Root.Range.Space)
	}
	var walk func(s *model.Span)
	walk = func(s *model.Span) {
		if !s.Ready() && (!cheap(s) || t.Open(ctx, s) != nil) {
			return
		}
		for i := range s.Count() {
			if left--; left < 0 || len(items) >= FindMost || ctx.Err() != nil {
				return
			}
			k := s.Child(i)
			if f.Match(k.Name(), func() (string, model.Value) {
				v, _ := t.Value(ctx, k)
				return show.Value(k.Field, v), v
			}) {
				items = append(items, Place{Span: k, At: k.Range, Cells: []rows.Cell{{Text: fmt.Sprintf("0x%x", k.Range.Off), Mono: true}, {Text: k.Path(), Tail: true}, {Text: show.ValueOf(ctx, t, k)}}})
			}
			walk(k)
		}
	}
	walk(t.Root)
	return items, ctx.Err()
}

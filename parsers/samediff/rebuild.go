package samediff

import (
	"context"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// rewrite replaces the buffer by one written anew. fit keeps its size, with zeros behind it, where something else counts on it.
func (p *placed) rewrite(ctx context.Context, t *model.Tree, fit bool, change func(c *flat.Copy)) (edits []model.Edit, err error) {
	err = p.view(ctx, t, func(b flat.Buffer) error {
		out, err := p.Rewritten(b, change)
		if err != nil {
			return err
		}
		n := int64(len(out))
		if fit = fit || p.fixed(); fit && n <= p.Size {
			out = append(out, make([]byte, p.Size-n)...)
		} else if p.fixed() {
			return fmt.Errorf("the buffer would grow from %d to %d bytes, for which there is no room", p.Size, n)
		}
		edits = []model.Edit{model.Replace(p.span.Range, out)}
		return nil
	})
	return edits, err
}

// fixed tells that the buffer cannot change its size by itself: a sub-instance, whose length stands in the graph around it, and an
// index with arrays behind it.
func (p *placed) fixed() bool { return p.depth > 0 || p.inFront() }

// inFront tells that the buffer is an index with arrays behind it.
func (p *placed) inFront() bool { return p.section != nil && p.section.arrays.region >= 0 }

// maxGrafts is how many grafts, one in front of the other, are told apart from other bytes.
const maxGrafts = 8

// grafted returns what tells whether bytes are what a prefix graft left behind (section 5.4): they belonged to a sound graph that
// starts at a multiple of 16 behind the root.
func (p *placed) grafted(b flat.Buffer) func(at, n int64) bool {
	type part struct{ at, n int64 }
	var lost, before []part // what nothing refers to, and never did
	orphans := func(f *flat.Map, from int64) (out []part) {
		for _, is := range f.Issues {
			if is.Kind == flat.Unreached {
				out = append(out, part{from + is.Off, is.Len})
			}
		}
		return out
	}
	lost = orphans(p.Map, 0)
	if p.Root.Name == "FlatGraph" && p.Late() {
		from := int64(0)
		for range maxGrafts {
			i := slices.IndexFunc(lost, func(o part) bool { // zeros may lead to the multiple of 16
				at := (o.at + 15) &^ 15
				return at > from && at+4 <= o.at+o.n && b[at:].IsGraph(b[at:].Root())
			})
			if i < 0 {
				break
			}
			from, before = (lost[i].at+15)&^15, lost
			lost = orphans(flat.Walk(b[from:], p.Root, nil), from)
		}
	}
	if before == nil {
		return func(int64, int64) bool { return false }
	}
	return func(at, n int64) bool {
		return !slices.ContainsFunc(lost, func(o part) bool { return o.at < at+n && at < o.at+o.n })
	}
}

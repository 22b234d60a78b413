package samediff

import (
	"context"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// rewrite replaces the buffer by one written anew. fit keeps its size, with zeros behind it, where something else counts on it.
func (p *placed) rewrite(ctx bufContext, t *model.Tree, fit bool, change func(c *flat.Copy)) (edits []model.Edit, err error) {
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

// rebuilding is the fix that writes the buffer anew: objects that nothing refers to go, all others get their alignment and their
// zero bytes.
func (p *placed) rebuilding(label string) []model.Fix {
	if p.Copyable() != nil || p.Damaged() {
		return nil
	}
	return []model.Fix{{Label: label, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return p.rewrite(background, t, p.nb != nil, nil)
	}}}
}

// latin is the fix of a text that is not UTF-8: its bytes are taken for the characters of Latin-1, as every byte is one.
func (p *placed) latin(s *model.Span, at model.Range) []model.Fix {
	if p.Gen != "" && !p.Late() {
		return nil
	}
	return []model.Fix{fix("read it as Latin-1, write it as UTF-8", false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		b, err := t.Bytes(background, at)
		if err != nil {
			return nil, err
		}
		text := make([]rune, len(b))
		for i, c := range b {
			text[i] = rune(c)
		}
		return []model.Edit{model.Set{Path: s.Path() + "/text", Value: model.S(string(text))}}, nil
	})}
}

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

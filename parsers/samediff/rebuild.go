package samediff

import (
	"context"
	"fmt"
	"slices"

	"spandrel/model"
)

// rewritten writes the buffer anew, changed by change (nil: as it is), and returns the bytes (section 5.4, rebuild).
func (p *placed) rewritten(b buf, change func(c *copyJob)) ([]byte, error) {
	c := &copyJob{placed: p, b: b}
	if change != nil {
		change(c)
	}
	return c.build(b.root(), p.root)
}

// rewrite replaces the buffer by one written anew. fit keeps its size, with zeros behind it, where something else counts on it.
func (p *placed) rewrite(ctx bufContext, t *model.Tree, fit bool, change func(c *copyJob)) (edits []model.Edit, err error) {
	err = p.view(ctx, t, func(b buf) error {
		out, err := p.rewritten(b, change)
		if err != nil {
			return err
		}
		n := int64(len(out))
		if fit = fit || p.fixed(); fit && n <= p.size {
			out = append(out, make([]byte, p.size-n)...)
		} else if p.fixed() {
			return fmt.Errorf("the buffer would grow from %d to %d bytes, for which there is no room", p.size, n)
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

// damaged tells that something of the buffer cannot be reached: nothing is written in its place, as more would be lost.
func (p *placed) damaged() bool {
	return p.rootAt() < 0 || slices.ContainsFunc(p.issues, func(is issue) bool { return is.rule.Severity == model.Error && is.rule != sdf(130) })
}

// rebuilding is the fix that writes the buffer anew: objects that nothing refers to go, all others get their alignment and their
// zero bytes.
func (p *placed) rebuilding(label string) []model.Fix {
	if p.copyable() != nil || p.damaged() {
		return nil
	}
	return []model.Fix{{Label: label, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return p.rewrite(background, t, p.nb != nil, nil)
	}}}
}

// issueFixes are the findings of a walk that writing the buffer anew repairs, and what it does about them.
var issueFixes = map[*model.Rule]string{sdf(129): "write the strings anew, each with its zero byte", sdf(131): "write the buffer anew, aligned",
	sdf(135): "write the buffer anew, without what nothing refers to"}

// latin is the fix of a text that is not UTF-8: its bytes are taken for the characters of Latin-1, as every byte is one.
func (p *placed) latin(s *model.Span, at model.Range) []model.Fix {
	if p.gen != "" && !p.late() {
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
func (p *placed) grafted(b buf) func(at, n int64) bool {
	type part struct{ at, n int64 }
	var lost, before []part // what nothing refers to, and never did
	orphans := func(f *flat, from int64) (out []part) {
		for _, is := range f.issues {
			if is.rule == sdf(135) {
				out = append(out, part{from + is.off, is.len})
			}
		}
		return out
	}
	lost = orphans(p.flat, 0)
	if p.root.name == "FlatGraph" && p.late() {
		from := int64(0)
		for range maxGrafts {
			i := slices.IndexFunc(lost, func(o part) bool { // zeros may lead to the multiple of 16
				at := (o.at + 15) &^ 15
				return at > from && at+4 <= o.at+o.n && b[at:].isGraph(b[at:].root())
			})
			if i < 0 {
				break
			}
			from, before = (lost[i].at+15)&^15, lost
			lost = orphans(walk(b[from:], p.root, nil), from)
		}
	}
	if before == nil {
		return func(int64, int64) bool { return false }
	}
	return func(at, n int64) bool {
		return !slices.ContainsFunc(lost, func(o part) bool { return o.at < at+n && at < o.at+o.n })
	}
}

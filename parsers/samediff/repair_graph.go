package samediff

import (
	"context"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// fixes offers other values for fields of a graph, or for its metadata.
func (x rootEdit) fixes(*model.Finding) []model.Fix {
	if x.p == nil || x.p.Damaged() {
		return nil
	}
	return []model.Fix{{Label: x.label, Loses: x.loses, Safe: x.safe, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		if x.fields != nil {
			return x.p.setFields(ctx, t, x.fields)
		}
		return x.p.setMetadata(ctx, t, x.keys)
	}}}
}

// corrections offers single numbers of a buffer whose change leaves less wrong with it, and rewriting it: unreferenced objects
// are dropped, all others get their alignment and terminating zeros.
func (x issueAt) corrections(ctx context.Context, t *model.Tree, f *model.Finding) (out []model.Fix) {
	p := x.p
	r := p.span.Range
	if f.Grade() != model.Note {
		found := p.correctionsOf(ctx, t, x.is)
		for _, m := range found[:min(len(found), 3)] {
			at := model.Range{Space: r.Space, Off: r.Off + m.At, Len: int64(len(m.Bytes))}
			out = append(out, model.Fix{Label: m.What, Safe: m.Clean && len(found) == 1 && !t.Space(r.Space).Derived(),
				Edits: []model.Edit{model.Replace(at, m.Bytes)}})
		}
	}
	if f.Rule == textNotUTF8 {
		return append(out, p.latin(f.Span, f.Where())...)
	}
	label := map[*model.Rule]string{textNoZero: "rewrite the strings, each with its zero byte", unaligned: "rewrite the graph, aligned",
		unreached: "rewrite the graph without them"}[f.Rule]
	if label == "" || p.Copyable() != nil || p.Damaged() || f.Rule == textNoZero && len(out) == 1 && out[0].Safe {
		return out // if one byte is wrong, nothing has to move
	}
	fix := model.Fix{Label: label, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return p.rewrite(ctx, t, p.nb != nil, nil)
	}}
	if f.Rule == unreached && f.Grade() != model.Note {
		fix.Loses = model.Words("%s bytes that nothing in the graph uses", model.Thousands(f.Where().Len))
	}
	return append(out, fix)
}

// maxCorrected is how many of the first issues of a buffer are tried: the others are consequences, or noise.
const maxCorrected = 6

// correctionsOf looks for the corrections of an issue, once.
func (p *placed) correctionsOf(ctx context.Context, t *model.Tree, is flat.Issue) []flat.Correction {
	i := slices.Index(p.Issues, is)
	if i < 0 || i >= maxCorrected || p.Tangled { // in a tangled graph, reading takes many times its size
		return nil
	}
	if known, ok := p.corrected.Load(is); ok {
		return known.([]flat.Correction)
	}
	b, err := t.Bytes(ctx, p.span.Range)
	if err != nil {
		return nil
	}
	before := p.open(b).unresolved()
	out := slices.DeleteFunc(p.Corrections(ctx, b, p.Root.Name, is, i), func(m flat.Correction) bool {
		c := flat.Buffer(slices.Clone(b))
		copy(c[m.At:], m.Bytes)
		q := &placed{located: located{Map: flat.Open(c, p.Root.Name, nil)}, scopeOf: p.scopeOf, doc: p.doc}
		return p.Late() && q.open(c).unresolved() > before // not all names belonged to variables before
	})
	if ctx.Err() != nil {
		return nil
	}
	p.corrected.Store(is, out)
	return out
}

// unresolved is how many names and ids of operations lead to no variable.
func (v *modelView) unresolved() (n int) {
	for i := range v.nodes {
		for _, in := range v.nodes[i].inputs {
			if _, ok := v.byID[in]; !ok {
				n++
			}
		}
		for _, out := range v.nodes[i].outputs {
			if _, ok := v.byName[out]; !ok {
				n++
			}
		}
	}
	return n
}

// latin is the fix for a text that is not UTF-8: its bytes are read as Latin-1, where every byte is a character.
func (p *placed) latin(s *model.Span, at model.Range) []model.Fix {
	if p.Gen != "" && !p.Late() {
		return nil
	}
	return []model.Fix{later("convert it from Latin-1 to UTF-8", false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		b, err := t.Bytes(ctx, at)
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

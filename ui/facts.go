package ui

import (
	"context"
	"fmt"
	"path/filepath"

	"spandrel/model"
)

// cellFacts says of a cell of a table what its bytes do not: that it has none of its own, or why it cannot be edited.
func cellFacts(c *cellRef) []fact {
	if c == nil || c.fixed == "" && !c.derived {
		return nil
	}
	out := []fact{{label: "CELL", heading: true}, {label: "table", text: c.table}, {label: "row", text: fmt.Sprint(c.row)},
		{label: "column", text: c.column}, {label: "value", text: c.text}}
	if c.fixed != "" {
		out = append(out, fact{label: "read only", text: c.fixed})
	}
	if c.derived && c.mended {
		out = append(out, fact{label: "bytes", text: "the file has no bytes that say just this: the repair makes them, or it follows from others"})
	} else if c.derived {
		out = append(out, fact{label: "derived", text: "from the row below, or from other files"})
	}
	return out
}

// fieldFacts says what a span is; file is what the document was opened from.
func fieldFacts(ctx context.Context, t *model.Tree, file string, sel Selection) []fact {
	s := sel.Span
	name := s.Name()
	if name == "" {
		name = filepath.Base(file)
	}
	out := []fact{{label: "FIELD", heading: true}, {label: "name", text: name}}
	add := func(label, text string) {
		if text != "" {
			out = append(out, fact{label: label, text: text})
		}
	}
	add("path", s.Path())
	add("value", valueText(ctx, t, s))
	add("what", s.Field.Doc)
	add("type", typeText(s))
	if s.State != model.OK {
		add("state", s.State.String())
	}
	if sp := t.Space(s.Range.Space); sp != nil {
		add("offset", fmt.Sprintf("0x%x  (%d)", s.Range.Off, s.Range.Off))
		add("size", fmt.Sprintf("%s  (0x%x)", counted(s.Range.Len, "byte"), s.Range.Len))
		if r := sel.Range; r != s.Range && r.Len > 1 {
			add("selected", fmt.Sprintf("0x%x + %s", r.Off, counted(r.Len, "byte")))
		}
		if s.Shape == model.Leaf && s.Range.Len > 0 {
			r := s.Range
			r.Len = min(r.Len, 16)
			b, _ := t.Bytes(ctx, r)
			raw := fmt.Sprintf("% x", b)
			if s.Range.Len > r.Len {
				raw += " …"
			}
			out = append(out, fact{label: "raw", text: raw, mono: true})
		}
		add("file", sp.File)
		if sp.Derived() {
			text := "decoded by " + sp.Transform.Name + ": these bytes are not in the file"
			if sp.Transform.Name == model.Identity.Name {
				text = "stored: these bytes are in the file as they are, at another address"
			}
			add("space", text)
			out = append(out, fact{label: "made from", text: model.Words("%s  %d bytes at 0x%x", sp.Raw.Path(), sp.Raw.Range.Len, sp.Raw.Range.Off), link: sp.Raw})
		}
	}
	if s.Field.Fixed != "" {
		add("fixed", s.Field.Fixed)
	}
	return append(out, relationFacts(t, s)...)
}

// relationFacts lists where one can go from a span.
func relationFacts(t *model.Tree, s *model.Span) (out []fact) {
	for i, r := range t.Relations(s) {
		if i == 0 {
			out = append(out, fact{label: "RELATIONS", heading: true})
		}
		if i == 32 {
			return append(out, fact{text: "and more"})
		}
		out = append(out, fact{label: r.Text, text: placeText(r.Span, r.To), link: r.Span, to: r.To})
	}
	return out
}

// declined says why no format took the document.
func (d *Document) declined() (out []fact) {
	if d.format() != nil {
		return nil
	}
	for _, c := range d.Model.Candidates {
		if c.Reason != "" {
			out = append(out, fact{label: c.Format.Name, text: c.Reason})
		}
	}
	return out
}

// problemFacts lists what is wrong with a span, or with the bytes of it that are selected.
func problemFacts(ctx context.Context, t *model.Tree, s Selection, found []model.Finding) (out []fact) {
	path := s.Span.Path()
	for i := range found {
		f := &found[i]
		if !s.hit(f, path) {
			continue
		}
		if len(out) == 0 {
			out = append(out, fact{label: "PROBLEMS", heading: true})
		}
		out = append(out, fact{under: true, text: f.Text(), severity: f.Grade()})
		for _, x := range []fact{{label: "found", text: alsoHex(f, f.Found)}, {label: "expected", text: expected(f)}, {label: "why", text: f.Rule.Doc}} {
			if x.text != "" {
				out = append(out, x)
			}
		}
		for _, x := range distinct(t.Fixes(ctx, f)) {
			out = append(out, fact{label: "repair", text: fixText(&x), fix: &x})
		}
	}
	return out
}

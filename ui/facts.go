package ui

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/cause"
)

// fact is a line of the inspector; a long text becomes several.
type fact struct {
	label, text string
	other       string // the same bytes in the other byte order
	heading     bool
	mono        bool
	under       bool // stands below its label: it is too wide to stand beside it
	severity    model.Severity
	link        *model.Span    // where a click leads
	to          model.Range    // the same for bytes without a known span
	fix         *model.Fix     // previewed by a click
	do          func()         // done by a click
	write       [2]model.Codec // how text and other are written into the bytes; nil: not at all
	at          model.Range    // those bytes
	whole       [2]string      // of a line: what text and other are parts of
}

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

// causeFacts says what is known of the cause at a field, or else of the one that what is wrong there comes from, such as that the file is cut.
func causeFacts(s Selection, list []*cause.Cause, advised [][]advice, of map[findingKey]int, found []model.Finding) []fact {
	path := s.Span.Path()
	k := slices.IndexFunc(list, func(x *cause.Cause) bool { return x.At.Path != "" && x.At.Path == path })
	for i := 0; i < len(found) && k < 0 && len(list) > 0; i++ {
		if s.hit(&found[i], path) {
			if at, ok := of[keyOf(&found[i])]; ok {
				k = at
			}
		}
	}
	if k < 0 || k >= len(list) {
		return nil
	}
	x := list[k]
	out := []fact{{label: "CAUSE", heading: true}, {under: true, text: x.Text}, {under: true, text: x.Means}, {label: "how sure", text: gradeText(x.Grade)}}
	if len(x.Evidence) > 0 {
		out = append(out, fact{label: "evidence", text: cause.Evidence(x.Evidence)})
	}
	if x.Ledger != nil {
		lines := x.Ledger.Explain(x.Story)
		out = append(out, fact{label: "why", text: strings.TrimPrefix(lines[0], "why: ")})
		for _, line := range lines[1:] {
			out = append(out, fact{under: true, text: line})
		}
	}
	for _, a := range advised[k] {
		out = append(out, fact{label: "repair", text: a.label, do: a.do})
	}
	return out
}

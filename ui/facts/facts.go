package facts

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// Fact is a line of the inspector; a long text becomes several.
type Fact struct {
	Label, Text string
	Other       string // the same bytes in the other byte order
	Heading     bool
	mono        bool
	under       bool // shown below its label, because it is too wide to fit beside it
	severity    model.Severity
	Link        *model.Span    // where a click leads
	to          model.Range    // the same for bytes without a known span
	fix         *model.Fix     // previewed by a click
	Do          func()         // done by a click
	write       [2]model.Codec // writes text and other into the bytes; nil: read-only
	at          model.Range    // those bytes
	bar         float32        // how much of the room a bar fills, in place of a text
	fold        []string       // lines below it that a click shows
	Whole       [2]string      // of a line: what text and other are parts of
}

// cellFacts says where a cell of a table is; if it has no bytes of its own or cannot be edited, also its value, and why.
func cellFacts(c *doc.CellRef) []Fact {
	if c == nil {
		return nil
	}
	out := []Fact{{Label: "CELL", Heading: true}, {Label: "table", Text: c.Table}, {Label: "row", Text: fmt.Sprint(c.Row)}, {Label: "column", Text: c.Column}}
	if c.Fixed == "" && !c.Derived {
		return out // the value is that of its field
	}
	out = append(out, Fact{Label: "value", Text: c.Text})
	if c.Fixed != "" {
		out = append(out, Fact{Label: "read only", Text: c.Fixed})
	}
	switch {
	case c.Derived && c.AfterRepair:
		out = append(out, Fact{Label: "bytes", Text: "the file has no bytes for exactly this: they come from the repair, or it is computed from others"})
	case c.Derived && c.Fixed != doc.NoBytes:
		out = append(out, Fact{Label: "bytes", Text: "the cell has none of its own: it is computed from its row, or from other files"})
	}
	return out
}

// fieldFacts says what a span is; file is the path that the document was opened from.
func fieldFacts(ctx context.Context, t *model.Tree, file string, sel doc.Selection) []Fact {
	s := sel.Span
	out := []Fact{{Label: "FIELD", Heading: true}, {Label: "name", Text: cmp.Or(show.NameOf(s), filepath.Base(file))}}
	add := func(label, text string) {
		if text != "" {
			out = append(out, Fact{Label: label, Text: text})
		}
	}
	add("path", s.Path())
	if s.State != model.Gap { // of which the name says all
		add("value", show.ValueOf(ctx, t, s))
		add("what", s.Field.Doc)
		add("type", show.TypeOf(s))
	}
	if s.State == model.Bad {
		add("state", s.State.String())
	}
	out = append(out, placeFacts(ctx, t, sel)...)
	add("fixed", s.Field.Fixed)
	return append(out, relationFacts(ctx, t, s)...)
}

// placeFacts say where the bytes of a span are, and what the first ones are.
func placeFacts(ctx context.Context, t *model.Tree, sel doc.Selection) []Fact {
	at, sp := sel.Span.Range, t.Space(sel.Span.Range.Space)
	if sp == nil {
		return nil
	}
	out := []Fact{{Label: "offset", Text: fmt.Sprintf("0x%x  (%d)", at.Off, at.Off)}, {Label: "size", Text: fmt.Sprintf("%s  (0x%x)", show.Counted(at.Len, "byte"), at.Len)}}
	if r := sel.Range; r != at && r.Len > 1 {
		out = append(out, Fact{Label: "selected", Text: fmt.Sprintf("0x%x + %s", r.Off, show.Counted(r.Len, "byte"))})
	}
	if sel.Span.Shape == model.Leaf && at.Len > 0 {
		b, _ := t.Bytes(ctx, model.Range{Space: at.Space, Off: at.Off, Len: min(at.Len, 16)})
		raw := fmt.Sprintf("% x", b)
		if at.Len > 16 {
			raw += " …"
		}
		out = append(out, Fact{Label: "raw", Text: raw, mono: true})
	}
	if sp.File != "" {
		out = append(out, Fact{Label: "file", Text: sp.File})
	}
	if sp.Derived() {
		text := "decoded by " + sp.Transform.Name + ": these bytes are not in the file"
		if sp.Transform.Name == model.Identity.Name {
			text = "stored: these bytes are in the file unchanged, at another address"
		}
		from := model.Words("%s  %d bytes at 0x%x", sp.Raw.Path(), sp.Raw.Range.Len, sp.Raw.Range.Off)
		out = append(out, Fact{Label: "space", Text: text}, Fact{Label: "made from", Text: from, Link: sp.Raw})
	}
	return out
}

// relationFacts lists where one can go from a span.
func relationFacts(ctx context.Context, t *model.Tree, s *model.Span) (out []Fact) {
	for i, r := range t.Relations(s) {
		if i == 0 {
			out = append(out, Fact{Label: "RELATIONS", Heading: true})
		}
		if i == 32 {
			return append(out, Fact{Text: "and more"})
		}
		end := doc.End(ctx, t, r)
		out = append(out, Fact{Label: r.Text, Text: doc.PlaceText(end, r.To), Link: end, to: r.To})
	}
	return out
}

// problemFacts lists the problems of a span, or of its selected bytes; with repairs each with those that follow from it.
func problemFacts(ctx context.Context, t *model.Tree, s doc.Selection, found []model.Finding, repairs bool) (out []Fact) {
	path := s.Span.Path()
	for i := range found {
		f := &found[i]
		if !s.Hit(f, path) {
			continue
		}
		if len(out) == 0 {
			out = append(out, Fact{Label: "PROBLEMS", Heading: true})
		}
		out = append(out, Fact{under: true, Text: kit.Sentence(f.Text()), severity: f.Grade()})
		for _, x := range []Fact{{Label: "found", Text: show.AlsoHex(f, f.Found)}, {Label: "expected", Text: show.Expected(f)}, {Label: "why", Text: f.Rule.Doc}} {
			if x.Text != "" {
				out = append(out, x)
			}
		}
		if !repairs {
			continue
		}
		for _, x := range doc.DistinctFixes(t.Fixes(ctx, f)) {
			out = append(out, Fact{Label: "repair", Text: doc.FixText(&x), fix: &x})
		}
	}
	return out
}

// aboutBits says how to read a ledger.
const aboutBits = "Bits count how unlikely an explanation is, and what it leaves unexplained. The lowest number wins."

// causeFacts describes the cause at a field, or otherwise the one behind its problems, such as that the file is truncated.
func causeFacts(s doc.Selection, list []*cause.Cause, advised [][]doc.Advice, of map[doc.FindingKey]int, found []model.Finding) []Fact {
	path := s.Span.Path()
	k := slices.IndexFunc(list, func(x *cause.Cause) bool { return x.At.Path != "" && x.At.Path == path })
	for i := 0; i < len(found) && k < 0 && len(list) > 0; i++ {
		if s.Hit(&found[i], path) {
			if at, ok := of[doc.KeyOf(&found[i])]; ok {
				k = at
			}
		}
	}
	if k < 0 || k >= len(list) {
		return nil
	}
	x := list[k]
	out := []Fact{{Label: "CAUSE", Heading: true}, {under: true, Text: x.Text}, {under: true, Text: x.Means}, {Label: "how sure", Text: doc.GradeText(x.Grade)}}
	for i, text := range cause.EvidenceLines(x.Evidence) {
		if len(x.Evidence) > 1 { // wrapped lines would read as one sentence
			text = "• " + text
		}
		out = append(out, Fact{Label: []string{"evidence", ""}[min(i, 1)], Text: text})
	}
	for _, a := range advised[k] {
		out = append(out, Fact{Label: "repair", Text: a.Label, Do: a.Do})
	}
	if x.Ledger != nil {
		lines := x.Ledger.Explain(x.Story)
		lines[0] = strings.TrimPrefix(lines[0], "why: ")
		out = append(out, Fact{Label: "why", Text: "evidence for and against", fold: append([]string{aboutBits}, lines...)})
	}
	return out
}

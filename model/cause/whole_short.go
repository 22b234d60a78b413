package cause

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

// The end of a file is missing.

// beginsWrongly tells whether a companion file does not begin as it should: then what is read as its length is something else.
func beginsWrongly(g *subject) bool {
	return !g.primary && len(g.extent.Magics) > 0 && g.all && !slices.ContainsFunc(g.extent.Magics, func(m model.Magic) bool {
		return m.At < 0 || m.At+int64(len(m.Bytes)) > int64(len(g.b)) || g.begins(m)
	})
}

// largest is more than the size of files of which next to nothing is left.
const largest = 1 << 40

// mostTimes is how many times the present length may be missing if a single number says so: numbers that say more are mostly damaged themselves.
const mostTimes = 16

// leastZeros is how many zeros at the end of a truncated companion are more than chance.
const leastZeros = 16

// orElse says what else may be wrong if not the length of the file.
func orElse(e *model.Extent) string {
	if e == nil || e.Else == "" {
		return ""
	}
	return "; or " + e.Else
}

// odd is the first problem, before the file's end, of a field with few legal values such as padding: if it has another value, the file's content
// has moved. Nil if there is none.
func (g *subject) odd() (first *model.Finding) {
	for _, f := range graded(g.r.found, model.Warning) {
		if f.Span == nil || f.Span.Field == nil || f.Span.Field.Check == nil || f.Rule != f.Span.Field.Rule {
			continue
		}
		at, ok := g.r.base.tree.Verbatim(f.Where())
		if ok && at.File == g.name && at.Off > 0 && at.Len > 0 && at.End() < g.c.Len() && (first == nil || at.Off < first.Where().Off) {
			first = f
		}
	}
	if first != nil && inLast(first.Span) {
		return nil
	}
	return first
}

// inLast tells whether a span is in the last element of a list: if that makes no sense, the list may be shorter.
func inLast(s *model.Span) bool {
	for ; s.Parent() != nil; s = s.Parent() {
		if i := s.Index(); i > 0 && i == s.Parent().Count()-1 {
			return true
		}
	}
	return false
}

// unmarked tells whether nothing confirms the beginning of a file, neither a signature nor its structure: then the missing bytes may be missing anywhere.
func unmarked(g *subject) bool {
	if g.primary || len(g.extent.Magics) > 0 || g.extent.Begins {
		return false
	}
	if findingAt(g, func(at model.Range) bool { return at.Off < maxBeheaded && at.Len < g.c.Len() }) {
		return true
	}
	sp := spaceOf(g.r.base.tree, g.name)
	if sp == nil || sp.Root == nil {
		return false
	}
	first := sp.Root
	for first.Shape != model.Leaf && !model.AnyBytes(first) && first.Count() > 0 && first.Child(0).Range.Space == sp.ID {
		first = first.Child(0)
	}
	return model.AnyBytes(first)
}

// leastText is the size in bytes from which a file of nothing but text is no coincidence.
const leastText = 4096

// neverWritten reports zeros at the end of a companion or a text that should be longer, as many as are missing or more, and tells whether it did.
func neverWritten(g *subject) bool {
	e, data := g.extent, bytes.TrimRight(g.b, "\x00")
	if !e.Least || e.Zeros || !g.all || g.primary && !plain(data) { // a text does not end in zeros of its own
		return false
	}
	z := int64(len(g.b) - len(data))
	if z < max(leastZeros, e.Size-g.c.Len()) {
		return false
	}
	c := g.tell(Likely, "The original bytes are not in this file: download or copy it again, or save the intact data.", []string{"the zeros extend to the end of the file"},
		"The last %s bytes of %s are zero where data should be.", model.Thousands(z), lower(g.the()))
	c.At.Off, c.At.Len, c.torn = g.c.Len()-z, z, g.primary || g.r.base.snap.Folder()
	return true
}

// tooShort tells whether a file is shorter than it should be, according to something that is not itself damaged.
func tooShort(g *subject) bool {
	e, n := g.extent, g.c.Len()
	switch {
	case e == nil || e.Size <= 0 || e.Size <= n, g.primary && wrongAtFront(g) >= leastSevered, beginsWrongly(g):
		return false // a wrong number says nothing about a length
	case e.Size >= largest && n < e.Size>>20:
		return false // a wrong number says so
	}
	return !e.Guess || 4*(e.Size-n) <= n // otherwise only a wrong distance says so
}

// truncated reports that a file is truncated, or that its end was never written.
func truncated(g *subject) {
	if len(g.told) > 0 || !tooShort(g) || neverWritten(g) {
		return
	}
	e, missing := g.extent, g.extent.Size-g.c.Len()
	text, evidence := whereMissing(g, missing)
	c := g.tell(Likely, "The missing bytes are not in this file: download or copy it again, or save the intact data.", evidence, "%s", text+".")
	if (e.Least || e.Ends) && missing > mostTimes*g.c.Len() {
		c.Grade, c.Text = Possible, strings.TrimSuffix(c.Text, ".")+"; or the number that gives its length is wrong."
	}
	c.torn = g.primary || g.r.base.snap.Folder()
	if e.By != nil {
		c.At = Place{g.r.base.tree.FileName(e.By.Range), e.By.Range.Off, e.By.Range.Len, e.By.Path(), e.By}
	}
	if e.Says != "" {
		c.Evidence = append(c.Evidence, e.Says)
	}
}

// whereMissing says where bytes are missing as far as that is known, and why.
func whereMissing(g *subject, missing int64) (text string, evidence []string) {
	e, it, rows := g.extent, lower(g.the()), ""
	if e.Unit > 0 {
		all := (e.Size - e.Overhead) / e.Unit
		left := max(0, (g.c.Len()-e.Overhead)/e.Unit)
		rows = fmt.Sprintf(", and with them %s of %s %s", model.Thousands(all-left), model.Thousands(all), e.Content)
	}
	some, exactly := counted(missing, "is missing", "are missing"), model.Words("%s of %s bytes %s missing", model.Thousands(missing), model.Thousands(e.Size), are(missing))
	says, rest := said(e), said(e)+rows+orElse(e)
	switch odd := g.odd(); {
	case e.Guess:
		return "Bytes are missing inside " + it + ", or were inserted into it" + says, nil
	case unmarked(g) && e.Least && !e.Ends:
		return g.the() + " is incomplete: at least " + some + says, nil
	case !e.Least && (unmarked(g) || g.all && len(g.b) >= leastText && utf8.Valid(g.b)): // where what is no text was left out, all that is left is one
		return g.the() + " is incomplete: " + exactly + rest, nil
	case e.Least && e.Ends:
		return "At least " + some + " inside " + it + says, []string{"its end is intact"}
	case e.Least:
		return g.the() + " is truncated: at least " + some + says, nil
	case e.Late:
		return strings.TrimSuffix(behead(missing, it), ".") + says + orElse(e), []string{"its end is intact"}
	case e.Ends:
		return some + " inside " + it + rest, []string{"its end is intact"}
	case odd != nil:
		return fmt.Sprintf("At least %s inside %s, before 0x%x%s", some, it, odd.Where().Off, rest), []string{odd.Text()}
	}
	return g.the() + " is truncated: " + exactly + rest, nil
}

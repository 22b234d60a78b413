package cause

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/evidence"
)

// A trial as a story: the events that happened, and the checks that still fail afterwards, in bits.

// strength is how unlikely random bytes are to pass the check that failed; asked means that the user asked for the causes of warnings
// too.
func strength(f *model.Finding, asked bool) evidence.Bits {
	warned := f.Grade() == model.Warning
	switch {
	case f.Newer || f.Grade() == model.Note:
		return 0
	case f.Rule.Strength > 0:
		return evidence.Bits(f.Rule.Strength)
	case warned && !asked:
		return evidence.WarningCost
	case warned:
		return evidence.AskedCost
	case f.Sum != nil:
		return evidence.Sum(f.Where().Len, f.Sum.Weak)
	case f.Span == nil || f.Span.Shape != model.Leaf || f.Span.Field == nil:
		return evidence.ErrorCost
	case impossible(f):
		return evidence.Constant(f.Span.Range.Len)
	case f.Want.Kind != model.None, f.Span.Field.Safe.Kind != model.None, expected(f).Kind != model.None:
		return evidence.Constant(f.Span.Range.Len)
	case len(f.Span.Field.Enum) > 0:
		return max(evidence.ErrorCost, evidence.OneOf(f.Span.Range.Len, len(f.Span.Field.Enum)))
	case f.Span.Field.Check != nil && isNumber(f.Span.Field):
		if n := passing(f.Span.Field); n > 0 && n < probes {
			return max(evidence.ErrorCost, evidence.OneOf(f.Span.Range.Len, n))
		}
	}
	return evidence.ErrorCost
}

// impossible tells whether a finding is about a number that no writer writes: larger than any file, or all ones, as in erased storage.
func impossible(f *model.Finding) bool {
	if f.Span.Field.Codec == nil || f.Span.Range.Len < 4 || f.Span.Range.Len > 8 || f.Found == "" || len(f.Found) >= 64 {
		return false
	}
	word, _, _ := strings.Cut(f.Found, " ") // a unit may follow
	v, err := f.Span.Field.Parse(word)
	if err != nil || v.Kind != model.Uint && v.Kind != model.Int {
		return false
	}
	b, err := f.Span.Field.Codec.Encode(v)
	return err == nil && (allOf(b, 0xff) || v.Kind == model.Uint && v.Uint() >= mostBytes)
}

// expected is the number that a finding expects in a field; none if it expects anything else.
func expected(f *model.Finding) model.Value {
	if f.Span == nil || f.Span.Shape != model.Leaf || f.Span.Field.Codec == nil || f.Expected == "" || len(f.Expected) >= 64 {
		return model.Value{}
	}
	if v, err := f.Span.Field.Parse(f.Expected); err == nil && v.IsNumber() {
		return v
	}
	return model.Value{}
}

// probes is how many small numbers are tried to see how strict a check is.
const probes = 256

// isNumber tells whether the values of a field are unsigned numbers.
func isNumber(f *model.Field) bool { return f.Codec != nil && f.Codec.Kind() == model.Uint }

// passing counts the small numbers that are legal for a field.
func passing(f *model.Field) (n int) {
	for x := range uint64(probes) {
		n += b2i(f.Check(model.U(x)) == "")
	}
	return n
}

// checks collects the checks that fail in a state, by rule and strength: once with warnings as usual, once for a user who asked for their causes.
type checks [2]map[string]evidence.Check

func (c *checks) add(f *model.Finding, what string, times int) {
	for i := range c {
		bits := strength(f, i > 0)
		if bits == 0 {
			return
		}
		if c[i] == nil {
			c[i] = map[string]evidence.Check{}
		}
		id := fmt.Sprintf("%s %.0f", f.Rule.ID, bits)
		k, known := c[i][id]
		if !known {
			k = evidence.Check{Rule: f.Rule.ID, What: what, Strength: bits, Minor: f.Grade() != model.Error, Absent: f.Rule.Absence}
		}
		k.Times += times
		c[i][id] = k
	}
}

// list returns the checks, the most expensive first.
func (c *checks) list(asked bool) []evidence.Check {
	return slices.SortedFunc(maps.Values(c[b2i(asked)]), func(a, b evidence.Check) int {
		return cmp.Or(cmp.Compare(b.Cost(), a.Cost()), strings.Compare(a.Rule, b.Rule))
	})
}

// story is a state of the document as the end of a story.
func (v *verdict) story(text string, asked bool) *evidence.Story {
	return &evidence.Story{Text: text, Failed: v.checks.list(asked), Bare: v.unread()}
}

// unread is how many bytes have no meaning: all of them if nothing was read.
func (v *verdict) unread() int64 {
	if v.nodes <= 2 {
		return v.size
	}
	return v.gap
}

// weigh makes the ledger of a search: a story for every hit, and the story that nothing happened.
func weigh(r *ranking, all []*trial) (*evidence.Ledger, map[*trial]*evidence.Story) {
	null := r.base.story("nothing happened to the file", r.odd)
	null.Leads = asItIs
	null.Events = []evidence.Event{{Kind: evidence.Odd, What: "the file is unchanged since it was written"}}
	var stories []*evidence.Story // null comes last: at equal cost a real story comes first
	of := map[*trial]*evidence.Story{}
	for i, t := range all {
		s := t.res.story(t.text, r.odd)
		if s.Lost = t.res.lost(r.base); s.Lost > 0 && (t.op == unpackFile || t.spare || isSecondCopy(r, t)) {
			s.Lost = 0 // the structure of the wrapper was there as well, as that of the other copy still is
		}
		if r.unheads(t) { // nothing behind it was read as what it is
			s.Failed = slices.DeleteFunc(s.Failed, func(c evidence.Check) bool {
				return !slices.ContainsFunc(null.Failed, func(o evidence.Check) bool { return o.Rule == c.Rule })
			})
		}
		s.Leads, s.Events = mark(r.search, t), eventsOf(r, t)
		if t.op == makeRepair && t.lossy && len(s.Events) > 0 {
			s.Events[0].Value += evidence.Sacrificed
		}
		if s.Leads == "" {
			s.Leads = fmt.Sprintf("trial %d", i)
		}
		of[t] = s
		stories = append(stories, s)
	}
	return evidence.Weigh(append(stories, null)), of
}

// asItIs names the outcome of the story that nothing happened.
const asItIs = "as it is"

// eventsOf are what a trial undoes.
func eventsOf(r *ranking, t *trial) []evidence.Event {
	switch {
	case t.event != nil:
		return []evidence.Event{*t.event}
	case t.field != nil:
		return []evidence.Event{wrongField(r, t)}
	case t.fix != nil && t.fix.Exchanges:
		return []evidence.Event{{Kind: evidence.Exchanged, What: t.label}}
	case t.fix != nil && t.fix.Foreign:
		return []evidence.Event{{Kind: evidence.Odd, What: t.label, Value: evidence.Log(conventions)}}
	case t.fix != nil && t.fix.Once, t.shifts:
		return []evidence.Event{{Kind: evidence.Rewritten, What: t.label, Value: evidence.Anything}}
	case t.op == swapValues, t.op == swapPieces:
		return []evidence.Event{{Kind: evidence.Exchanged, What: t.label, Place: choiceOfField(r) + evidence.Log(neighbours)}}
	}
	to, err := r.reach(t)
	if err != nil {
		return nil
	}
	if from, into := renamedFolder(r.search, to); from != "" {
		return []evidence.Event{{Kind: evidence.Missing, What: from + ", which is called " + into, Place: evidence.Log(neighbours)}}
	}
	var out []evidence.Event
	grown := int64(0)
	for _, c := range blanks(r.base.snap, changes(r.all, r.base.snap, to)) {
		e := eventOf(r, t, c, to)
		if t.fix != nil && t.fix.Impossible && c.Del == c.Grown { // they show the place, and any other story must say why they are there
			e.Place, e.Explains = 0, evidence.Random(int64(model.Differences(c.Was, c.Is)))
		}
		out, grown = append(out, e), grown+c.Grown-c.Del
	}
	switch files := len(changed(r.base.snap, to)); {
	case t.whole() && files == 1 && len(out) > 1:
		return []evidence.Event{{Kind: evidence.Text, What: t.label, Value: evidence.Log(kindsOfWrap), Place: t.dropped(grown)}}
	case t.whole() && files == 2:
		return []evidence.Event{{Kind: evidence.Exchanged, What: t.label, Place: 2 * evidence.Log(float64(len(r.base.tree.Spaces())))}}
	}
	return out
}

// wrongField is the event that a field became what it is.
func wrongField(r *ranking, t *trial) evidence.Event {
	e := wrongNumber(t.field.path, t.field.raw, t.raw, choiceOfField(r))
	if t.sum && !allOf(t.field.raw, 0) { // the sum alone is wrong, by any of its values, and the bytes under it are right
		e.Kind, e.Place, e.Value = evidence.Stale, 0, evidence.Sum(int64(len(t.raw)), false) // the sum that does not match is known
	}
	if r.clues.unlike(t.field, t.raw, t.kind < derived) {
		e.Value += evidence.Unlike
	}
	if t.kind < derived && len(r.clues.wants[spotOf(t.field.span)]) > 0 {
		e.Value += evidence.Unasked
	}
	return e
}

// neighbours is the number of fields with which one may have been swapped.
const neighbours = 8

// conventions is the number of ways to write the same values.
const conventions = 16

// kindsOfWrap is the number of transformations of a whole file.
const kindsOfWrap = 16

// choiceOfField is the cost of choosing a field of the document.
func choiceOfField(r *ranking) evidence.Bits { return evidence.Log(float64(max(1, len(r.clues.list)))) }

// wrongNumber is the event that a number became another one.
func wrongNumber(what string, is, should []byte, place evidence.Bits) evidence.Event {
	return evidence.Event{Kind: evidence.Overwritten, What: what, Place: place, Value: evidence.Number(is, should)}
}

// eventOf is the event behind one change of a trial: bytes of the damaged file against those of the repaired one.
func eventOf(r *ranking, t *trial, c Change, to *model.Snapshot) evidence.Event {
	was, err := r.base.snap.Content(c.File)
	if err != nil {
		return evidence.Event{Kind: evidence.Missing, What: c.File}
	}
	is, err := to.Content(c.File)
	if err != nil {
		return evidence.Event{Kind: evidence.Added, What: c.File}
	}
	what := fmt.Sprintf("%s, 0x%x", c.File, c.Off)
	e := evidence.Event{Kind: evidence.Moved, What: what, Place: evidence.Log(float64(max(was.Len(), is.Len()))), Value: evidence.Log(float64(max(c.Del, c.Grown)))}
	switch edge := c.Off == 0 || c.Off+c.Del >= was.Len(); {
	case c.Del == c.Grown && c.Del <= 8:
		return wrongNumber(what, c.Was, c.Is, choiceOfPlace(r, t, c, e.Place))
	case t.whole() && t.op != trimFile && t.op != shiftRest && !t.begins && (c.Del > 0 || !edge):
		if e = convertedFile(t, c); isSecondCopy(r, t) {
			e.Kind = evidence.Repeated
		}
		return e
	case c.Grown == 0 && allOf(c.Was, 0) && prescribed(r.search, Place{File: c.File, Off: c.Off, Len: c.Del}):
		e.Kind, e.Place, e.Value = evidence.Added, evidence.Log(float64(r.base.nodes)), 0
	case c.Grown == 0 && edge:
		return addedBytes(r, t, was, c, what)
	case c.Del == 0 && c.Off == 0 && was.Len() > 0: // truncation loses the end; a front is lost as rarely as bytes inside
		e.Place = 0
	case c.Del == 0 && edge:
		e.Kind, e.Place = evidence.Truncated, 0
	case c.Del == c.Grown && uniform(c.Was):
		e.Kind = evidence.Blanked
	case t.copies():
		e.Kind = evidence.Rebuilt
	case c.Del == c.Grown:
		e.Kind = evidence.Replaced
	case c.Grown == 0 && t.op == shiftRest && isMessage(was, c):
		e.Explains = 8 * evidence.Bits(c.Del) // a text of exactly that length
	}
	return e
}

// isMessage tells whether all of what a change removes is text that is too long to be chance, or the mark before text, in a file that is not text.
func isMessage(was *model.Content, c Change) bool {
	mark := bytes.Equal(bytesAt(was, c.Off, min(c.Del, sector)), orderMark)
	return (mark || c.Del >= leastInserted && textual(bytesAt(was, c.Off, c.Del)) == c.Del) && !plain(bytesAt(was, c.Off+c.Del, sector))
}

// addedBytes is the event that foreign bytes were added at an end of a file. At the front they may well belong to the file if they have a meaning there,
// unless they are a text that ends where the file's own beginning is.
func addedBytes(r *ranking, t *trial, was *model.Content, c Change, what string) evidence.Event {
	e := evidence.Event{Kind: evidence.Added, What: what, Value: evidence.Log(float64(c.Del)), Explains: regular(was, c)}
	if c.Off == 0 && t.begins && isMessage(was, c) {
		e.Explains = 8 * evidence.Bits(c.Del)
	}
	if e.Explains > 0 || allOf(c.Was, 0) { // how many of the zeros are the file's own is a choice
		e.Value = evidence.Log(float64(was.Len()))
	}
	if c.Off > 0 || r.base.format == nil || e.Explains > 0 {
		return e
	}
	if sp := spaceOf(r.base.tree, c.File); sp != nil {
		r.base.tree.Cover(model.Range{Space: sp.ID, Len: c.Del}, func(s *model.Span) bool {
			if s.Shape == model.Leaf && s.Range.Len <= 16 && s.State != model.Gap && s.State != model.Bad && !s.Field.Unused {
				e.Place += meantAs(r, s)
			}
			return true
		})
	}
	e.Place = min(e.Place, evidence.Random(min(c.Del, 4)))
	return e
}

// meantAs is how unlikely it is that foreign bytes read as a field by chance: little if the field should have an unrelated
// value, or is zero, as padding is.
func meantAs(r *ranking, s *model.Span) evidence.Bits {
	for i := range r.found {
		f := &r.found[i]
		if f.Span == nil || f.Span.Range != s.Range || f.Want.Kind == model.None || s.Field.Codec == nil {
			continue
		}
		is, err := r.base.tree.Bytes(r.all, s.Range)
		should, bad := s.Field.Codec.Encode(f.Want)
		if err == nil && bad == nil {
			if cost := evidence.Number(is, should); cost >= evidence.Anything || allOf(is, 0) {
				return cost
			}
		}
	}
	return evidence.Random(s.Range.Len)
}

// convertedFile is the event that all of a file was converted: a transfer as text, a compression, a swap of the byte order.
func convertedFile(t *trial, c Change) evidence.Event {
	e := evidence.Event{Kind: evidence.Text, What: t.label, Value: evidence.Log(kindsOfWrap), Place: t.dropped(c.Grown - c.Del)}
	switch {
	case t.op == unpackFile:
		e.Kind, e.Explains = evidence.Wrapped, evidence.Sum(4, false) // its own checksum matches
	case t.label == decoding && !t.res.clean(): // a piece of text may well look encoded
	case c.Del > c.Grown: // every added byte is where the conversion puts one
		e.Explains = 8 * evidence.Bits(c.Del-c.Grown)
	}
	return e
}

// mostDropped is the highest cost of carriage returns that a transfer removed.
const mostDropped = 24

// dropped is the cost of carriage returns that a transfer removed: in binary data each must have preceded a line feed by chance.
func (t *trial) dropped(n int64) evidence.Bits {
	if t.label != lineEndings {
		return 0
	}
	return min(mostDropped, 8*evidence.Bits(max(0, n)))
}

// regular is how unlikely it is that foreign bytes look as they do by chance: all the same, a part of the file again, or
// what programs put before files.
func regular(c *model.Content, x Change) evidence.Bits {
	b := bytesAt(c, x.Off, min(x.Del, maxRegular))
	n := len(b)
	head := bytes.HasPrefix(b, []byte("HTTP/")) && bytes.HasSuffix(b, []byte("\n")) || slices.Contains([]string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"}, string(b))
	switch {
	case int64(n) == x.Del && n > 1 && uniform(b):
		return evidence.Bits(n) * unexpected(c, x, b[0])
	case x.Off > 0 && bytes.Equal(b, bytesAt(c, 0, int64(n))), head:
		return 8 * evidence.Bits(n)
	}
	return 0
}

// unexpected is how surprising a byte value is, given the rest of the file: most files contain zeros.
func unexpected(c *model.Content, x Change, value byte) evidence.Bits {
	rest := append(bytesAt(c, 0, min(x.Off, maxRegular)), bytesAt(c, x.Off+x.Del, maxRegular)...)
	seen := bytes.Count(rest, []byte{value})
	return min(8, evidence.Log(float64(len(rest)+2)/float64(seen+1)))
}

// maxRegular is how many foreign bytes are examined.
const maxRegular = 1 << 20

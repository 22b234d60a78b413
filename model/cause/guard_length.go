package cause

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/evidence"
)

// Guards of numbers that say how long something is: one that fits may hide that bytes are lost.

// remade: a file rebuilt from others is known to be the original only as far as its remains agree.
func (g guarded) remade() string {
	if !g.t.copies() {
		return ""
	}
	for _, name := range changed(g.base.snap, g.to) {
		was, is, ok := both(g.base.snap, g.to, name)
		if !ok {
			continue
		}
		if was.Len() < leastLeft && is.Len() >= 2*was.Len() {
			return fmt.Sprintf("only %s of %s remain to compare with", model.Count(was.Len(), "bytes"), name)
		}
		if e := g.extents[name]; e.By != nil && e.Size == was.Len() && !e.Least && is.Len() != was.Len() && rewrites(g, e.By) {
			return fmt.Sprintf("%s has the length that %s gives, and would no longer have it", name, e.By.Path())
		}
	}
	return ""
}

// rewrites tells whether a repair changes a field.
func rewrites(g guarded, field *model.Span) bool {
	at, name := field.Range, g.base.tree.FileName(field.Range)
	return slices.ContainsFunc(changes(g.all, g.base.snap, g.to), func(c Change) bool { return c.File == name && c.Off < at.End() && at.Off < c.Off+c.Del })
}

// leastLeft is how many bytes of a file must remain to show that the rebuilt one is the same: a magic is not enough.
const leastLeft = 64

// partsLeft is the objection to removing what precedes a file that then still has errors.
const partsLeft = "errors remain in the rest, to which the removed bytes may belong"

// longer: bytes before a file that do not belong to it may not be all that was inserted if the rest is still too long, and may belong to the rest if
// that still has errors.
func (g guarded) longer() string {
	if g.t.op != trimFile {
		return ""
	}
	if g.t.begins && errorsIn(g.search, g.t) > 0 {
		return partsLeft
	}
	for e, n := range stated(g) {
		if !e.Least && e.Size > 0 && e.Size < n {
			return fmt.Sprintf("%s would still be longer than it should be", e.File)
		}
	}
	return ""
}

// ends: a conversion of a whole file gives it its end back, too. If bytes follow the end, something else has happened to the file, and perhaps to what
// precedes them.
func (g guarded) ends() string {
	for e, n := range stated(g) {
		if g.t.op == rewriteFile && e.File == g.t.at.File && e.Size < n {
			return model.Words("%s bytes follow the end of the converted file, so something else has happened to it", model.Thousands(n-e.Size))
		}
	}
	return ""
}

// stated yields the changed files whose lengths are stated after the repair, and their lengths.
func stated(g guarded) iter.Seq2[model.Extent, int64] {
	return func(yield func(model.Extent, int64) bool) {
		for _, e := range g.after.tree.Extents(g.all) {
			c, err := g.to.Content(e.File)
			if err == nil && !e.Guess && slices.Contains(changed(g.base.snap, g.to), e.File) && !yield(e, c.Len()) {
				return
			}
		}
	}
}

// shorter: in a file that is too short, a number that makes the length fit hides that bytes are lost.
func (g guarded) shorter() string {
	if g.t.whole() {
		return "" // the length was read from the place of another number
	}
	for name, e := range g.extents {
		was, err := g.base.snap.Content(name)
		if err != nil || e.Size <= was.Len() || e.Guess || g.needless(name) {
			continue
		}
		is, err := g.to.Content(name)
		if err == nil && is.Len() > was.Len() || statesLength(g, e.By) {
			continue
		}
		return fmt.Sprintf("%s is shorter than it should be, and would stay so", name)
	}
	for e, n := range stated(g) { // the length that a header states may become readable only after the repair
		if e.Size > n {
			return fmt.Sprintf("%s would be shorter than it should be", e.File)
		}
	}
	return ""
}

// statesLength tells whether the trial corrects the very field that states a length, with more witnesses for it than against it. Unless it is one bit, nothing else
// may be wrong: where bytes are lost, what follows them ends earlier too, and a torn structure is left.
func statesLength(g guarded, by *model.Span) bool {
	if g.t.field == nil || g.t.res.problems() > 0 && evidence.Number(g.t.field.raw, g.t.raw) > evidence.Log(8*float64(len(g.t.raw))) {
		return false
	}
	with, against := g.clues.backing(g.t)
	return len(with) > len(against) || by != nil && g.t.field.span.Range == by.Range && len(with) > 0
}

// short: if a smaller length would fit but no simple damage leads to it, the original may have been a larger one with one byte changed, in a file
// that was truncated as well.
func (g guarded) short() string {
	if g.t.field == nil {
		return ""
	}
	f, raw := g.t.field, bytes.Clone(g.t.field.raw)
	cost := evidence.Number(raw, g.t.raw)
	should, is := number(g.t.raw, f.order()), number(raw, f.order())
	c, err := g.base.snap.Content(f.file)
	if err != nil || !isNumber(f.span.Field) || cost < min(evidence.Anything, evidence.Random(int64(len(raw)))) || is <= should {
		return ""
	}
	if e, ok := g.extents[f.file]; ok && e.Size == c.Len() && !e.Least && !e.Guess && (e.By == nil || e.By.Range != f.span.Range) {
		return "" // something else states the length of the file
	}
	for i, x := range raw {
		for b := range 256 {
			raw[i] = byte(b)
			if n := number(raw, f.order()); n > should && n <= 2*uint64(c.Len()) {
				return fmt.Sprintf("%s may have been %d, if the file was longer", f.path, n)
			}
		}
		raw[i] = x
	}
	return ""
}

// scrap: if nearly all of a file is removed, too little is left to show that the rest is the file, unless the removed bytes are identified.
func (g guarded) scrap() string {
	if g.t.op != trimFile {
		return ""
	}
	for _, c := range changes(g.all, g.base.snap, g.to) {
		was, err := g.base.snap.Content(c.File)
		if left := c.Grown - c.Del; err == nil && was.Len()+left < leastLeft && was.Len()+2*left <= 0 && regular(was, c) == 0 {
			return fmt.Sprintf("only %s of %s would be left", model.Count(was.Len()+left, "bytes"), c.File)
		}
	}
	return ""
}

// measured: a length around bytes with another problem may have been right before bytes there were lost or inserted.
func (g guarded) measured() string {
	if g.t.field == nil {
		return ""
	}
	found, _ := g.after.tree.Findings()
	for _, l := range g.after.tree.Links() {
		if l.Kind != model.LengthLink || l.Field.Range != g.t.field.span.Range {
			continue
		}
		for i := range found {
			if at := found[i].Where(); found[i].Grade() == model.Error && !found[i].Rule.Absence && slices.ContainsFunc(l.Targets, func(s *model.Span) bool { return s.Range.Overlaps(at) }) {
				return fmt.Sprintf("the bytes that %s measures have another error", g.t.field.path)
			}
		}
	}
	return elastic(g)
}

// elastic: a number that measures arbitrary values, whose count follows only from where they end, may have been right before values were inserted
// or lost, or may be right now. So it is tried whether the document is as good without a few of them. It returns the objection, or "".
func elastic(g guarded) string {
	f := g.t.field
	c, err := g.base.snap.Content(f.file)
	if err != nil || !isNumber(f.span.Field) || c.Len() > g.front || confirmed(g.t) {
		return ""
	}
	for _, l := range g.after.tree.Links() {
		if (l.Kind == model.LengthLink || l.Kind == model.CountLink) && l.Field.Range == f.span.Range && asWellWithout(g, c, l) {
			return fmt.Sprintf("only where the content ends shows what %s should be: bytes may have been inserted into it, or lost", f.path)
		}
	}
	return ""
}

// asWellWithout tells whether a document is as good with a few values fewer under a link, and the number reduced to match.
func asWellWithout(g guarded, c *model.Content, l *model.Link) bool {
	f := g.t.field
	is, should := number(f.raw, f.order()), number(g.t.raw, f.order())
	runs, unit := longest(g, l), max(1, l.Unit)
	if n := l.Targets[0].Count(); l.Kind == model.CountLink && n > 0 {
		unit = l.Targets[0].Range.Len / n
	}
	if at, ok := g.after.tree.Verbatim(l.Targets[0].Range); ok && is > should && int64(is-should) < model.UnionOf(runs...).Size() && mostlyText(bytesAt(c, at.Off, at.Len)) {
		return true // a text reads as well without some of its letters
	}
	for _, n := range append([]uint64{max(is, should) - min(is, should)}, elasticBy...) {
		fewer := int64(n) * unit
		raw := f.encode(should - n)
		if n == 0 || n >= should || fewer <= 0 || raw == nil {
			continue
		}
		if slices.ContainsFunc(runs, func(run model.FileRange) bool {
			return fewer < run.Len && asGood(g.search, g.t.res, f.file, c.Splice(run.Off+(run.Len-fewer)/2, fewer, nil).Splice(f.off, int64(len(raw)), model.Memory(raw)))
		}) {
			return true
		}
	}
	return false
}

// mostRuns is how many runs of arbitrary values are tried: the longest may be a text that something else needs.
const mostRuns = 4

// elasticBy lists how many elements fewer are tried: alignment allows only such differences.
var elasticBy = []uint64{1, 2, 4, 8, 16, 32, 64}

// confirmed tells whether the damaged number itself confirms the new one: its lower bytes equal it, and only its upper bytes make it too large.
func confirmed(t *trial) bool {
	is, should := number(t.field.raw, t.field.order()), number(t.raw, t.field.order())
	for mask := uint64(0xff); ; mask = mask<<8 | 0xff {
		if should&^mask == 0 {
			return is != should && is&mask == should && is > mask
		}
	}
}

// longest are the longest runs of arbitrary values after the field that this link measures and no other link does.
func longest(g guarded, l *model.Link) (out []model.FileRange) {
	var apart []model.FileRange // what others measure in it
	for _, o := range g.after.tree.Links() {
		if o.Kind != model.LengthLink && o.Kind != model.CountLink || o.Field.Range == l.Field.Range {
			continue
		}
		for _, s := range o.Targets {
			if !slices.ContainsFunc(l.Targets, func(t *model.Span) bool { return s.Range.Contains(t.Range) }) {
				in, _ := g.after.tree.InFiles(s.Range)
				apart = append(apart, in...)
			}
		}
	}
	others := model.UnionOf(apart...)
	for _, at := range g.after.tree.Unvouched(g.all, true, l.Targets...) {
		if at.File == g.t.field.file && at.Off >= g.t.field.off+int64(len(g.t.field.raw)) && !others.Meets(at) {
			out = append(out, at)
		}
	}
	slices.SortStableFunc(out, func(a, b model.FileRange) int { return cmp.Compare(b.Len, a.Len) })
	return out[:min(len(out), mostRuns)]
}

// swallows tells whether the text that a number would measure contains zeros: then it covers other structures, which are no longer parsed.
func swallows(r *search, t *trial) bool {
	to, err := r.reach(t)
	if err != nil || !isNumber(t.field.span.Field) || !isLength(r.base.tree, t.field) {
		return false
	}
	v := judge(r.all, to, t.res.format, nil)
	if v.tree == nil {
		return false
	}
	return slices.ContainsFunc(v.tree.Links(), func(l *model.Link) bool {
		return l.Kind == model.LengthLink && l.Field.Range == t.field.span.Range && slices.ContainsFunc(l.Targets, func(s *model.Span) bool { return holdsZeros(r.all, v.tree, s) })
	})
}

// isLength tells whether a field stores a length, according to the links of a tree.
func isLength(t *model.Tree, f *suspect) bool {
	return slices.ContainsFunc(t.Links(), func(l *model.Link) bool { return l.Kind == model.LengthLink && l.Field.Range == f.span.Range })
}

// holdsZeros tells whether what is read as text contains a zero: then other structures begin in it.
func holdsZeros(ctx context.Context, t *model.Tree, s *model.Span) bool {
	if s.Shape != model.Leaf || s.Field.Codec == nil || s.Field.Codec.Kind() != model.Text {
		return false
	}
	at := s.Range
	at.Len = min(at.Len, maxRegular)
	b, err := t.Bytes(ctx, at)
	if err != nil {
		return false
	}
	text := string(b)
	if v, _, err := s.Field.Codec.Decode(b); err == nil && v.Kind == model.Text {
		text = v.Text()
	}
	return strings.Contains(strings.TrimRight(text, "\x00"), "\x00")
}

// replaced: a number that falls short by exactly what U+FFFD takes more than the bytes that it replaced is right: those bytes are
// lost.
func (g guarded) replaced() string {
	f := g.t.field
	if f == nil || !f.value.IsNumber() {
		return ""
	}
	c, err := g.base.snap.Content(f.file)
	if err != nil || c.Len() > g.front {
		return ""
	}
	lost := bytes.Count(bytesAt(c, 0, c.Len()), []byte("\uFFFD"))
	if lost == 0 || number(g.t.raw, f.order())-number(f.raw, f.order()) != 2*uint64(lost) {
		return ""
	}
	return fmt.Sprintf("the file contains U+FFFD %d times, in place of bytes that were lost when it was transferred as text", lost)
}

package cause

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/model/evidence"
)

// How files begin, bytes after a file, and a piece of it twice.

// magics are the lists of magics by which the file may be recognised: of the formats of a primary file, and of its own.
func (g *subject) magics() (out [][]model.Magic) {
	for _, f := range g.formats() {
		out = append(out, f.Magics)
	}
	if g.extent != nil && len(g.extent.Magics) > 0 {
		return [][]model.Magic{g.extent.Magics}
	}
	return out
}

// anyMagic tells whether one of them is so.
func (g *subject) anyMagic(is func(model.Magic) bool) bool {
	return slices.ContainsFunc(slices.Concat(g.magics()...), is)
}

// marks calls found with every later offset at which a file with the magic may begin.
func (g *subject) marks(m model.Magic, found func(at int64)) {
	for from := int64(1); from < int64(min(len(g.b), 1<<20)); from++ {
		i := bytes.Index(g.b[from:min(len(g.b), 1<<20)], []byte(m.Bytes))
		if i < 0 {
			return
		}
		from += int64(i)
		found(from - m.At)
	}
}

// jsonStart returns the offset of a JSON object or list that extends to the end of a file that is not JSON as a whole; 0 for none. A text may begin
// at any quotation mark.
func jsonStart(g *subject) int64 {
	if !brokenJSON(g) {
		return 0
	}
	for at := 1; at < min(len(g.b), maxDetected); at++ {
		if bytes.IndexByte([]byte("{["), g.b[at]) >= 0 && json.Valid(g.b[at:]) {
			return int64(at)
		}
	}
	return 0
}

func brokenJSON(g *subject) bool {
	return path.Ext(g.name) == ".json" && g.all && len(g.b) <= 1<<20 && !json.Valid(g.b)
}

// jsonEnd returns where the JSON text at the front of a file ends if something else follows; 0 for none.
func jsonEnd(g *subject) int64 {
	if !brokenJSON(g) {
		return 0
	}
	d := json.NewDecoder(bytes.NewReader(g.b))
	var v json.RawMessage
	if d.Decode(&v) != nil || len(v) < 2 {
		return 0
	}
	return d.InputOffset()
}

// begins tells whether a magic is at its place at the front of the file.
func (g *subject) begins(m model.Magic) bool { return beginsWith(g.b, m) }

func beginsWith(b []byte, m model.Magic) bool {
	return m.At >= 0 && len(m.Bytes) >= 3 && m.At < int64(len(b)) && bytes.HasPrefix(b[m.At:], []byte(m.Bytes))
}

// laterMagic tells whether the file begins as files of its kind do whose magic is not at the very front.
func laterMagic(g *subject) bool {
	return g.anyMagic(func(m model.Magic) bool { return m.At > 0 && g.begins(m) })
}

func lower(s string) string {
	if strings.HasPrefix(s, "The ") {
		return "t" + s[1:]
	}
	return s
}

// detectedStarts asks the formats about possible beginnings, because not every format has a magic.
func detectedStarts(g *subject, add func(int64, model.Confidence)) {
	for _, f := range g.formats() {
		if f.Detect == nil || slices.ContainsFunc(f.Magics, func(m model.Magic) bool { return g.begins(m) || earlyBy(g, m) > 0 }) {
			continue
		}
		tail := g.b[max(0, len(g.b)-1<<16):]
		sure := func(at int) (c model.Confidence) {
			model.Contain(func() error {
				c, _ = f.Detect(path.Base(g.name), g.b[at:min(len(g.b), at+1<<16)], tail, g.c.Len()-int64(at))
				return nil
			})
			return c
		}
		now := sure(0)
		for at := 1; at <= maxDetected && at < len(g.b) && g.r.ctx.Err() == nil; at++ {
			if c := sure(at); c >= 60 && c > now {
				add(int64(at), c)
			}
		}
	}
}

const (
	maxDetected  = 4096 // offsets up to which a beginning without a magic is looked for
	surelyBegins = 80   // confidence from which on it is not just a part of a file with a lost front
)

// formats are those that the file may be of.
func (g *subject) formats() []*model.Format {
	if f := g.r.base.format; f != nil {
		return []*model.Format{f}
	}
	return g.r.o.Formats
}

// bytesAtEnd looks for an earlier end of the file: where it should be, where a second copy or padding begins, and at the unexplained
// bytes at the end.
func bytesAtEnd(g *subject) {
	n := g.c.Len()
	if e := g.extent; e != nil && (e.Size == n || e.Size > n && !e.Least) {
		return // it is not too long
	}
	ends, doubt := possibleEnds(g), lastLeaves(g)
	maps.DeleteFunc(doubt, func(end int64, _ bool) bool { return ends[end] }) // only the structure before the others says so
	maps.Copy(ends, doubt)
	if end := jsonEnd(g); end > 0 && end < n && jsonContinues(g, end) {
		doubt[end] = true
	}
	list := slices.Sorted(maps.Keys(ends))
	if e := g.extent; e != nil { // likeliest first: not all may be tried in a large file
		slices.SortStableFunc(list, func(a, b int64) int { return b2i(b == e.Size) - b2i(a == e.Size) })
	}
	for _, end := range list {
		if end > 0 && end < n {
			endsAt(g, end, doubt[end])
		}
	}
}

// endsAt makes the trial of a file that ends earlier; doubt means that what follows may be its own.
func endsAt(g *subject, end int64, doubt bool) {
	more := g.c.Len() - end
	t := g.becomes(g.c.Splice(end, more, nil), "remove the last "+amountOf(more), "What precedes "+pronoun(more)+" is complete.", "", surplusText(g, end))
	if t == nil {
		return
	}
	t.op = trimFile
	if what := foreign(g.b[min(end, int64(len(g.b))):], g.b[:min(end, int64(len(g.b)))]); what == "" || what == zeros && more < beginsAgain { // otherwise they are the file's own values
		t.maybe = fmt.Sprintf("%s is %s too long. The extra bytes follow its end, or are somewhere before it, where nothing checks the values%s.", g.the(), amountOf(more), orElse(g.extent))
	}
	if e := g.extent; e != nil && e.Size == end || end == jsonEnd(g) && !doubt || end == more && end == beginsAgainAt(g) {
		t.kind = derived
	}
	if doubt {
		t.loses = amountOf(more) + ", if they are not junk"
	}
}

// jsonContinues tells whether what follows the end of a JSON text continues it: a damaged byte may have ended the text early. What
// is left of an older, longer text ends as JSON does.
func jsonContinues(g *subject, end int64) bool {
	rest := bytes.TrimSpace(g.b[end:])
	return len(rest) > 0 && rest[len(rest)-1] != g.b[end-1] && bytes.IndexFunc(rest, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == utf8.RuneError }) < 0
}

// possibleEnds are the offsets at which the file may end, each with the reason.
func possibleEnds(g *subject) map[int64]bool {
	n, ends := g.c.Len(), map[int64]bool{}
	if e := g.extent; e != nil && e.Size > 0 && e.Size < n {
		ends[e.Size] = true
	}
	if !g.all {
		return ends
	}
	if n > 1 && n%2 == 0 && bytes.Equal(g.b[:n/2], g.b[n/2:]) {
		ends[n/2] = true
	}
	if z := len(bytes.TrimRight(g.b, "\x00")); n-int64(z) >= 16 && z > 0 {
		for k := range 17 {
			ends[int64(z+k)] = true
		}
	}
	for _, at := range []int64{beginsAgainAt(g), jsonEnd(g)} {
		if at > 0 {
			ends[at] = true
		}
	}
	return ends
}

// lastLeaves are the offsets of the last structures of the file: they may be what does not belong to it.
func lastLeaves(g *subject) map[int64]bool {
	at := map[int64]bool{}
	sp := spaceOf(g.r.base.tree, g.name)
	if sp == nil || sp.Root == nil || g.r.base.format == nil {
		return at
	}
	for i := sp.Root.Count() - 1; i >= max(0, sp.Root.Count()-3); i-- {
		if k := sp.Root.Child(i); k.Range.Space == sp.ID && k.Range.Off > 0 && k.Range.Off < g.c.Len() && k.Shape == model.Leaf {
			at[k.Range.Off] = true
		}
	}
	return at
}

// doubledPiece looks for a repeated piece in a file that is too long by its length or, if nothing states the length of the file, for a piece of a size in which
// programs write.
func doubledPiece(g *subject) {
	if !g.all {
		return
	}
	for _, n := range restarts(g) {
		removeDouble(g, n, "the file begins again there")
	}
	restartedBefore(g)
	if g.extent != nil {
		removeDouble(g, int(g.c.Len()-g.extent.Size), "the file is too long by exactly this much")
		return
	}
	for n := sector; n <= 1<<16; n *= 2 {
		removeDouble(g, n, "programs write in pieces of that size")
	}
}

// surplus tells whether the file is known to be too long by exactly so many bytes.
func (g *subject) surplus(n int64) bool {
	return g.extent != nil && !g.extent.Least && g.extent.Size == g.c.Len()-n
}

// mostRepeats is how many pieces of one length may be repeated: a file with more is repetitive by nature.
const mostRepeats = 8

func removeDouble(g *subject, n int, why string) {
	if n < 8 {
		return
	}
	at := doubledAt(g.b, n)
	if len(at) > mostRepeats {
		return
	}
	for _, at := range at {
		t := g.becomes(g.c.Splice(at, int64(n), nil), "remove the second copy", "This happens when an interrupted download or copy is resumed at the wrong place.",
			why, model.Words("%s bytes at 0x%x are repeated right after themselves.", model.Thousands(int64(n)), at-int64(n)))
		if t == nil {
			continue
		}
		t.exact = n >= sector && g.surplus(int64(n)) && at < g.extent.Size
		if mayRepeat(g, at-int64(n), int64(n)) { // then other bytes may be what is too much
			t.unsure = true
			t.event = &evidence.Event{Kind: evidence.Repeated, What: g.name, Place: evidence.Log(float64(len(g.b))), Explains: repeatedRows}
		}
	}
}

// repeatedRows is how seldom rows of an array are repeated exactly where bytes are too many.
const repeatedRows = 8

// mayRepeat tells whether n bytes and the next n, which are the same, may be data: whole rows of an array, or a few of its elements.
func mayRepeat(g *subject, at, n int64) bool {
	sp := spaceOf(g.r.base.tree, g.name)
	if sp == nil || g.r.base.format == nil {
		return false
	}
	both := model.Range{Space: sp.ID, Off: at, Len: 2 * n}
	for s := g.r.base.tree.At(sp.ID, at); s != nil; s = s.Parent() {
		if s.Shape == model.Array && s.Range.Contains(both) && s.Count() > 0 && n < sector {
			return n%max(1, s.Range.Len/s.Count()) == 0
		}
	}
	return slices.ContainsFunc(g.r.base.tree.Tables(g.r.ctx), func(t model.Table) bool {
		if t.Tensor == nil || !t.Elements.Contains(both) || len(t.Tensor.Shape) < 2 || t.Rows == 0 {
			return false
		}
		row := t.Elements.Len / t.Rows * t.Tensor.Shape[len(t.Tensor.Shape)-1]
		return row > 0 && n%row == 0
	})
}

// endDoubled tells whether bytes after the end of a file are explained by a piece of just as many bytes that is repeated inside it.
func endDoubled(r *search) bool {
	return slices.ContainsFunc(r.base.tree.Extents(r.ctx), func(e model.Extent) bool {
		c, err := r.base.snap.Content(e.File)
		if err != nil || e.Least || c.Len()-e.Size < sector || c.Len() > r.front {
			return false
		}
		at := doubledAt(bytesAt(c, 0, c.Len()), int(c.Len()-e.Size))
		return len(at) == 1 && at[0] < e.Size // not only after it
	})
}

// doubledAt is where n bytes begin that directly follow the same bytes, and that the same bytes do not follow again: then they repeat by nature.
func doubledAt(b []byte, n int) (at []int64) {
	run := 0
	for j := n; j < len(b); j++ {
		if run++; b[j] != b[j-n] {
			run = 0
		}
		first := j + 1 - n
		if run == n && !periodic(b[first:j+1]) {
			at = append(at, int64(first))
		}
		if k := len(at) - 1; run == 2*n && k >= 0 && at[k] == int64(first-n) {
			at = at[:k]
		}
	}
	return at
}

// longPeriod is the longest value that may repeat throughout a sound file.
const longPeriod = 64

// periodic tells whether bytes repeat a short pattern: then they are no repeated piece.
func periodic(b []byte) bool { return period(b, min(longPeriod, len(b)/2)) > 0 }

// period returns the length, at most most, of the pattern that bytes repeat; 0 if there is none.
func period(b []byte, most int) int {
	for n := 1; n <= most; n++ {
		if bytes.Equal(b[n:], b[:len(b)-n]) {
			return n
		}
	}
	return 0
}

// surplusText says what follows the end of a file.
func surplusText(g *subject, end int64) string {
	rest := g.b[min(end, int64(len(g.b))):]
	extra := g.c.Len() - end
	what := foreign(rest, g.b[:min(end, int64(len(g.b)))])
	switch {
	case what == zeros:
		return model.Words("%s zeros follow the end of %s: it was padded%s.", model.Thousands(extra), lower(g.the()), orElse(g.extent))
	case what == copied:
		return fmt.Sprintf("A second copy of %s begins at byte %s.", lower(g.the()), model.Thousands(end))
	case what != "":
		return fmt.Sprintf("%s the end of %s: %s%s.", counted(extra, "follows", "follow"), lower(g.the()), what, orElse(g.extent))
	}
	return fmt.Sprintf("%s the end of %s; nothing in the file refers to %s%s.", counted(extra, "follows", "follow"), lower(g.the()), pronoun(extra), orElse(g.extent))
}

// amountOf is a number of bytes in words.
func amountOf(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return model.Thousands(n) + " bytes"
}

// pronoun stands for a number of bytes.
func pronoun(n int64) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func are(n int64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// counted is a number of bytes with its verb.
func counted(n int64, one, many string) string {
	if n == 1 {
		return amountOf(n) + " " + one
	}
	return amountOf(n) + " " + many
}

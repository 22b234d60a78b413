package cause

import (
	"bytes"
	"cmp"
	"path"
	"slices"

	"spandrel/model"
)

// Bytes before the beginning of a file, and a file that begins in its middle.

// unexplained describes bytes before a file that are not known to be anything.
const unexplained = "bytes that belong to no structure"

// bytesInFront looks for the beginning of the file at a later offset.
func bytesInFront(g *subject) {
	if g.extent != nil && g.extent.Late || magicAsText(g) {
		return // bytes are missing: a later beginning is one of a part; or the first byte became two
	}
	all := &starts{limit: g.c.Len()}
	knownHeads(g, func(at int64, what string) { all.add(at, what) })
	if !slices.ContainsFunc(all.list, func(x *start) bool { return beginsAfter(g, x.at) }) {
		possibleStarts(g, all)
	}
	slices.SortFunc(all.list, func(a, b *start) int { return cmp.Compare(a.at, b.at) })
	several := len(all.list) > 1 && (g.primary || g.r.base.format == nil) // the other files say where their parts are
	for i, x := range all.list {
		late := x.guessed() && 2*x.at > g.c.Len()
		if late && x.at%sector != 0 || x.mayBePart(g) {
			continue
		}
		beginsAt(g, x, late || several && (i > 0 || x.magic))
	}
}

// certain is the confidence from which on zeros before a file were put there and are not an erased header.
const certain = 95

// start is a place at which a file may begin.
type start struct {
	at    int64
	what  string           // what precedes it
	magic bool             // a magic identifies it
	sure  model.Confidence // of a format that was asked; otherwise 0
}

// starts gathers the places at which a file may begin.
type starts struct {
	limit int64 // before which they are
	list  []*start
}

// add returns the start at a place, a new one if it is the first there. One that is not possible, or too many, is not listed.
func (s *starts) add(at int64, what string) *start {
	if i := slices.IndexFunc(s.list, func(x *start) bool { return x.at == at }); i >= 0 {
		return s.list[i]
	}
	x := &start{at: at, what: what}
	if at > 0 && at < s.limit && len(s.list) < maxFront {
		s.list = append(s.list, x)
	}
	return x
}

// known tells whether it is known what precedes the file.
func (x *start) known() bool { return x.what != unexplained }

// guessed tells whether only a format that was asked says so.
func (x *start) guessed() bool { return !x.known() && !x.magic }

// mayBePart tells whether only a part of a file with an erased front may begin there, as the file does.
func (x *start) mayBePart(g *subject) bool {
	return x.guessed() && x.sure < certain && bytes.HasPrefix(g.b, make([]byte, 4))
}

// weak tells whether only a format that is not quite sure says so.
func (x *start) weak() bool { return x.sure > 0 && x.sure < surelyBegins && !x.magic }

// beginsAt makes the trial of a file that begins later; doubt means that only a part of the file may begin there.
func beginsAt(g *subject, x *start, doubt bool) {
	what, odd := x.what, !x.known()
	if is := foreign(g.b[:min(x.at, int64(len(g.b)))], nil); odd && is != "" {
		what, odd = is, is == zeros
	}
	t := g.becomes(g.c.Splice(0, x.at, nil), "remove the first "+amountOf(x.at), "The file itself follows "+pronoun(x.at)+".", "",
		model.Words("%s %s: %s.", counted(x.at, "precedes", "precede"), lower(g.the()), what))
	if t == nil {
		rotated(g, x.at) // what precedes it may be its end, without which it is not recognised
		return
	}
	zero := allOf(g.b[:min(x.at, int64(len(g.b)), 64)], 0)
	later := laterMagic(g) // what precedes it may belong there
	t.begins = (x.magic || x.known() && g.anyMagic(func(m model.Magic) bool { return beginsWith(g.b[min(x.at, int64(len(g.b))):], m) })) && !later
	t.op, t.unsure = trimFile, later || !x.known() && (doubt || x.at > 4096 || zero || x.weak())
	if odd && x.magic {
		t.maybe = model.Words("%s begins at byte %s: what precedes that does not belong to it, or belongs after it.", g.the(), model.Thousands(x.at))
	}
	if odd && x.magic && x.at >= leastTurned && partBegins(g, x.at) {
		t.text = model.Words("The beginning of %s cannot be recognised: its first bytes are missing or overwritten, or %s do not belong to it. The first intact part begins at byte %s.",
			lower(g.the()), amountOf(x.at), model.Thousands(x.at))
		t.means, t.maybe = "What precedes that part cannot be read.", ""
	}
	if turned := rotated(g, x.at); turned != nil {
		turned.begins = t.begins
	}
}

// unheads tells whether a trial removes exactly a text in front of the beginning of a file.
func (r *search) unheads(t *trial) bool {
	if t.op != trimFile || !t.begins {
		return false
	}
	was, is, ok := both(r.base.snap, t.snap, t.at.File)
	return ok && isMessage(was, Change{Del: was.Len() - is.Len()}) && firstDifference(r.all, was.Splice(0, was.Len()-is.Len(), nil), is, 0) < 0
}

// cutAsWell says that as many bytes are missing at the end of a file as the text has that a trial removes at its front: what put it there kept the
// length, as a server does that has announced it.
func cutAsWell(r *ranking, c *Cause, t *trial) {
	if t.res.clean() || !r.unheads(t) {
		return
	}
	was, _ := r.base.snap.Content(t.at.File)
	v := judge(r.all, t.snap, cmp.Or(t.format, r.base.format), nil)
	if v.failed || !slices.ContainsFunc(v.tree.Extents(r.all), func(e model.Extent) bool {
		return e.Size == was.Len() && !e.Least && !e.Guess && cmp.Or(e.File, t.snap.Primary) == t.at.File
	}) {
		return
	}
	c.also = findingsOf(r.search, t.at.File)
	c.Text += " As many are missing at its end: its length was kept."
	c.Means = "Remove what precedes it, and save the intact data. The missing bytes are not in this file: download or copy it again."
}

// partBegins tells whether a part of the file may begin at a place as the file does: what precedes it may be a part whose beginning is lost.
func partBegins(g *subject, at int64) bool {
	return g.anyMagic(func(m model.Magic) bool {
		return m.Again && m.At >= 0 && at+m.At < int64(len(g.b)) && bytes.HasPrefix(g.b[at+m.At:], []byte(m.Bytes))
	})
}

// beginsAfter tells whether the file begins after a known head: then it does not begin later.
func beginsAfter(g *subject, at int64) bool {
	f, sure := g.r.recognised(path.Base(g.name), g.c.Splice(0, at, nil))
	return g.primary && f != nil && sure >= surelyFile
}

// possibleStarts looks for beginnings of the file by its length, by magics, and by asking the formats.
func possibleStarts(g *subject, all *starts) {
	if e := g.extent; e != nil && e.Size < g.c.Len() {
		all.add(g.c.Len()-e.Size, unexplained).magic = true
	}
	if at := jsonStart(g); at > 0 {
		all.add(at, unexplained).magic = true
	}
	if g.prose() {
		return // in a text, the name of a format is a word
	}
	magicStarts(g, all)
	if g.primary || g.blamed {
		detectedStarts(g, func(at int64, c model.Confidence) { all.add(at, unexplained).sure = c })
	}
}

// magicStarts adds where a magic is found, unless the file begins with one.
func magicStarts(g *subject, all *starts) {
	for _, list := range g.magics() {
		if beginsAsAny(g, list) {
			continue // later magics are content
		}
		for _, m := range list {
			part := m.Again && bytes.HasPrefix(g.b[min(m.At, int64(len(g.b))):], []byte(m.Bytes)) // then a later beginning is one of a part
			if m.At >= 0 && len(m.Bytes) >= 3 && !part {
				g.marks(m, func(at int64) { all.add(at, unexplained).magic = true })
			}
		}
	}
}

// beginsAsAny tells whether the file begins with one of these magics, or its front is missing before one. After a magic at the front, those at a later
// offset only identify a variant.
func beginsAsAny(g *subject, list []model.Magic) bool {
	first := slices.ContainsFunc(list, func(m model.Magic) bool { return m.At == 0 })
	return slices.ContainsFunc(list, func(m model.Magic) bool { return (m.At == 0 || !first) && (g.begins(m) || earlyBy(g, m) > 0) })
}

// rotated tries to move what precedes the beginning of a file to its end: for a ring buffer that was saved from its middle, or a copy that
// started there. All of it must have a meaning there.
func rotated(g *subject, at int64) *trial {
	headed := g.anyMagic(g.begins)
	e := g.extent
	ends := e != nil && !e.Least && e.Size != g.c.Len() && (headed || e.By == nil) // otherwise it was read from bytes outside a header
	if !g.all || at < leastTurned || partBegins(g, at) || ends || isMessage(g.c, Change{Del: at}) {
		return nil // bytes after the end of an archive have a meaning wherever they come from
	}
	t := g.becomes(model.BytesContent(append(bytes.Clone(g.b[at:]), g.b[:at]...)), "put the first "+amountOf(at)+" back at the end", "The copy started in the middle of the file.",
		"in this order, every part is in place", model.Words("%s begins in its middle: its first %s belong at its end.", g.the(), amountOf(at)))
	if t == nil {
		return nil
	}
	t.op = rotateFile
	if g.r.judges([]*trial{t}); !t.res.clean() || t.res.gap > g.r.base.gap || t.res.fresh(g.r.base, model.Warning) > 0 && !reveals(g.r, t) {
		g.withdraw(t)
		return nil
	}
	if 2*at <= g.c.Len() {
		parts := &trial{kind: legal, op: rotateFile, at: t.at, snap: g.r.base.snap.With(g.name, model.BytesContent(slices.Concat(g.b[at:2*at], g.b[:at], g.b[2*at:])))}
		if g.r.judges([]*trial{parts}); parts.res.clean() {
			t.unsure, t.text = true, model.Words("%s begins in its middle, at byte %s: what precedes that belongs after it, at its end or earlier.", g.the(), model.Thousands(at))
		}
	}
	return t
}

// leastTurned is how many bytes before a file are too many for a head.
const leastTurned = 64

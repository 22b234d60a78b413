package cause

import (
	"bytes"
	"maps"
	"path"
	"slices"

	"spandrel/model"
)

// Bytes in front of a file, and a file that begins in its middle.

// unexplained is what stands in front of a file when nothing says what it is.
const unexplained = "bytes that belong to no structure"

// front looks for the beginning of the file further in.
func (g *glance) front() {
	if g.extent != nil && g.extent.Late {
		return // bytes are missing there: what begins further in as the file does is a part of it
	}
	starts, magic, asked := map[int64]string{}, map[int64]bool{}, map[int64]model.Confidence{}
	add := func(at int64, what string) {
		if _, ok := starts[at]; !ok && at > 0 && at < g.c.Len() && len(starts) < maxFront {
			starts[at] = what
		}
	}
	g.heads(add)
	if !g.headed(slices.Collect(maps.Keys(starts))) {
		g.further(add, magic, asked)
	}
	blank := bytes.HasPrefix(g.b, make([]byte, 4))
	for i, at := range slices.Sorted(maps.Keys(starts)) {
		sure, weak := asked[at]
		x := start{at, starts[at], magic[at], weak && sure < surelyBegins && !magic[at]}
		most := !x.known() && !x.magic && 2*at > g.c.Len()
		if most && at%sector != 0 || !x.known() && !x.magic && blank && sure < certain {
			continue // a part of a file whose front is lost begins as the file does
		}
		several := len(starts) > 1 && (i > 0 || x.magic) && (g.primary || g.r.base.format == nil) // others say where the parts of the other files are
		g.begun(x, several || most)
	}
}

// certain is from which confidence on zeros in front of a file are none that its front was overwritten with.
const certain = 95

// start is a place at which a file may begin.
type start struct {
	at    int64
	what  string // stands in front of it
	magic bool   // says so
	weak  bool   // its format is not sure
}

// known tells whether it is known what stands in front of a file.
func (x *start) known() bool { return x.what != unexplained }

// begun makes the trial of a file that begins further in; doubt says that it may be a part of the file that begins there.
func (g *glance) begun(x start, doubt bool) {
	what, odd := x.what, !x.known()
	if is := foreign(g.b[:min(x.at, int64(len(g.b)))], nil); odd && is != "" {
		what, odd = is, is == zeros
	}
	t := g.becomes(g.c.Splice(0, x.at, nil), "remove the first "+amountOf(x.at), "The file itself follows "+pronoun(x.at)+".", "",
		"%s %s: %s.", counted(x.at, "precedes", "precede"), lower(g.the()), what)
	if t == nil {
		return
	}
	zero := len(bytes.Trim(g.b[:min(x.at, int64(len(g.b)), 64)], "\x00")) == 0
	later := head{g}.marked() // what stands in front may belong there
	t.begins = x.magic && !later
	t.drops, t.unsure = true, later || !x.known() && (doubt || x.at > 4096 || zero || x.weak)
	if odd && x.magic && x.at >= leastTurned && g.partAt(x.at) {
		t.text = model.Words("The beginning of %s cannot be recognised: its first bytes are missing or overwritten, or %s do not belong to it. The first intact part begins at byte %s.",
			lower(g.the()), amountOf(x.at), model.Thousands(x.at))
		t.means = "What precedes that part cannot be read."
	}
	if turned := g.turned(x.at); turned != nil {
		turned.begins = t.begins
	}
}

// partAt tells whether a part of the file may begin at a place as the file does: what precedes it may be a part whose beginning is lost.
func (g *glance) partAt(at int64) bool {
	return slices.ContainsFunc(g.magics(), func(list []model.Magic) bool {
		return slices.ContainsFunc(list, func(m model.Magic) bool {
			return m.Again && m.At >= 0 && at+m.At < int64(len(g.b)) && bytes.HasPrefix(g.b[at+m.At:], []byte(m.Bytes))
		})
	})
}

// headed tells whether the file begins behind one of the heads in front of it that are known: then it does not further in.
func (g *glance) headed(at []int64) bool {
	return slices.ContainsFunc(at, func(at int64) bool {
		f, sure := g.r.recognised(path.Base(g.name), g.c.Splice(0, at, nil))
		return g.primary && f != nil && sure >= surelyFile
	})
}

// further looks for beginnings of the file by its length, by magics, and by asking the formats.
func (g *glance) further(add func(at int64, what string), magic map[int64]bool, asked map[int64]model.Confidence) {
	if e := g.extent; e != nil && e.Size < g.c.Len() {
		add(g.c.Len()-e.Size, unexplained)
		magic[g.c.Len()-e.Size] = true
	}
	text := head{g}.prose() // the name of a format in a text is a word
	for _, list := range g.magics() {
		first := slices.ContainsFunc(list, func(m model.Magic) bool { return m.At == 0 }) // then one further in tells of a variant
		if text || slices.ContainsFunc(list, func(m model.Magic) bool { return (m.At == 0 || !first) && (g.begins(m) || head{g}.early(m) > 0) }) {
			continue // it begins as it should, or its front is missing: what is further in is content
		}
		for _, m := range list {
			if m.At < 0 || len(m.Bytes) < 3 || m.Again && bytes.HasPrefix(g.b[min(m.At, int64(len(g.b))):], []byte(m.Bytes)) {
				continue // with Again, what begins further in as the file does is a part of it
			}
			g.marks(m, func(at int64) {
				add(at, unexplained)
				magic[at] = true
			})
		}
	}
	if at := g.json(); at > 0 {
		add(at, unexplained)
		magic[at] = true
	}
	if (g.primary || g.blamed) && !text {
		g.detected(func(at int64, c model.Confidence) {
			add(at, unexplained)
			asked[at] = c
		})
	}
}

// turned tries what stands in front of the beginning of a file at its end: a ring of which the writing did not begin at the front, or a copy that
// began in the middle. All of it must have a meaning there.
func (g *glance) turned(at int64) *trial {
	headed := slices.ContainsFunc(g.magics(), func(list []model.Magic) bool { return slices.ContainsFunc(list, g.begins) })
	e := g.extent
	ends := e != nil && !e.Least && e.Size != g.c.Len() && (headed || e.By == nil) // else it was read from bytes that are none of a header
	if !g.all || at < leastTurned || g.partAt(at) || ends {
		return nil // what stands behind the end of an archive has a meaning wherever it comes from
	}
	t := g.becomes(model.BytesContent(append(bytes.Clone(g.b[at:]), g.b[:at]...)), "put the first "+amountOf(at)+" back at the end", "The copy started in the middle of the file.",
		"in this order, every part is in place", "%s begins in its middle: its first %s belong at its end.", g.the(), amountOf(at))
	if t == nil {
		return nil
	}
	t.turned = true
	if g.r.judges([]*trial{t}); t.res == nil || !t.res.clean() || t.res.gap > g.r.base.gap || t.res.fresh(g.r.base, model.Warning) > 0 {
		g.withdraw(t)
		return nil
	}
	return t
}

// leastTurned is how many bytes are more than a head in front of a file.
const leastTurned = 64

package cause

import (
	"spandrel/model"
	"spandrel/model/evidence"
)

// A writer that counts in 32 bits writes a number in 4 bytes where the format has 8: everything after it comes 4 bytes too early.

const (
	wideNumber = 8 // bytes; half of them are the number's own
	mostNarrow = 8 // numbers that are tried
)

// narrowNumbers tries, for each number of 8 bytes with a problem, whether only 4 of them are its own.
func narrowNumbers(g *subject) {
	if !g.blamed || g.r.base.format == nil {
		return
	}
	var trials []*trial
	for _, f := range graded(g.r.found, model.Error) {
		at, ok := g.r.base.tree.Verbatim(f.Where())
		if !ok || at.File != g.name || at.Len != wideNumber || f.Span == nil || f.Span.Field == nil || f.Span.Field.Codec == nil || len(trials) == mostNarrow {
			continue
		}
		zeros := at.Off // they are its highest bytes
		switch f.Span.Field.Codec.Endian() {
		case "":
			continue
		case "le":
			zeros += wideNumber / 2
		}
		t := g.spliced(zeros, 0, make([]byte, wideNumber/2))
		t.text = model.Words("%s was written in %d bytes, not in %d: everything after it is shifted towards the start.", f.Path(), wideNumber/2, wideNumber)
		t.unsure, t.event = true, &evidence.Event{Kind: evidence.Moved, What: f.Path(), Place: evidence.Log(mostNarrow)}
		t.label, t.at = model.Words("insert %d zeros at 0x%x", wideNumber/2, zeros), Place{g.name, at.Off, at.Len, f.Path(), f.Span}
		trials = append(trials, t)
	}
	g.r.judges(trials)
	for _, t := range trials {
		if t.res.clean() && t.res.gap <= g.r.base.gap && t.res.nodes > g.r.base.nodes {
			keep(g.r, t)
		}
	}
}

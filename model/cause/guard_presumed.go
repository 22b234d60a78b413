package cause

import (
	"bytes"
	"slices"

	"spandrel/model"
	"spandrel/model/evidence"
)

// presumed: what is found after a repair that is not proven may be right only if that repair is. It is proven if it would have been found without
// it too, and no other value of the number would have fitted then.
func presumed(g guarded) string {
	const why = "it may be right only if the repair of an earlier cause is"
	if g.guess == nil || g.t.solved && g.t.op != makeRepair {
		return ""
	}
	offered := g.t.field == nil || g.t.op == makeRepair
	switch {
	case offered && !offeredBefore(g):
		return why // its witness may be what that repair has written
	case len(g.guess.lost) > 0 && !g.t.solved:
		return bytesLost
	case offered:
		return ""
	}
	list := instead(g)
	i := slices.IndexFunc(list, func(t *trial) bool { return bytes.Equal(t.raw, g.t.raw) })
	if i < 0 {
		return why
	}
	if g.guess.sumStays(list[i]) {
		return "before the repair of an earlier cause, the bytes that it reads in another way do not match their checksum"
	}
	_, of := weigh(&ranking{search: g.guess}, list)
	for _, t := range list {
		if t != list[i] && of[t].Cost()-of[list[i]].Cost() < evidence.ProvenMargin {
			return "before the repair of an earlier cause, another value fits as well"
		}
	}
	return ""
}

// offeredBefore tells whether a rule offered the repair before the one that is not proven too, and was as sure of it.
func offeredBefore(g guarded) bool {
	return slices.ContainsFunc(g.guess.hits, func(t *trial) bool {
		return t.rule == g.t.rule && t.label == g.t.label && (t.safe || !g.t.safe)
	})
}

// sumStays tells whether a trial removes an error about bytes whose checksum does not match before and after it: they are damaged, however they are read.
func (r *search) sumStays(t *trial) bool {
	var read []model.FileRange
	for _, f := range graded(r.found, model.Error) {
		if f.Sum == nil && t.res.fewer(key(f), r.base) {
			read = append(read, source(r.base.tree, f.Where()))
		}
	}
	return slices.ContainsFunc(r.found, func(f model.Finding) bool {
		return f.Sum != nil && !f.Sum.Weak && !t.res.fewer(key(&f), r.base) && slices.ContainsFunc(summed(r, f.Span), func(at model.FileRange) bool {
			return slices.ContainsFunc(read, func(x model.FileRange) bool { return x.File == at.File && x.Off <= at.End() && at.Off <= x.Off+x.Len })
		})
	})
}

// instead are the values of the number that improve the document without the repair that is not proven.
func instead(g guarded) (out []*trial) {
	c := g.guess.clues
	i := slices.IndexFunc(c.list, func(s *suspect) bool { return s.file == g.t.field.file && s.off == g.t.field.off })
	if i < 0 {
		return nil
	}
	out = c.trials(c.list[i:i+1], func(s *suspect) []candidate { return append(c.known(s), c.all(s)...) })
	if g.guess.judges(out) < len(out) {
		return nil
	}
	return slices.DeleteFunc(out, func(t *trial) bool { return t.res == nil || !g.guess.improves(t) })
}

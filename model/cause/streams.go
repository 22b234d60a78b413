package cause

import (
	"slices"

	"spandrel/model"
	"spandrel/model/evidence"
)

// Compressed bytes that cannot be decompressed.

// unpacked notes which compressed bytes of files were decoded, and which of them are intact: a state that no longer decodes those has something less right.
func (v *verdict) unpacked(found []model.Finding) {
	v.packed = map[Place]bool{}
	raw := map[*model.Span]Place{} // by the span that findings about compressed bytes refer to
	for _, sp := range v.tree.Spaces() {
		if at, ok := packedAt(v.tree, sp); ok {
			v.packed[at] = sp.Fault() == nil
			raw[sp.Raw], raw[sp.Root] = at, at
		}
	}
	for i := range found {
		if at, ok := raw[found[i].Span]; ok && found[i].Grade() == model.Error {
			v.packed[at] = false
		}
	}
	for at, intact := range v.packed {
		if intact {
			v.agreed.add("compressed bytes of "+at.File, evidence.Random(4))
		}
	}
}

// packedAt is where the compressed bytes of a space are stored.
func packedAt(t *model.Tree, sp *model.Space) (Place, bool) {
	if !sp.Derived() || sp.Transform.Name == model.Identity.Name {
		return Place{}, false
	}
	at, ok := t.Verbatim(sp.Origin)
	return Place{File: at.File, Off: at.Off, Len: at.Len}, ok && at.Len > 0
}

// stream is a damaged run of compressed bytes and the first error about it.
type stream struct {
	Place
	raw   *model.Span
	about int
}

// spoiledStreams are the compressed bytes with errors, except those whose own checksum matches. They are looked for once: there may be thousands.
func spoiledStreams(r *search) []stream {
	if r.streams == nil {
		r.streams = findSpoiled(r)
	}
	return r.streams
}

func findSpoiled(r *search) (out []stream) {
	out = []stream{}
	var errors []model.FileRange
	var about []int
	for i, f := range graded(r.found, model.Error) {
		errors, about = append(errors, source(r.base.tree, f.Where())), append(about, i)
	}
	seen := map[Place]bool{}
	for _, sp := range r.base.tree.Spaces() {
		at, ok := packedAt(r.base.tree, sp)
		if !ok || r.base.packed[at] || seen[at] || streamIntact(r, at) {
			continue
		}
		if k := slices.IndexFunc(errors, at.holds); k >= 0 {
			s := stream{at, sp.Raw, about[k]}
			if x := r.found[s.about].Span; x != nil && x.Range.Len > 0 && sp.Raw.Range.Contains(x.Range) {
				s.raw = x // a part of it
			}
			seen[at], out = true, append(out, s)
		}
	}
	return out
}

// holds tells whether bytes of a file are in a place.
func (p Place) holds(at model.FileRange) bool {
	return at.File == p.File && p.Off <= at.Off && at.End() <= p.Off+p.Len
}

// storedLink is a checksum of bytes as stored.
type storedLink struct {
	*model.Link
	at model.FileRange
}

// storedSums are the checksums of bytes as stored.
func storedSums(t *model.Tree) []storedLink {
	out := []storedLink{}
	for _, l := range t.Links() {
		if l.Kind != model.ChecksumLink || l.Sum.Weak || len(l.Targets) != 1 {
			continue
		}
		if at, ok := t.Verbatim(l.Targets[0].Range); ok {
			out = append(out, storedLink{l, at})
		}
	}
	return out
}

// streamIntact tells whether a checksum of bytes as stored matches.
func streamIntact(r *search, p Place) bool {
	t := r.base.tree
	if r.sums == nil {
		r.sums = storedSums(t)
	}
	for _, l := range r.sums {
		if l.at.File != p.File || l.at.Off > p.Off || l.at.End() < p.Off+p.Len {
			continue
		}
		want, ok, err := l.Want(r.ctx, t)
		if is, ierr := t.Value(r.ctx, l.Field); ok && err == nil && ierr == nil && want.Equal(is) {
			return true
		}
	}
	return false
}

// sumOfSpoiled tells whether a checksum covers damaged compressed bytes: checksum and decoder agree that the bytes are wrong.
func sumOfSpoiled(r *search, sum *model.Span) bool {
	return slices.ContainsFunc(summed(r, sum), func(at model.FileRange) bool {
		return slices.ContainsFunc(spoiledStreams(r), func(p stream) bool { return p.File == at.File && p.Off < at.End() && at.Off < p.Off+p.Len })
	})
}

// summed are the bytes that a checksum is of.
func summed(r *search, sum *model.Span) (out []model.FileRange) {
	for _, l := range r.base.tree.Links() {
		if sum == nil || l.Kind != model.ChecksumLink || l.Field.Range != sum.Range {
			continue
		}
		for _, s := range l.Targets {
			out = append(out, source(r.base.tree, s.Range))
		}
	}
	return out
}

// unreadableStreams makes the causes about damaged compressed bytes.
func unreadableStreams(r *search) []*Cause {
	list := spoiledStreams(r)
	if len(list) == 0 {
		return nil
	}
	c := &Cause{Grade: Likely, At: list[0].Place, Means: "The original bytes are not in this file: download or copy it again" + orSave + ".",
		Text: "The compressed bytes of " + list[0].raw.Path()}
	if n := len(list) - 1; n > 0 {
		c.Text += " and those of " + model.Count(int64(n), "more places")
	}
	c.Text += " are damaged or were overwritten."
	c.At.Path, c.At.Span = list[0].raw.Path(), list[0].raw
	for i := range r.found {
		f := &r.found[i]
		summed := f.Sum != nil && sumOfSpoiled(r, f.Span)
		if summed && len(c.Evidence) == 0 {
			c.Evidence = []string{"their checksum does not match either"}
		}
		at := source(r.base.tree, f.Where())
		if summed || slices.ContainsFunc(list, func(s stream) bool { return s.holds(at) }) {
			c.Explains = append(c.Explains, i)
		}
	}
	return []*Cause{c}
}

// unpacks tells whether a state decompresses something at the same start, though with another length, or something that contains it:
// then there was no stream of its own.
func unpacks(packed map[Place]bool, at Place) bool {
	for p, whole := range packed {
		if p.File == at.File && (p.Off == at.Off || whole && p.Off < at.Off && at.Off < p.Off+p.Len) {
			return true
		}
	}
	return false
}

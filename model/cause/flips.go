package cause

import (
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"strings"

	"spandrel/model"
	"spandrel/model/correct"
)

const (
	maxFlipped = 8         // damaged streams that are searched for a wrong bit
	maxAnswers = 16        // if more bits than this would fit, they prove nothing
	maxPieces  = 16 << 20  // bytes of a stream of pieces, each of which may be short
	longFlips  = 256 << 10 // bytes of a piece that are searched if there is more time than usual
	adlerBits  = 32        // of the checksum of a zlib stream
)

// wrongBits searches compressed or checksummed bytes that do not decode, or decode to invalid content, for the one bit that is wrong.
func wrongBits(r *search) {
	t := r.base.tree
	work := correct.Upto(correct.Free)
	if r.o.Time > 4*DefaultTime {
		work = correct.Upto(longFlips)
	}
	searched, open := 0, 0
	var trials []*trial
	for _, s := range t.Spaces() {
		if !s.Derived() || s.Transform.Flips == nil || s.Origin.Len > maxPieces || searched == maxFlipped || r.late() || !hasFinding(r, s) {
			continue
		}
		if from := t.Space(s.Origin.Space); from == nil || from.Derived() {
			continue
		}
		searched++
		more, err := flipsOf(r, s, work)
		open += b2i(len(more) == 0)
		if trials = append(trials, more...); err != nil || work.Left <= 0 {
			break // the others would use up all the time
		}
	}
	r.run(amongOthers(trials, open))
}

// hasFinding tells whether there is a finding in a derived space, or in the bytes that it is decoded from.
func hasFinding(r *search, s *model.Space) bool {
	for _, f := range graded(r.found, model.Warning) {
		if at := f.Where(); at.Space == s.ID || at.Len > 0 && s.Origin.Contains(at) {
			return true
		}
	}
	return false
}

// flipsOf makes a trial of every bit whose flip makes the stream whole, if there are few.
func flipsOf(r *search, s *model.Space, w *correct.Work) (out []*trial, err error) {
	t, at := r.base.tree, s.Origin
	in, err := t.Bytes(r.ctx, at)
	if err != nil {
		return nil, err
	}
	sum := storedSum(r, s)
	found, err := s.Transform.Flips(r.ctx, in, int(s.Declared()), func(b []byte) bool { return sum == nil || crc32.ChecksumIEEE(b) == *sum }, w)
	if err != nil || len(found) > maxAnswers {
		return nil, err
	}
	k := near
	why := "other bits would fit as well"
	if len(found) == 1 {
		k, why = derived, fmt.Sprintf("the only bit of %s bytes with this effect", model.Thousands(at.Len))
	}
	// The checksum of a stream that still decodes to its full length is all that fails. An Adler-32 is a sum: two wrong bytes change it as a third one
	// would, in a fifth of such streams.
	size, err := t.Size(r.ctx, s.ID)
	inStep := sum == nil && s.Transform.SumBits <= adlerBits && err == nil && size == s.Declared()
	sumBits, tried := s.Transform.SumBits, 8*float64(at.Len)
	if sum != nil {
		sumBits += 32
	}
	for _, c := range found {
		off, is, what := at.Off+c.At, in[c.At]^c.Xor[0], "One bit at 0x%x is wrong: the byte is"
		if bits.OnesCount8(c.Xor[0]) > 1 {
			what, why = "One byte at 0x%x is wrong: it is", strings.Replace(why, "only bit", "only single-byte change", 1)
			tried = 255 * float64(at.Len)
		}
		if inStep {
			why = "other changes give the same checksum"
		}
		out = append(out, &trial{kind: k, unsure: inStep, solved: len(found) == 1 && sum != nil, chance: tried / math.Pow(2, float64(sumBits)), under: at.Len, patches: []patch{{t.FileName(at), off, 1, []byte{is}}}, at: Place{t.FileName(at), off, 1, s.Raw.Path(), s.Raw},
			text:     fmt.Sprintf(what+" 0x%02x, should be 0x%02x; then %s can be read.", off, in[c.At], is, s.Raw.Path()),
			label:    fmt.Sprintf("set the byte at 0x%x to 0x%02x", off, is),
			evidence: []string{why}})
	}
	return out, nil
}

// storedSum returns the stored CRC-32 of a whole space, nil if there is none.
func storedSum(r *search, s *model.Space) *uint32 {
	for _, l := range r.base.tree.Links() {
		if l.Kind == model.ChecksumLink && l.Sum == model.CRC32 && len(l.Targets) == 1 && l.Targets[0] == s.Root {
			if v, err := r.base.tree.Value(r.ctx, l.Field); err == nil {
				sum := uint32(v.Uint())
				return &sum
			}
		}
	}
	return nil
}

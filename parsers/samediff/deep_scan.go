package samediff

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"spandrel/model"
)

// scanner examines elements sequentially.
type scanner struct {
	typ, width    int64
	big, float    bool
	n             int64
	first         []byte
	varied        bool
	odd, oddFirst int64 // NaN or infinite
	bad, badFirst int64 // BOOL that is neither 0 nor 1
	looked        int64 // floats whose exponents were compared
	plain         int64 // of these, plausible in the stated byte order
	swapped       int64 // and plausible in the other byte order
}

// add looks at whole elements.
func (s *scanner) add(b []byte) {
	w := int(s.width)
	if len(b) < w {
		return
	}
	if s.first == nil {
		s.first = bytes.Clone(b[:w])
	}
	if !s.varied {
		s.varied = !bytes.Equal(b[:w], s.first) || !bytes.Equal(b[w:], b[:len(b)-w])
	}
	if s.typ == dtypeBool {
		for i, v := range b {
			if v > 1 {
				if s.bad++; s.bad == 1 {
					s.badFirst = s.n + int64(i)
				}
			}
		}
	}
	if s.float {
		s.special(b)
		s.plausible(b)
	}
	s.n += int64(len(b) / w)
}

// join merges the result for the elements that follow.
func (s *scanner) join(next *scanner) {
	switch {
	case next.n == 0:
		return
	case s.n == 0:
		s.first = next.first
	}
	s.varied = s.varied || next.varied || !bytes.Equal(s.first, next.first)
	if s.odd == 0 {
		s.oddFirst = s.n + next.oddFirst
	}
	if s.bad == 0 {
		s.badFirst = s.n + next.badFirst
	}
	s.n, s.odd, s.bad = s.n+next.n, s.odd+next.odd, s.bad+next.bad
	s.looked, s.plain, s.swapped = s.looked+next.looked, s.plain+next.plain, s.swapped+next.swapped
}

// scanned is an array to be scanned, in pieces of whole elements.
type scanned struct {
	scanner
	pieces []model.Range
}

// scanAll scans the elements of many arrays on all cores. read passes the bytes of a range to f.
func scanAll(ctx context.Context, p *model.Probe, list []*scanned, read func(context.Context, model.Range, func([]byte)) error) error {
	const most = 4 << 20 // bytes per task: a multiple of every width
	type part struct {
		of      *scanned
		at      model.Range
		scanner scanner
	}
	var parts []*part
	for _, e := range list {
		for _, r := range e.pieces {
			for ; r.Len > 0; r.Off, r.Len = r.Off+most, r.Len-most {
				at := model.Range{Space: r.Space, Off: r.Off, Len: min(most, r.Len)}
				parts = append(parts, &part{of: e, at: at, scanner: e.scanner})
			}
		}
	}
	err := p.Each(ctx, "arrays", int64(len(parts)), func(ctx context.Context, _ *model.Probe, i int64) error {
		return read(ctx, parts[i].at, parts[i].scanner.add)
	})
	for _, part := range parts {
		part.of.join(&part.scanner)
	}
	return err
}

// exponents are the bits of an exponent in the highest two bytes of an element, by type.
var exponents = map[int64][2]byte{3: {0x7c, 0}, 5: {0x7f, 0x80}, 6: {0x7f, 0xf0}, 17: {0x7f, 0x80}}

// special counts elements that are NaN or infinite: all bits of the exponent are set.
func (s *scanner) special(b []byte) {
	exponent, first, second := exponents[s.typ], int(s.width)-1, int(s.width)-2 // the bytes of the exponent in an element
	if s.big {
		first, second = 0, 1
	}
	for i := 0; i+int(s.width) <= len(b); i += int(s.width) {
		if b[i+first]&exponent[0] == exponent[0] && b[i+second]&exponent[1] == exponent[1] {
			if s.odd++; s.odd == 1 {
				s.oddFirst = s.n + int64(i)/s.width
			}
		}
	}
}

// plausible compares the exponents of some floats in both byte orders.
func (s *scanner) plausible(b []byte) {
	if s.typ != 5 && s.typ != 6 {
		return
	}
	as, turned := types[s.typ].le.Codec, types[s.typ].be.Codec
	if s.big {
		as, turned = turned, as
	}
	usual := func(v model.Value) bool { e := math.Abs(v.Float()); return e > 1e-12 && e < 1e12 }
	for ; len(b) >= int(s.width) && s.looked < 4096; b = b[s.width:] {
		x, _, _ := as.Decode(b)
		y, _, _ := turned.Decode(b)
		if x.Float() == 0 || y.Float() == 0 {
			continue
		}
		s.looked++
		if usual(x) {
			s.plain++
		}
		if usual(y) {
			s.swapped++
		}
	}
}

// report reports the results (SDF-184, 185, 189).
func (s *scanner) report(p *model.Probe, span *model.Span, r model.Range, name string, trained bool) {
	one := func(i int64) model.Spot {
		return model.Spot{Span: span, Range: model.Range{Space: r.Space, Off: r.Off + i*s.width, Len: s.width}}
	}
	says := func(n, first int64) string {
		return fmt.Sprintf("%s of %s, the first is element %d", model.Thousands(n), model.Thousands(s.n), first)
	}
	if s.bad > 0 {
		p.Wrong(badBool, one(s.badFirst), says(s.bad, s.badFirst), nil, of(name, badBool))
	}
	if s.odd > 0 {
		p.Wrong(notFinite, one(s.oddFirst), says(s.odd, s.oddFirst), nil, of(name, notFinite))
	}
	if trained && s.n > 1 && !s.varied {
		p.Wrong(allEqual, model.Spot{Span: span, Range: r}, model.Thousands(s.n)+" values", nil, of(name, allEqual))
	}
}

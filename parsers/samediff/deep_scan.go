package samediff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"spandrel/model"
)

// scanner looks at elements as they go by.
type scanner struct {
	typ, width    int64
	big, float    bool
	n             int64
	first         []byte
	varied        bool
	odd, oddFirst int64 // NaN or infinite
	bad, badFirst int64 // BOOL that is neither 0 nor 1
	looked        int64 // floats whose exponents were compared
	plain         int64 // of these, usual as they stand
	swapped       int64 // and usual in the other byte order
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
		for i := 0; i+w <= len(b); i += w {
			if s.special(b[i : i+w]) {
				if s.odd++; s.odd == 1 {
					s.oddFirst = s.n + int64(i/w)
				}
			}
		}
		s.plausible(b)
	}
	s.n += int64(len(b) / w)
}

func (s *scanner) order() binary.ByteOrder {
	if s.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// special tells whether a float is NaN or infinite.
func (s *scanner) special(b []byte) bool {
	o := s.order()
	switch s.typ {
	case 5:
		return o.Uint32(b)&0x7f800000 == 0x7f800000
	case 6:
		return o.Uint64(b)&0x7ff0000000000000 == 0x7ff0000000000000
	case 3:
		return o.Uint16(b)&0x7c00 == 0x7c00
	}
	return o.Uint16(b)&0x7f80 == 0x7f80
}

// plausible compares the exponents of some floats in both byte orders.
func (s *scanner) plausible(b []byte) {
	if s.typ != 5 && s.typ != 6 {
		return
	}
	usual := func(v float64) bool { e := math.Abs(v); return e > 1e-12 && e < 1e12 }
	for i := 0; i+int(s.width) <= len(b) && s.looked < 4096; i += int(s.width) {
		le, be := 0.0, 0.0
		if s.typ == 5 {
			le, be = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[i:]))), float64(math.Float32frombits(binary.BigEndian.Uint32(b[i:])))
		} else {
			le, be = math.Float64frombits(binary.LittleEndian.Uint64(b[i:])), math.Float64frombits(binary.BigEndian.Uint64(b[i:]))
		}
		if le == 0 || be == 0 {
			continue
		}
		if s.big {
			le, be = be, le
		}
		s.looked++
		if usual(le) {
			s.plain++
		}
		if usual(be) {
			s.swapped++
		}
	}
}

// report says what was seen (SDF-184, 185, 189).
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

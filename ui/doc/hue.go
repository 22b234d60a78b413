package doc

import "spandrel/model"

// HueOf returns the colour index of a span: neighbouring siblings differ, and it is the same in every run. A span that fills its
// parent has the parent's colour: bytes keep their colour when more of their structure is read.
func HueOf(s *model.Span) uint32 {
	for p := s.Parent(); p != nil && p.Parent() != nil && p.Range == s.Range; p = s.Parent() {
		s = p
	}
	h := uint32(2166136261)
	if p := s.Parent(); p != nil {
		for _, c := range []byte(p.Field.Name) {
			h = (h ^ uint32(c)) * 16777619
		}
		h = h % 12
		if o := s.Ordinal(); o >= 0 {
			h += uint32(o % 12)
		}
	}
	return h
}

package idv

import (
	"slices"

	"spandrel/model"
)

// Metadata that no column refers to: their directory is at the end of a gap in the file, after its values.

// maxMetadataHole is how many bytes are searched for metadata that no column refers to.
const maxMetadataHole = 64 << 10

// strayed is a metadata directory that no column refers to.
type strayed struct {
	off     int64
	entries []*metadata
}

// strayedIn finds the metadata directories that no column refers to; ok is false if there may be more.
func strayedIn(s *stream, peek peek) (out []strayed, ok bool) {
	searched, peek := int64(0), peek.windowed()
	for _, h := range s.holes {
		if searched += h[1] - h[0]; searched > maxMetadataHole {
			return nil, false
		}
		for at := h[0]; at < h[1]; at++ {
			if list := directoryIn(s, peek, at, h); list != nil {
				out = append(out, strayed{at, list})
			}
		}
	}
	return out, true
}

// windowed keeps what was read last: every offset of a gap is tried.
func (p peek) windowed() peek {
	var last []byte
	at := int64(0)
	return func(off, n int64) []byte {
		if off < at || off+n > at+int64(len(last)) {
			last, at = p(off, max(n, maxMetadataHole)), off
		}
		b := last[min(off-at, int64(len(last))):]
		return b[:min(n, int64(len(b)))]
	}
}

// directoryIn reads a metadata directory at an offset whose values fill a gap before it, and that ends the gap; nil if there is none.
func directoryIn(s *stream, peek peek, at int64, hole [2]int64) (list []*metadata) {
	try := s.tryMetadata(peek, at, hole[1])
	filled := int64(0)
	for range try.count(maxMetadata) {
		m := try.next()
		if m == nil || m.off < hole[0] || m.n > at-m.off {
			return nil
		}
		filled += m.n
		list = append(list, m)
	}
	if try.pos-s.base != hole[1] || filled != at-hole[0] {
		return nil
	}
	return list
}

// checkStrayed says which column unreferenced metadata belong to: among those without any, the one that they fit, and that
// is between the columns whose metadata come before and after.
func checkStrayed(s *stream, peek peek) {
	if s.tocEnd != s.tail || int64(len(s.cols)) != s.columnCount {
		return // the directory is misread, perhaps in a trial, so a search is pointless
	}
	if len(s.holes) == 0 || !slices.ContainsFunc(s.cols, func(c *column) bool { return c.meta == 0 }) {
		return
	}
	list, _ := strayedIn(s, peek)
	for _, x := range list {
		var of []*column
		for _, c := range s.cols {
			fits := c.meta == 0 && !slices.ContainsFunc(x.entries, func(m *metadata) bool { return expects(c, m) != "" })
			between := !slices.ContainsFunc(s.cols, func(o *column) bool { return o.meta > 0 && (o.index < c.index) != (o.meta < x.off) })
			if fits && between {
				of = append(of, c)
			}
		}
		if len(of) != 1 {
			continue
		}
		v := model.U(uint64(x.off))
		s.report(finding{rule: unreachable, sev: model.Warning, at: of[0].metaAt, n: 8, found: "0", set: &v,
			message: model.Words("column %q has no metadata according to the directory, but there is metadata at 0x%x that belongs to no other column", of[0].name.s, s.base+x.off)})
	}
}

package idv

import (
	"cmp"
	"fmt"
	"slices"

	"spandrel/model"
)

// checkHidden looks for entries after the last one of a directory, which a count that is too small leaves unreferenced.
func checkHidden(s *stream, peek peek) {
	n := int64(-1)
	if s.tocEnd != s.tail { // otherwise all entries are counted, and nothing is read twice
		n = s.countColumns(peek, s.toc)
	}
	if n > max(0, s.columnCount) && s.columnCount >= 0 && s.layout != 1 && s.layout != 3 {
		s.findings = slices.DeleteFunc(s.findings, func(f finding) bool { return f.rule == hiddenEntries || f.rule == rowsOnly })
		v := model.I(n)
		s.report(finding{rule: hiddenEntries, sev: model.Error, at: s.base + columnsAt, n: 4, found: fmt.Sprint(s.columnCount), set: &v,
			message: fmt.Sprintf("the directory continues up to the end mark with %s that the header does not count",
				model.Count(n-max(0, s.columnCount), "sound columns"))})
	}
	checkStrayed(s, peek)
	slices.SortFunc(s.holes, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	counted := map[int64]uint64{} // ends of directories, which columns may share
	for _, c := range s.cols {
		if c.meta == 0 || c.metaEnd == 0 {
			continue
		}
		k, ok := slices.BinarySearchFunc(s.holes, c.metaEnd, func(h [2]int64, at int64) int { return cmp.Compare(h[0], at) })
		if !ok {
			continue
		}
		n, known := counted[c.metaEnd]
		if !known {
			n = s.moreMetadata(peek, s.holes[k])
			counted[c.metaEnd] = n
		}
		if n > 0 {
			uncounted(s, c, n)
		}
	}
}

// uncounted reports entries after the metadata directory of a column, instead of other problems with their number.
func uncounted(s *stream, c *column, n uint64) {
	grade := model.Warning
	if len(c.entries) == 0 {
		grade = model.Error // zero is not a possible number of entries
	}
	s.findings = slices.DeleteFunc(s.findings, func(f finding) bool { return f.rule == metadataCount && f.at == s.base+c.meta })
	v := model.U(uint64(len(c.entries)) + n)
	s.report(finding{rule: metadataCount, sev: grade, at: s.base + c.meta, n: 1, found: fmt.Sprint(len(c.entries)), set: &v,
		message: model.Words("the metadata count of column %q omits %d intact entries that follow", c.name.s, n)})
}

// moreMetadata is how many metadata entries fill a hole exactly.
func (s *directory) moreMetadata(peek peek, hole [2]int64) (n uint64) {
	try := s.tryMetadata(peek, hole[0], hole[1])
	for try.pos < try.end {
		try.nodes = try.nodes[:0] // counted alone, and there may be millions
		if try.next() == nil {
			return 0
		}
		n++
	}
	return n
}

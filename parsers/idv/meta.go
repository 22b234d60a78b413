package idv

import (
	"fmt"
)

// kinds are the metadata kinds that ML.NET itself writes (§10), and what they hold.
var kinds = map[string]string{
	"SlotNames": "names of the slots", "KeyValues": "what keys stand for", "IsNormalized": "values are scaled already",
	"CategoricalSlotRanges": "slots that make one category", "ScoreColumnSetId": "groups score columns", "ScoreColumnKind": "what predicted it",
	"ScoreValueKind": "which part of a prediction", "IsUserVisible": "not hidden", "TrainingLabelValues": "labels seen in training",
	"AffineScale": "normalizer", "AffineOffset": "normalizer", "CdfMean": "normalizer", "CdfStdDev": "normalizer", "CdfUseLog": "normalizer",
	"HasMissingValues": "values may be missing",
}

// checkMetadata checks the entries of a column against each other and against the column (§5, 083 to 094).
func (s *stream) checkMetadata(c *column) {
	seen := map[string]bool{}
	for _, m := range c.entries {
		at, n := m.kind.at, m.kind.n
		if n == 0 {
			s.report(finding{rule: 82, at: m.kind.length, n: 1, fixes: s.dropEntry(c, m)})
		}
		if seen[m.kind.s] && n > 0 {
			s.report(finding{rule: 83, at: at, n: n, found: m.kind.s, fixes: s.dropEntry(c, m)})
		}
		seen[m.kind.s] = true
		old := m.codec.name.s == "UInt128" || m.codec.name.s == "RowId"
		if m.codec.kind == kindUnknown && m.codec.name.n > 0 || old {
			s.report(finding{rule: 84, at: m.codec.name.at, n: m.codec.name.n, found: m.codec.name.s})
			continue
		}
		s.checkLoadNames(m.codec)
		if want := s.expects(c, m); want != "" {
			rule := map[string]int{"SlotNames": 90, "KeyValues": 91, "CategoricalSlotRanges": 93}[m.kind.s]
			if rule == 0 {
				rule = 92
			}
			f := finding{rule: rule, at: m.codec.name.at, n: m.codec.name.n, found: m.codec.String(), expected: want}
			switch k := c.codec; {
			case rule == 90 && k.kind == kindVector:
				f.fixes = s.resizeFixes(c, m, k.size)
			case rule == 91 && k.kind == kindVector && k.item != nil && k.item.kind == kindKey:
				f.fixes = s.resizeFixes(c, m, int64(min(k.item.count, maxCell+1)))
			case rule == 91 && k.kind == kindKey:
				f.fixes = s.resizeFixes(c, m, int64(min(k.count, maxCell+1)))
			case rule == 93:
				f.fixes = s.dropEntry(c, m)
			}
			s.report(f)
		}
		if kinds[m.kind.s] == "" && n > 0 {
			s.report(finding{rule: 94, at: at, n: n, found: m.kind.s})
		}
	}
}

// expects says what type a well-known kind should have where it has another.
func (s *stream) expects(c *column, m *metadata) string {
	k := m.codec
	vector := func(item ...valueKind) bool {
		if k.kind != kindVector || k.item == nil {
			return false
		}
		for _, i := range item {
			if k.item.kind == i {
				return true
			}
		}
		return len(item) == 0
	}
	col, slots := c.codec, int64(0)
	if col.kind == kindVector {
		slots = col.size
	}
	switch m.kind.s {
	case "SlotNames":
		if !vector(kindText) || slots == 0 || k.size != slots {
			return fmt.Sprintf("Vector<TextSpan, %d>", slots)
		}
	case "KeyValues":
		if col.kind == kindVector {
			col = col.item
		}
		if col == nil || col.kind != kindKey {
			return "no key values, as the column is not a key"
		}
		if !vector() || k.item.kind >= kindVector || uint64(k.size) != col.count && !col.badCount {
			return fmt.Sprintf("Vector<…, %d>", col.count)
		}
	case "IsNormalized", "IsUserVisible":
		if k.kind != kindBool && k.kind != kindBool2 {
			return "Boolean"
		}
	case "ScoreColumnSetId":
		if k.kind != kindKey || k.base() != kindU4 {
			return "a key over UInt32"
		}
	case "ScoreColumnKind", "ScoreValueKind":
		if k.kind != kindText {
			return "TextSpan"
		}
	case "CategoricalSlotRanges":
		if !vector(kindI4) || len(k.dims) != 2 || k.dims[1] != 2 || int64(k.dims[0]) > slots {
			return "Vector<Int32, n×2>, n at most the slots"
		}
	}
	return ""
}

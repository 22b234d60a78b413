package idv

import (
	"cmp"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// kinds are the metadata kinds that ML.NET itself writes (§10), with their content.
var kinds = map[string]string{
	"SlotNames": "names of the slots", "KeyValues": "values of the keys", "IsNormalized": "values are already scaled",
	"CategoricalSlotRanges": "slots of one category", "ScoreColumnSetId": "groups score columns", "ScoreColumnKind": "what predicted it",
	"ScoreValueKind": "which part of a prediction", "IsUserVisible": "not hidden", "TrainingLabelValues": "labels seen in training",
	"AffineScale": "normalizer", "AffineOffset": "normalizer", "CdfMean": "normalizer", "CdfStdDev": "normalizer", "CdfUseLog": "normalizer",
	"HasMissingValues": "values may be missing",
}

// checkMetadata checks the entries of columns.
func checkMetadata(s *directory) {
	for _, c := range s.cols {
		if c.metaOf == nil {
			checkEntries(s, c)
		}
	}
}

// checkEntries checks the entries of a column against each other and against the column (§5, 083 to 094).
func checkEntries(s *directory, c *column) {
	seen := map[string]bool{}
	for _, m := range c.entries {
		at, n := m.kind.at, m.kind.n
		if n == 0 {
			s.report(finding{rule: kindMissing, at: m.kind.length, n: 1, about: about{column: c, meta: m}})
		}
		if seen[m.kind.s] && n > 0 {
			s.report(finding{rule: kindTwice, at: at, n: n, found: m.kind.s, about: about{column: c, meta: m}})
		}
		seen[m.kind.s] = true
		if !checkMetaType(s, c, m) {
			continue
		}
		if kinds[m.kind.s] == "" && n > 0 {
			s.report(finding{rule: kindUnknown, at: at, n: n, found: m.kind.s})
		}
	}
}

// misfits are the rules about kinds that depend on more of the column than the type of their values.
var misfits = map[string]*model.Rule{"SlotNames": slotNamesMisfit, "KeyValues": keyValuesMisfit, "CategoricalSlotRanges": rangesWrong}

// checkMetaType checks the type of a metadata entry, and tells whether it is known.
func checkMetaType(s *directory, c *column, m *metadata) bool {
	k := m.codec
	if k.Kind == block.Unknown && k.NameLen > 0 || k.Name == "UInt128" || k.Name == "RowId" {
		s.report(finding{rule: metadataCodec, at: k.NameAt, n: k.NameLen, found: k.Name})
		return false
	}
	checkLoadNames(s, nil, k)
	if want := expects(c, m); want != "" {
		s.report(finding{rule: cmp.Or(misfits[m.kind.s], kindType), at: k.NameAt, n: k.NameLen, found: k.String(), expected: want,
			about: about{column: c, meta: m}})
	}
	return true
}

// expects is the type that a well-known kind should have, if it has another.
func expects(c *column, m *metadata) string {
	k, slots := m.codec, int64(0)
	if c.codec.Kind == block.Vector {
		slots = c.codec.Size
	}
	isVector := k.Kind == block.Vector && k.Item != nil
	vectorOf := func(item block.Kind) bool { return isVector && k.Item.Kind == item }
	fits, want := true, ""
	switch m.kind.s {
	case "SlotNames":
		fits, want = vectorOf(block.Text) && slots > 0 && k.Size == slots, fmt.Sprintf("Vector<TextSpan, %d>", slots)
	case "KeyValues":
		key := c.codec.Scalar()
		if key == nil || key.Kind != block.Key {
			return "no key values, because the column is not a key"
		}
		fits = isVector && k.Item.Kind < block.Vector && (uint64(k.Size) == key.Count || key.BadCount)
		want = fmt.Sprintf("Vector<…, %d>", key.Count)
	case "IsNormalized", "IsUserVisible":
		fits, want = k.Kind == block.Bool || k.Kind == block.Bool2, "Boolean"
	case "ScoreColumnSetId":
		fits, want = k.Kind == block.Key && k.Base() == block.U4, "a key over UInt32"
	case "ScoreColumnKind", "ScoreValueKind":
		fits, want = k.Kind == block.Text, "TextSpan"
	case "CategoricalSlotRanges":
		fits = vectorOf(block.I4) && len(k.Dims) == 2 && k.Dims[1] == 2 && int64(k.Dims[0]) <= slots
		want = "Vector<Int32, n×2>, n at most the slots"
	}
	if fits {
		return ""
	}
	return want
}

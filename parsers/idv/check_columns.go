package idv

import (
	"fmt"
	"math"
	"slices"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// checkColumns checks the column entries against each other and determines the size of the lookup tables.
func checkColumns(s *directory) {
	names := map[string]*column{}
	var sound *column // the first column that states the rows per block
	if i := slices.IndexFunc(s.cols, func(c *column) bool { return c.rpb > 0 }); i >= 0 {
		sound = s.cols[i]
	}
	for _, c := range s.cols {
		if old := names[c.name.s]; old != nil && c.name.n > 0 {
			s.report(finding{rule: nameTwice, at: old.name.at, n: old.name.n, found: c.name.s,
				related: []model.Range{{Space: s.space, Off: c.name.at, Len: c.name.n}},
				set:     str(fmt.Sprintf("%s_%d", old.name.s, old.index)), ask: true})
		}
		names[c.name.s] = c
		if c.name.n == 0 {
			s.report(finding{rule: nameMissing, at: c.name.length, n: 1, about: about{column: c}})
		}
		checkColumn(s, c, sound)
	}
	if s.rows == 0 {
		checkUnused(s)
	}
}

// checkColumn compares a column with the first, and checks the places of its blocks and metadata. sound is the first column that states its rows
// per block.
func checkColumn(s *directory, c, sound *column) {
	first := s.cols[0]
	checkCodec(s, c)
	if c.compression > 1 {
		s.report(finding{rule: compressionUnknown, at: c.compressionAt, n: 1, found: fmt.Sprint(c.compression), expected: "0 or 1",
			about: about{column: c}})
	}
	if c != first && s.rows != 0 && c.compression <= 1 && first.compression <= 1 && c.compression != first.compression {
		s.report(finding{rule: compressionMixed, at: c.compressionAt, n: 1, found: fmt.Sprint(c.compression),
			expected: fmt.Sprint(first.compression)})
	}
	if c.rpb != first.rpb {
		s.report(finding{rule: blockRowsDiffer, at: c.rpbAt, n: c.lookupAt - c.rpbAt, found: fmt.Sprint(c.rpb), expected: fmt.Sprint(first.rpb)})
	}
	if c.rpb <= 0 && (s.rows != 0 || c.rpb < 0) {
		s.report(finding{rule: blockRowsZero, at: c.rpbAt, n: c.lookupAt - c.rpbAt, found: fmt.Sprint(c.rpb), expected: "1 or more",
			about: about{column: sound}})
	}
	if c.rpbStored > math.MaxInt32 {
		f := finding{rule: blockRowsWrap, at: c.rpbAt, n: c.lookupAt - c.rpbAt, found: fmt.Sprint(c.rpbStored), expected: "at most 2147483647"}
		if n := model.U(uint64(uint32(c.rpbStored))); c.rpb > 0 {
			f.set = &n
		}
		s.report(f)
	}
	checkLookup(s, c)
	checkMetadataAt(s, c)
}

// checkMetadataAt checks the offset of a column's metadata.
func checkMetadataAt(s *directory, c *column) {
	if c.meta == 0 || c.meta >= headerSize && c.meta <= s.bound {
		return
	}
	expected := fmt.Sprintf("0, or 256 to %d", s.bound)
	if 0 < c.meta && c.meta < headerSize {
		expected = "0" // metadata stored elsewhere would be unexplained bytes
	}
	s.report(finding{rule: metadataOutside, at: c.metaAt, n: 8, found: fmt.Sprint(c.meta), expected: expected, about: about{column: c}})
}

// checkCodec reports load names of a column that newer readers refuse or replace.
func checkCodec(s *directory, c *column) {
	k := c.codec
	if k.Kind == block.Unknown && k.NameLen > 0 || k.Name == "UInt128" || k.Name == "RowId" {
		s.report(finding{rule: codecUnknown, at: k.NameAt, n: k.NameLen, found: k.Name, set: alias(k.Name), ask: true})
	}
	checkLoadNames(s, c, k)
}

// checkLoadNames reports legacy load names in the type of a column, or (nil) of metadata, and those that newer readers refuse inside others.
func checkLoadNames(s *directory, c *column, whole *block.Codec) {
	for k, field := whole, codecField; k != nil; k, field = k.Item, itemField {
		switch {
		case k != whole && (k.Name == "UInt128" || k.Name == "RowId"):
			s.report(finding{rule: itemUnknown, at: k.NameAt, n: k.NameLen, found: k.Name, expected: "DataViewRowId", set: alias(k.Name), ask: true, newer: true})
		case k.Name == "Key" || len(k.Name) > 2 && k.Name[:2] == "Dv":
			f := finding{rule: legacyName, at: k.NameAt, n: k.NameLen, found: k.Name, ask: true, about: about{column: c, codec: k, field: field}}
			if now := today[k.Name]; now != "" {
				f.set = str(now)
			}
			s.report(f)
		}
	}
}

// surplusOrLength offers to remove surplus parameters of a type if the directory is sound after them; otherwise
// their length is wrong.
func surplusOrLength(s *directory) {
	for i := range s.findings {
		switch f := &s.findings[i]; {
		case f.rule != parametersLength:
		case s.tocEnd == s.tail && f.about.column != nil:
			f.set = nil
		default:
			f.about.column = nil
		}
	}
}

// checkLookup checks the place of a column's lookup table (§2.3).
func checkLookup(s *directory, c *column) {
	if s.rows <= 0 || c.rpb <= 0 {
		return
	}
	blocks := (s.rows-1)/c.rpb + 1
	if blocks > math.MaxInt32 && c.index == 0 {
		s.report(finding{rule: tooManyBlocks, at: s.base + 40, n: 8, found: model.Words("%d blocks", blocks), expected: "at most 2147483647"})
	}
	if c.cut {
		s.report(finding{rule: lookupOutside, at: c.lookupAt, n: 8, found: model.Words("%d, %d blocks", c.lookup, blocks),
			expected: fmt.Sprintf("256 to %d", s.bound-16*min(blocks, s.bound/16)), about: about{column: c}})
	}
}

// today are the present names of legacy codecs with the same block layout (§3.1). Key has other parameters, and
// DvBool has no missing values.
var today = map[string]string{"DvTimeSpan": "TimeSpan", "DvDateTime": "DateTime", "DvDateTimeZone": "DateTimeOffset"}

// checkUnused checks the lookup tables of columns without rows, and the compression of their blocks; there are
// none: writers write the same for all columns.
func checkUnused(s *directory) {
	places, kinds := map[int64]int{}, map[int64]int{}
	for _, c := range s.cols {
		places[c.lookup]++
		kinds[int64(c.compression)]++
	}
	place, most := common(places, len(s.cols))
	kind, alike := common(kinds, len(s.cols))
	if most = most && place >= headerSize; !most {
		place = headerSize
	}
	for _, c := range s.cols {
		f := finding{rule: lookupUnset, at: c.lookupAt, n: 8, found: fmt.Sprint(c.lookup), set: intOf(place)}
		if most && c.lookup != place {
			f.sev, f.message = model.Warning, "it differs from most columns"
		}
		if f.sev != 0 || c.lookup < headerSize {
			s.report(f)
		}
		if v := model.U(uint64(kind)); alike && c.compression <= 1 && int64(c.compression) != kind {
			s.report(finding{rule: compressionMixed, sev: model.Warning, at: c.compressionAt, n: 1, found: fmt.Sprint(c.compression), set: &v,
				message: "most columns have another kind, and there are no blocks to tell from"})
		}
	}
}

// common is the number that more than half of n have, and more than two.
func common(count map[int64]int, n int) (v int64, ok bool) {
	for x, k := range count {
		if k > 2 && 2*k > n {
			return x, true
		}
	}
	return 0, false
}

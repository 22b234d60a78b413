package idv

import (
	"cmp"
	"slices"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// codecFindings tell findings about types which column or metadata they are about: its repairs need what else that says.
func codecFindings(s *directory, _ peek) {
	var metas []*metadata
	for _, c := range s.cols {
		metas = append(metas, c.entries...)
	}
	slices.SortFunc(metas, func(a, b *metadata) int { return cmp.Compare(a.entry[0], b.entry[0]) })
	for i := range s.findings {
		f := &s.findings[i]
		if f.rule != parametersLength && f.rule != keyCountRange && f.rule != oldKey && f.rule != legacyName {
			continue
		}
		if k, ok := slices.BinarySearchFunc(s.cols, f.at-s.base, func(c *column, at int64) int { return compare(c.entry, at) }); ok {
			c := s.cols[k]
			for k, field := c.codec, codecField; k != nil; k, field = k.Item, itemField {
				codecFinding(s, f, c, k, field)
			}
		}
		if k, ok := slices.BinarySearchFunc(metas, f.at-s.base, func(m *metadata, at int64) int { return compare(m.entry, at) }); ok {
			for k, field := metas[k].codec, codecField; k != nil; k, field = k.Item, itemField {
				codecFinding(s, f, nil, k, field)
			}
		}
	}
}

// compare says whether a range, offset and length, lies before (-1) or behind (1) an offset, or holds it.
func compare(r [2]int64, at int64) int {
	switch {
	case r[0]+r[1] <= at:
		return -1
	case r[0] > at:
		return 1
	}
	return 0
}

// codecFinding tells a finding about codec k, of a column or (nil) of metadata, that it is.
func codecFinding(s *directory, f *finding, c *column, k *block.Codec, field *model.Field) {
	if f.rule == parametersLength {
		if c != nil && f.at > k.Off && f.at < k.Surplus[0] && f.set != nil && s.tocEnd == s.tail && (k.Item == nil || f.at < k.Item.Off) {
			f.set, f.about.column, f.about.codec = nil, c, k // the surplus goes
		}
		return
	}
	if f.at < k.Off || f.at >= k.Off+k.N || k.Kind != block.Key || k.Item == nil {
		return
	}
	f.about.column, f.about.codec, f.about.field = c, k, field
}

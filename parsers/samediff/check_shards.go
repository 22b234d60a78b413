package samediff

import (
	"context"
	"fmt"

	"spandrel/model"
)

// checkShard compares SHARD_INFO with itself and with the name of the file (SDF-100, 101, 107, 109, 110).
func (k *container) checkShard(c *model.Cursor, s *shard) {
	at := func(rule *model.Rule, slot int, found, want string, fixes ...model.Fix) {
		d := model.Finding{Rule: rule, Span: s.span, Found: found, Expected: want, Fixes: fixes}
		if s.placed != nil {
			if leaf := s.placed.field(slot); leaf != nil {
				d.Span = leaf
			}
		}
		c.Report(d)
	}
	if s.count < 1 || s.index < 0 || s.index >= s.count {
		at(shardIndex, 0, fmt.Sprintf("%d of %d", s.index, s.count), "an index below the count")
	}
	if s.count == 1 {
		at(onlyShard, 1, "1", "no SHARD_INFO", model.Fix{Label: "remove the section", Safe: true, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
			for _, sec := range k.sections {
				if sec.rec.typ == shardInfo {
					return []model.Edit{model.Replace(sec.span.Range, nil)}, nil
				}
			}
			return nil, errSDNoSection
		}})
	}
	want := s.part()
	if s.kind != "" && s.kind != want && s.count > 1 {
		at(shardType, 2, s.kind, want, k.kindAs(s, want)...)
	} else if meta, ok := k.meta.get("shard.type"); ok && s.kind != "" && meta != s.kind {
		at(shardType, 2, s.kind, meta, fix("set shard.type to "+s.kind, true, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
			return k.setMetadata(background, t, map[string]*string{"shard.type": &s.kind})
		}))
	}
	name := shardName(k.doc.file)
	if name == nil {
		return
	}
	if name.index != s.index || name.count != s.count && !name.leftover {
		at(shardNumber, 0, fmt.Sprintf("%d of %d", s.index, s.count), fmt.Sprintf("%d of %d by the name", name.index, name.count), k.shardAs(s, name)...)
	}
	if s.base != "" && s.base != name.base {
		at(shardBase, 3, s.base, name.base, k.reshard(s, "set it to "+name.base, true, func(s *shard) { s.base = name.base })...)
	}
}

// setNames checks the names of a set: counts that agree, every index there (SDF-102 to SDF-106).
func setNames(c *model.Cursor, d *doc, own *shard, shards []model.Entry, single string) {
	at := func(rule *model.Rule, found, want string) {
		c.Report(model.Finding{Rule: rule, Span: c.Span(), Found: found, Expected: want})
	}
	if own == nil {
		if len(shards) > 0 {
			at(singleBeside, d.file, "the shards beside it are read instead")
		}
		return
	}
	if own.leftover {
		n := d.con.said()
		for _, e := range shards {
			if s := shardName(e.Name); n <= 0 && s.count > 0 {
				n = s.count
			}
		}
		var fixes []model.Fix
		if n > 0 {
			fixes = []model.Fix{copyAs(d, fmt.Sprintf("%s.shard%d-of-%d%s", own.base, own.index, n, own.ext))}
		}
		c.Report(model.Finding{Rule: leftoverName, Span: c.Span(), Found: d.file, Expected: "a name that ends in the number of shards", Fixes: fixes})
	}
	if single != "" {
		at(singleBeside, single, "only the shards")
	}
	have := map[int64]bool{own.index: true}
	for _, e := range shards {
		s := shardName(e.Name)
		if s.leftover {
			at(leftoverName, e.Name, "a name that ends in the number of shards")
		} else if s.count != own.count && !own.leftover {
			at(shardCounts, e.Name, fmt.Sprintf("shards of %d", own.count))
		}
		have[s.index] = true
	}
	missing(have, own.count, at)
}

// missing reports the shards that a set of count lacks (SDF-103, 104).
func missing(have map[int64]bool, count int64, report func(rule *model.Rule, found, want string)) {
	want := fmt.Sprintf("shards 0 to %d", count-1)
	if !have[0] {
		report(noFirstShard, "no shard 0", want)
	}
	missing := 0
	for i := int64(1); i < min(count, 1<<16) && missing < 10; i++ {
		if !have[i] {
			missing++
			report(shardMissing, fmt.Sprintf("no shard %d", i), want)
		}
	}
}

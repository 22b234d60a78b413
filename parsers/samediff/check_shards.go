package samediff

import (
	"fmt"

	"spandrel/model"
)

// checkShard compares SHARD_INFO with itself and with the name of the file (SDF-100, 101, 107, 109, 110).
func checkShard(c *model.Cursor, k *container) {
	s := k.shard
	at := func(slot int) *model.Span {
		if s.placed != nil {
			if leaf := s.placed.field(slot); leaf != nil {
				return leaf
			}
		}
		return s.span
	}
	if s.count < 1 || s.index < 0 || s.index >= s.count {
		c.Wrong(shardIndex, at(0), model.Words("number %d of %d shards", s.index, s.count), "a number from 0 to below the number of shards")
	}
	if s.count == 1 {
		c.Wrong(onlyShard, at(1), "1 shard", "no shard information", model.About(k))
	}
	want := s.part()
	meta, has := k.meta.get("shard.type")
	if s.kind != "" && s.kind != want && s.count > 1 {
		c.Wrong(shardType, at(2), s.kind, want, model.About(shardEdit{k: k, kind: want}))
	} else if has && s.kind != "" && meta != s.kind {
		c.Wrong(shardType, at(2), s.kind, meta+" in the metadata", model.About(shardEdit{k: k, meta: s.kind}))
	}
	if name := shardName(k.doc.file); name != nil {
		checkShardName(c, k, name, at)
	}
}

// checkShardName compares SHARD_INFO with what the name of the file says; at is where a field of it is.
func checkShardName(c *model.Cursor, k *container, name *shard, at func(slot int) *model.Span) {
	s := k.shard
	if name.index != s.index || name.count != s.count && !name.leftover {
		c.Wrong(shardNumber, at(0), fmt.Sprintf("number %d of %d", s.index, s.count),
			fmt.Sprintf("number %d of %d, as the file name says", name.index, name.count),
			model.About(shardEdit{k: k, name: name}))
	}
	if s.base != "" && s.base != name.base {
		c.Wrong(shardBase, at(3), s.base, name.base, model.About(shardEdit{k: k, base: name.base}))
	}
}

// setNames checks the names of a set: counts that agree, every index there (SDF-102 to SDF-106).
func setNames(c *model.Cursor, d *doc, own *shard, set shardSet, single string) {
	at := func(rule *model.Rule, found, want string) {
		c.Wrong(rule, c.Span(), found, want)
	}
	if own == nil {
		if set.others > 0 {
			at(singleBeside, d.file, "the shards beside it are read instead")
		}
		return
	}
	if own.leftover {
		c.Wrong(leftoverName, c.Span(), d.file, "a name that ends in the number of shards", model.About(setName{d, own, set.said(d)}))
	}
	if single != "" {
		at(singleBeside, single, "only the shards")
	}
	for e := range set.each() {
		if e.leftover {
			at(leftoverName, e.Name, "a name that ends in the number of shards")
		} else if e.count != own.count && !own.leftover {
			at(shardCounts, e.Name, fmt.Sprintf("shards of %d", own.count))
		}
	}
	missing(func(i int64) bool { return i == own.index || set.have[i] }, own.count, at)
}

// missing reports the shards that a set of count lacks (SDF-103, 104).
func missing(have func(i int64) bool, count int64, report func(rule *model.Rule, found, want string)) {
	want := fmt.Sprintf("shards 0 to %d", count-1)
	if !have(0) {
		report(noFirstShard, "no shard 0", want)
	}
	missing := 0
	for i := int64(1); i < min(count, 1<<16) && missing < 10; i++ {
		if !have(i) {
			missing++
			report(shardMissing, fmt.Sprintf("no shard %d", i), want)
		}
	}
}

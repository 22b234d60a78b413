package samediff

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// shard is what a SHARD_INFO says, and a file name (sections 1.4.6 and 2.3).
type shard struct {
	index, count int64
	kind, base   string
	ext          string
	leftover     bool // the name ends in -of-N: a save was interrupted
	placed       *placed
	span         *model.Span
}

var shardPattern = regexp.MustCompile(`^(.*)\.shard(\d{1,9})-of-(\d{1,9}|N)(\.[^.]*)?$`)

// shardName reads the name of a shard, or nil.
func shardName(name string) *shard {
	m := shardPattern.FindStringSubmatch(path.Base(name))
	if m == nil {
		return nil
	}
	s := &shard{base: m[1], ext: m[4], leftover: m[3] == "N", count: -1}
	s.index, _ = strconv.ParseInt(m[2], 10, 64)
	if !s.leftover {
		s.count, _ = strconv.ParseInt(m[3], 10, 64)
	}
	return s
}

// part is what a shard of its index holds: shard.type.
func (s *shard) part() string {
	if s.index == 0 {
		return "graph"
	}
	return "weights"
}

// weightName tells whether a file is by its name a shard that needs no graph.
func weightName(name string) bool {
	s := shardName(name)
	return s != nil && s.index > 0
}

// flatShard reads a ShardInfo.
func flatShard(p *placed, b flat.Buffer) *shard {
	r := b.Root()
	s := &shard{index: b.Num(r, 0, 4), count: b.Num(r, 1, 4), placed: p, span: p.span}
	s.kind, _ = b.Str(r, 2)
	s.base, _ = b.Str(r, 3)
	return s
}

var (
	fieldShardPart = &model.Field{Name: "shard", Doc: "index and count", Ref: "2.4"}
	fieldShardText = &model.Field{Name: "texts", Doc: "type and base name", Ref: "2.4"}
)

// shardInfo reads SHARD_INFO in the form that it has (section 2.4).
func (k *container) shardInfo(c *model.Cursor, s *section, n int64, b flat.Buffer, whole bool, flat func(string) model.Node) model.Node {
	if whole {
		node := flat("ShardInfo")
		k.checkShard(c, k.shard)
		return node
	}
	if len(b) > 0 && b[0] == '{' && utf8.Valid(b) {
		s.variant = "json"
		node := c.FieldN(fieldText0, n)
		var j struct {
			Index int64  `json:"shard_index"`
			Count *int64 `json:"shard_count"`
			Type  string `json:"shard_type"`
			Base  string `json:"base_filename"`
		}
		if json.Unmarshal(b, &j) == nil && j.Count != nil { // otherwise its names are not those of the schema
			k.shard = &shard{index: j.Index, count: *j.Count, kind: j.Type, base: j.Base, span: node.Span}
			k.checkShard(c, k.shard)
		}
		return node
	}
	if n >= 8 {
		if texts := k.textsFit(b[8:], 2); texts >= 0 && texts <= 2 {
			s.variant = "plain"
			k.shard = &shard{}
			node := c.Block(fieldShardPart, n, func(c *model.Cursor) {
				count := k.outer().count
				k.shard.index, k.shard.count = c.Field(count.Named("index")).Int(), c.Field(count).Int()
				c.List(fieldStrings, func(c *model.Cursor) {
					for _, to := range []*string{&k.shard.kind, &k.shard.base}[:texts] {
						*to = k.text(c, fieldShardText, 2).Text()
					}
				})
			})
			k.shard.span = node.Span
			k.checkShard(c, k.shard)
			return node
		}
	}
	return model.Node{Span: k.doc.flat(c, fieldData, n, "ShardInfo", scopeOf{con: k}).span}
}

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

// said returns how many shards SHARD_INFO says there are, or 0.
func (k *container) said() int64 {
	if k == nil || k.shard == nil {
		return 0
	}
	return k.shard.count
}

var (
	fieldShards = &model.Field{Name: "shards", Doc: "the other files of the set", Ref: "1.4.6"}
	fieldShard  = &model.Field{Doc: "a shard of the same model"}
)

// beside offers the other files of the document: the shards of the set, and the folder of external arrays.
func beside(c *model.Cursor, d *doc) {
	if extensions[d.family] == "" {
		return
	}
	name := d.file
	base := strings.TrimSuffix(name, path.Ext(name))
	own := shardName(name)
	if own != nil {
		base = own.base
	}
	list, _, err := c.Tree().Snapshot.List(".")
	if err != nil {
		return
	}
	var shards, outside []model.Entry
	single := ""
	for _, e := range list {
		s := shardName(e.Name)
		switch {
		case e.Dir && e.Name == base+"_external":
			files, _, err := c.Tree().Snapshot.List(e.Name)
			if err == nil {
				outside = files
			}
		case !e.Regular:
		case s != nil && s.base == base && e.Name != name && familyOfExt(s.ext):
			shards = append(shards, e)
		case own != nil && e.Name == base+own.ext:
			single = e.Name
		}
	}
	setNames(c, d, own, shards, single)
	if own != nil && len(shards) > 0 {
		group := c.Group(fieldShards, func(c *model.Cursor) {
			for _, e := range shards {
				f := c.Companion(fieldShard.Named("%s", e.Name), e, func(c *model.Cursor) { parseFile(c, d.st, e.Name) })
				d.st.later(f)
			}
		})
		d.st.later(group)
	}
	outsideGroup(c, d, outside)
}

func familyOfExt(ext string) bool {
	for _, e := range extensions {
		if e == ext {
			return true
		}
	}
	return false
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

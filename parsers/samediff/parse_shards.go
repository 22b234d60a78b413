package samediff

import (
	"encoding/json"
	"path"
	"strings"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

var (
	fieldShardPart = &model.Field{Name: "shard", Doc: "index and count", Ref: "2.4"}
	fieldShardText = &model.Field{Name: "texts", Doc: "type and base name", Ref: "2.4"}
)

// shardInfo reads SHARD_INFO in the form that it has (section 2.4).
func (k *container) shardInfo(c *model.Cursor, s *section, n int64, b flat.Buffer, whole bool, flat func(string) model.Node) model.Node {
	if whole {
		node := flat("ShardInfo")
		k.doc.st.checks.shard(c, k)
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
			k.doc.st.checks.shard(c, k)
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
			k.doc.st.checks.shard(c, k)
			return node
		}
	}
	return model.Node{Span: k.doc.flat(c, fieldData, n, "ShardInfo", scopeOf{con: k}).span}
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
	d.st.checks.set(c, d, own, shards, single)
	if own != nil && len(shards) > mostBeside {
		d.st.unread, shards = len(shards), nil
		c.Wrong(model.RuleCap, c.Span(), nil, nil, model.Saying("%s", d.st.few().Error()))
	}
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

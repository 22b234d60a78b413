package samediff

import (
	"encoding/json"
	"path"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

var (
	fieldShardPart = &model.Field{Name: "shard", Doc: "index and count", Ref: "2.4"}
	fieldShardText = &model.Field{Name: "texts", Doc: "type and base name", Ref: "2.4"}
)

// shardInfo reads SHARD_INFO in the form that it has (section 2.4).
func (p *contents) shardInfo(c *model.Cursor) model.Node {
	k, n, b := p.con, p.n, p.b
	if p.whole {
		f, b := p.flat(c, "ShardInfo")
		k.shard = flatShard(f, b)
		k.doc.st.checks.shard(c, k)
		return model.Node{Span: f.span}
	}
	if len(b) > 0 && b[0] == '{' && utf8.Valid(b) {
		p.variant = "json"
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
			p.variant = "plain"
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
	f, _ := p.flat(c, "ShardInfo")
	return model.Node{Span: f.span}
}

var (
	fieldShards = &model.Field{Name: "shards", Doc: "the other files of the set", Ref: "1.4.6"}
	fieldShard  = &model.Field{Doc: "a shard of the same model"}
)

// neighboursOf sorts the shards of a folder.
func neighboursOf(list []model.Entry, _ bool) *neighbours {
	n := &neighbours{list, map[string]*shards{}}
	for _, e := range list {
		s := shardName(e.Name)
		if s == nil || !e.Regular || !familyOfExt(s.ext) {
			continue
		}
		of := n.shards[s.base]
		if of == nil {
			of = &shards{have: map[int64]bool{}}
			n.shards[s.base] = of
		}
		of.list, of.have[s.index] = append(of.list, shardFile{e, s}), true
	}
	return n
}

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
	snap := c.Tree().Snapshot
	around, err := model.Digest(snap, ".", neighboursOf)
	if err != nil {
		return
	}
	set := around.beside(base, name)
	single := ""
	if own != nil && around.entry(base+own.ext).Regular && base+own.ext != name {
		single = base + own.ext
	}
	var outside []model.Entry
	if at := base + "_external"; around.entry(at).Dir {
		outside, _, _ = snap.List(at)
	}
	d.st.checks.set(c, d, own, set, single)
	others := set.others
	if own != nil && others > mostBeside {
		d.st.unread, others = others, 0
		c.Wrong(model.RuleCap, c.Span(), nil, nil, model.Saying("%s", d.st.few().Error()))
	}
	if own != nil && others > 0 {
		group := c.Group(fieldShards, func(c *model.Cursor) {
			for e := range set.each() {
				f := c.Companion(fieldShard.Named("%s", e.Name), e.Entry, func(c *model.Cursor) { parseFile(c, d.st, e.Name) })
				d.st.later(f)
			}
		})
		d.st.later(group)
	}
	outsideGroup(c, d, outside)
}

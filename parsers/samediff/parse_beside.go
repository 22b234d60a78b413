package samediff

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

var (
	fieldShardPart = &model.Field{Name: "shard", Doc: "index and count", Ref: "2.4"}
	fieldShardText = &model.Field{Name: "texts", Doc: "type and base name", Ref: "2.4"}
)

// shardInfo reads SHARD_INFO in whichever form it has (section 2.4).
func (p *contents) shardInfo(c *model.Cursor) model.Node {
	k, n, b := p.con, p.n, p.b
	if p.whole {
		f, b := p.flat(c, "ShardInfo")
		k.shard = flatShard(f, b)
		checkShard(c, k)
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
			checkShard(c, k)
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
			checkShard(c, k)
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
	n := &neighbours{map[string]model.Entry{}, map[string][]shardFile{}}
	for _, e := range list {
		n.entries[e.Name] = e
		if s := shardName(e.Name); s != nil && e.Regular && familyOfExt(s.ext) {
			n.shards[s.base] = append(n.shards[s.base], shardFile{e, s})
		}
	}
	return n
}

// beside adds the other files of the document: the shards of the set, and the folder of external arrays.
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
	others := around.beside(base, name)
	single := ""
	if own != nil && around.entries[base+own.ext].Regular && base+own.ext != name {
		single = base + own.ext
	}
	var outside []model.Entry
	if at := base + "_external"; around.entries[at].Dir {
		outside, _, _ = snap.List(at)
	}
	setNames(c, d, own, others, single)
	if own != nil && len(others) > mostBeside {
		d.st.unread, others = len(others), nil
		c.Wrong(model.RuleCap, c.Span(), nil, nil, model.Saying("%s", d.st.tooManyShards().Error()))
	}
	if own != nil && len(others) > 0 {
		group := c.Group(fieldShards, func(c *model.Cursor) {
			for _, e := range others {
				f := c.Companion(fieldShard.Named("%s", e.Name), e.Entry, func(c *model.Cursor) { parseFile(c, d.st, e.Name) })
				d.st.later(f)
			}
		})
		d.st.later(group)
	}
	outsideGroup(c, d, outside)
}

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
		c.Wrong(shardIndex, at(0), model.Words("number %d of %d shards", s.index, s.count), "a number from 0 to one less than the number of shards")
	}
	if s.count == 1 {
		c.Wrong(onlyShard, at(1), "1 shard", "no shard information", model.About(func() []model.Fix {
			i := slices.IndexFunc(k.sections, func(s *section) bool { return s.rec.typ == shardInfo })
			return []model.Fix{{Label: "remove the section", Safe: true, Edits: []model.Edit{model.Replace(k.sections[i].span.Range, nil)}}}
		}))
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

// checkShardName compares SHARD_INFO with the name of the file; at is the place of a field of it.
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
func setNames(c *model.Cursor, d *doc, own *shard, others []shardFile, single string) {
	at := func(rule *model.Rule, found, want string, more ...model.Detail) {
		c.Wrong(rule, c.Span(), found, want, more...)
	}
	if own == nil {
		if len(others) > 0 {
			at(singleBeside, d.file, "the shards beside it are read instead")
		}
		return
	}
	if own.leftover {
		c.Wrong(leftoverName, c.Span(), d.file, "a name that ends in the number of shards", model.About(d.finalName(own, d.statedShards(others))))
	}
	if single != "" {
		at(singleBeside, single, "only the shards")
	}
	have := map[int64]bool{own.index: true}
	for _, e := range others {
		if have[e.index] = true; e.leftover {
			at(leftoverName, e.Name, "a name that ends in the number of shards")
		} else if e.count != own.count && !own.leftover {
			at(shardCounts, e.Name, fmt.Sprintf("shards of %d", own.count))
		}
	}
	missing(have, own, own.count, "%s is missing: get this file from where the model was saved, and put it beside this one", at)
}

// missing reports the shards that a set of count lacks, with their names (SDF-103, 104): like is one that it has, advice what to do about a name.
func missing(have map[int64]bool, like *shard, count int64, advice string, report func(rule *model.Rule, found, want string, more ...model.Detail)) {
	of, want := strconv.FormatInt(count, 10), fmt.Sprintf("shards 0 to %d", count-1)
	if count < 0 { // of an interrupted save
		of, want = "N", "shard 0"
	}
	lacks := func(rule *model.Rule, i int64) {
		name := brief(fmt.Sprintf("%s.shard%d-of-%s%s", like.base, i, of, like.ext))
		if i == 0 {
			name += ", which contains the graph,"
		}
		report(rule, fmt.Sprintf("no shard %d", i), want, model.Saying(advice, name))
	}
	if !have[0] {
		lacks(noFirstShard, 0)
	}
	missing := 0
	for i := int64(1); i < min(count, 1<<16) && missing < 10; i++ {
		if !have[i] {
			missing++
			lacks(shardMissing, i)
		}
	}
}

// External arrays: one file for each in the folder <base>_external beside the model (section 2.1, H-35).

var (
	fieldExternal = &model.Field{Name: "external", Doc: "arrays in separate files", Ref: "2.1 H-35"}
	fieldOutside  = &model.Field{Doc: "an external array"}
)

// outsideGroup adds the files of the folder.
func outsideGroup(c *model.Cursor, d *doc, files []model.Entry) {
	if len(files) == 0 {
		return
	}
	d.st.later(c.Group(fieldExternal, func(c *model.Cursor) {
		for _, e := range files {
			if e.Regular {
				d.st.later(c.Companion(fieldOutside.Named("%s", e.Name), e, func(c *model.Cursor) { parseOutside(c, d, e.Name) }))
			}
		}
	}))
}

// parseOutside reads a file of external arrays: a FlatArray if it is one, otherwise bytes.
func parseOutside(c *model.Cursor, d *doc, name string) {
	o := &outside{file: c.Span()}
	d.st.mu.Lock()
	d.st.outside[name] = o
	d.st.mu.Unlock()
	b := flat.Buffer(c.Peek(min(c.Left(), flat.MaxSize)))
	r := b.Root()
	if _, n := b.Vtable(r); b.Sound(r) && n > 0 && n <= 10 && b.Ref(r, flat.ArrShape) != 0 {
		o.array = d.flat(c, fieldArray, c.Left(), "FlatArray", scopeOf{dims: true})
		return
	}
	if c.Left() > 0 {
		o.span = c.Rest(fieldBlob).Span
	}
}

// outside tells whether an array is in a file of its own.
func (a *arr) outside() bool {
	return !a.inline && len(a.chunks) == 0 && (a.external || len(a.files) > 0)
}

// outsideNames are the possible names of an external array's file, in the order in which they are tried.
func (a *arr) outsideNames(name string) []string {
	return append(append([]string(nil), a.files...), percent(name)+".bin", percent(name)+".fb")
}

// outsideOf returns the file of an external array, or nil. The folder has been opened.
func (d *doc) outsideOf(name string, a *arr) *outside {
	d.st.mu.Lock()
	defer d.st.mu.Unlock()
	for _, f := range a.outsideNames(name) {
		if o := d.st.outside[baseName(d.file)+"_external/"+f]; o != nil {
			return o
		}
	}
	return nil
}

// outsideData returns the elements of an external array; an error says what is wrong with its file.
func (p *placed) outsideData(ctx context.Context, t *model.Tree, name string, a *arr) (out *data, err error) {
	o := p.doc.outsideOf(name, a)
	if o == nil {
		return nil, fmt.Errorf("none of its files is in %s_external", baseName(p.doc.file))
	}
	if o.array != nil {
		err = o.array.view(ctx, t, func(b flat.Buffer) error {
			if out = o.array.data(b, b.Root(), name, "external"); out == nil {
				return fmt.Errorf("its file is an array without elements")
			}
			return nil
		})
	} else {
		out = &data{name: name, typ: a.typ, dims: a.dims, order: a.order, where: "external", in: p.doc}
		if o.span != nil {
			out.at, out.bytes = []model.Range{o.span.Range}, o.span.Range.Len
		}
	}
	if err != nil {
		return nil, err
	}
	if a.dialect == "" { // nothing but the file says how long the array is
		out.dims = a.shape
	}
	count, ok := product(out.dims)
	if want := sizeOf(out.typ, count); ok && want >= 0 && want != out.bytes {
		err = sizeWord{out.bytes, want}
	}
	return out, err
}

// sizeWord reports a file whose size differs from its array's.
type sizeWord struct{ have, want int64 }

func (e sizeWord) Error() string { return model.Words("its file has %d bytes, not %d", e.have, e.want) }

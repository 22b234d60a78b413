package samediff

import (
	"context"
	"fmt"
	"hash/crc32"
	"slices"
	"sort"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// Fixes of containers that need more than a value (section 4.2).

// fix is a fix that is made when somebody asks for it.
func fix(label string, safe bool, build func(ctx context.Context, t *model.Tree) ([]model.Edit, error)) model.Fix {
	return model.Fix{Label: label, Safe: safe, Build: build}
}

// drop is the fix that takes bytes out of the file.
func drop(label string, r model.Range) []model.Fix {
	return []model.Fix{{Label: label, Edits: []model.Edit{model.Replace(r, nil)}}}
}

// copyAs is the fix that writes the file under a name that is right for it; the one that is open stays.
func copyAs(d *doc, name string) model.Fix {
	return fix("write a copy named "+name, false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		all, err := source(background, t, d.at, 1)
		return []model.Edit{model.FileEdit{File: name, Create: all}}, err
	})
}

// clamp is the fix of a last record whose data or CRC the file cuts off, where what is there can be read by itself. head is how
// many bytes stand in front of the data, declared what the length says.
func (k *container) clamp(at model.Range, typ uint32, flags byte, head int64, declared uint64, data []byte) []model.Fix {
	if k.layout.code != "R1" || typ > shardInfo {
		return nil
	}
	if n := len(data) - 4; n >= 0 && flags&0x80 != 0 && crc32.ChecksumIEEE(data[:n]) == k.order.Uint32(data[n:]) {
		data = data[:n] // only the length is wrong
	} else if declared <= uint64(len(data)) {
		data = data[:declared] // only the CRC is missing
	} else if flags&15 != 0 || !decodes(typ, data) {
		return nil
	}
	n := len(data)
	return []model.Fix{fix(fmt.Sprintf("end the record after %d bytes", n), false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		e := model.Replace(at, nil)
		b, err := t.Bytes(background, model.Range{Space: at.Space, Off: at.Off + head, Len: int64(n)})
		e.With, e.Loose = model.Memory(k.writeRecord(byte(typ), flags, b)), true
		return []model.Edit{e}, err
	})}
}

// decodes tells whether a payload can be read without an error.
func decodes(typ uint32, b flat.Buffer) bool {
	root := map[uint32]string{header: "ContainerHeader", metadata: "MetadataSection", graphs: "FlatGraph", shardInfo: "ShardInfo"}[typ]
	if root == "" {
		return false
	}
	return !slices.ContainsFunc(flat.Open(b, root, nil).Issues, func(is flat.Issue) bool { return issueRules[is.Kind].Severity == model.Error })
}

// newHeader is the fix that writes the payload of the HEADER anew.
func (k *container) newHeader(at model.Node) model.Fix {
	return fix("write the HEADER anew", true, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		e := model.Replace(at.Range, flatHeader(int64(k.pro.version), int64(len(k.recs))))
		e.Into = at.Path()
		return []model.Edit{e}, nil
	})
}

// rewriteMeta is a fix that writes METADATA with other entries.
func (k *container) rewriteMeta(label string, safe bool, change func(list []entry) []entry) model.Fix {
	return fix(label, safe, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		old, err := t.Bytes(background, k.meta.span.Range)
		if err != nil {
			return nil, err
		}
		b, err := k.meta.write(k, old, change(slices.Clone(k.meta.entries)))
		return []model.Edit{model.Replace(k.meta.span.Range, b)}, err
	})
}

// dropEntry is the fix of a key that is missing or there twice.
func (k *container) dropEntry(i int) model.Fix {
	return k.rewriteMeta("drop the entry", false, func(list []entry) []entry { return slices.Delete(list, i, i+1) })
}

// sortKeys is the fix of keys that are out of order, or have no value.
func (k *container) sortKeys(label string) model.Fix {
	return k.rewriteMeta(label, true, func(list []entry) []entry { return list })
}

// reserved is the fix of a reserved key: the value that it must have, or none.
func (k *container) reserved(i int, want string) model.Fix {
	if want == "1" || want == "CONTAINER" {
		return k.rewriteMeta("set it to "+want, false, func(list []entry) []entry { list[i].value = want; return list })
	}
	return k.dropEntry(i)
}

// agree are the fixes of a key that METADATA and the graph give different values.
func (k *container) agree(p *placed, key, graph string) []model.Fix {
	v, there := k.meta.get(key)
	change := map[string]*string{key: nil}
	label := "drop it from the graph"
	if there {
		change[key], label = &v, "write that of METADATA into the graph"
	}
	return []model.Fix{
		fix(label, false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
			return p.setMetadata(background, t, change)
		}),
		fix("write that of the graph into METADATA", false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
			return k.setMetadata(background, t, map[string]*string{key: &graph})
		}),
	}
}

// reshard is a fix that writes SHARD_INFO with other values: its texts may be shared, so that none is changed in place.
func (k *container) reshard(s *shard, label string, safe bool, change func(s *shard)) []model.Fix {
	if s.placed == nil || s.placed.Copyable() != nil {
		return nil
	}
	now := *s
	change(&now)
	return []model.Fix{fix(label, safe, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return []model.Edit{model.Replace(s.span.Range, flatShardInfo(now))}, nil
	})}
}

// shardAs is the fix that makes SHARD_INFO say what the name of the file does.
func (k *container) shardAs(s *shard, name *shard) []model.Fix {
	if name.count < 0 {
		return nil
	}
	return k.reshard(s, fmt.Sprintf("set it to %d of %d", name.index, name.count), false, func(s *shard) {
		if s.index, s.count = name.index, name.count; s.kind != "" {
			s.kind = name.part()
		}
	})
}

// kindAs is the fix of a shard's type, in SHARD_INFO and, where they name it, in the metadata.
func (k *container) kindAs(s *shard, want string) []model.Fix {
	fixes := k.reshard(s, "set it to "+want, true, func(s *shard) { s.kind = want })
	meta, ok := k.meta.get("shard.type")
	if !ok || meta == want || len(fixes) == 0 {
		return fixes
	}
	info := fixes[0].Build
	return []model.Fix{fix("set it to "+want, true, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		edits, err := k.setMetadata(background, t, map[string]*string{"shard.type": &want})
		if err != nil {
			return nil, err
		}
		more, err := info(ctx, t)
		return append(edits, more...), err
	})}
}

// drop is the fix that takes an array out of an ARRAYS section: its entry and its bytes. The other arrays stay as they are.
func (s *section) drop(d *doc, label string, entry int64) []model.Fix {
	x := s.arrays.index
	if x == nil || x.Copyable() != nil || s.derived {
		return nil
	}
	return []model.Fix{fix(label, false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		if s.arrays.region < 0 {
			return x.rewrite(background, t, false, func(c *flat.Copy) {
				c.Drop = func(_ *flat.Table, at int64) bool { return at == entry }
			})
		}
		return s.without(t, d, entry)
	})}
}

// without writes the index and the arrays of a section anew, except for one entry.
func (s *section) without(t *model.Tree, d *doc, entry int64) ([]model.Edit, error) {
	var list []*data
	var err error
	x := s.arrays.index
	blobs := map[int64]*blobArray{}
	for _, b := range s.arrays.blobs {
		blobs[b.entry] = b
	}
	x.view(background, t, func(b flat.Buffer) error {
		b.Tables(b.Root(), 0, func(_, at int64) {
			name, _ := b.Str(at, 0)
			array := b.Ref(at, 1)
			if at == entry || array == 0 {
				return
			}
			a := x.data(b, array, name, "section")
			if a == nil {
				a = x.blob(b, array, blobs[at], "section")
			}
			if a == nil {
				err = fmt.Errorf("%s cannot be read: repair it first", name)
				return
			}
			a.name = name
			list = append(list, a)
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	data, err := (&boxed{ctx: background, order: d.con.order}).section(t, list)
	return []model.Edit{model.Splice{Range: s.data.Range, With: data}}, err
}

// reorder puts the sections into the order of section 2.1 (H-28), and keeps those of unknown types behind what they follow.
func (k *container) reorder() model.Fix {
	return model.Fix{Label: "put the sections in order", Safe: true, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		type group struct {
			typ  uint32
			recs []*section
		}
		var groups []group
		for _, s := range k.sections {
			if s.rec.typ > shardInfo && len(groups) > 0 {
				g := &groups[len(groups)-1]
				g.recs = append(g.recs, s)
				continue
			}
			groups = append(groups, group{s.rec.typ, []*section{s}})
		}
		sort.SliceStable(groups, func(i, j int) bool { return groups[i].typ < groups[j].typ })
		out := &model.Joined{}
		for _, g := range groups {
			for _, s := range g.recs {
				b, err := source(background, t, s.span.Range, 1)
				if err != nil {
					return nil, err
				}
				out.Add(b)
			}
		}
		at := k.sections[0].span.Range
		at.Len = k.sections[len(k.sections)-1].span.Range.End() - at.Off
		return []model.Edit{model.Splice{Range: at, With: out, Loose: true}}, nil
	}}
}

// insertHeader puts a HEADER in front of the records.
func (k *container) insertHeader(recs model.Node) []model.Fix {
	if k.layout.code != "R1" {
		return nil
	}
	b := flatHeader(1, int64(len(k.recs)+1))
	rec := k.writeRecord(header, 0x80, b)
	return []model.Fix{{Label: "insert a HEADER", Safe: true, Edits: []model.Edit{model.Splice{
		Range: model.Range{Space: recs.Range.Space, Off: recs.Range.Off}, With: model.Memory(rec), Into: recs.Path(), Elements: 1}}}}
}

// storing is the fix that stores a compressed section.
func (s *section) storing(safe bool) model.Fix {
	return fix("store the section as it is", safe, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) { return s.store(background, t) })
}

// rewrap puts a stream of another framing into zlib.
func (k *container) rewrap(raw *model.Span, framing string, level int) model.Fix {
	return fix("put the stream into zlib framing", true, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		in, err := t.Bytes(background, raw.Range)
		if err != nil {
			return nil, err
		}
		out, err := inflateAll(background, framing, in, int64(len(in))*maxRatio)
		if err != nil {
			return nil, err
		}
		z, err := deflate("zlib", level, out)
		return []model.Edit{model.Replace(raw.Range, z)}, err
	})
}

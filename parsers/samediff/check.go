package samediff

import (
	"context"
	"fmt"
	"hash/crc32"
	"sort"
	"strconv"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

type bufContext = context.Context

// check applies the rules about the order and number of sections (section 4.2), and ties the HEADER to what it counts.
func (k *container) check(c *model.Cursor, version, recs model.Node) {
	firsts := map[uint32]*section{}
	last := int64(-1)
	for _, s := range k.sections {
		t := s.rec.typ
		if first := firsts[t]; first != nil && t != arraysType && t <= shardInfo {
			c.Report(model.Finding{Rule: sectionTwice, Span: s.typ.Span, Found: s.typ.Value.String(), Related: []model.Range{first.span.Range},
				Fixes: drop("drop the second one", s.span.Range)})
		} else if first == nil {
			firsts[t] = s
		}
		if t <= shardInfo {
			if int64(t) < last {
				c.Report(model.Finding{Rule: sectionOrder, Span: s.typ.Span, Found: s.typ.Value.String(), Fixes: []model.Fix{k.reorder()}})
			}
			last = max(last, int64(t))
		}
	}
	weights := k.shard != nil && k.shard.kind == "weights" || weightName(k.doc.file)
	if firsts[graphs] == nil && !weights {
		at := c.Range(max(0, c.Base()+c.Size()-1), 1)
		c.Report(model.Finding{Rule: noGraph, Span: recs.Span, Range: at})
	}
	if firsts[header] == nil {
		c.Report(model.Finding{Rule: noHeader, Span: recs.Span, Fixes: k.insertHeader(recs)})
	}
	if k.layout.code != "R1" && len(k.sections) > 0 {
		c.Report(model.Finding{Rule: oddRecords, Span: k.sections[0].span, Found: k.layout.code, Expected: "R1", Fixes: toNormal})
	}
	k.checkHeader(c, version, recs)
	k.checkNames(c)
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

// checkHeader compares what the HEADER says with the file (SDF-033 to SDF-035).
func (k *container) checkHeader(c *model.Cursor, version, recs model.Node) {
	if h := k.header; h != nil {
		leaf := func(slot int) model.Node { return model.Node{Span: h.field(slot)} }
		if h.Root.Name == "ContainerHeader" {
			if n := leaf(0); n.Span != nil && version.Span != nil {
				l := c.SameAs(n, version).As(headerVersion)
				if k.format == 1 && k.pro.version != 1 { // there is no other version: the prologue is what is wrong
					l.Unchecked()
					c.Report(model.Finding{Rule: headerVersion, Span: n.Span, Found: "1", Expected: fmt.Sprint(k.pro.version), Fixes: []model.Fix{model.SetTo(version.Span, model.U(1))}})
				}
			} else if n.Span == nil {
				c.Report(model.Finding{Rule: headerVersion, Span: h.span, Found: "no format_version", Expected: fmt.Sprint(k.pro.version), Fixes: []model.Fix{k.newHeader(model.Node{Span: h.span})}})
			}
			if n := leaf(1); n.Span != nil {
				if l := c.CountOf(n, recs).As(sectionCount); k.state != atEnd {
					l.Doubtful()
				}
			} else {
				c.Report(model.Finding{Rule: sectionCount, Span: h.span, Found: "no section_count", Expected: fmt.Sprint(len(k.recs)), Fixes: []model.Fix{k.newHeader(model.Node{Span: h.span})}})
			}
			if n := leaf(2); n.Span != nil {
				var data []model.Node
				for _, s := range k.sections {
					if s.rec.typ != header {
						data = append(data, s.data)
					}
				}
				if v, err := c.Tree().Value(c.Context(), n.Span); err == nil && v.Int() != 0 && len(data) > 0 {
					c.ChecksumOf(n, model.CRC32, data...).As(wholeChecksum)
				}
			}
		}
		return
	}
	for _, s := range k.sections {
		if s.rec.typ != header || s.variant != "json" {
			continue
		}
		if k.format >= 0 && k.format != int64(k.pro.version) {
			c.Report(model.Finding{Rule: headerVersion, Span: s.data.Span, Found: fmt.Sprint(k.format), Expected: fmt.Sprint(k.pro.version)})
		}
		if k.count >= 0 && k.count != int64(len(k.recs)) {
			c.Report(model.Finding{Rule: sectionCount, Span: s.data.Span, Found: fmt.Sprint(k.count), Expected: fmt.Sprint(len(k.recs))})
		}
	}
}

// field returns the leaf of a field of the root table, or nil when it is absent.
func (p *placed) field(slot int) *model.Span {
	_, i := p.At(p.RootAt())
	if i < 0 {
		return nil
	}
	return p.span.Child(i).Get(p.Root.Slots[slot].Name)
}

// checkMeta applies the rules of metadata (SDF-037 to SDF-039).
func (k *container) checkMeta(c *model.Cursor) {
	m := k.meta
	if m.variant == opaque {
		return
	}
	seen := map[string]bool{}
	for i, e := range m.entries {
		at := model.Finding{Span: e.span, Range: e.at, Found: e.key}
		switch {
		case e.key == "":
			at.Rule, at.Message, at.Fixes = badKey, "a metadata entry without a key", []model.Fix{k.dropEntry(i)}
			c.Report(at)
		case seen[e.key]:
			at.Rule, at.Message, at.Fixes = badKey, "the key "+e.key+" is there twice", []model.Fix{k.dropEntry(i)}
			c.Report(at)
		case i > 0 && m.variant == "" && e.key < m.entries[i-1].key:
			at.Rule, at.Message = keyOrder, "the key "+e.key+" is not in order"
			at.Fixes = []model.Fix{k.sortKeys("sort the keys")}
			c.Report(at)
		}
		seen[e.key] = true
		if e.noValue {
			at.Rule, at.Message, at.Fixes = keyOrder, "the key "+e.key+" has no value", []model.Fix{k.sortKeys("give it an empty value")}
			c.Report(at)
			continue
		}
		if want := reserved(e.key, e.value, "CONTAINER"); want != "" {
			at.Rule, at.Found, at.Expected, at.Message = reservedKey, e.value, want, e.key+" is not "+want
			at.Fixes = []model.Fix{k.reserved(i, want)}
			c.Report(at)
		}
	}
}

// reserved says what was expected of a reserved key, or "" (section 1.4.5).
func reserved(key, value, family string) string {
	switch key {
	case "creation.time", "shard.index":
		if _, err := strconv.ParseUint(value, 10, 63); err != nil {
			return "a decimal number"
		}
	case "nd4j.format.version":
		if value != "1" {
			return "1"
		}
	case "nd4j.format.type":
		if value != family {
			return family
		}
	case "shard.type":
		if value != "graph" && value != "weights" {
			return "graph or weights"
		}
	}
	return ""
}

// checkNames looks for arrays that are there twice (SDF-042).
func (k *container) checkNames(c *model.Cursor) {
	seen := map[string]model.Range{}
	for _, s := range k.sections {
		if s.arrays == nil || s.arrays.index == nil {
			continue
		}
		x := s.arrays.index
		b := flat.Buffer(c.PeekAt(x.span.Range.Off, x.Size))
		if x.Tangled {
			continue
		}
		if x.span.Range.Space != c.Range(0, 0).Space {
			continue // compressed: the deep checks look at it
		}
		b.Tables(b.Root(), 0, func(_, t int64) {
			name, _ := b.Str(t, 0)
			span, at := x.at(t, 4)
			if first, twice := seen[name]; twice {
				c.Report(model.Finding{Rule: arrayTwice, Span: span, Range: at, Found: name, Related: []model.Range{first}, Message: "a second array " + name,
					Fixes: s.drop(k.doc, "drop the second array", t)})
			}
			seen[name] = at
		})
	}
}

// writeRecord makes a record of layout R1.
func (k *container) writeRecord(typ, flags byte, data []byte) []byte {
	out := append([]byte{typ}, make([]byte, 8)...)
	k.order.PutUint64(out[1:], uint64(len(data)))
	out = append(append(out, flags), data...)
	if flags&0x80 != 0 {
		sum := make([]byte, 4)
		k.order.PutUint32(sum, crc32.ChecksumIEEE(data))
		out = append(out, sum...)
	}
	return out
}

package samediff

import (
	"context"
	"fmt"

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

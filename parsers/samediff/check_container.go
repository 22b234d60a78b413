package samediff

import (
	"fmt"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// checkContainer applies the rules about the order and number of sections (section 4.2), and ties the HEADER to what it counts.
func checkContainer(c *model.Cursor, k *container, version, recs model.Node) {
	firsts := checkSections(c, k)
	weights := k.shard != nil && k.shard.kind == "weights" || weightName(k.doc.file)
	if firsts[graphs] == nil && !weights {
		at := c.Range(max(0, c.Base()+c.Size()-1), 1)
		c.Wrong(noGraph, model.Spot{Span: recs.Span, Range: at}, nil, nil)
	}
	if firsts[header] == nil {
		var insert []model.Fix
		if k.layout.code == "R1" {
			rec := k.writeRecord(header, 0x80, flatHeader(1, int64(len(k.recs)+1)))
			insert = []model.Fix{{Label: "insert a HEADER", Safe: true, Edits: []model.Edit{model.Splice{Range: c.Range(recs.Range.Off, 0),
				With: model.Memory(rec), Into: recs.Path(), Elements: 1}}}}
		}
		c.Wrong(noHeader, recs.Span, nil, nil, model.About(insert))
	}
	if k.layout.code != "R1" && len(k.sections) > 0 {
		c.Wrong(oddRecords, k.sections[0].span, "variant "+k.layout.code, "variant R1")
	}
	checkHeader(c, k, version, recs)
	checkNames(c, k)
}

// checkSections checks that the sections of a container are in order, and there once; it returns the first of each type.
func checkSections(c *model.Cursor, k *container) map[uint32]*section {
	firsts := map[uint32]*section{}
	last := int64(-1)
	for _, s := range k.sections {
		t := s.rec.typ
		first := firsts[t]
		if first == nil {
			firsts[t] = s
		}
		if t > shardInfo {
			continue
		}
		if first != nil && t != arraysType {
			c.Wrong(sectionTwice, s.typ, nil, nil, model.Beside(first.span), model.About(s))
		}
		if int64(t) < last {
			c.Wrong(sectionOrder, s.typ, nil, nil, model.About(k))
		}
		last = max(last, int64(t))
	}
	return firsts
}

// checkHeader compares what the HEADER says with the file (SDF-033 to SDF-035).
func checkHeader(c *model.Cursor, k *container, version, recs model.Node) {
	switch h := k.header; {
	case h == nil:
		checkText(c, k)
	case h.Root.Name == "ContainerHeader":
		headerLinks(c, k, version, recs)
	}
}

// headerLinks ties a HEADER to what it counts and repeats.
func headerLinks(c *model.Cursor, k *container, version, recs model.Node) {
	h := k.header
	leaf := func(slot int) model.Node { return model.Node{Span: h.field(slot)} }
	whole := model.Node{Span: h.span}
	switch n := leaf(0); {
	case n.Span == nil:
		c.Wrong(headerVersion, h.span, "none", fmt.Sprint(k.pro.version), model.About(k.newHeader(whole, true)))
	case version.Span == nil:
	case k.format == 1 && k.pro.version != 1: // there is no other version: the prologue is what is wrong
		c.Wrong(headerVersion, version, nil, model.U(1), model.Beside(n))
	default:
		c.SameAs(n, version).As(headerVersion)
	}
	if n := leaf(1); n.Span == nil {
		c.Wrong(sectionCount, h.span, "none", fmt.Sprint(len(k.recs)), model.About(k.newHeader(whole, true)))
	} else if l := c.CountOf(n, recs).As(sectionCount); k.state != atEnd || k.count > int64(len(k.recs)) { // sections may be cut off
		l.Doubtful()
	}
	n := leaf(2)
	if n.Span == nil {
		return
	}
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

// checkText compares a HEADER that is JSON with the file.
func checkText(c *model.Cursor, k *container) {
	for _, s := range k.sections {
		if s.rec.typ != header || s.variant != "json" {
			continue
		}
		if k.format >= 0 && k.format != int64(k.pro.version) {
			c.Wrong(headerVersion, s.data.Span, fmt.Sprint(k.format), fmt.Sprint(k.pro.version))
		}
		if k.count >= 0 && k.count != int64(len(k.recs)) {
			c.Wrong(sectionCount, s.data.Span, fmt.Sprint(k.count), fmt.Sprint(len(k.recs)))
		}
	}
}

// checkNames looks for arrays that are there twice (SDF-042).
func checkNames(c *model.Cursor, k *container) {
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
		for e := range indexEntries(b) {
			span, at := x.at(e.at, 4)
			if first, twice := seen[e.name]; twice {
				c.Wrong(arrayTwice, model.Spot{Span: span, Range: at}, brief(e.name), nil, model.Beside(first),
					model.About(stored{sec: s, doc: k.doc, table: e.at}))
			}
			seen[e.name] = at
		}
	}
}

package samediff

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"spandrel/model"
)

// The header of SDNB (section 1.4.1).
var (
	fieldNB       = &model.Field{Name: "sdnb", Doc: "an SDNB file", Ref: "1.4.1"}
	fieldNBMagic  = &model.Field{Name: "magic", Ref: "1.4.1", Codec: model.TextOf(4, 0), Fixed: "other bytes would make it another kind of file"}
	fieldNBVer    = &model.Field{Name: "version", Ref: "1.4.1", Codec: model.I32BE}
	fieldNBOff    = &model.Field{Name: "manifestOffset", Doc: "-1 while a save is in progress", Ref: "1.4.1", Codec: model.I64BE}
	fieldNBLen    = &model.Field{Name: "manifestLength", Doc: "-1 while a save is in progress", Ref: "1.4.1", Codec: model.I64BE}
	fieldNBMeta   = &model.Field{Name: "metadataOffset", Doc: "always 32", Ref: "1.4.1", Codec: model.I64BE}
	fieldNBRest   = &model.Field{Name: "rest", Doc: "bytes whose place the header does not tell", Codec: model.RawBytes}
	fieldManifest = &model.Field{Name: "manifest", Doc: "a Java object stream: names to places", Ref: "1.4.4"}
	fieldNBTail   = &model.Field{Name: "tail", Doc: "bytes behind the manifest", Codec: model.RawBytes}
)

// native is an SDNB file: by itself, in an archive, or in a container.
type native struct {
	doc      *doc
	member   string // of an archive
	base     int64
	graph    *placed
	manifest *manifest
	header   [5]model.Node
	blobs    []*blobArray
	mspan    model.Node
	first    int64 // where the first array is: stubs count from there
	doubt    bool  // an entry of the manifest has no place of its own
}

// parseNB reads an SDNB file of n bytes. Offsets in it count from its first byte.
func parseNB(c *model.Cursor, d *doc, n int64) *native {
	nb := &native{doc: d, base: c.Pos()}
	add(d.st, &d.nbs, nb)
	for i, f := range []*model.Field{fieldNBMagic, fieldNBVer, fieldNBOff, fieldNBLen, fieldNBMeta} {
		nb.header[i] = c.Field(f)
	}
	off, length := nb.header[2].Int(), nb.header[3].Int()
	if v := nb.header[1]; v.Int() != 1 {
		c.Report(model.Finding{Rule: sdf(50), Span: v.Span, Found: v.Value.String(), Expected: "1", Fixes: []model.Fix{setTo(v, 1)}})
	}
	if m := nb.header[4]; m.Int() != 32 {
		c.Report(model.Finding{Rule: sdf(51), Span: m.Span, Found: m.Value.String(), Expected: "32", Fixes: []model.Fix{setTo(m, 32)}})
	}
	switch {
	case off == -1 && length == -1:
		nb.lost(c, sdf(52), n, "the header says that a save was interrupted")
	case off < 32 || length < 0 || off > n || length > n-off:
		nb.lost(c, sdf(53), n, fmt.Sprintf("a manifest of %d bytes at %d, the file has %d", length, off, n))
	default:
		nb.body(c, n, off, length)
	}
	return nb
}

// byName returns the entries of the manifest by their names; none when there is no manifest.
func (nb *native) byName() map[string]*manifestEntry {
	out := map[string]*manifestEntry{}
	if nb != nil && nb.manifest != nil {
		for i := range nb.manifest.entries {
			out[nb.manifest.entries[i].name] = &nb.manifest.entries[i]
		}
	}
	return out
}

// setTo is a fix that is not the only answer.
func setTo(n model.Node, v int64) model.Fix {
	return model.Fix{Label: fmt.Sprintf("set %s to %d", n.Name(), v), Edits: []model.Edit{model.SetValue(n.Span, model.I(v))}}
}

// lost reads a file whose manifest is not where the header says: the graph, and what is left.
func (nb *native) lost(c *model.Cursor, r *model.Rule, n int64, why string) {
	d := model.Finding{Rule: r, Span: nb.header[2].Span, Found: nb.header[2].Value.String() + ", " + nb.header[3].Value.String(), Message: why,
		Related: []model.Range{nb.header[3].Range}}
	if at := lastStream(c, nb.base, n); at >= 0 {
		d.Fixes = nb.takeManifest(at, n)
	}
	c.Report(d)
	nb.graphPart(c, n-32, func(end int64) int64 { return min(n-32, maxFlat) })
	if left := nb.base + n - c.Pos(); left > 0 {
		c.FieldN(fieldNBRest, left)
	}
}

// takeManifest is the fix that makes the header lead to the manifest at a place, up to the end of the n bytes.
func (nb *native) takeManifest(at, n int64) []model.Fix {
	return []model.Fix{{Label: fmt.Sprintf("take the manifest at %d", at), Edits: []model.Edit{
		model.SetValue(nb.header[2].Span, model.I(at)), model.SetValue(nb.header[3].Span, model.I(n-at))}}}
}

// maxStreams is how many places are tried that could be the start of a manifest.
const maxStreams = 64

// lastStream looks for a manifest that ends where the file does: in the last MiB.
func lastStream(c *model.Cursor, base, n int64) int64 {
	from := max(32, n-small)
	b := c.PeekAt(base+from, n-from)
	end := len(b)
	for range maxStreams {
		if end = bytes.LastIndex(b[:end], []byte("\xac\xed\x00\x05")); end < 0 {
			return -1
		}
		if m := readManifest(b[end:]); m.err == nil && m.end == int64(len(b)-end) {
			return from + int64(end)
		}
	}
	return -1
}

// graphPart reads the graph in n bytes, of which it may use a part. limit says where it ends, given the end of its last object.
func (nb *native) graphPart(c *model.Cursor, n int64, limit func(end int64) int64) {
	if n <= 0 {
		return
	}
	nb.graph = nb.doc.graph(c, fieldGraph, n, "FlatGraph", scopeOf{dims: true, nb: nb, limit: limit})
	if g := nb.graph; g.extent < g.size && g.rootAt() >= 0 {
		at := c.Range(g.span.Range.Off+g.extent, g.size-g.extent)
		c.Report(model.Finding{Rule: sdf(69), Span: g.near(g.extent), Range: at, Found: fmt.Sprintf("%d of %d bytes used", g.extent, g.size)})
	}
}

// body reads the graph, the arrays and the manifest of a file whose header is sound. The graph's length is not stored: it ends in
// front of the first array that starts behind all its objects.
func (nb *native) body(c *model.Cursor, n, off, length int64) {
	nb.manifest = readManifest(c.PeekAt(nb.base+off, length))
	m := nb.manifest
	nb.graphPart(c, off-32, func(end int64) int64 {
		size := off - 32
		for _, e := range m.entries {
			if e.length > 0 && e.sound(off) && e.offset-32 >= end {
				size = min(size, e.offset-32)
			}
		}
		return min(size, maxFlat)
	})
	types, used := nb.types(c, off), int64(0)
	if nb.graph != nil {
		used = nb.graph.size
	}
	nb.first = off
	for i := range m.entries {
		e := &m.entries[i]
		if e.length > 0 {
			nb.first = min(nb.first, e.offset)
		}
		e.blob = &blobArray{name: e.name, typ: types[e.name], at: nb.base + e.offset, len: e.length,
			bad: !e.sound(off) || e.length > 0 && e.offset < 32+used}
		nb.blobs = append(nb.blobs, e.blob)
	}
	overlaps := map[*blobArray]*blobArray{}
	placeBlobs(c, nb.blobs, nb.base+off, func(b, other *blobArray) { overlaps[b] = other }, func(at, n int64, zero bool, s *model.Span) {
		c.Report(model.Finding{Rule: sdf(61), Span: s, Message: fmt.Sprintf("%d bytes that no entry of the manifest has", n)})
	})
	nb.doubt = slices.ContainsFunc(nb.blobs, func(b *blobArray) bool { return b.bad })
	nb.mspan = placeManifest(c, m, length)
	for i := range m.entries {
		if e := &m.entries[i]; overlaps[e.blob] != nil {
			c.Report(model.Finding{Rule: sdf(60), Span: e.span, Found: e.name, Related: []model.Range{overlaps[e.blob].span.Range},
				Message: e.name + " shares bytes with " + overlaps[e.blob].name})
		}
	}
	nb.links(c, off)
	if tail := n - off - length; tail > 0 {
		t := c.FieldN(fieldNBTail, tail)
		c.Report(model.Finding{Rule: sdf(54), Span: t.Span, Fixes: drop("drop the bytes", t.Range)})
	}
	nb.checkManifest(c, n, off, used)
}

// types returns the element types that the graph gives to its variables' arrays.
func (nb *native) types(c *model.Cursor, off int64) map[string]int64 {
	out := map[string]int64{}
	if nb.graph == nil || nb.graph.tangled {
		return out
	}
	b := buf(c.PeekAt(nb.base+32, min(off-32, maxFlat)))
	b.tables(b.root(), graphVariables, func(_, t int64) {
		if name, ok := b.str(t, varName); ok {
			typ := b.num(t, varType, 1)
			if a := b.ref(t, varArray); a != 0 {
				typ = b.num(a, arrType, 1)
			}
			out[name] = typ
		}
	})
	return out
}

// links states what the header and the manifest say about places. At the front of its space they are offsets; inside another file
// only the graph in front of the arrays can change their distance from the start.
func (nb *native) links(c *model.Cursor, off int64) {
	c.LengthOf(nb.header[3], nb.mspan)
	if nb.graph == nil {
		return
	}
	graph := model.Node{Span: nb.graph.span}
	link := func(n, to model.Node, at int64) {
		if nb.base == 0 {
			c.OffsetOf(n, to).Unchecked()
		} else {
			c.LengthOf(n, graph).Plus(at - nb.graph.size).Unchecked()
		}
	}
	link(nb.header[2], nb.mspan, off)
	starts := map[int64]*model.Span{off: nb.mspan.Span} // an empty array is where the next one starts
	for _, e := range nb.manifest.entries {
		if !e.blob.bad && e.blob.span != nil {
			starts[e.offset] = e.blob.span
		}
	}
	for _, e := range nb.manifest.entries {
		if to := starts[e.offset]; to != nil && !e.blob.bad && e.offsetNode.Span != nil && (e.blob.span != nil || e.length == 0) {
			link(e.offsetNode, model.Node{Span: to}, e.offset)
		}
		if e.lengthNode.Span != nil && !e.blob.bad && e.blob.span != nil {
			c.LengthOf(e.lengthNode, model.Node{Span: e.blob.span}).Unchecked()
		}
	}
}

// checkManifest checks what the entries say (rules SDF-055 to SDF-060, SDF-068).
func (nb *native) checkManifest(c *model.Cursor, n, off, used int64) {
	m := nb.manifest
	if m.err != nil {
		span, r := nb.mspan.Span, c.Range(nb.mspan.Range.Off+m.err.at, 1)
		d := model.Finding{Rule: m.err.rule, Span: span, Range: r, Message: m.err.message}
		if at := lastStream(c, nb.base, n); at >= 0 && at != off {
			d.Fixes = nb.takeManifest(at, n)
		} else if m.err.rule == sdf(55) {
			d.Fixes = []model.Fix{{Label: "make a manifest from the stubs of the graph", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) { return nb.rebuild(t, off) }}}
		}
		c.Report(d)
		return
	}
	if m.end < m.size {
		at := c.Range(nb.mspan.Range.Off+m.end, m.size-m.end)
		c.Report(model.Finding{Rule: sdf(54), Span: nb.mspan.Span, Range: at, Found: fmt.Sprintf("%d bytes behind the map", m.size-m.end),
			Fixes: drop("drop the bytes", at)})
	}
	if m.count != int64(len(m.entries)) {
		d := model.Finding{Rule: sdf(57), Span: m.countNode.Span, Found: fmt.Sprint(m.count), Expected: fmt.Sprint(len(m.entries))}
		if m.countNode.Span != nil {
			d.Fixes = []model.Fix{model.SetTo(m.countNode.Span, model.I(int64(len(m.entries))))}
		}
		c.Report(d)
	} else if capacity, threshold := mapSizes(len(m.entries)); m.capacity != capacity || m.threshold != threshold {
		c.Report(model.Finding{Rule: sdf(57), Span: m.countNode.Span, Found: fmt.Sprintf("capacity %d, threshold %d", m.capacity, m.threshold),
			Expected: fmt.Sprintf("%d and %d", capacity, threshold), Fixes: m.mapSizes(nb.mspan.Span)})
	}
	for i := range m.entries {
		e := &m.entries[i]
		text := fmt.Sprintf("%s: %d bytes at %d", e.name, e.length, e.offset)
		switch {
		case !e.sound(off):
			c.Report(model.Finding{Rule: sdf(59), Span: e.span, Found: text, Expected: fmt.Sprintf("from 32 to %d", off), Message: text + ": outside the region of arrays"})
		case e.length > 0 && e.offset < 32+used:
			c.Report(model.Finding{Rule: sdf(60), Span: e.span, Found: text, Message: text + ": inside the graph"})
		case e.length == 0:
			c.Report(model.Finding{Rule: sdf(68), Span: e.span, Found: text})
		}
	}
}

// rebuild makes a manifest from what the graph says about appended arrays: their offsets count from the first of them, and the last
// ends where the manifest starts (section 1.4.3).
func (nb *native) rebuild(t *model.Tree, off int64) (edits []model.Edit, err error) {
	if nb.graph == nil {
		return nil, fmt.Errorf("there is no graph")
	}
	err = nb.graph.view(background, t, func(b buf) error {
		var list []manifestEntry
		end := int64(0)
		v := nb.graph.open(b)
		for _, x := range v.vars {
			if x.array == 0 {
				continue
			}
			if a := v.placed.array(b, x.array); a.stub && a.offset >= 0 && a.length >= 0 && a.length <= off {
				list = append(list, manifestEntry{name: x.name, offset: a.offset, length: a.length})
				end = max(end, a.offset+a.length)
			}
		}
		if base := off - end; len(list) == 0 || base < 32 {
			return fmt.Errorf("the graph says of no appended array where it is")
		} else {
			for i := range list {
				list[i].offset += base
			}
		}
		edits = []model.Edit{model.Replace(nb.mspan.Range, manifestBytes(list))}
		return nil
	})
	return edits, err
}

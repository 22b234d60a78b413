package samediff

import (
	"bytes"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
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

// parseNB reads an SDNB file of n bytes. Offsets in it count from its first byte.
func parseNB(c *model.Cursor, d *doc, n int64) *native {
	nb := &native{doc: d, base: c.Pos()}
	add(d.st, &d.nbs, nb)
	for i, f := range []*model.Field{fieldNBMagic, fieldNBVer, fieldNBOff, fieldNBLen, fieldNBMeta} {
		nb.header[i] = c.Field(f)
	}
	off, length := nb.header[2].Int(), nb.header[3].Int()
	if v := nb.header[1]; v.Int() != 1 {
		c.Report(model.Finding{Rule: nativeVersion, Span: v.Span, Found: v.Value.String(), Expected: "1", Fixes: []model.Fix{setTo(v, 1)}})
	}
	if m := nb.header[4]; m.Int() != 32 {
		c.Report(model.Finding{Rule: metadataOffset, Span: m.Span, Found: m.Value.String(), Expected: "32", Fixes: []model.Fix{setTo(m, 32)}})
	}
	switch {
	case off == -1 && length == -1:
		nb.lost(c, saveInterrupted, n, "the header says that a save was interrupted")
	case off < 32 || length < 0 || off > n || length > n-off:
		nb.lost(c, manifestOutside, n, fmt.Sprintf("a manifest of %d bytes at %d, the file has %d", length, off, n))
	default:
		nb.body(c, n, off, length)
	}
	return nb
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
	nb.graphPart(c, n-32, func(end int64) int64 { return min(n-32, flat.MaxSize) })
	if left := nb.base + n - c.Pos(); left > 0 {
		c.FieldN(fieldNBRest, left)
	}
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
		if m := manifest.Read(b[end:]); m.Err == nil && m.End == int64(len(b)-end) {
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
	if g := nb.graph; g.Extent < g.Size && g.RootAt() >= 0 {
		at := c.Range(g.span.Range.Off+g.Extent, g.Size-g.Extent)
		c.Report(model.Finding{Rule: beyondGraph, Span: g.near(g.Extent), Range: at, Found: fmt.Sprintf("%d of %d bytes used", g.Extent, g.Size)})
	}
}

// body reads the graph, the arrays and the manifest of a file whose header is sound. The graph's length is not stored: it ends in
// front of the first array that starts behind all its objects.
func (nb *native) body(c *model.Cursor, n, off, length int64) {
	nb.manifest = manifest.Read(c.PeekAt(nb.base+off, length))
	m := nb.manifest
	nb.graphPart(c, off-32, func(end int64) int64 {
		size := off - 32
		for _, e := range m.Entries {
			if e.Length > 0 && e.Sound(off) && e.Offset-32 >= end {
				size = min(size, e.Offset-32)
			}
		}
		return min(size, flat.MaxSize)
	})
	types, used := nb.types(c, off), int64(0)
	if nb.graph != nil {
		used = nb.graph.Size
	}
	nb.first = off
	for i := range m.Entries {
		e := &appended{Entry: &m.Entries[i]}
		nb.entries = append(nb.entries, e)
		if e.Length > 0 {
			nb.first = min(nb.first, e.Offset)
		}
		e.blob = &blobArray{name: e.Name, typ: types[e.Name], at: nb.base + e.Offset, len: e.Length,
			bad: !e.Sound(off) || e.Length > 0 && e.Offset < 32+used}
		nb.blobs = append(nb.blobs, e.blob)
	}
	overlaps := map[*blobArray]*blobArray{}
	placeBlobs(c, nb.blobs, nb.base+off, func(b, other *blobArray) { overlaps[b] = other }, func(at, n int64, zero bool, s *model.Span) {
		c.Report(model.Finding{Rule: nativeGap, Span: s, Message: fmt.Sprintf("%d bytes that no entry of the manifest has", n)})
	})
	nb.doubt = slices.ContainsFunc(nb.blobs, func(b *blobArray) bool { return b.bad })
	nb.placeManifest(c, length)
	for _, e := range nb.entries {
		if overlaps[e.blob] != nil {
			c.Report(model.Finding{Rule: entryOverlap, Span: e.span, Found: e.Name, Related: []model.Range{overlaps[e.blob].span.Range},
				Message: e.Name + " shares bytes with " + overlaps[e.blob].name})
		}
	}
	nb.links(c, off)
	if tail := n - off - length; tail > 0 {
		t := c.FieldN(fieldNBTail, tail)
		c.Report(model.Finding{Rule: afterManifest, Span: t.Span, Fixes: drop("drop the bytes", t.Range)})
	}
	nb.checkManifest(c, n, off, used)
}

// types returns the element types that the graph gives to its variables' arrays.
func (nb *native) types(c *model.Cursor, off int64) map[string]int64 {
	out := map[string]int64{}
	if nb.graph == nil || nb.graph.Tangled {
		return out
	}
	b := flat.Buffer(c.PeekAt(nb.base+32, min(off-32, flat.MaxSize)))
	b.Tables(b.Root(), flat.GraphVariables, func(_, t int64) {
		if name, ok := b.Str(t, flat.VarName); ok {
			typ := b.Num(t, flat.VarType, 1)
			if a := b.Ref(t, flat.VarArray); a != 0 {
				typ = b.Num(a, flat.ArrType, 1)
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
			c.LengthOf(n, graph).Plus(at - nb.graph.Size).Unchecked()
		}
	}
	link(nb.header[2], nb.mspan, off)
	starts := map[int64]*model.Span{off: nb.mspan.Span} // an empty array is where the next one starts
	for _, e := range nb.entries {
		if !e.blob.bad && e.blob.span != nil {
			starts[e.Offset] = e.blob.span
		}
	}
	for _, e := range nb.entries {
		if to := starts[e.Offset]; to != nil && !e.blob.bad && e.offsetNode.Span != nil && (e.blob.span != nil || e.Length == 0) {
			link(e.offsetNode, model.Node{Span: to}, e.Offset)
		}
		if e.lengthNode.Span != nil && !e.blob.bad && e.blob.span != nil {
			c.LengthOf(e.lengthNode, model.Node{Span: e.blob.span}).Unchecked()
		}
	}
}

// placeManifest lays the leaves of the manifest over its n bytes.
func (nb *native) placeManifest(c *model.Cursor, n int64) {
	m := nb.manifest
	nb.mspan = c.Parts(fieldManifest, n, m)
	leaf := func(part *model.Span, from, tok int) model.Node {
		if tok < 0 {
			return model.Node{}
		}
		return model.Node{Span: part.Child(int64(tok - from))}
	}
	for i, e := range nb.entries {
		e.span = nb.mspan.Span.Child(int64(i + 1))
		e.offsetNode, e.lengthNode = leaf(e.span, e.From, e.OffsetTok), leaf(e.span, e.From, e.LengthTok)
	}
	if m.CountTok >= 0 {
		nb.count = leaf(nb.mspan.Span.Child(0), 0, m.CountTok)
	}
}

package samediff

import (
	"bytes"
	"context"
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

// native is an SDNB file: by itself, in an archive, or in a container.
type native struct {
	doc      *doc
	member   string // of an archive
	base     int64
	graph    *placed
	manifest *manifest.Map
	header   [5]model.Node
	blobs    []*blobArray
	mspan    model.Node
	first    int64 // where the first array is: stubs count from there
	doubt    bool  // an entry of the manifest has no place of its own
	entries  []*appended
	count    model.Node // of the entries, as the manifest says
}

// appended is an array that the manifest names: its entry in the tree, and its bytes.
type appended struct {
	*manifest.Entry
	span                   *model.Span
	offsetNode, lengthNode model.Node
	blob                   *blobArray
}

// manifestRules are the rules of what stops the reading of a manifest.
var manifestRules = [...]*model.Rule{manifest.NoStream: noManifest, manifest.Foreign: manifestForeign, manifest.Broken: manifestBroken, manifest.TooMany: model.RuleCap}

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

// byName returns the entries of the manifest by their names; none when there is no manifest.
func (nb *native) byName() map[string]*appended {
	out := map[string]*appended{}
	if nb != nil {
		for _, e := range nb.entries {
			out[e.Name] = e
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
	nb.graphPart(c, n-32, func(end int64) int64 { return min(n-32, flat.MaxSize) })
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

// checkManifest checks what the entries say (rules SDF-055 to SDF-060, SDF-068).
func (nb *native) checkManifest(c *model.Cursor, n, off, used int64) {
	m := nb.manifest
	if m.Err != nil {
		span, r := nb.mspan.Span, c.Range(nb.mspan.Range.Off+m.Err.At, 1)
		d := model.Finding{Rule: manifestRules[m.Err.Kind], Span: span, Range: r, Message: m.Err.Message}
		if at := lastStream(c, nb.base, n); at >= 0 && at != off {
			d.Fixes = nb.takeManifest(at, n)
		} else if m.Err.Kind == manifest.NoStream {
			d.Fixes = []model.Fix{{Label: "make a manifest from the stubs of the graph", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) { return nb.rebuild(t, off) }}}
		}
		c.Report(d)
		return
	}
	if m.End < m.Size {
		at := c.Range(nb.mspan.Range.Off+m.End, m.Size-m.End)
		c.Report(model.Finding{Rule: afterManifest, Span: nb.mspan.Span, Range: at, Found: fmt.Sprintf("%d bytes behind the map", m.Size-m.End),
			Fixes: drop("drop the bytes", at)})
	}
	if m.Declared != int64(len(m.Entries)) {
		d := model.Finding{Rule: manifestCount, Span: nb.count.Span, Found: fmt.Sprint(m.Declared), Expected: fmt.Sprint(len(m.Entries))}
		if nb.count.Span != nil {
			d.Fixes = []model.Fix{model.SetTo(nb.count.Span, model.I(int64(len(m.Entries))))}
		}
		c.Report(d)
	} else if capacity, threshold := manifest.MapSizes(len(m.Entries)); m.Capacity != capacity || m.Threshold != threshold {
		c.Report(model.Finding{Rule: manifestCount, Span: nb.count.Span, Found: fmt.Sprintf("capacity %d, threshold %d", m.Capacity, m.Threshold),
			Expected: fmt.Sprintf("%d and %d", capacity, threshold), Fixes: nb.mapSizes()})
	}
	for _, e := range nb.entries {
		text := fmt.Sprintf("%s: %d bytes at %d", e.Name, e.Length, e.Offset)
		switch {
		case !e.Sound(off):
			c.Report(model.Finding{Rule: entryOutside, Span: e.span, Found: text, Expected: fmt.Sprintf("from 32 to %d", off), Message: text + ": outside the region of arrays"})
		case e.Length > 0 && e.Offset < 32+used:
			c.Report(model.Finding{Rule: entryOverlap, Span: e.span, Found: text, Message: text + ": inside the graph"})
		case e.Length == 0:
			c.Report(model.Finding{Rule: emptyEntry, Span: e.span, Found: text})
		}
	}
}

// rebuild makes a manifest from what the graph says about appended arrays: their offsets count from the first of them, and the last
// ends where the manifest starts (section 1.4.3).
func (nb *native) rebuild(t *model.Tree, off int64) (edits []model.Edit, err error) {
	if nb.graph == nil {
		return nil, fmt.Errorf("there is no graph")
	}
	err = nb.graph.view(background, t, func(b flat.Buffer) error {
		var list []manifest.Entry
		end := int64(0)
		v := nb.graph.open(b)
		for _, x := range v.vars {
			if x.array == 0 {
				continue
			}
			if a := v.placed.array(b, x.array); a.stub && a.offset >= 0 && a.length >= 0 && a.length <= off {
				list = append(list, manifest.Entry{Name: x.name, Offset: a.offset, Length: a.length})
				end = max(end, a.offset+a.length)
			}
		}
		if base := off - end; len(list) == 0 || base < 32 {
			return fmt.Errorf("the graph says of no appended array where it is")
		} else {
			for i := range list {
				list[i].Offset += base
			}
		}
		edits = []model.Edit{model.Replace(nb.mspan.Range, manifest.Write(list))}
		return nil
	})
	return edits, err
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

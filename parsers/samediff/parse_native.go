package samediff

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
)

// The header of SDNB (section 1.4.1).
var (
	fieldNB      = &model.Field{Name: "sdnb", Doc: "an SDNB file", Ref: "1.4.1"}
	fieldNBMagic = &model.Field{Name: "magic", Ref: "1.4.1", Codec: model.TextOf(4, 0),
		Fixed: "other bytes would make it another kind of file"}
	fieldNBVer    = &model.Field{Name: "version", Ref: "1.4.1", Codec: model.I32BE}
	fieldNBOff    = &model.Field{Name: "manifestOffset", Doc: "-1 while a save is in progress", Ref: "1.4.1", Codec: model.I64BE}
	fieldNBLen    = &model.Field{Name: "manifestLength", Doc: "-1 while a save is in progress", Ref: "1.4.1", Codec: model.I64BE}
	fieldNBMeta   = &model.Field{Name: "metadataOffset", Doc: "always 32", Ref: "1.4.1", Codec: model.I64BE}
	fieldNBRest   = &model.Field{Name: "rest", Doc: "bytes whose location the header does not give", Codec: model.RawBytes}
	fieldManifest = &model.Field{Name: "manifest", Doc: "a Java object stream that maps names to offsets", Ref: "1.4.4"}
	fieldNBTail   = &model.Field{Name: "tail", Unused: true, Doc: "bytes after the manifest", Codec: model.RawBytes}
)

// parseNB reads an SDNB file of n bytes, on its own or as a member of an archive. Offsets in it count from its first byte.
func parseNB(c *model.Cursor, d *doc, n int64, member string) {
	nb := &native{doc: d, base: c.Pos(), member: member}
	add(d.st, &d.nbs, nb)
	for i, f := range []*model.Field{fieldNBMagic, fieldNBVer, fieldNBOff, fieldNBLen, fieldNBMeta} {
		nb.header[i] = c.Field(f)
	}
	off, length := nb.header[2].Int(), nb.header[3].Int()
	if m := nb.header[0]; m.Text() != "SDNB" {
		at, found := findManifest(c, nb.base, n)
		var rewrite []model.Fix // the header has only the offset of the manifest
		if found != nil && found.Err == nil && at >= 32 {
			front, last := m.Range, at+found.End == n
			front.Len = 32
			rewrite = []model.Fix{{Label: fmt.Sprintf("rewrite the header, with the manifest at 0x%x", at), Safe: last, Copies: last, Witnessed: last,
				Edits: []model.Edit{model.Splice{Range: front, With: model.Memory(nativeHeader(at, found.End)), Loose: true}}}}
		}
		c.Wrong(notAModel, m, nil, "SDNB", model.About(rewrite),
			model.Saying("the beginning of the file is damaged: it does not begin with SDNB, but ends like such a file"))
	}
	if v := nb.header[1]; v.Int() != 1 {
		c.Wrong(nativeVersion, v, nil, model.I(1), model.Doubtful)
	}
	if m := nb.header[4]; m.Int() != 32 {
		c.Wrong(metadataOffset, m, nil, model.I(32), model.Doubtful)
	}
	switch {
	case off == -1 && length == -1:
		nb.lost(c, saveInterrupted, n)
	case off < 32+leastGraph || length < 0 || off > n || length > n-off:
		nb.lost(c, manifestOutside, n)
	default:
		nb.body(c, n, off, length)
	}
}

// lost reads a file whose manifest is not where the header says: by the manifest if it is found, otherwise by what the graph says about
// the arrays after it.
func (nb *native) lost(c *model.Cursor, r *model.Rule, n int64) {
	at, m := findManifest(c, nb.base, n)
	about, want, text := manifestAt{nb: nb, at: -1, end: n}, "", r.Title
	if m != nil {
		about = manifestAt{nb: nb, at: at, length: m.End, sound: m.Err == nil && at+m.End == n && at >= 32}
		want = model.Words("manifest of %d bytes at 0x%x", m.End, at)
		text = fmt.Sprintf("%s: the manifest is at 0x%x, but the header does not point to it", r.Title, at)
	}
	if r == manifestOutside && !about.sound && nb.cut(n) != "" {
		text = nb.cut(n)
	}
	c.Wrong(r, nb.header[2], model.Words("manifest of %s bytes at %s", nb.header[3].Value, nb.header[2].Value), want,
		model.About(about), model.Beside(nb.header[3]), model.Saying("%s", text))
	if m == nil {
		nb.stubbed(c, n)
		return
	}
	nb.moved = true
	nb.body(c, n, at, m.End)
}

// cut reports that the file is truncated, if its header says so; n is its length.
func (nb *native) cut(n int64) string {
	whole, ok := nb.told()
	if !ok || whole <= n {
		return ""
	}
	return model.Words("the file is truncated: %s of %s bytes are missing, including all or part of the list of its arrays",
		model.Thousands(whole-n), model.Thousands(whole))
}

// readable tells whether there is a graph that can be read.
func (nb *native) readable() bool { return nb.graph != nil && !nb.graph.Tangled }

// told is how long the file should be according to its header: it ends with the manifest.
func (nb *native) told() (size int64, ok bool) {
	off, n := nb.header[2].Int(), nb.header[3].Int()
	return off + n, off >= 32 && n >= 0 && off < 1<<50 && n < 1<<40 && (nb.header[0].Text() == "SDNB" || nb.header[4].Int() == 32)
}

// whole tells whether the manifest is not where the header says, but right after the last of its arrays: then no bytes are missing before it.
func (nb *native) whole() bool {
	if !nb.moved || nb.manifest == nil || nb.manifest.Err != nil || nb.mspan.Span == nil {
		return false
	}
	end := int64(0)
	for _, e := range nb.manifest.Entries {
		end = max(end, e.Offset+e.Length)
	}
	return nb.base+end == nb.mspan.Range.Off
}

// early tells whether the manifest begins before the offset in the header: then bytes before it are missing from the file.
func (nb *native) early(ctx context.Context, t *model.Tree, size int64) bool {
	off, lost := nb.header[2].Int(), size-t.Root.Range.Len
	if lost <= 0 || lost > off {
		return false
	}
	b, err := t.Bytes(ctx, model.Range{Space: t.Root.Range.Space, Off: off - lost, Len: min(lost+3, t.Root.Range.Len-off+lost)})
	return err == nil && bytes.Contains(b, []byte(mapStart[:4]))
}

// stubbed reads a file without a manifest: the graph up to its last object, and the arrays after it according to its stubs, which count
// from the first array (section 1.4.3).
func (nb *native) stubbed(c *model.Cursor, n int64) {
	nb.graphPart(c, n-32, func(end int64) int64 { return min((end+7)&^7, n-32, flat.MaxSize) })
	if !nb.readable() {
		nb.rest(c, n)
		return
	}
	nb.stubs(c, n)
	end := c.Pos()
	for _, x := range nb.blobs {
		if !x.bad {
			end = max(end, x.at+x.len)
		}
	}
	placeBlobs(c, nb.blobs, end)
	nb.rest(c, n)
}

// stubs adds the arrays that follow the graph according to it, up to an end, and that no entry of the manifest names.
func (nb *native) stubs(c *model.Cursor, end int64) {
	if !nb.readable() {
		return
	}
	known := nb.byName()
	b := flat.Buffer(c.PeekAt(nb.graph.span.Range.Off, nb.graph.Size))
	v := nb.graph.open(b)
	least, since := end, int64(-1) // the base of the stubs' offsets, from an entry of the manifest
	for x, a := range v.stubs() {
		if !a.within(end) {
			continue
		}
		if e := known[x.name]; e != nil && e.Length == a.length {
			since = e.Offset - a.offset
		}
		least = min(least, a.offset)
	}
	first := nb.graph.span.Range.End() - nb.base // the first array, or the start of the file
	switch {
	case since == 0 || since < 0 && least >= 32+nb.graph.Extent:
		first = 0
	case since > 0:
		first = since
	}
	for x, a := range v.stubs() {
		if known[x.name] != nil || !a.within(end) {
			continue
		}
		e := &appended{Entry: &manifest.Entry{Name: x.name, Offset: first + a.offset, Length: a.length, OffsetTok: -1, LengthTok: -1},
			span: nb.graph.near(x.array), guessed: true}
		e.blob = &blobArray{name: x.name, typ: a.typ, at: nb.base + e.Offset, len: a.length, bad: e.Offset < 32+nb.graph.Extent || e.Offset+a.length > end}
		nb.entries, nb.blobs = append(nb.entries, e), append(nb.blobs, e.blob)
		nb.first = first
	}
}

// within tells whether a stub may refer to an array in a file, before an end.
func (a *arr) within(end int64) bool {
	return a.length > 0 && a.offset >= 0 && a.offset <= end && a.length <= end
}

// stubs are the variables of a graph whose arrays are elsewhere, with their stubs.
func (v *modelView) stubs() iter.Seq2[*variable, *arr] {
	return func(yield func(*variable, *arr) bool) {
		for i := range v.vars {
			x := &v.vars[i]
			if x.array == 0 {
				continue
			}
			if a := v.placed.array(v.b, x.array); a.stub && !yield(x, a) {
				return
			}
		}
	}
}

// rest shows bytes of unknown meaning.
func (nb *native) rest(c *model.Cursor, n int64) {
	if left := nb.base + n - c.Pos(); left > 0 {
		c.FieldN(fieldNBRest, left)
	}
}

// leastGraph is the size of the smallest graph: the root's offset and an empty table with its vtable, which every file has.
const leastGraph = 12

// graphPart reads the graph in n bytes, of which it may use a part. limit returns where it ends, given the end of its last object.
func (nb *native) graphPart(c *model.Cursor, n int64, limit func(end int64) int64) {
	if n <= 0 {
		return
	}
	nb.graph = nb.doc.graph(c, fieldGraph, n, "FlatGraph", scopeOf{dims: true, nb: nb, limit: limit})
	if g := nb.graph; g.Extent < g.Size && g.RootAt() >= 0 {
		at := c.Range(g.span.Range.Off+g.Extent, g.Size-g.Extent)
		c.Wrong(beyondGraph, model.Spot{Span: g.near(g.Extent), Range: at}, model.Words("%d of %d bytes used", g.Extent, g.Size), nil)
	}
}

// graphSize is the length of the graph whose last object ends somewhere, before the arrays of a manifest at off.
func graphSize(m *manifest.Map, off, end int64) int64 {
	size := off - 32
	if m.Err != nil { // bytes that it no longer names belong to arrays too
		size = min(size, (end+7)&^7)
	}
	for _, e := range m.Entries {
		if e.Length > 0 && e.Sound(off) && e.Offset-32 >= end {
			size = min(size, e.Offset-32)
		}
	}
	return size
}

// body reads the graph, the arrays and the manifest of a file with a sound header. The graph's length is not stored: it ends
// before the first array that starts after all its objects.
func (nb *native) body(c *model.Cursor, n, off, length int64) {
	nb.manifest = manifest.Read(c.PeekAt(nb.base+off, length))
	m := nb.manifest
	nb.graphPart(c, off-32, func(end int64) int64 { return min(graphSize(m, off, end), flat.MaxSize) })
	used := int64(0)
	if nb.graph != nil {
		used = nb.graph.Size
	}
	nb.listed(nb.types(c, off), used, off)
	if m.Err != nil {
		nb.stubs(c, off)
	}
	laid := placeBlobs(c, nb.blobs, nb.base+off)
	if m.Err == nil { // otherwise their entry cannot be read
		for _, x := range laid.between {
			c.Wrong(nativeGap, x.span, model.Words("%d bytes", x.n), nil)
		}
	}
	nb.doubt = slices.ContainsFunc(nb.blobs, func(b *blobArray) bool { return b.bad })
	nb.placeManifest(c, length)
	for _, e := range nb.entries {
		if other := laid.overlaps[e.blob]; other != nil {
			c.Wrong(entryOverlap, e.span, brief(e.Name), nil, model.Beside(other.span), saying("%s shares bytes with %s", e.Name, other.name))
		}
	}
	nb.links(c, off)
	if tail := n - off - length; tail > 0 {
		t := c.FieldN(fieldNBTail, tail)
		c.Wrong(afterManifest, t.Span, model.Words("%d bytes", tail), nil, cutting(t.Range, ""))
	}
	checkManifest(c, nb, n, off, used)
}

// listed notes the arrays in the manifest that come after the used bytes of the graph and before the manifest.
func (nb *native) listed(types map[string]int64, used, off int64) {
	nb.first = firstOf(nb.manifest.Entries, off)
	for i := range nb.manifest.Entries {
		e := &appended{Entry: &nb.manifest.Entries[i]}
		e.blob = &blobArray{name: e.Name, typ: types[e.Name], at: nb.base + e.Offset, len: e.Length,
			bad: !e.Sound(off) || e.Length > 0 && e.Offset < 32+used}
		nb.entries, nb.blobs = append(nb.entries, e), append(nb.blobs, e.blob)
	}
}

// types returns the element types of the variables' arrays according to the graph.
func (nb *native) types(c *model.Cursor, off int64) map[string]int64 {
	out := map[string]int64{}
	if !nb.readable() {
		return out
	}
	b := flat.Buffer(c.PeekAt(nb.base+32, min(off-32, flat.MaxSize)))
	v := modelView{placed: nb.graph, b: b, graph: b.Root()}
	for _, t := range v.tables(flat.GraphVariables) {
		if name, ok := b.Str(t, flat.VarName); ok {
			typ := b.Num(t, flat.VarType, 1)
			if a := b.Ref(t, flat.VarArray); a != 0 {
				typ = b.Num(a, flat.ArrType, 1)
			}
			out[name] = typ
		}
	}
	return out
}

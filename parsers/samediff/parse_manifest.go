package samediff

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/manifest"
)

// checkManifest checks what the entries say (rules SDF-055 to SDF-060, SDF-068).
func checkManifest(c *model.Cursor, nb *native, n, off, used int64) {
	m := nb.manifest
	if m.Err != nil {
		at := model.Spot{Span: nb.mspan.Span, Range: c.Range(nb.mspan.Range.Off+m.Err.At, 1)}
		more := []model.Detail{model.About(nb.elsewhere(c, n, off))}
		if text := nb.cut(n); text != "" && nb.moved {
			more = append(more, model.Saying("%s", text))
		}
		c.Wrong(manifestRules[m.Err.Kind], at, m.Err.Message, nil, more...)
		return
	}
	if m.End < m.Size {
		at := model.Spot{Span: nb.mspan.Span, Range: c.Range(nb.mspan.Range.Off+m.End, m.Size-m.End)}
		c.Wrong(afterManifest, at, model.Words("%d bytes after the map", m.Size-m.End), nil, cutting(at.Range, ""))
	}
	if count := int64(len(m.Entries)); m.Declared != count {
		c.Wrong(manifestCount, nb.count, fmt.Sprint(m.Declared), model.I(count), model.Graded(model.Error)) // Java refuses the map
	} else if capacity, threshold := manifest.MapSizes(len(m.Entries)); m.Capacity != capacity || m.Threshold != threshold {
		head := nb.count.Span.Parent()
		c.Wrong(manifestCount, nb.count.Span, fmt.Sprintf("capacity %d, threshold %d", m.Capacity, m.Threshold),
			fmt.Sprintf("capacity %d, threshold %d", capacity, threshold), model.About([]model.Fix{{
				Label: fmt.Sprintf("write capacity %d and threshold %d", capacity, threshold), Safe: true,
				Edits: []model.Edit{model.SetValue(head.Get("capacity"), model.I(capacity)), model.SetValue(head.Get("threshold"), model.I(threshold))}}}))
	}
	for _, e := range nb.entries {
		text := model.Words("%s: %d bytes at 0x%x", brief(e.Name), e.Length, e.Offset)
		switch {
		case !e.Sound(off):
			c.Wrong(entryOutside, e.span, text, fmt.Sprintf("from 0x20 to 0x%x", off))
		case e.Length > 0 && e.Offset < 32+used:
			c.Wrong(entryOverlap, e.span, text, fmt.Sprintf("after the graph, which ends at 0x%x", 32+used))
		case e.Length == 0:
			c.Wrong(emptyEntry, e.span, text, nil)
		}
	}
}

// elsewhere looks for another place of the manifest than the one at off, to repair an unreadable manifest.
func (nb *native) elsewhere(c *model.Cursor, n, off int64) manifestAt {
	if at, m := findManifest(c, nb.base, n); m != nil && at != off {
		return manifestAt{nb: nb, at: at, length: m.End}
	}
	out := manifestAt{nb: nb, at: -1, end: off}
	list := make([]manifest.Entry, len(nb.entries))
	for i, e := range nb.entries {
		list[i] = *e.Entry
	}
	slices.SortStableFunc(list, func(a, b manifest.Entry) int { return cmp.Compare(a.Offset, b.Offset) })
	put := manifest.Write(list)
	if wrong := model.Differ(c.PeekAt(nb.mspan.Range.Off, nb.mspan.Range.Len), put); wrong <= maxWrong {
		// Problems of inflated bytes are problems of the stream that they come from.
		out.put, out.wrong, out.sound = put, wrong, !c.Tree().Space(nb.mspan.Range.Space).Derived()
	}
	return out
}

// maxWrong is in how many bytes a manifest may differ from what Java writes and count as damaged.
const maxWrong = 8

// How far from the end, and at how many places, a lost manifest is searched for.
const (
	searched   = 64 << 20
	maxStreams = 64
)

// findManifest looks for a manifest, backwards from the end of the n bytes: the last readable one, otherwise the one with the most readable entries.
func findManifest(c *model.Cursor, base, n int64) (at int64, found *manifest.Map) {
	from := max(32, n-searched)
	b := c.PeekAt(base+from, n-from)
	end := len(b)
	for range maxStreams {
		if end = bytes.LastIndex(b[:end], []byte(mapStart)); end < 0 {
			break
		}
		m := manifest.Read(b[end:])
		if m.Err == nil {
			return from + int64(end), m
		}
		if found == nil && len(m.Entries) > 0 || found != nil && len(m.Entries) > len(found.Entries) {
			at, found = from+int64(end), m
		}
	}
	return at, found
}

// links declares what the header and the manifest say about places, which count from the file's first byte.
func (nb *native) links(c *model.Cursor, off int64) {
	first := nb.header[0]
	c.LengthOf(nb.header[3], nb.mspan).When(!nb.moved)
	c.OffsetOf(nb.header[2], nb.mspan).Since(first).When(!nb.moved)
	starts := map[int64]*model.Span{off: nb.mspan.Span} // an empty array is where the next one starts
	for _, e := range nb.entries {
		if !e.blob.bad && e.blob.span != nil {
			starts[e.Offset] = e.blob.span
		}
	}
	for _, e := range nb.entries {
		if to := starts[e.Offset]; to != nil && !e.blob.bad && e.offsetNode.Span != nil && (e.blob.span != nil || e.Length == 0) {
			c.OffsetOf(e.offsetNode, model.Node{Span: to}).Since(first)
		}
		if e.lengthNode.Span != nil && !e.blob.bad && e.blob.span != nil {
			c.LengthOf(e.lengthNode, model.Node{Span: e.blob.span})
		}
	}
}

// placeManifest creates the leaves of the manifest in its n bytes.
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
		if e.guessed {
			continue
		}
		e.span = nb.mspan.Span.Child(int64(i + 1))
		e.offsetNode, e.lengthNode = leaf(e.span, e.From, e.OffsetTok), leaf(e.span, e.From, e.LengthTok)
	}
	if m.CountTok >= 0 {
		nb.count = leaf(nb.mspan.Span.Child(0), 0, m.CountTok)
	}
}

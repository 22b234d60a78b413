package samediff

import (
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
		c.Wrong(afterManifest, at, model.Words("%d bytes behind the map", m.Size-m.End), nil)
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
			c.Wrong(entryOverlap, e.span, text, fmt.Sprintf("behind the graph, which ends at 0x%x", 32+used))
		case e.Length == 0:
			c.Wrong(emptyEntry, e.span, text, nil)
		}
	}
}

// elsewhere looks for another place of the manifest than the one at off, for the repair of a manifest that cannot be read.
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
	if old := c.PeekAt(nb.mspan.Range.Off, nb.mspan.Range.Len); len(old) == len(put) {
		for i := range old {
			if old[i] != put[i] {
				out.wrong++
			}
		}
		if out.wrong <= maxWrong {
			// What is wrong with bytes that were inflated is wrong with the stream that they come from.
			out.put, out.sound = put, !c.Tree().Space(nb.mspan.Range.Space).Derived()
		}
	}
	return out
}

// maxWrong is in how many bytes a manifest may differ from what Java writes to be taken for a damaged one.
const maxWrong = 8

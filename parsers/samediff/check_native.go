package samediff

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/samediff/manifest"
)

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

package ui

import (
	"context"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
)

// twin is two hex panes side by side: that of a document, and one of another document that it is compared with. Both have as many bytes a
// row. Compared byte by byte, they scroll together, as their bytes stand beside each other, and mark what differs; compared by names, the other shows what is called as what is
// selected.
type twin struct {
	own, other *hexPane
	byNames    bool
	align      *alignment // where their bytes stand beside each other
	turning    bool       // one pane scrolls the other, or fits it
}

// pairing is what a hex pane is compared with.
type pairing struct {
	h    *hexPane
	twin *twin // this pane and that of another document; nil: it is alone
}

// beside shows the bytes of another document beside these. Who compares them notes in what it returns how they stand beside each other.
func (p *pairing) beside(o *Document, byNames bool) *alignment {
	h := p.h
	h.apart(nil)
	m := newHexPane(o)
	m.wanted = h.wanted
	t := &twin{own: h, other: m, byNames: byNames, align: newAlignment()}
	m.changed()
	if sp := h.d.Tree().Space(h.space); sp != nil && !sp.Derived() {
		if id := fileLike(h.d.Tree(), o.Tree(), sp); id != model.NoSpace {
			m.showSpace(id)
		}
	}
	h.twin, m.twin = t, t
	o.panes = append(o.panes, m)
	left, right := namesOf(h.d, o)
	text := widget.NewLabel(left + " is on the left, " + right + " on the right. F7 goes to the next difference.")
	text.Truncation = fyne.TextTruncateEllipsis
	end := newIconButton(h.d.wb.Host, "", theme.CancelIcon(), func() { h.apart(nil) })
	end.tip, end.Importance = "close the bytes of "+o.tabName(), widget.LowImportance
	bar := container.NewBorder(nil, nil, nil, end, text)
	h.middle.Objects = []fyne.CanvasObject{container.NewBorder(bar, nil, nil, nil, container.NewHSplit(h.view, m.view))}
	h.middle.Refresh()
	h.view.Update()
	return t.align
}

// apart ends the comparison with a document, or with nil with whichever there is.
func (p *pairing) apart(o *Document) {
	h, t := p.h, p.twin
	if t == nil || t.own != h || o != nil && t.other.d != o {
		return
	}
	m := t.other
	h.twin, m.twin = nil, nil
	m.load.stop()
	m.d.panes = slices.DeleteFunc(m.d.panes, func(p pane) bool { return p == pane(m) })
	m.view.Release()
	h.middle.Objects = []fyne.CanvasObject{h.view}
	h.middle.Refresh()
	if h.d.wb.shell.focused() == fyne.Focusable(m.view) {
		h.d.wb.shell.focus(h.view) // what is typed is not for the other document
	}
	h.fit()
	h.view.Update()
}

// of returns the other one of two panes.
func (t *twin) of(h *hexPane) *hexPane {
	if h == t.own {
		return t.other
	}
	return t.own
}

// scrolled brings the other pane to the same place.
func (t *twin) scrolled(h *hexPane, top int64) {
	if t.turning || t.byNames {
		return
	}
	t.turning = true
	m := t.of(h)
	at, _, _ := opposed(t.align.of(t.own.space, h != t.own), top*h.perRow)
	m.view.ScrollTo(at / m.perRow)
	t.turning = false
}

// fitted gives the other pane as many bytes a row.
func (t *twin) fitted(h *hexPane) {
	if m := t.of(h); m.perRow != h.perRow && !t.turning {
		t.turning = true
		m.fit()
		m.view.Update()
		t.turning = false
	}
}

// narrower is how many bytes a row fit into both panes, at most n.
func (t *twin) narrower(n int64) int64 {
	for _, h := range []*hexPane{t.own, t.other} {
		was := h.perRow
		for h.perRow = n; h.perRow > leastWidth && !h.at.fits(); h.perRow -= 4 {
		}
		n, h.perRow = h.perRow, was
	}
	return n
}

// selected shows in the other document what was selected in this one.
func (t *twin) selected(s Selection) {
	o := t.other.d
	switch {
	case t.byNames && s.Span.Parent() != nil:
		o.sel.restore(t.own.d.sel.identity())
	case !t.byNames && s.Range.Space == t.own.space:
		r := model.Range{Space: t.other.space}
		end := int64(0)
		r.Off, _, _ = opposed(t.align.of(t.own.space, false), s.Range.Off)
		if end, _, _ = opposed(t.align.of(t.own.space, false), s.Range.End()); r.Off < t.other.size {
			r.Len = max(0, min(end, t.other.size)-r.Off)
			o.sel.bytes(r, t.other)
		}
	}
}

// opposite is what bytes are compared with.
type opposite struct {
	desk  *desk
	tree  *model.Tree
	space model.SpaceID
	runs  []model.Changed
}

// opposite returns what the bytes of a pane are compared with; nil: with nothing.
func (t *twin) opposite(h *hexPane) *opposite {
	if t == nil || t.byNames {
		return nil
	}
	m := t.of(h)
	return &opposite{m.d.wb, m.d.Tree(), m.space, t.align.of(t.own.space, h != t.own)}
}

// mark marks the bytes of a page that differ, or that the other side has not. Of a document that is being closed nothing is read: one
// waits for nobody there, as it may wait for this one.
func (o *opposite) mark(ctx context.Context, p *hexPage) {
	if o == nil {
		return
	}
	release, open := o.desk.tryHold()
	if !open {
		return
	}
	defer release()
	size, err := o.tree.Size(ctx, o.space)
	if err != nil {
		return
	}
	for i := int64(0); i < int64(len(p.bytes)); {
		to, n, paired := opposed(o.runs, p.off+i)
		n = min(n, int64(len(p.bytes))-i)
		var b []byte
		if paired {
			if b, err = o.tree.Bytes(ctx, model.Range{Space: o.space, Off: to, Len: max(0, min(n, size-to))}); err != nil {
				return
			}
		}
		for k := range n {
			p.kind[i+k].differs = k >= int64(len(b)) || b[k] != p.bytes[i+k]
		}
		i += n
	}
}

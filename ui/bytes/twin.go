package bytes

import (
	"context"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"spandrel/model"
	"spandrel/ui/align"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// twin is two hex panes side by side, of a document and of one that it is compared with, with the same number of bytes per
// row. In a comparison byte by byte they scroll together by alignment and mark differences; in a comparison by name, the other pane shows what has the name of the
// selection.
type twin struct {
	own, Other *Pane
	ByNames    bool
	align      *align.Alignment // alignment of their bytes
	turning    bool             // one pane scrolls the other, or fits it
}

// pairing is what a hex pane is compared with.
type pairing struct {
	h    *Pane
	Twin *twin // this pane and that of another document; nil: it is alone
}

// Beside shows the bytes of another document beside these. The comparison notes the alignment in the returned value.
func (p *pairing) Beside(o *doc.Document, byNames bool) *align.Alignment {
	h := p.h
	h.Apart(nil)
	m := newHexPane(o)
	m.wanted = h.wanted
	t := &twin{own: h, Other: m, ByNames: byNames, align: align.NewAlignment()}
	m.Changed()
	if sp := h.d.Tree().Space(h.Space); sp != nil && !sp.Derived() {
		if id := align.FileLike(h.d.Tree(), o.Tree(), sp); id != model.NoSpace {
			m.showSpace(id)
		}
	}
	h.Twin, m.Twin = t, t
	o.Panes = append(o.Panes, m)
	left, right := doc.NamesOf(h.d, o)
	text := kit.NewLine(left + " is on the left, " + right + " on the right. F7 goes to the next difference.")
	end := kit.NewTool(h.d.Window.Host, theme.CancelIcon(), "close the bytes of "+o.TabName(), func() { h.Apart(nil) })
	bar := container.NewBorder(nil, nil, nil, end, text)
	h.middle.Objects = []fyne.CanvasObject{container.NewBorder(bar, nil, nil, nil, container.NewHSplit(h.View, m.View))}
	h.middle.Refresh()
	h.View.Update()
	return t.align
}

// Apart ends the comparison with a document, or with nil any comparison.
func (p *pairing) Apart(o *doc.Document) {
	h, t := p.h, p.Twin
	if t == nil || t.own != h || o != nil && t.Other.d != o {
		return
	}
	m := t.Other
	h.Twin, m.Twin = nil, nil
	m.load.Stop()
	m.d.Panes = slices.DeleteFunc(m.d.Panes, func(p doc.Pane) bool { return p == doc.Pane(m) })
	m.View.Release()
	h.middle.Objects = []fyne.CanvasObject{h.View}
	h.middle.Refresh()
	if h.d.Window.Shell.Focused() == fyne.Focusable(m.View) {
		h.d.Window.Shell.Focus(h.View) // typed bytes must not reach the other document
	}
	h.fit()
	h.View.Update()
}

// of returns the other of two panes.
func (t *twin) of(h *Pane) *Pane {
	if h == t.own {
		return t.Other
	}
	return t.own
}

// scrolled scrolls the other pane to the same place.
func (t *twin) scrolled(h *Pane, top int64) {
	if t.turning || t.ByNames {
		return
	}
	t.turning = true
	m := t.of(h)
	at, _, _ := align.Opposed(t.align.Of(t.own.Space, h != t.own), top*h.PerRow)
	m.View.ScrollTo(at / m.PerRow)
	t.turning = false
}

// fitted gives the other pane the same number of bytes per row.
func (t *twin) fitted(h *Pane) {
	if m := t.of(h); m.PerRow != h.PerRow && !t.turning {
		t.turning = true
		m.fit()
		m.View.Update()
		t.turning = false
	}
}

// narrower is how many bytes per row fit into both panes, at most n.
func (t *twin) narrower(n int64) int64 {
	for _, h := range []*Pane{t.own, t.Other} {
		was := h.PerRow
		for h.PerRow = n; h.PerRow > LeastWidth && !h.At.fits(); h.PerRow /= 2 {
		}
		n, h.PerRow = h.PerRow, was
	}
	return n
}

// selected shows the counterpart of the selection in the other document.
func (t *twin) selected(s doc.Selection) {
	o := t.Other.d
	switch {
	case t.ByNames && s.Span.Parent() != nil:
		o.Sel.Restore(t.own.d.Sel.Identity())
	case !t.ByNames && s.Range.Space == t.own.Space:
		r := model.Range{Space: t.Other.Space}
		end := int64(0)
		r.Off, _, _ = align.Opposed(t.align.Of(t.own.Space, false), s.Range.Off)
		if end, _, _ = align.Opposed(t.align.Of(t.own.Space, false), s.Range.End()); r.Off < t.Other.Size {
			r.Len = max(0, min(end, t.Other.Size)-r.Off)
			o.Sel.Bytes(r, t.Other)
		}
	}
}

// opposite is what bytes are compared with.
type opposite struct {
	window *doc.Window
	tree   *model.Tree
	space  model.SpaceID
	runs   []model.Changed
}

// opposite returns what the bytes of a pane are compared with, or nil.
func (t *twin) opposite(h *Pane) *opposite {
	if t == nil || t.ByNames {
		return nil
	}
	m := t.of(h)
	return &opposite{m.d.Window, m.d.Tree(), m.Space, t.align.Of(t.own.Space, h != t.own)}
}

// mark marks the bytes of a page that differ from, or are missing on, the other side. A document that is being closed is not read,
// because each of the two might wait for the other.
func (o *opposite) mark(ctx context.Context, p *hexPage) {
	if o == nil {
		return
	}
	release, open := o.window.TryHold()
	if !open {
		return
	}
	defer release()
	size, err := o.tree.Size(ctx, o.space)
	if err != nil {
		return
	}
	for i := int64(0); i < int64(len(p.Bytes)); {
		to, n, paired := align.Opposed(o.runs, p.Off+i)
		n = min(n, int64(len(p.Bytes))-i)
		var b []byte
		if paired {
			if b, err = o.tree.Bytes(ctx, model.Range{Space: o.space, Off: to, Len: max(0, min(n, size-to))}); err != nil {
				return
			}
		}
		for k := range n {
			p.Kind[i+k].Differs = k >= int64(len(b)) || b[k] != p.Bytes[i+k]
		}
		i += n
	}
}

package doc

import (
	"fmt"

	"spandrel/model"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
)

// A document has one or more views. Edits, findings and previews belong to the document and are the same in all of them; the selection and the
// panes belong to a view.

// View makes another view of the document, without panes. It starts with the selection of this one.
func (d *Document) View() *Document {
	v := *d
	v.Window = d.Window.share()
	v.bare()
	v.Sel, v.Marks = &Choice{d: &v}, &Bookmarks{d: &v}
	v.Sel.begin(d.Tree().Root)
	v.of = d.first()
	v.of.others = append(v.of.others, &v)
	return &v
}

// first is the view in which the document was opened: the others end with it.
func (d *Document) first() *Document {
	if d.of != nil {
		return d.of
	}
	return d
}

// First tells whether this is the view in which the document was opened.
func (d *Document) First() bool { return d.of == nil }

// views are all views of the document, the first one first.
func (d *Document) views() []*Document { return append([]*Document{d.first()}, d.first().others...) }

// bare is a view without panes: no one is notified, and what panes know is not known.
func (d *Document) bare() {
	d.Lower = kit.NewLowerPanes(d.Window.Host)
	d.Panes, d.Rereads, d.Graphs, d.Previews, d.Checks, d.Diagnoses, d.others = nil, nil, nil, nil, nil, nil, nil
	d.Shown, d.Typed = func() ByteView { return ByteView{Space: d.Tree().Root.Range.Space} }, nil
	d.Hits = func(model.SpaceID) []model.Range { return nil }
	d.Cells = Cells{At: func(model.Range) *CellRef { return nil }, Bytes: func(*CellRef) model.Range { return model.Range{} },
		Sets: func(*CellRef) bool { return false }, Set: func(*CellRef, string, func(error)) {}, Show: func(*CellRef) {}, Named: func(string) {}, Name: func() string { return "" }}
}

// each calls f for each pane of the view. A panic in one of them does not affect the others.
func (d *Document) each(f func(Pane)) {
	for _, p := range d.Panes {
		guard.Do(fmt.Sprintf("bringing a pane up to date (%T)", p), func() { f(p) })
	}
}

// all calls f for each pane of all views.
func (d *Document) all(f func(Pane)) {
	for _, v := range d.views() {
		v.each(f)
	}
}

// setPreview starts or ends a preview in all views.
func (d *Document) setPreview(x *Preview) {
	for _, v := range d.views() {
		v.Preview = x
	}
}

// notify calls functions of all views.
func notify[T any](d *Document, of func(*Document) []func(T), what T) {
	for _, v := range d.views() {
		for _, f := range of(v) {
			f(what)
		}
	}
}

// tellPreviews notifies about a preview or the other side of it; nil: it is over.
func (d *Document) tellPreviews(x *Preview) {
	notify(d, func(v *Document) []func(*Preview) { return v.Previews }, x)
}

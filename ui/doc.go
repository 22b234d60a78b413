package ui

import (
	"context"
	"sync"

	"spandrel/model"
)

// Selection is the one thing that panes of a document share: a range of bytes and the deepest span that owns it.
type Selection struct {
	Range model.Range
	Path  string // of the span; "" for a range that no single span owns
	From  any    // the pane that selected, which need not scroll
}

// Doc is an open document as the window sees it: the model's, with selection, hover and history of places.
type Doc struct {
	*model.Document
	Sel    Selection
	Span   *model.Span // of the selection; nil when none owns it
	Hover  model.Range // what is under the pointer in some pane; empty for nothing
	Frozen bool        // Ctrl is held: hover stays as it is
	Locked bool        // documents open locked
	Dirty  bool        // there are unsaved edits; the model's own Dirty may not be asked while a save runs
	Rows   *model.Rows // the tree's visible rows
	Panes  []Pane

	wb            *Workbench
	back, forward []Selection
	busy          bool // an edit is being worked out
	deep          bool // the deep checks ran on this tree
	tickets       map[any]*model.Ticket
	workers       sync.WaitGroup // runs that read the document's files
}

func newDoc(wb *Workbench, m *model.Document) *Doc {
	d := &Doc{Document: m, wb: wb, Locked: true, Rows: model.NewRows(m.Tree), tickets: map[any]*model.Ticket{}}
	d.Sel.Range = model.Range{Space: m.Tree.Root.Range.Space}
	return d
}

// tell passes a fact on to the panes.
func (d *Doc) tell(e Event) {
	for _, p := range d.Panes {
		p.Changed(e)
	}
}

// Do runs work on the document in the background. A later Do with the same key cancels the one before. done runs on the UI
// goroutine, unless the work was cancelled or the tree is another one by then.
func (d *Doc) Do(key any, title string, p model.Priority, run func(ctx context.Context, t *model.Tree, progress func(done, total int64)) (any, error), done func(any, error)) {
	d.tickets[key].Cancel()
	tree := d.Tree
	d.tickets[key] = d.wb.Jobs.Submit(model.Job{Title: title, Priority: p,
		Run: func(ctx context.Context, progress func(int64, int64)) (any, error) {
			d.workers.Add(1)
			defer d.workers.Done()
			return run(ctx, tree, progress)
		},
		Done: func(v any, err error) {
			if tree == d.Tree && done != nil {
				done(v, err)
			}
		}})
}

// Cancel withdraws the work that runs under a key.
func (d *Doc) Cancel(key any) { d.tickets[key].Cancel() }

func (d *Doc) cancelAll() {
	for _, t := range d.tickets {
		t.Cancel()
	}
}

// Select moves the selection and remembers the place it leaves.
func (d *Doc) Select(s Selection) {
	if s.Range == d.Sel.Range && s.Path == d.Sel.Path {
		return
	}
	if d.Sel.Range.Len > 0 || d.Sel.Path != "" {
		if d.back = append(d.back, d.Sel); len(d.back) > 1000 {
			d.back = d.back[1:]
		}
	}
	d.forward = nil
	d.show(s)
}

// show moves the selection. The span that owns it may lie in frames that are still closed: they are opened in the background
// and the panes are told again.
func (d *Doc) show(s Selection) {
	d.Sel, d.Span = s, nil
	known := d.Tree.At(s.Range.Space, s.Range.Off)
	if s.Path == "" || known != nil && known.Path() == s.Path || known != nil && !known.Ready() {
		d.Span = known
	}
	d.tell(Selected)
	d.Do("select", "", model.Selected, func(ctx context.Context, t *model.Tree, _ func(int64, int64)) (any, error) {
		if s.Path != "" {
			return t.Find(ctx, s.Path)
		}
		sp, err := t.AtOpen(ctx, s.Range.Space, s.Range.Off)
		for sp != nil && sp.Parent() != nil && !sp.Range.Contains(s.Range) && sp.Parent().Range.Space == s.Range.Space {
			sp = sp.Parent()
		}
		return sp, err
	}, func(v any, err error) {
		sp, _ := v.(*model.Span)
		if err != nil || sp == nil {
			return
		}
		d.Span, d.Sel.Path = sp, sp.Path()
		if d.Sel.Range.Len == 0 {
			d.Sel.Range.Len = 1
		}
		d.Rows.Reveal(sp)
		d.tell(Opened)
		d.tell(Selected)
	})
}

// SelectSpan selects all of a span. A span without bytes of its own space selects nothing but itself.
func (d *Doc) SelectSpan(s *model.Span, from any) {
	d.Select(Selection{Range: s.Range, Path: s.Path(), From: from})
}

// SelectRange selects bytes; the deepest span that holds them is found in the background.
func (d *Doc) SelectRange(r model.Range, from any) { d.Select(Selection{Range: r, From: from}) }

// SelectPath selects the span at a path, opening what lies on the way, and reports a path that is not there.
func (d *Doc) SelectPath(path string, from any) {
	d.Do("path", "", model.Selected, func(ctx context.Context, t *model.Tree, _ func(int64, int64)) (any, error) {
		return t.Find(ctx, path)
	}, func(v any, err error) {
		if err != nil {
			d.wb.window.Failed("Go to", err)
			return
		}
		d.SelectSpan(v.(*model.Span), from)
	})
}

// Point says what is under the pointer; an empty range for nothing.
func (d *Doc) Point(r model.Range) {
	if !d.Frozen && d.Hover != r {
		d.Hover = r
		d.tell(Hovered)
	}
}

// Back and Forward walk the history of selections.
func (d *Doc) Back()    { d.walk(&d.back, &d.forward) }
func (d *Doc) Forward() { d.walk(&d.forward, &d.back) }

func (d *Doc) walk(from, to *[]Selection) {
	if n := len(*from); n > 0 {
		s := (*from)[n-1]
		*from, *to = (*from)[:n-1], append(*to, d.Sel)
		s.From = nil
		d.show(s)
	}
}

// Open opens a lazy span in the background and tells the panes. It is called for whatever is visible and pending.
func (d *Doc) Open(s *model.Span, then func()) {
	if s.Ready() {
		if then != nil {
			then()
		}
		return
	}
	d.Do("open "+s.Path(), "", model.Visible, func(ctx context.Context, t *model.Tree, _ func(int64, int64)) (any, error) {
		return nil, t.Open(ctx, s)
	}, func(_ any, err error) {
		if err != nil {
			d.wb.window.Failed("Open "+s.Path(), err)
			return
		}
		if then != nil {
			then()
		}
		d.tell(Opened)
		d.tell(Found)
	})
}

// Bytes returns the bytes of a range when they are at hand. Otherwise ok is false, they are decoded in the background, and
// Opened follows.
func (d *Doc) Bytes(r model.Range) (b []byte, ok bool) {
	if b, ok = d.Tree.Cached(r); ok {
		return b, true
	}
	if sp := d.Tree.Space(r.Space); sp != nil && sp.Derived() {
		d.Do(r.Space, "decoding "+sp.Name(), model.Visible, func(ctx context.Context, t *model.Tree, _ func(int64, int64)) (any, error) {
			return t.Size(ctx, r.Space)
		}, func(any, error) { d.tell(Opened) })
	}
	return nil, false
}

// Check runs the deep checks in the background.
func (d *Doc) Check() {
	if d.deep {
		return
	}
	d.deep = true
	doc := d.Document
	d.Do("deep", "checking everything", model.Checks, func(ctx context.Context, t *model.Tree, progress func(int64, int64)) (any, error) {
		return nil, doc.DeepOn(ctx, t, func(done, total int64, _ string) { progress(done, total) })
	}, func(_ any, err error) {
		if err != nil {
			d.deep = false
			d.wb.window.Failed("Check", err)
		}
		d.tell(Found)
	})
}

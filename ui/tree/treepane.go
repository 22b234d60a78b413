package tree

import (
	"context"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// Pane shows the spans of a document: name, value, offset, size and type. Rows cost nothing until they are visible.
type Pane struct {
	rows.Grid
	d       *doc.Document
	Rows    *model.Rows
	Top     int64 // of page
	Page    [][]rows.Cell
	load    kit.Loader[[][]rows.Cell]
	reading kit.Loader[int]
	opening map[string]bool
	ahead   int        // rows that were read before anybody opened them
	fitted  bool       // columns are as wide as what is in them
	natural [2]float32 // how wide names and values are then
	given   [2]float32 // and were made, so that nothing is cut
	room    float32    // in a pane that has room for this
	named   bool       // also those of names that were not known at first: from now on they keep their width
	filter  *treeFilter
	Object  fyne.CanvasObject
}

// New makes the tree of bytes of a document.
func New(d *doc.Document) *Pane {
	t := &Pane{d: d, opening: map[string]bool{}, Rows: model.NewRows(d.Tree())}
	t.Grid = rows.NewGrid(rows.Column{Title: "name", Width: 170}, rows.Column{Title: "value", Width: 142},
		rows.Column{Title: "offset", Width: 76, Right: true}, rows.Column{Title: "size", Width: 54, Right: true}, rows.Column{Title: "type", Width: 54})
	t.Stretch, t.Measured = true, true
	t.Cells = t.row
	t.View = rows.NewView(t)
	t.View.Remark = func() { t.Hovered(d.Sel.Hover) }
	t.filter = newTreeFilter(t)
	t.Object = container.NewBorder(t.filter.entry, nil, nil, nil, t.View)
	t.unfold()
	return t
}

// unfoldRows is how many rows a new tree opens by itself, so that a small file is not a single line.
const unfoldRows = 40

// unfoldLazy is the number of rows up to which long branches are opened too, and lazy ones read at once.
const unfoldLazy = 3

// unfold opens the first branches, as far as they have been read and are short.
func (t *Pane) unfold() {
	for row := int64(0); row < t.Rows.Len() && row < unfoldRows; row++ {
		if r, ok := t.Rows.At(row); ok && r.Depth < 2 && r.Span.Ready() && r.Span.Count() > 0 && r.Span.Count() <= unfoldRows-t.Rows.Len() {
			t.Rows.Open(row)
		}
	}
	for row := min(t.Rows.Len(), unfoldLazy) - 1; row >= 0 && t.Rows.Len() <= unfoldLazy; row-- {
		switch r, _ := t.Rows.At(row); {
		case r.Span.Ready() && r.Span.Count() > 0 && !r.Open:
			t.Rows.Open(row)
		case !r.Span.Ready() && r.Span.Range.Space == t.d.Tree().Root.Range.Space:
			t.toggle(row)
		}
	}
}

func (t *Pane) Count() int64 {
	if t.filter.on {
		return int64(len(t.filter.found))
	}
	return t.Rows.Len()
}

func (t *Pane) Blank() string {
	if t.filter.on {
		return t.filter.trouble
	}
	return "nothing to show"
}

func (t *Pane) row(row int64) ([]rows.Cell, bool) {
	if i := row - t.Top; i >= 0 && i < int64(len(t.Page)) {
		return t.Page[i], true
	}
	return nil, false
}

// Show makes a worker decode the values of the rows that become visible.
func (t *Pane) Show(top, n int64) {
	var list []model.TreeRow
	for row := top; row < top+n; row++ {
		r, ok := t.at(row)
		if !ok {
			break
		}
		list = append(list, r)
	}
	tree, worst, matches, tints := t.d.Tree(), t.d.Found.Worst, t.filter.on, t.d.Tints()
	t.load.Load(t.d.Window, func(ctx context.Context) ([][]rows.Cell, error) {
		page := make([][]rows.Cell, len(list))
		for i, r := range list {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			cells := treeCells(ctx, tree, r, worst)
			differs := !r.Open && tints.Differs(ctx, r.Span, cells[1].Text)
			cells[0].Tint, cells[1].Tint = differs, differs
			if matches { // out of their place, so by their paths
				cells[0].Text, cells[0].Branch = r.Span.Path(), 0
			}
			page[i] = cells
		}
		return page, nil
	}, func(page [][]rows.Cell, err error) {
		if err == nil {
			t.Top, t.Page = top, page
			t.fitColumns()
			t.View.Redraw()
			t.readAhead(list)
		}
	})
}

// readAhead reads visible rows that have not been read yet, because a name alone says little.
func (t *Pane) readAhead(list []model.TreeRow) {
	tree := t.d.Tree()
	list = slices.DeleteFunc(slices.Clone(list), func(r model.TreeRow) bool { return !cheap(tree, r.Span) })
	if len(list) == 0 || t.ahead >= aheadMost {
		return
	}
	t.reading.Load(t.d.Window, func(ctx context.Context) (n int, err error) {
		for begin := time.Now(); n < len(list) && time.Since(begin) < aheadTime && ctx.Err() == nil; n++ {
			_ = tree.Open(ctx, list[n].Span) // what cannot be read is a finding
		}
		return n, ctx.Err()
	}, func(n int, err error) {
		if n > 0 && !t.named {
			t.named, t.fitted = true, false
		}
		if t.ahead += n; n > 0 && tree == t.d.Tree() && err == nil {
			t.View.Update()
			t.d.Found.Refresh()
		}
	})
}

// So many spans are read because their rows are visible, and for so long at a time.
const (
	aheadMost = 20_000
	aheadTime = 40 * time.Millisecond
	aheadSize = 1 << 20 // of what is decoded for it
)

// cheap tells whether an unread span can be read for its name.
func cheap(t *model.Tree, s *model.Span) bool {
	if s.Ready() {
		return false
	}
	sp := t.Space(s.Range.Space)
	return sp != nil && (!sp.Derived() || sp.Root != s || sp.Raw.Range.Len <= aheadSize)
}

// toggle opens or closes a branch. A worker reads a span that no one has looked into yet.
func (t *Pane) toggle(row int64) {
	r, ok := t.at(row)
	switch {
	case !ok:
	case t.filter.on: // to the field's place in the tree
		t.choose(row)
		t.filter.clear()
	case r.Open:
		t.Rows.Close(row)
		t.changedRows()
	case r.Span.Ready():
		if r.Span.Count() > 0 {
			t.Rows.Open(row)
			t.changedRows()
			t.showKids(row, r.Span.Count())
		}
	case !t.opening[r.Span.Path()]:
		path, tree, s := r.Span.Path(), t.d.Tree(), r.Span
		t.opening[path] = true
		kit.Work(t.d.Window, "reading "+s.Name(), model.Selected, func(ctx context.Context) (any, error) {
			return nil, tree.Open(ctx, s)
		}, func(_ any, err error) {
			delete(t.opening, path)
			if row, ok := t.Rows.RowOf(s); ok && err == nil && tree == t.d.Tree() {
				t.Rows.Open(row)
				t.changedRows()
				t.showKids(row, s.Count())
			}
			t.d.Opened()
			t.d.Window.Update()
		})
	}
}

// showKids scrolls so that what is below an opened row becomes visible, and the row stays visible.
func (t *Pane) showKids(row, kids int64) {
	t.View.Follow(row + min(kids, t.View.Page()-1))
	t.View.Follow(row)
}

func (t *Pane) changedRows() {
	t.Page = nil
	t.View.Update()
	t.follow(t.d.Sel.Now, false)
}

// choose selects the span of a row.
func (t *Pane) choose(row int64) {
	if r, ok := t.at(row); ok {
		t.highlight(row)
		t.d.Sel.Set(doc.Selection{Span: r.Span, From: t})
	}
}

func (t *Pane) highlight(row int64) {
	t.Grid.Current = row
	t.View.Redraw()
}

func (t *Pane) Selected(s doc.Selection) { t.follow(s, s.From != t) }

// follow opens the ancestors of the selected span and, with scroll, scrolls to it.
func (t *Pane) follow(s doc.Selection, scroll bool) {
	if !scroll || t.filter.on {
		row, ok := t.rowOf(s.Span)
		if !ok {
			row = -1
		}
		t.highlight(row)
		return
	}
	before := t.Rows.Len()
	row := t.Rows.Reveal(s.Span)
	if t.Rows.Len() != before {
		t.Page = nil
	}
	t.Grid.Current = row
	if row >= 0 {
		t.View.Reveal(row)
	}
	t.View.Update()
}

func (t *Pane) Hovered(r model.Range) {
	var marks []rows.Mark
	for row := t.View.Top; row < t.View.Top+t.View.Page()+1 && r.Len > 0; row++ {
		if v, ok := t.at(row); ok && v.Span.Range.Len > 0 && !v.Open && (v.Span.Range.Contains(r) || r.Contains(v.Span.Range)) {
			marks = append(marks, rows.Mark{Row: row, N: 1, W: t.Width()})
		}
	}
	t.View.SetMarks(marks)
}

// Changed keeps the open branches when the tree was parsed again.
func (t *Pane) Changed() {
	if tree := t.d.Tree(); t.Rows.Tree != tree {
		old := t.Rows
		t.Rows, t.ahead = model.NewRows(tree), 0
		if t.filter.on {
			t.filter.run()
		}
		kit.Work(t.d.Window, "", model.Selected, func(ctx context.Context) (*model.Rows, error) {
			return old.Moved(ctx, tree), nil
		}, func(r *model.Rows, err error) {
			if err == nil && tree == t.d.Tree() {
				marked := t.Grid.Current >= 0 // perhaps by now, in rows that had just been begun
				t.Rows, t.Page = r, nil
				t.View.Update()
				t.follow(t.d.Sel.Now, marked)
			}
		})
	}
	t.Page = nil
	t.View.Update()
}

func (t *Pane) Hover(row int64, _ float32) {
	if r, ok := t.at(row); ok {
		t.d.Sel.Light(r.Span.Range)
		return
	}
	t.d.Sel.Light(model.Range{})
}

func (t *Pane) Press(row int64, x float32, e rows.Press) {
	if t.Resize(row, x, e) || e.Drag {
		return
	}
	r, ok := t.at(row)
	if !ok {
		return
	}
	box := float32(min(r.Depth, 40))*13 + rows.CellPad
	onBranch := x >= box-2 && x < box+rows.BranchBox && (!r.Span.Ready() || r.Span.Count() > 0)
	if e.Click() && (e.Double || onBranch) {
		if t.toggle(row); onBranch && !t.filter.on {
			return // what is selected stays
		}
	}
	t.choose(row)
}

func (t *Pane) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	row := t.Grid.Current
	r, ok := t.at(row)
	switch {
	case name == fyne.KeyC && mod == fyne.KeyModifierShortcutDefault && ok:
		if cells, there := t.row(row); there {
			t.d.Window.Copy(cells[1].Text)
		}
		return true
	case mod&^(fyne.KeyModifierShortcutDefault|fyne.KeyModifierShift) != 0:
		return false
	case t.filter.on && (name == fyne.KeyEscape || name == fyne.KeyBackspace):
		t.filter.clear()
		return true
	case ok && mod == 0 && (name == fyne.KeyReturn || name == fyne.KeySpace || name == fyne.KeyRight && t.filter.on):
		t.toggle(row)
		return true
	case ok && !t.filter.on && t.branchKey(row, r, name, mod):
		return true
	}
	return t.Moved(name, t.Count(), t.choose)
}

// branchKey opens and closes a branch, and goes into it and out of it.
func (t *Pane) branchKey(row int64, r model.TreeRow, name fyne.KeyName, mod fyne.KeyModifier) bool {
	to := row
	switch {
	case name == fyne.KeyRight && mod == fyne.KeyModifierShift:
		t.expand(r.Span)
		return true
	case name == fyne.KeyRight && !r.Open, name == fyne.KeyLeft && r.Open:
		t.toggle(row)
		return true
	case name == fyne.KeyRight:
		to = row + 1
	case name == fyne.KeyLeft, name == fyne.KeyBackspace:
		up, ok := t.Rows.RowOf(r.Span.Parent())
		if !ok {
			return true
		}
		to = up
	default:
		return false
	}
	t.choose(to)
	t.View.Follow(to)
	return true
}

// expandMost is how many branches opening a subtree opens at once.
const expandMost = 200

// expand opens a span and what is below it, as far as it has been read.
func (t *Pane) expand(s *model.Span) {
	budget := expandMost
	var walk func(s *model.Span)
	walk = func(s *model.Span) {
		row, ok := t.Rows.RowOf(s)
		if !ok || budget == 0 || !s.Ready() || s.Count() == 0 {
			return
		}
		budget--
		t.Rows.Open(row)
		for i := range min(s.Count(), expandMost) {
			walk(s.Child(i))
		}
	}
	if !s.Ready() {
		if row, ok := t.Rows.RowOf(s); ok {
			t.toggle(row)
		}
		return
	}
	walk(s)
	t.changedRows()
}

func (t *Pane) Menu(row int64, _ float32) *fyne.Menu {
	r, ok := t.at(row)
	if !ok {
		return nil
	}
	return t.d.SpanMenu(r.Span)
}

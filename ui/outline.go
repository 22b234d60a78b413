package ui

import (
	"context"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/rows"
)

// outline shows a document as what it means instead of where its bytes are: columns, attributes, samples, genes; of a graph, what goes
// in, the operations with what they take, make and are told, the values that are held, and what comes out. Its rows lead to the same
// spans as those of the tree of bytes.
type outline struct {
	rows.Grid
	d      *Document
	roots  []*outlineNode
	lines  []*outlineNode // as they are listed
	entry  *keyEntry
	object fyne.CanvasObject
}

// outlineNode is a branch or a leaf of an outline.
type outlineNode struct {
	label, value string
	span         *model.Span
	at           model.Range                                    // instead of a span; no bytes: a group
	more         func(context.Context) ([]model.Meaning, error) // reads what is below it; nil: that is known
	reading      bool
	depth        int
	open         bool
	follows      bool // it was opened for a selection below it, and is closed when that goes elsewhere
	up           *outlineNode
	kids         []*outlineNode
}

func newOutline(d *Document) *outline {
	o := &outline{d: d}
	o.Grid = rows.NewGrid(rows.Column{Title: "name", Width: 190}, rows.Column{Title: "what it is", Width: 180})
	o.Stretch, o.Fits = true, true
	o.Cells = o.row
	o.View = rows.NewView(o)
	o.View.Remark = func() { o.hovered(d.sel.hover) }
	o.entry = newKeyEntry(d.wb.Host)
	o.entry.SetPlaceHolder("filter by name")
	o.entry.OnChanged = func(string) { o.list() }
	o.object = container.NewBorder(o.entry, nil, nil, nil, o.View)
	return o
}

// set shows what a document means. What was open stays open, by its name.
func (o *outline) set(list []model.Meaning) {
	was := map[string]*outlineNode{}
	for _, n := range o.lines {
		was[n.path()] = n
	}
	o.roots = o.add(nil, list)
	var reopen func(list []*outlineNode)
	reopen = func(list []*outlineNode) {
		for _, n := range list {
			if old, known := was[n.path()]; known {
				n.open, n.follows = old.open && n.more == nil, old.follows
			}
			reopen(n.kids)
		}
	}
	reopen(o.roots)
	o.list()
	o.selected(o.d.sel.now)
}

// add makes nodes below another; nil: at the top.
func (o *outline) add(up *outlineNode, list []model.Meaning) (nodes []*outlineNode) {
	for _, m := range list {
		n := &outlineNode{label: m.Label, value: m.Text, span: m.Span, at: m.At, more: m.More, up: up}
		if up != nil {
			n.depth = up.depth + 1
		}
		n.kids = o.add(n, m.Kids)
		n.open = m.Open && n.more == nil
		nodes = append(nodes, n)
	}
	return nodes
}

// path names a node.
func (n *outlineNode) path() string {
	if n.up == nil {
		return n.label
	}
	return n.up.path() + "\x00" + n.label
}

// list lists the open branches or, with a filter, the nodes that it names.
func (o *outline) list() {
	var current *outlineNode
	if o.Current >= 0 && o.Current < o.Count() {
		current = o.lines[o.Current]
	}
	o.lines, o.Current = nil, -1
	want := strings.ToLower(strings.TrimSpace(o.entry.Text))
	var kept func(n *outlineNode) bool
	kept = func(n *outlineNode) bool { return n.named(want) || slices.ContainsFunc(n.kids, kept) }
	var walk func(list []*outlineNode, all bool)
	walk = func(list []*outlineNode, all bool) {
		for _, n := range list {
			if !all && !kept(n) {
				continue
			}
			if n == current {
				o.Current = int64(len(o.lines))
			}
			o.lines = append(o.lines, n)
			if below := all || n.named(want); n.open || !below {
				walk(n.kids, below)
			}
		}
	}
	walk(o.roots, want == "")
	o.View.Update()
}

// named tells whether a filter means a node: those that are things themselves, not what is said of one.
func (n *outlineNode) named(want string) bool {
	thing := n.depth == 1 || n.depth == 2 && n.up.where().Len == 0
	return thing && want != "" && strings.Contains(strings.ToLower(n.label+" "+n.value), want)
}

func (o *outline) Count() int64    { return int64(len(o.lines)) }
func (o *outline) Show(_, _ int64) {}

func (o *outline) Blank() string {
	if o.entry.Text != "" {
		return "nothing is called that"
	}
	return "nothing is known of what this document means"
}

func (o *outline) row(row int64) ([]rows.Cell, bool) {
	if row < 0 || row >= o.Count() {
		return nil, true
	}
	n := o.lines[row]
	name := rows.Cell{Text: n.label, Indent: float32(n.depth) * 13, Branch: -1}
	if n.branch() {
		if name.Branch = 1; n.open {
			name.Branch = 2
		}
	}
	if n.span != nil {
		name.Mark = o.d.found.worst[n.span.Path()]
	}
	tints := o.d.tints()
	name.Tint = (!n.open || len(n.kids) == 0) && tints.touches(n.where())
	return []rows.Cell{name, {Text: n.value, Tint: name.Tint, Dim: n.span == nil && n.at.Len == 0}}, true
}

// choose selects what a row is about, in every pane.
func (o *outline) choose(row int64) {
	if row < 0 || row >= o.Count() {
		return
	}
	o.Current = row
	o.View.Redraw()
	switch n := o.lines[row]; {
	case n.span != nil:
		o.d.sel.set(Selection{Span: n.span, From: o})
	case n.at.Len > 0:
		o.d.sel.reach(Selection{Range: n.at, From: o})
	}
}

func (n *outlineNode) branch() bool { return len(n.kids) > 0 || n.more != nil }

// toggle opens or closes a branch. One that nobody looked into yet is read by a worker first.
func (o *outline) toggle(row int64) {
	if row < 0 || row >= o.Count() || !o.lines[row].branch() {
		return
	}
	n, t := o.lines[row], o.d.Tree()
	if n.follows = false; n.more == nil {
		n.open = !n.open
		o.list()
		return
	}
	if n.reading {
		return
	}
	n.reading = true
	o.d.wb.submit(model.Job{Title: "reading " + n.label, Priority: model.Selected,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) { return n.more(ctx) },
		Done: func(v any, err error) {
			n.reading = false
			list, _ := v.([]model.Meaning)
			switch {
			case t != o.d.Tree():
				return
			case err != nil:
				o.d.wb.say(n.label + " cannot be read: " + err.Error())
				return
			}
			n.more, n.open = nil, true
			n.kids = o.add(n, list)
			o.list()
			o.d.opened()
		}})
}

// selected marks the node that the selection is in: the smallest that is known to hold it, or a closed one around that which holds it too. Branches
// that were opened for an earlier selection are closed again.
func (o *outline) selected(s Selection) {
	if s.From == o {
		return
	}
	o.Current = -1
	if n := o.holding(s); n != nil {
		for up := n.up; up != nil; up = up.up {
			if at := up.where(); !up.open && at.Len > 0 && at.Contains(n.where()) {
				n = up
			}
		}
		around, changed := map[*outlineNode]bool{}, false
		for up := n.up; up != nil; up = up.up {
			if around[up] = true; !up.open {
				up.open, up.follows, changed = true, true, true
			}
		}
		for _, l := range o.lines {
			if l.follows && !around[l] {
				l.open, l.follows, changed = false, false, true
			}
		}
		if changed {
			o.list()
		}
		if o.Current = int64(slices.Index(o.lines, n)); o.Current >= 0 {
			o.View.Reveal(o.Current)
		}
	}
	o.View.Redraw()
}

// holding returns the smallest known node that a selection is in; bytes that are decoded from others are in what those are in.
func (o *outline) holding(s Selection) (best *outlineNode) {
	ranges := map[model.SpaceID]model.Range{s.Range.Space: s.Range}
	spans := map[model.Range][]*model.Span{}
	for span := s.Span; span != nil && span.Parent() != nil; span = span.Parent() {
		spans[span.Range] = append(spans[span.Range], span)
		if _, known := ranges[span.Range.Space]; !known {
			ranges[span.Range.Space] = span.Range
		}
	}
	in := func(n *outlineNode) bool {
		r, there := ranges[n.where().Space]
		return n.span == nil && there && r.Len > 0 && n.at.Contains(r)
	}
	// A node that has a span is that span; one with bytes alone may only speak of them: an input speaks of the operation that it comes from.
	owner := smallest(o.roots, nil, func(n *outlineNode) bool {
		return n.span != nil && slices.ContainsFunc(spans[n.span.Range], func(s *model.Span) bool {
			return s == n.span || s.Path() == n.span.Path() // what is read twice is two spans of one path
		})
	})
	if owner == nil {
		return smallest(o.roots, nil, in)
	}
	return smallest(owner.kids, owner, in)
}

// smallest returns the node of the fewest bytes, decoded ones first, of those below some that are meant; best where none has fewer.
func smallest(list []*outlineNode, best *outlineNode, meant func(*outlineNode) bool) *outlineNode {
	for _, n := range list {
		if at := n.where(); meant(n) && at.Len > 0 &&
			(best == nil || at.Space == best.where().Space && at.Len < best.where().Len || at.Space > best.where().Space) {
			best = n
		}
		best = smallest(n.kids, best, meant)
	}
	return best
}

func (o *outline) hovered(r model.Range) {
	var marks []rows.Mark
	for row := o.View.Top; row < min(o.View.Top+o.View.Page()+1, o.Count()) && r.Len > 0; row++ {
		if at := o.lines[row].where(); at.Len > 0 && (at.Contains(r) || r.Contains(at)) {
			marks = append(marks, rows.Mark{Row: row, N: 1, W: o.Width()})
		}
	}
	o.View.SetMarks(marks)
}

func (n *outlineNode) where() model.Range {
	if n.span != nil {
		return n.span.Range
	}
	return n.at
}

func (o *outline) changed() { o.View.Redraw() }

func (o *outline) Hover(row int64, _ float32) {
	if row >= 0 && row < o.Count() {
		o.d.sel.light(o.lines[row].where())
		return
	}
	o.d.sel.light(model.Range{})
}

func (o *outline) Press(row int64, x float32, e rows.Press) {
	if o.Resize(row, x, e) || e.Drag || row < 0 || row >= o.Count() {
		return
	}
	box := float32(o.lines[row].depth)*13 + rows.CellPad
	if onBranch := x >= box-2 && x < box+rows.BranchBox; e.Button == desktop.MouseButtonPrimary && (e.Double || onBranch) {
		if o.toggle(row); onBranch {
			return
		}
	}
	o.choose(row)
}

func (o *outline) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	row := o.Current
	ok := row >= 0 && row < o.Count()
	switch {
	case ok && name == fyne.KeyC && mod == fyne.KeyModifierShortcutDefault:
		o.d.wb.copy(strings.TrimSpace(o.lines[row].label + "\t" + o.lines[row].value))
	case mod != 0:
		return false
	case ok && name == fyne.KeyRight && !o.lines[row].open && o.lines[row].branch(),
		ok && name == fyne.KeyLeft && o.lines[row].open,
		ok && (name == fyne.KeyReturn || name == fyne.KeySpace):
		o.toggle(row)
	case ok && name == fyne.KeyLeft && o.lines[row].up != nil:
		for i, n := range o.lines {
			if n == o.lines[row].up {
				o.choose(int64(i))
				o.View.Follow(int64(i))
				break
			}
		}
	default:
		return o.Moved(name, o.Count(), o.choose)
	}
	return true
}

func (o *outline) Menu(row int64, _ float32) *fyne.Menu {
	if row < 0 || row >= o.Count() || o.lines[row].span == nil {
		return nil
	}
	return o.d.spanMenu(o.lines[row].span)
}

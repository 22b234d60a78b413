package tree

import (
	"context"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// outline shows the logical view of a document: columns, attributes, samples, genes; for a graph, inputs,
// operations with their arguments and results, stored values, and outputs. Its rows lead to the same
// spans as those of the tree of bytes.
type outline struct {
	rows.Grid
	d      *doc.Document
	roots  []*OutlineNode
	Lines  []*OutlineNode // as they are listed
	Entry  *kit.Entry
	Object fyne.CanvasObject
}

// OutlineNode is a branch or leaf of an outline.
type OutlineNode struct {
	Label, Value string
	Icon         model.Icon
	Span         *model.Span
	At           model.Range                                    // instead of a span; no bytes: a group
	More         func(context.Context) ([]model.Meaning, error) // reads what is below it; nil: that is known
	reading      bool
	Depth        int
	Open         bool
	worst        model.Severity // of what is wrong in its bytes
	damaged      int            // of a group: nodes right below it in which something is wrong
	follows      bool           // opened for a selection below it, and closed when the selection leaves
	Up           *OutlineNode
	kids         []*OutlineNode
}

func newOutline(d *doc.Document) *outline {
	o := &outline{d: d}
	o.Grid = rows.NewGrid(rows.Column{Title: "name", Width: 190}, rows.Column{Title: "what it is", Width: 180})
	o.Stretch, o.Fits = true, true
	o.Cells = o.row
	o.View = rows.NewView(o)
	o.View.Remark, o.View.Refit = func() { o.Hovered(d.Sel.Hover) }, o.fitColumns
	o.Entry = kit.NewEntry(d.Window.Host)
	o.Entry.SetPlaceHolder("filter by name")
	o.Entry.OnChanged = func(string) { o.list() }
	o.Object = container.NewBorder(o.Entry, nil, nil, nil, o.View)
	return o
}

// set sets the logical view. Open branches stay open, by name.
func (o *outline) set(list []model.Meaning) {
	was := map[string]*OutlineNode{}
	for _, n := range o.Lines {
		was[n.Path()] = n
	}
	o.roots = o.add(nil, list)
	var reopen func(list []*OutlineNode)
	reopen = func(list []*OutlineNode) {
		for _, n := range list {
			if old, known := was[n.Path()]; known {
				n.Open, n.follows = old.Open && n.More == nil, old.follows
			}
			reopen(n.kids)
		}
	}
	reopen(o.roots)
	o.judge(o.roots)
	o.list()
	o.Selected(o.d.Sel.Now)
}

// add makes nodes below another; nil: at the top.
func (o *outline) add(up *OutlineNode, list []model.Meaning) (nodes []*OutlineNode) {
	for _, m := range list {
		n := &OutlineNode{Label: m.Label, Value: m.Text, Icon: m.Icon, Span: m.Span, At: m.At, More: m.More, Up: up}
		if up != nil {
			n.Depth = up.Depth + 1
		}
		n.kids = o.add(n, m.Kids)
		n.Open = m.Open && n.More == nil
		nodes = append(nodes, n)
	}
	return nodes
}

// Path names a node.
func (n *OutlineNode) Path() string {
	if n.Up == nil {
		return n.Label
	}
	return n.Up.Path() + "\x00" + n.Label
}

// list lists the open branches or, with a filter, the matching nodes.
func (o *outline) list() {
	current := o.at(o.Current)
	o.Lines = nil
	want := strings.ToLower(strings.TrimSpace(o.Entry.Text))
	var kept func(n *OutlineNode) bool
	kept = func(n *OutlineNode) bool { return n.named(want) || slices.ContainsFunc(n.kids, kept) }
	var walk func(list []*OutlineNode, all bool)
	walk = func(list []*OutlineNode, all bool) {
		for _, n := range list {
			if !all && !kept(n) {
				continue
			}
			o.Lines = append(o.Lines, n)
			if below := all || n.named(want); n.Open || !below {
				walk(n.kids, below)
			}
		}
	}
	walk(o.roots, want == "")
	o.Current = int64(slices.Index(o.Lines, current))
	o.fitColumns()
	o.View.Update()
}

// fitLines is how many lines determine the width of the columns.
const fitLines = 500

// fitColumns fits the columns to their content, until someone drags one.
func (o *outline) fitColumns() {
	if !o.Fits {
		return
	}
	name, value := float32(60), float32(60)
	for i, n := range o.Lines[:min(len(o.Lines), fitLines)] {
		cells, _ := o.row(int64(i))
		name = max(name, kit.ColumnFor(n.Label)+cells[0].Indent+rows.BranchBox+2*markRoom)
		value = max(value, kit.ColumnFor(cells[1].Text))
	}
	if room := o.Room(); room > 0 && name+value > room { // things are known by their names: what they are is cut first, down to a third of the pane
		name = min(name, max(room*2/3, room-value))
		value = room - name
	}
	o.Columns[0].Width, o.Columns[1].Width = name, value
}

// markRoom is the room for the mark of a problem before a name, or for its icon.
const markRoom = 13

// named tells whether a filter applies to a node: to things themselves, not to their properties.
func (n *OutlineNode) named(want string) bool {
	thing := n.Depth == 1 || n.Depth == 2 && n.Up.where().Len == 0
	return thing && want != "" && strings.Contains(strings.ToLower(n.Label+" "+n.Value), want)
}

func (o *outline) Count() int64    { return int64(len(o.Lines)) }
func (o *outline) Show(_, _ int64) {}

func (o *outline) Blank() string {
	if o.Entry.Text != "" {
		return "No names match"
	}
	return "this document has no logical view"
}

// at is the node in a row; nil if there is no such row.
func (o *outline) at(row int64) *OutlineNode {
	if row < 0 || row >= o.Count() {
		return nil
	}
	return o.Lines[row]
}

func (o *outline) row(row int64) ([]rows.Cell, bool) {
	n := o.at(row)
	if n == nil {
		return nil, true
	}
	name := rows.Cell{Text: n.Label, Icon: n.Icon, Indent: float32(n.Depth) * 13, Branch: -1}
	if n.branch() {
		name.Branch = rows.Branch(n.Open)
	}
	name.Mark = n.worst
	tints := o.d.Tints()
	name.Tint = (!n.Open || len(n.kids) == 0) && tints.Touches(n.where())
	return []rows.Cell{name, {Text: n.says(), Tint: name.Tint, Dim: n.Span == nil && n.At.Len == 0}}, true
}

// Choose selects what a row is about, in every pane.
func (o *outline) Choose(row int64) {
	n := o.at(row)
	if n == nil {
		return
	}
	o.Current = row
	o.View.Redraw()
	o.d.Cells.Named(n.Label)
	switch {
	case n.Span != nil:
		o.d.Sel.Set(doc.Selection{Span: n.Span, From: o})
	case n.At.Len > 0:
		o.d.Sel.Reach(doc.Selection{Range: n.At, From: o})
	}
}

func (n *OutlineNode) branch() bool { return len(n.kids) > 0 || n.More != nil }

// Toggle opens or closes a branch. A worker reads one that no one has looked into yet.
func (o *outline) Toggle(row int64) {
	n, t := o.at(row), o.d.Tree()
	if n == nil || !n.branch() {
		return
	}
	if n.follows = false; n.More == nil {
		n.Open = !n.Open
		o.list()
		return
	}
	if n.reading {
		return
	}
	n.reading = true
	kit.Work(o.d.Window, "reading "+n.Label, model.Selected, func(ctx context.Context) ([]model.Meaning, error) {
		return n.More(ctx)
	}, func(list []model.Meaning, err error) {
		n.reading = false
		switch {
		case t != o.d.Tree():
			return
		case err != nil:
			o.d.Window.Say(n.Label + " cannot be read: " + err.Error())
			return
		}
		n.More, n.Open = nil, true
		n.kids = o.add(n, list)
		o.judge([]*OutlineNode{n})
		o.list()
		o.d.Opened()
	})
}

// Selected marks the node of the selection: the smallest one known to contain it, or a closed one around that. Branches
// that were opened for an earlier selection are closed again.
func (o *outline) Selected(s doc.Selection) {
	if s.From == o {
		return
	}
	o.Current = -1
	if n := o.holding(s); n != nil {
		n = n.closedAround()
		if o.openTo(n) {
			o.list()
		}
		if o.Current = int64(slices.Index(o.Lines, n)); o.Current >= 0 {
			o.View.Reveal(o.Current)
		}
	}
	o.View.Redraw()
}

// closedAround is the outermost closed branch whose bytes contain those of a node, or the node itself.
func (n *OutlineNode) closedAround() *OutlineNode {
	for up := n.Up; up != nil; up = up.Up {
		if at := up.where(); !up.Open && at.Len > 0 && at.Contains(n.where()) {
			n = up
		}
	}
	return n
}

// openTo opens the branches around a node, and closes those that were opened for an earlier one. It tells whether there were any.
func (o *outline) openTo(n *OutlineNode) (changed bool) {
	around := map[*OutlineNode]bool{}
	for up := n.Up; up != nil; up = up.Up {
		if around[up] = true; !up.Open {
			up.Open, up.follows, changed = true, true, true
		}
	}
	for _, l := range o.Lines {
		if l.follows && !around[l] {
			l.Open, l.follows, changed = false, false, true
		}
	}
	return changed
}

// holding returns the smallest known node that contains a selection; decoded bytes count as the bytes they come from.
func (o *outline) holding(s doc.Selection) (best *OutlineNode) {
	ranges := map[model.SpaceID]model.Range{s.Range.Space: s.Range}
	spans := map[model.Range][]*model.Span{}
	for span := s.Span; span != nil && span.Parent() != nil; span = span.Parent() {
		spans[span.Range] = append(spans[span.Range], span)
		if _, known := ranges[span.Range.Space]; !known {
			ranges[span.Range.Space] = span.Range
		}
	}
	in := func(n *OutlineNode) bool {
		r, there := ranges[n.where().Space]
		return n.Span == nil && there && r.Len > 0 && n.At.Contains(r)
	}
	// A node with a span is that span; one with bytes alone may only refer to them: an input refers to the operation that it comes from.
	owner := smallest(o.roots, nil, func(n *OutlineNode) bool {
		return n.Span != nil && slices.ContainsFunc(spans[n.Span.Range], func(s *model.Span) bool {
			return s == n.Span || s.Path() == n.Span.Path() // what is read twice is two spans of one path
		})
	})
	if owner == nil {
		return smallest(o.roots, nil, in)
	}
	return smallest(owner.kids, owner, in)
}

// smallest returns the node with the fewest bytes, decoded ones first, among matching nodes below some; best if none has fewer.
func smallest(list []*OutlineNode, best *OutlineNode, meant func(*OutlineNode) bool) *OutlineNode {
	for _, n := range list {
		if at := n.where(); meant(n) && at.Len > 0 &&
			(best == nil || at.Space == best.where().Space && at.Len < best.where().Len || at.Space > best.where().Space) {
			best = n
		}
		best = smallest(n.kids, best, meant)
	}
	return best
}

func (o *outline) Hovered(r model.Range) {
	var marks []rows.Mark
	for row := o.View.Top; row < min(o.View.Top+o.View.Page()+1, o.Count()) && r.Len > 0; row++ {
		if at := o.Lines[row].where(); at.Len > 0 && (at.Contains(r) || r.Contains(at)) {
			marks = append(marks, rows.Mark{Row: row, N: 1, W: o.Width()})
		}
	}
	o.View.SetMarks(marks)
}

func (n *OutlineNode) where() model.Range {
	if n.Span != nil {
		return n.Span.Range
	}
	return n.At
}

func (o *outline) Changed() {
	o.judge(o.roots)
	o.View.Redraw()
}

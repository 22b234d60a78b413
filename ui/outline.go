package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/rows"
)

// outline shows a document as what it means instead of where its bytes are: of a graph, what goes in, the operations with what they
// take, make and are told, the values that are held, and what comes out. Its rows lead to the same spans as those of the tree of bytes.
type outline struct {
	rows.Grid
	d      *Document
	roots  []*outlineNode
	of     map[*model.Span]*outlineNode
	lines  []*outlineNode // as they are listed
	entry  *keyEntry
	object fyne.CanvasObject
}

// outlineNode is a branch or a leaf of an outline.
type outlineNode struct {
	label, value string
	span         *model.Span
	at           model.Range // instead of a span; no bytes: a group
	depth        int
	open         bool
	up           *outlineNode
	kids         []*outlineNode
}

func newOutline(d *Document) *outline {
	o := &outline{d: d}
	o.Grid = rows.NewGrid(rows.Column{Title: "name", Width: 190}, rows.Column{Title: "what it is", Width: 180})
	o.Stretch = true
	o.Cells = o.row
	o.View = rows.NewView(o)
	o.View.Remark = func() { o.hovered(d.sel.hover) }
	o.entry = newKeyEntry(d.wb.Workbench)
	o.entry.SetPlaceHolder("filter operations and values")
	o.entry.OnChanged = func(string) { o.list() }
	o.object = container.NewBorder(o.entry, nil, nil, nil, o.View)
	return o
}

// add puts a node below another; nil: at the top.
func (o *outline) add(up *outlineNode, n *outlineNode) *outlineNode {
	if n.up = up; up == nil {
		o.roots = append(o.roots, n)
	} else {
		n.depth = up.depth + 1
		up.kids = append(up.kids, n)
	}
	return n
}

// set shows a graph. What was open stays open, by its name.
func (o *outline) set(g *model.Graph) {
	was := map[string]bool{}
	for _, n := range o.lines {
		was[n.path()] = n.open
	}
	o.roots, o.of = nil, map[*model.Span]*outlineNode{}
	if g != nil {
		for _, group := range []struct {
			kind model.GraphKind
			name string
		}{{model.Input, "inputs"}, {model.Operation, "operations"}, {model.Stored, "values"}, {model.Output, "outputs"}} {
			o.group(group.name, group.kind, g)
		}
	}
	var reopen func(list []*outlineNode)
	reopen = func(list []*outlineNode) {
		for _, n := range list {
			open, known := was[n.path()]
			n.open = known && open || !known && n.up == nil && len(n.kids) <= 200
			reopen(n.kids)
		}
	}
	reopen(o.roots)
	o.list()
	o.selected(o.d.sel.now)
}

// path names a node.
func (n *outlineNode) path() string {
	if n.up == nil {
		return n.label
	}
	return n.up.path() + "\x00" + n.label
}

// group adds the nodes of a kind.
func (o *outline) group(name string, kind model.GraphKind, g *model.Graph) {
	var top *outlineNode
	for i := range g.Nodes {
		x := &g.Nodes[i]
		if x.Kind != kind {
			continue
		}
		if top == nil {
			top = o.add(nil, &outlineNode{label: name})
		}
		n := o.add(top, &outlineNode{label: x.Label, value: x.Detail, span: x.Span})
		if o.of[x.Span] == nil {
			o.of[x.Span] = n
		}
		part := (*outlineNode)(nil)
		for _, f := range x.Facts {
			if f.Part == "operation" || f.Part == "variable" {
				continue // its row and the details say it
			}
			if part == nil || part.label != f.Part {
				part = o.add(n, &outlineNode{label: f.Part})
			}
			o.add(part, &outlineNode{label: f.Label, value: f.Text, at: f.At})
			part.value = fmt.Sprint(len(part.kids))
		}
	}
	if top != nil {
		top.value = fmt.Sprint(len(top.kids))
	}
}

// list lists the open branches or, with a filter, the nodes that it names.
func (o *outline) list() {
	var current *outlineNode
	if o.Current >= 0 && o.Current < o.Count() {
		current = o.lines[o.Current]
	}
	o.lines, o.Current = nil, -1
	want := strings.ToLower(strings.TrimSpace(o.entry.Text))
	var walk func(list []*outlineNode)
	walk = func(list []*outlineNode) {
		for _, n := range list {
			named := n.depth == 1 && strings.Contains(strings.ToLower(n.label+" "+n.value), want)
			if want == "" || named || n.depth > 1 {
				if n == current {
					o.Current = int64(len(o.lines))
				}
				o.lines = append(o.lines, n)
			}
			if n.open && (want == "" || named || n.depth != 1) || want != "" && n.depth == 0 {
				walk(n.kids)
			}
		}
	}
	walk(o.roots)
	o.View.Update()
}

func (o *outline) Count() int64    { return int64(len(o.lines)) }
func (o *outline) Show(_, _ int64) {}

func (o *outline) Blank() string {
	if o.entry.Text != "" {
		return "nothing is called that"
	}
	return "this document holds no graph"
}

func (o *outline) row(row int64) ([]rows.Cell, bool) {
	if row < 0 || row >= o.Count() {
		return nil, true
	}
	n := o.lines[row]
	name := rows.Cell{Text: n.label, Indent: float32(n.depth) * 13, Branch: -1}
	if len(n.kids) > 0 {
		if name.Branch = 1; n.open {
			name.Branch = 2
		}
	}
	if n.span != nil {
		name.Mark = o.d.found.worst[n.span.Path()]
	}
	return []rows.Cell{name, {Text: n.value, Dim: n.span == nil && n.at.Len == 0}}, true
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

func (o *outline) toggle(row int64) {
	if row >= 0 && row < o.Count() && len(o.lines[row].kids) > 0 {
		o.lines[row].open = !o.lines[row].open
		o.list()
	}
}

// selected marks the node that the selection is in.
func (o *outline) selected(s Selection) {
	if s.From == o {
		return
	}
	o.Current = -1
	for span := s.Span; span != nil; span = span.Parent() {
		if n := o.of[span]; n != nil {
			if n.up != nil && !n.up.open {
				n.up.open = true
				o.list()
			}
			for i, l := range o.lines {
				if l == n {
					o.Current = int64(i)
					o.View.Reveal(o.Current)
				}
			}
			break
		}
	}
	o.View.Redraw()
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
	case ok && name == fyne.KeyRight && !o.lines[row].open && len(o.lines[row].kids) > 0,
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

// leftPane is the tree of a document: of its bytes, and where it holds a graph of what it means, with a switch between them.
type leftPane struct {
	d       *Document
	inOrder *treePane
	logical *outline
	which   *keySelect
	there   bool  // a graph was found
	wanted  *bool // whether the user wants the tree of bytes; nil: nobody said
	load    loader[*model.Graph]
	tree    *model.Tree // whose graph is shown, or is being read
	object  *fyne.Container
}

// The two trees.
var treeKinds = []string{"what it means", "bytes in their order"}

func newLeftPane(d *Document, bytes *treePane) *leftPane {
	l := &leftPane{d: d, inOrder: bytes, logical: newOutline(d)}
	l.which = newKeySelect(d.wb.Workbench, treeKinds, 0, func(i int) { l.show(i == 1) })
	l.object = container.NewBorder(l.which, nil, nil, nil, container.NewStack(bytes.object, l.logical.object))
	l.arrange()
	return l
}

// show shows the tree of bytes, or what the document means.
func (l *leftPane) show(bytes bool) {
	l.wanted = &bytes
	l.arrange()
}

// meaning tells whether what the document means is shown: of a broken one, the bytes in their order say more.
func (l *leftPane) meaning() bool {
	if l.wanted != nil {
		return l.there && !*l.wanted
	}
	return l.there && l.d.found.counts()[model.Error] == 0
}

func (l *leftPane) arrange() {
	l.which.Hidden = !l.there
	outline := l.meaning()
	l.which.Selected = treeKinds[map[bool]int{true: 0, false: 1}[outline]]
	l.which.Refresh()
	l.logical.object.(*fyne.Container).Hidden = !outline
	l.inOrder.object.(*fyne.Container).Hidden = outline
	l.object.Refresh()
	l.d.wb.menus.changed()
}

// view is the one of the two that is shown.
func (l *leftPane) view() *rows.View {
	if l.meaning() {
		return l.logical.View
	}
	return l.inOrder.View
}

func (l *leftPane) selected(s Selection)  { l.logical.selected(s) }
func (l *leftPane) hovered(r model.Range) { l.logical.hovered(r) }

// changed reads the graph of a tree that was parsed anew. Of a large document it is not read before somebody looks at its picture.
func (l *leftPane) changed() {
	t, format := l.d.Tree(), l.d.Model.Format
	if l.tree == t {
		l.logical.changed()
		if l.meaning() == l.logical.object.(*fyne.Container).Hidden {
			l.arrange()
		}
		return
	}
	if l.tree = t; format == nil || format.Graph == nil || t.Root.Range.Len > checkSize {
		l.take(nil)
		return
	}
	l.load.load(l.d.wb, func(ctx context.Context) (*model.Graph, error) { return format.Graph(ctx, t) }, func(g *model.Graph, err error) {
		if l.d.Tree() == t {
			l.take(g)
			l.d.frame.offerGraph(g != nil || err != nil)
			l.d.found.refresh()
		}
	})
}

// take shows a graph; nil: there is none, or it is not known yet.
func (l *leftPane) take(g *model.Graph) {
	l.there = g != nil
	l.logical.set(g)
	l.arrange()
	l.d.info.setGraph(g)
}

// graphFacts says what is known of the node of a graph that a span defines.
func graphFacts(g *model.Graph, s *model.Span) (out []fact) {
	at := -1
	for ; g != nil && s != nil && at < 0; s = s.Parent() {
		at = slices.IndexFunc(g.Nodes, func(n model.GraphNode) bool { return n.Span == s })
	}
	if at < 0 {
		return nil
	}
	n := &g.Nodes[at]
	out = append(out, fact{label: map[model.GraphKind]string{model.Operation: "OPERATION", model.Input: "INPUT", model.Stored: "VALUE", model.Output: "OUTPUT"}[n.Kind], heading: true},
		fact{label: "name", text: n.Label})
	part := ""
	for _, f := range n.Facts {
		if f.Part != part && f.Part != "operation" && f.Part != "variable" {
			out = append(out, fact{label: strings.ToUpper(f.Part), heading: true})
		}
		part = f.Part
		out = append(out, fact{label: f.Label, text: f.Text, to: f.At})
	}
	return out
}

func (l *leftPane) update() { l.inOrder.View.Update() }

// reread shows the bytes of the tree anew.
func (l *leftPane) reread() { l.inOrder.page = nil }

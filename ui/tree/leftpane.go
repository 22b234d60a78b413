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

// Left is the tree of a document: of its bytes, and its logical view if the format has one, with a switch between them.
type Left struct {
	d       *doc.Document
	inOrder *Pane
	Logical *outline
	which   *kit.Select
	There   bool  // it has a logical view
	Graph   bool  // a graph was found
	flow    bool  // it has operations
	bytes   bool  // of a broken document
	tried   bool  // a change was previewed, and may have caused the problems
	wanted  *bool // whether the user chose the tree of bytes; nil: no choice
	load    kit.Loader[meant]
	tree    *model.Tree // tree whose logical view is shown or being read
	Object  *fyne.Container
}

// The two trees.
var treeKinds = []string{"Logical view", "Byte view"}

// NewLeft makes the pane around the tree of bytes.
func NewLeft(d *doc.Document, bytes *Pane) *Left {
	l := &Left{d: d, inOrder: bytes, Logical: newOutline(d)}
	l.which = kit.NewSelect(d.Window.Host, treeKinds, 0, func(i int) { l.Show(i == 1) })
	l.Object = container.NewBorder(l.which, nil, nil, nil, container.NewStack(bytes.Object, l.Logical.Object))
	d.Rereads = append(d.Rereads, l.update)
	l.arrange()
	return l
}

// Show shows the tree of bytes, or the logical view.
func (l *Left) Show(bytes bool) {
	l.wanted = &bytes
	l.arrange()
}

// Meaning tells whether the logical view is shown: for a document that is damaged when it is opened, the byte view says more. Neither an
// edit that breaks or repairs it nor a preview switches the tree under the pointer.
func (l *Left) Meaning() bool {
	if l.wanted != nil {
		return l.There && !*l.wanted
	}
	if l.tried = l.tried || l.d.Preview != nil; l.d.Preview == nil {
		undo, redo := l.d.Model.History()
		l.bytes = l.bytes || l.d.Found.Counts()[model.Error] > 0 && len(undo)+len(redo) == 0 && !l.tried
	}
	return l.There && !l.bytes
}

func (l *Left) arrange() {
	l.which.Hidden = !l.There
	outline := l.Meaning()
	l.which.Selected = treeKinds[map[bool]int{true: 0, false: 1}[outline]]
	l.which.Refresh()
	l.Logical.Object.(*fyne.Container).Hidden = !outline
	l.inOrder.Object.(*fyne.Container).Hidden = outline
	l.Object.Refresh()
	l.d.Window.UpdateCommands()
}

// View is the visible one of the two.
func (l *Left) View() *rows.View {
	if l.Meaning() {
		return l.Logical.View
	}
	return l.inOrder.View
}

func (l *Left) Selected(s doc.Selection) { l.Logical.Selected(s) }
func (l *Left) Hovered(r model.Range)    { l.Logical.Hovered(r) }

// meant is a worker's result for the logical view.
type meant struct {
	list  []model.Meaning
	graph *model.Graph
	found bool // a graph, or that there is one which cannot be read
}

// Changed reads the logical view of a new tree. In a large document the graph is not read before someone looks at its picture, and
// nothing is read unasked.
func (l *Left) Changed() {
	t, format := l.d.Tree(), l.d.Format()
	if l.tree == t {
		l.Logical.Changed()
		if l.Meaning() == l.Logical.Object.(*fyne.Container).Hidden {
			l.arrange()
		}
		return
	}
	small := t.Root.Range.Len <= doc.CheckSize
	if l.tree = t; format == nil || format.Outline == nil && (format.Graph == nil || !small) {
		l.take(meant{})
		return
	}
	l.load.Load(l.d.Window, func(ctx context.Context) (meant, error) { return meantBy(ctx, t, format, small) }, func(m meant, err error) {
		if l.d.Tree() != t {
			return
		}
		l.take(m)
		if format.Graph != nil {
			l.d.Lower.OfferGraph(m.found)
			l.Lead()
		}
		l.d.Found.Refresh()
	})
}

// meantBy reads the logical view of a tree. In a small document that is the graph, if its format knows one, or also what is below the nodes.
func meantBy(ctx context.Context, t *model.Tree, format *model.Format, small bool) (m meant, err error) {
	if format.Graph != nil && small {
		m.graph, err = format.Graph(ctx, t)
		m.list, m.found = doc.MeaningsOf(m.graph), m.graph != nil || err != nil
		return m, ctx.Err()
	}
	if m.list, err = format.Outline(ctx, t); err == nil && small {
		lookAhead(ctx, m.list)
	}
	return m, err
}

// In a small document so many unopened nodes are read, for so long, so that what is selected elsewhere can be marked.
const lookMost = 3000

var LookTime = 60 * time.Millisecond // tests wait longer

// lookAhead reads what is below nodes, breadth first.
func lookAhead(ctx context.Context, list []model.Meaning) {
	begin, n := time.Now(), 0
	for levels := [][]model.Meaning{list}; len(levels) > 0; levels = levels[1:] {
		for i := range levels[0] {
			m := &levels[0][i]
			if m.More != nil && (n > lookMost || time.Since(begin) > LookTime || ctx.Err() != nil) {
				return
			}
			readKids(ctx, m)
			if n += len(m.Kids); len(m.Kids) > 0 {
				levels = append(levels, m.Kids)
			}
		}
	}
}

// readKids reads what is below a node, unless that is known. Why it cannot be read is said when someone opens it.
func readKids(ctx context.Context, m *model.Meaning) {
	if m.More == nil {
		return
	}
	if kids, err := m.More(ctx); err == nil {
		m.Kids, m.More = kids, nil
	}
}

// take shows the logical view; nothing if it is not known, or not yet.
func (l *Left) take(m meant) {
	l.There, l.Graph = len(m.list) > 0, m.graph != nil
	l.flow = l.Graph && slices.ContainsFunc(m.graph.Nodes, func(n model.GraphNode) bool { return n.Kind == model.Operation })
	l.Logical.set(m.list)
	l.arrange()
	l.d.SetGraph(m.graph)
}

// Lead shows the picture of a model with operations: it is what an intact one is opened for. No edit switches the pane.
func (l *Left) Lead() {
	undo, redo := l.d.Model.History()
	if l.flow && len(undo)+len(redo) == 0 && l.d.Found.Counts()[model.Error] == 0 {
		l.d.Lower.LeadToGraph()
	}
}

func (l *Left) update() { l.inOrder.View.Update() }

// Reread shows the bytes of the tree again.
func (l *Left) Reread() { l.inOrder.Page = nil }

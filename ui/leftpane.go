package ui

import (
	"context"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"spandrel/model"
	"spandrel/ui/rows"
)

// leftPane is the tree of a document: of its bytes, and where its format tells what it means of that, with a switch between them.
type leftPane struct {
	d       *Document
	inOrder *treePane
	logical *outline
	which   *keySelect
	there   bool  // something is known of what it means
	graph   bool  // a graph was found
	flow    bool  // it has operations
	bytes   bool  // of a broken document
	tried   bool  // a change was looked at: what is wrong may be its doing
	wanted  *bool // whether the user wants the tree of bytes; nil: nobody said
	load    loader[meant]
	tree    *model.Tree // whose meaning is shown, or is being read
	object  *fyne.Container
}

// The two trees.
var treeKinds = []string{"what it means", "bytes in their order"}

func newLeftPane(d *Document, bytes *treePane) *leftPane {
	l := &leftPane{d: d, inOrder: bytes, logical: newOutline(d)}
	l.which = newKeySelect(d.wb.Host, treeKinds, 0, func(i int) { l.show(i == 1) })
	l.object = container.NewBorder(l.which, nil, nil, nil, container.NewStack(bytes.object, l.logical.object))
	d.rereads = append(d.rereads, l.update)
	l.arrange()
	return l
}

// show shows the tree of bytes, or what the document means.
func (l *leftPane) show(bytes bool) {
	l.wanted = &bytes
	l.arrange()
}

// meaning tells whether what the document means is shown: of one that is broken when it is opened, the bytes in their order say more. No
// edit that breaks or repairs it changes the tree under the pointer, nor a change that is looked at.
func (l *leftPane) meaning() bool {
	if l.wanted != nil {
		return l.there && !*l.wanted
	}
	if l.tried = l.tried || l.d.trial != nil; l.d.trial == nil {
		undo, redo := l.d.Model.History()
		l.bytes = l.bytes || l.d.found.counts()[model.Error] > 0 && len(undo)+len(redo) == 0 && !l.tried
	}
	return l.there && !l.bytes
}

func (l *leftPane) arrange() {
	l.which.Hidden = !l.there
	outline := l.meaning()
	l.which.Selected = treeKinds[map[bool]int{true: 0, false: 1}[outline]]
	l.which.Refresh()
	l.logical.object.(*fyne.Container).Hidden = !outline
	l.inOrder.object.(*fyne.Container).Hidden = outline
	l.object.Refresh()
	l.d.wb.updateCommands()
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

// meant is what a worker reads of a tree for the outline.
type meant struct {
	list  []model.Meaning
	graph *model.Graph
	found bool // a graph, or that there is one which cannot be read
}

// changed reads what a tree means that was parsed anew. Of a large document no graph is read before somebody looks at its picture, and
// nothing that is not asked for.
func (l *leftPane) changed() {
	t, format := l.d.Tree(), l.d.format()
	if l.tree == t {
		l.logical.changed()
		if l.meaning() == l.logical.object.(*fyne.Container).Hidden {
			l.arrange()
		}
		return
	}
	small := t.Root.Range.Len <= checkSize
	if l.tree = t; format == nil || format.Outline == nil && (format.Graph == nil || !small) {
		l.take(meant{})
		return
	}
	l.load.load(l.d.wb, func(ctx context.Context) (m meant, err error) {
		if format.Graph != nil && small {
			m.graph, err = format.Graph(ctx, t)
			m.list, m.found = meaningsOf(m.graph), m.graph != nil || err != nil
			return m, ctx.Err()
		}
		if m.list, err = format.Outline(ctx, t); err == nil && small {
			lookAhead(ctx, m.list)
		}
		return m, err
	}, func(m meant, err error) {
		if l.d.Tree() != t {
			return
		}
		l.take(m)
		if format.Graph != nil {
			l.d.lower.offerGraph(m.found)
			l.lead()
		}
		l.d.found.refresh()
	})
}

// Of a small document so many nodes are read that nobody has opened yet, and for so long: so that what is selected elsewhere is marked.
const lookMost = 3000

var lookTime = 60 * time.Millisecond // tests wait longer

// lookAhead reads what is below nodes, those at the top first.
func lookAhead(ctx context.Context, list []model.Meaning) {
	begin, n := time.Now(), 0
	for levels := [][]model.Meaning{list}; len(levels) > 0; levels = levels[1:] {
		for i := range levels[0] {
			m := &levels[0][i]
			if m.More != nil {
				if n > lookMost || time.Since(begin) > lookTime || ctx.Err() != nil {
					return
				}
				kids, err := m.More(ctx)
				if err != nil {
					continue // it is said when somebody opens it
				}
				m.Kids, m.More = kids, nil
			}
			if n += len(m.Kids); len(m.Kids) > 0 {
				levels = append(levels, m.Kids)
			}
		}
	}
}

// take shows what a document means; nothing: that is not known, or not yet.
func (l *leftPane) take(m meant) {
	l.there, l.graph = len(m.list) > 0, m.graph != nil
	l.flow = l.graph && slices.ContainsFunc(m.graph.Nodes, func(n model.GraphNode) bool { return n.Kind == model.Operation })
	l.logical.set(m.list)
	l.arrange()
	l.d.setGraph(m.graph)
}

// lead shows the picture of a model that has operations: it is what a sound one is opened for. No edit changes the pane.
func (l *leftPane) lead() {
	undo, redo := l.d.Model.History()
	if l.flow && len(undo)+len(redo) == 0 && l.d.found.counts()[model.Error] == 0 {
		l.d.lower.leadToGraph()
	}
}

func (l *leftPane) update() { l.inOrder.View.Update() }

// reread shows the bytes of the tree anew.
func (l *leftPane) reread() { l.inOrder.page = nil }

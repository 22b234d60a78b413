package ui

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"spandrel/ui/rows"
)

// The tabs at the bottom that are shown by number.
const (
	tabTable    = 0
	tabProblems = 1
	tabCoverage = 2
	tabChanges  = 3
	tabFind     = 4
	tabGraph    = 5
)

// lowerPanes are the panes at the bottom of a document, of which one is shown.
type lowerPanes struct {
	h       *Host
	bottom  *container.AppTabs // nil before the panes are laid out
	asked   bool               // a pane was asked for by its name
	left    *container.TabItem // that was shown before; nil: none
	graph   *container.TabItem // is there when the document holds a graph; nil where the format describes none
	picture fyne.Focusable     // of the graph
	drawn   func()             // the graph is shown
}

func newLowerPanes(h *Host) *lowerPanes { return &lowerPanes{h: h} }

// lay makes the tabs.
func (p *lowerPanes) lay(items ...*container.TabItem) {
	p.bottom = container.NewAppTabs(items...)
	p.bottom.OnUnselected = func(t *container.TabItem) { p.left = t }
	p.bottom.OnSelected = func(t *container.TabItem) {
		if t == p.graph {
			p.drawn()
		}
		if p.left != nil && holds(p.left.Content, p.h.shell.focused()) {
			p.focusBottom() // what is out of sight takes no keys
		}
	}
}

// count puts behind the title of a pane at the bottom how much it lists.
func (p *lowerPanes) count(i int, title string, n int) {
	if n > 0 {
		title = fmt.Sprintf("%s %d", title, n)
	}
	if p.bottom != nil && p.bottom.Items[i].Text != title {
		p.bottom.Items[i].Text = title
		p.bottom.Refresh()
	}
}

// show shows one of the panes at the bottom.
func (p *lowerPanes) show(i int) { p.bottom.SelectIndex(i) }

// open shows one of the panes at the bottom and gives it the keyboard.
func (p *lowerPanes) open(i int) {
	p.show(i)
	p.focusBottom()
}

// focusBottom gives the keyboard to the pane at the bottom that is shown.
func (p *lowerPanes) focusBottom() {
	if p.graph != nil && p.bottom.Selected() == p.graph {
		p.h.shell.focus(p.picture)
		return
	}
	var first *rows.View
	rows.EachView(p.bottom.Selected().Content, func(v *rows.View) {
		if first == nil {
			first = v
		}
	})
	if first != nil {
		p.h.shell.focus(first)
	}
}

// holds tells whether an object is among those of containers.
func holds(o fyne.CanvasObject, what fyne.Focusable) bool {
	if c, ok := o.(*fyne.Container); ok {
		return slices.ContainsFunc(c.Objects, func(o fyne.CanvasObject) bool { return holds(o, what) })
	}
	f, ok := o.(fyne.Focusable)
	return ok && what != nil && f == what
}

// openGraph is openTab for the graph, where there is one.
func (p *lowerPanes) openGraph() {
	if err := p.showNamed("graph"); err != nil {
		p.h.say("this document holds no graph")
	} else {
		p.focusBottom()
	}
}

// showNamed shows the pane at the bottom whose title begins with the same word as name: behind it there may be a count.
func (p *lowerPanes) showNamed(name string) error {
	first := func(s string) string {
		word, _, _ := strings.Cut(strings.ToLower(s), " ")
		return word
	}
	p.asked = true
	var names []string
	for i, t := range p.bottom.Items {
		if first(t.Text) == first(name) {
			p.show(i)
			return nil
		}
		names = append(names, first(t.Text))
	}
	return fmt.Errorf("no pane %q: there are %s", name, strings.Join(names, ", "))
}

// offerGraph shows the tab of the graph when the document holds one. Of a large document that is not found out before somebody looks.
func (p *lowerPanes) offerGraph(on bool) {
	if p.bottom == nil || p.graph == nil {
		return
	}
	switch there := slices.Contains(p.bottom.Items, p.graph); {
	case on && !there:
		p.bottom.Append(p.graph)
	case !on && there && p.bottom.Selected() != p.graph:
		p.bottom.Remove(p.graph)
	}
}

// leadToGraph shows the graph of a document that was just opened, unless another pane was asked for.
func (p *lowerPanes) leadToGraph() {
	if p.bottom != nil && p.graph != nil && !p.asked && p.left == nil {
		p.bottom.Select(p.graph)
	}
}

// offer shows a pane that is there at times and gives it the keyboard, or takes it away.
func (p *lowerPanes) offer(tab *container.TabItem, on bool) {
	there := slices.Contains(p.bottom.Items, tab)
	switch {
	case !on && there:
		p.bottom.Remove(tab)
	case on && !there:
		p.bottom.Append(tab)
	}
	if on {
		p.bottom.Select(tab)
		p.focusBottom()
	}
}

func (p *lowerPanes) ready() bool { return p.bottom != nil }

// shownName is the title of the pane at the bottom that is shown.
func (p *lowerPanes) shownName() string {
	if p.bottom == nil || p.bottom.Selected() == nil {
		return ""
	}
	return p.bottom.Selected().Text
}

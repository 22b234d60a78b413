package kit

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/ui/rows"
)

// The numbers of the tabs at the bottom that are shown by number.
const (
	TabTable    = 0
	TabProblems = 1
	TabCoverage = 2
	TabChanges  = 3
	TabFind     = 4
	TabGraph    = 5
)

// LowerPanes are the panes at the bottom of a document, one of which is visible.
type LowerPanes struct {
	h       *Host
	Bottom  *container.AppTabs // nil before the panes are laid out
	asked   bool               // a pane was asked for by its name
	left    *container.TabItem // that was shown before; nil: none
	Graph   *container.TabItem // is there when the document holds a graph; nil where the format describes none
	Picture fyne.Focusable     // of the graph
	Drawn   func()             // the graph is shown
	Sought  func()             // the search is shown; may be nil
	Wanted  func()             // they are asked for: they may be out of sight; may be nil
}

// NewLowerPanes makes the tabs, which Lay fills.
func NewLowerPanes(h *Host) *LowerPanes { return &LowerPanes{h: h} }

// Lay makes the tabs.
func (p *LowerPanes) Lay(items ...*container.TabItem) {
	p.Bottom = container.NewAppTabs(items...)
	p.Bottom.OnUnselected = func(t *container.TabItem) { p.left = t }
	p.Bottom.OnSelected = func(t *container.TabItem) {
		if t == p.Graph {
			p.Drawn()
		}
		if p.Bottom.SelectedIndex() == TabFind && p.Sought != nil {
			p.Sought()
		}
		if p.left != nil && holds(p.left.Content, p.h.Shell.Focused()) {
			p.FocusBottom() // what is out of sight takes no keys
		}
	}
}

// Count adds the number of its entries to the title of a pane at the bottom.
func (p *LowerPanes) Count(i int, title string, n int) {
	if n > 0 {
		title = fmt.Sprintf("%s %d", title, n)
	}
	if p.Bottom != nil && p.Bottom.Items[i].Text != title {
		p.Bottom.Items[i].Text = title
		p.Bottom.Refresh()
	}
}

// Show shows one of the panes, once there are some.
func (p *LowerPanes) Show(i int) {
	if p.Ready() {
		p.Bottom.SelectIndex(i)
		p.want()
	}
}

// want makes the panes visible.
func (p *LowerPanes) want() {
	if p.Wanted != nil {
		p.Wanted()
	}
}

// Open shows one of the panes at the bottom and gives it the focus.
func (p *LowerPanes) Open(i int) {
	p.Show(i)
	p.FocusBottom()
}

// FocusBottom gives the focus to the visible pane at the bottom; to nothing if that pane takes no keys.
func (p *LowerPanes) FocusBottom() {
	if p.Graph != nil && p.Bottom.Selected() == p.Graph {
		p.h.Shell.Focus(p.Picture)
		return
	}
	var first fyne.Focusable
	rows.EachView(p.Bottom.Selected().Content, func(v *rows.View) {
		if first == nil {
			first = v
		}
	})
	p.h.Shell.Focus(first)
}

// holds tells whether an object is inside containers.
func holds(o fyne.CanvasObject, what fyne.Focusable) bool {
	if c, ok := o.(*fyne.Container); ok {
		return slices.ContainsFunc(c.Objects, func(o fyne.CanvasObject) bool { return holds(o, what) })
	}
	f, ok := o.(fyne.Focusable)
	return ok && what != nil && f == what
}

// OpenGraph is Open for the graph, if there is one.
func (p *LowerPanes) OpenGraph() {
	if err := p.ShowNamed("graph"); err != nil {
		p.h.Say("this document has no graph")
	} else {
		p.FocusBottom()
	}
}

// ShowNamed shows the pane at the bottom whose title begins with the same word as name, because a count may follow.
func (p *LowerPanes) ShowNamed(name string) error {
	first := func(s string) string {
		word, _, _ := strings.Cut(strings.ToLower(s), " ")
		return word
	}
	p.asked = true
	var names []string
	for i, t := range p.Bottom.Items {
		if first(t.Text) == first(name) {
			p.Show(i)
			return nil
		}
		names = append(names, first(t.Text))
	}
	return fmt.Errorf("no pane %q: there are %s", name, strings.Join(names, ", "))
}

// OfferGraph shows the tab of the graph if the document has one. In a large document that is only found out when someone looks.
func (p *LowerPanes) OfferGraph(on bool) {
	if p.Bottom == nil || p.Graph == nil {
		return
	}
	switch there := slices.Contains(p.Bottom.Items, p.Graph); {
	case on && !there:
		p.Bottom.Append(p.Graph)
	case !on && there && p.Bottom.Selected() != p.Graph:
		p.Bottom.Remove(p.Graph)
	}
}

// LeadToGraph shows the graph of a new document, unless another pane was asked for.
func (p *LowerPanes) LeadToGraph() {
	if p.Bottom != nil && p.Graph != nil && !p.asked && p.left == nil {
		p.Bottom.Select(p.Graph)
	}
}

// Aside makes the tab of a pane that is shown on request, with a title line and a close button.
func (p *LowerPanes) Aside(title, what string, about *widget.Label, pane fyne.CanvasObject, shut func()) *container.TabItem {
	cross := NewTool(p.h, theme.CancelIcon(), "close "+what, shut)
	return container.NewTabItem(title, container.NewBorder(container.NewBorder(nil, nil, nil, cross, about), nil, nil, nil, pane))
}

// Offer shows a temporary pane and gives it the focus, or removes it.
func (p *LowerPanes) Offer(tab *container.TabItem, on bool) {
	there := slices.Contains(p.Bottom.Items, tab)
	switch {
	case !on && there:
		p.Bottom.Remove(tab)
	case on && !there:
		p.Bottom.Append(tab)
	}
	if on {
		p.Bottom.Select(tab)
		p.want()
		p.FocusBottom()
	}
}

// Ready tells whether there are panes.
func (p *LowerPanes) Ready() bool { return p.Bottom != nil }

// ShownName is the title of the visible pane at the bottom.
func (p *LowerPanes) ShownName() string {
	if p.Bottom == nil || p.Bottom.Selected() == nil {
		return ""
	}
	return p.Bottom.Selected().Text
}

package ui

import (
	"cmp"
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// frame arranges the panes of a document.
type frame struct {
	wb     *Workbench
	d      *tab
	splits []*container.Split
	given  []float64                 // assigned positions of splits; a different one was set by the user, and stays
	dock   *kit.Dock                 // those that are shown
	grips  map[panes]*fyne.Container // panes with their handles
	whole  *fyne.Container           // all of the document
	top    *fyne.Container           // bars above the panes
	show   panes
	before panes // what was shown before the lower panes were alone; 0: they are not
	narrow bool  // the window is too narrow for panes on both sides
}

// panes is a set of visible panes.
type panes uint8

const (
	paneTree panes = 1 << iota
	paneBytes
	paneLower
	paneDetails

	layoutData  = paneTree | paneLower | paneDetails
	layoutBytes = paneTree | paneBytes | paneDetails
	layoutBoth  = paneTree | paneBytes | paneLower | paneDetails
)

// prefPanes is the user's choice of visible panes; 0: none, and each document is shown as suits it.
const prefPanes = "panes"

// layout arranges the panes of a document, with the splitters where they were last.
func (f *frame) layout() fyne.CanvasObject {
	lower := f.d.Lower
	lower.Lay(
		container.NewTabItem("Table", f.d.table.Object),
		container.NewTabItem("Problems", f.d.problem.Object),
		container.NewTabItem("Coverage", f.d.cover.Object),
		container.NewTabItem("Changes", f.d.changes.Object),
		container.NewTabItem("Find", f.d.find.Object))
	if f.d.graph != nil {
		lower.Graph, lower.Picture, lower.Drawn = container.NewTabItem("Graph", f.d.graph.Object), f.d.graph.View, f.d.graph.Shown
		lower.Bottom.Append(lower.Graph)
		lower.OfferGraph(f.d.left.Graph || f.d.Tree().Root.Range.Len > doc.CheckSize)
	}
	if f.d.Format() == nil {
		lower.Show(kit.TabProblems)
	}
	if f.wb.pane != "" {
		_ = lower.ShowNamed(f.wb.pane)
	}
	f.d.left.Lead()
	f.d.problem.Changed()
	f.splits = newSplits()
	f.dock, f.grips = kit.NewDock(guard.Layout(placing{f})), map[panes]*fyne.Container{}
	width := cmp.Or(f.wb.width, threeWide)
	if size := f.d.Window.Shell.Size(); size.Width > 0 {
		width = size.Width
	}
	f.narrow = width < threeWide
	f.given = append(placesIn(width, f.show), 0.5, 0.5, 0.5)
	for i := range f.given {
		f.given[i] = f.d.Window.App.Preferences().FloatWithFallback(fmt.Sprintf("split%d", i), f.given[i])
		f.splits[i].Offset = f.given[i]
	}
	lower.Wanted = func() { f.reveal(paneLower) }
	f.d.table.Listed = f.suit
	f.d.Checks = append(f.d.Checks, func(ended bool) {
		if ended && f.show == layoutData && !f.d.Editor.Dirty { // what is wrong was found after it was opened
			f.arrange(f.suited())
		}
	})
	f.arrange(f.suited())
	secret := newSecretBar(f.d)
	f.d.Panes = append(f.d.Panes, secret)
	f.top = container.NewVBox(f.d.head.Object, f.d.path.object, f.d.disk.object, secret.object, f.d.trialBar.object)
	f.whole = container.NewBorder(f.top, nil, nil, nil, f.dock.Body)
	return f.whole
}

func (f *frame) relayout() {
	if f.whole != nil {
		f.top.Refresh()
		f.whole.Refresh()
	}
}

// suited are the panes that a document is first shown with: the user's choice or, for an intact document with tables, its data; for
// others the bytes as well.
func (f *frame) suited() panes {
	if chosen := panes(f.d.Window.App.Preferences().Int(prefPanes)); chosen != 0 {
		return chosen
	}
	if x := f.d.Format(); x == nil || x.Tables == nil || f.d.Found.Counts()[model.Error] > 0 {
		return layoutBoth
	}
	return layoutData
}

// suit shows the bytes of a document that turns out to have no tables.
func (f *frame) suit(tables int) {
	if tables == 0 && f.show == layoutData && f.d.Window.App.Preferences().Int(prefPanes) == 0 {
		f.arrange(layoutBoth)
	}
}

// choose sets the visible panes, for this document and those opened later.
func (f *frame) choose(p panes) {
	if p&(paneBytes|paneLower) == 0 {
		f.d.Window.Say("keep the bytes or the data open, or there is nothing to see")
		return
	}
	f.before = 0
	f.arrange(p)
	f.d.Window.App.Preferences().SetInt(prefPanes, int(p))
}

// toggle shows or closes a pane.
func (f *frame) toggle(p panes) { f.choose(f.show ^ p) }

// reveal shows a pane that is needed now. The user's choice is not changed.
func (f *frame) reveal(p panes) {
	if f.show&p == 0 {
		f.before = 0
		f.arrange(f.show | p)
	}
}

// gripped returns a pane with its handle.
func (f *frame) gripped(one panes) fyne.CanvasObject {
	if f.grips[one] == nil {
		handle := kit.NewHandle(f.d.Window.Host, f.dock, paneNames[one], func(side string) {
			if side != f.placeOf(one) {
				f.wb.move(side, one)
			}
		})
		f.grips[one] = container.NewBorder(handle, nil, nil, nil, f.object(one))
	}
	return f.grips[one]
}

// arrange places the visible panes around the bytes, or around the data if the bytes are closed. Hidden panes receive no keys.
func (f *frame) arrange(p panes) {
	f.show = p
	f.d.find.Bytes = p&paneBytes != 0
	centre := paneBytes
	if p&paneBytes == 0 {
		centre = paneLower
	}
	sides := map[string][]fyne.CanvasObject{}
	for _, one := range movable {
		if at := f.placeOf(one); p&one != 0 && one != centre {
			sides[at] = append(sides[at], f.gripped(one))
		}
	}
	all, right, middle := f.splits[0], f.splits[1], f.splits[2]
	inner := pair(middle, f.object(centre), stacked(f.splits[5], sides[kit.SideBelow]))
	if len(sides[kit.SideLeft]) == 0 && len(sides[kit.SideRight]) > 0 { // those on the right stay as wide as they are
		right = container.NewHSplit(inner, inner)
		right.Offset = 1 - (1-all.Offset)*(1-f.splits[1].Offset)
	}
	inner = pair(right, inner, stacked(f.splits[4], sides[kit.SideRight]))
	f.dock.Body.Objects = []fyne.CanvasObject{pair(all, stacked(f.splits[3], sides[kit.SideLeft]), inner), container.NewWithoutLayout(f.dock.Target)}
	f.dock.Body.Refresh()
	f.keepFocus()
	f.d.Window.Update()
}

// pair puts two objects into a split; if only one exists, it returns that.
func pair(s *container.Split, first, second fyne.CanvasObject) fyne.CanvasObject {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	s.Leading, s.Trailing = first, second
	s.Refresh()
	return s
}

// stacked puts the panes of one side beside or below each other; nil if there are none.
func stacked(s *container.Split, list []fyne.CanvasObject) fyne.CanvasObject {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	rest := list[1]
	if len(list) > 2 {
		rest = container.NewVSplit(list[1], list[2])
		rest.(*container.Split).Horizontal = s.Horizontal
	}
	return pair(s, list[0], rest)
}

// keepFocus moves the focus to a visible pane if the one that has it is hidden.
func (f *frame) keepFocus() {
	views := f.views()
	if has := f.d.Window.Shell.Focused(); has != nil && !slices.Contains(views, has) {
		if _, view := has.(*rows.View); view && len(views) > 0 {
			f.d.Window.Shell.Focus(views[min(1, len(views)-1)])
		}
	}
}

func (f *frame) focusBytes() {
	f.reveal(paneBytes)
	f.d.Window.Shell.Focus(f.d.hex.View)
}

// views are the focusable views among the visible panes.
func (f *frame) views() (views []fyne.Focusable) {
	if f.show&paneTree != 0 {
		views = append(views, f.d.left.View())
	}
	if f.show&paneBytes != 0 {
		views = append(views, f.d.hex.View)
	}
	if f.show&paneLower != 0 {
		if f.d.Lower.Graph != nil && f.d.Lower.Bottom.Selected() == f.d.Lower.Graph {
			views = append(views, f.d.graph.View)
		}
		rows.EachView(f.d.Lower.Bottom.Selected().Content, func(v *rows.View) { views = append(views, v) })
	}
	if f.show&paneDetails != 0 {
		views = append(views, f.d.info.View)
	}
	return views
}

// next moves the focus to the next visible pane.
func (f *frame) next() {
	views := f.views()
	f.d.Window.Shell.Focus(views[(slices.Index(views, f.d.Window.Shell.Focused())+1)%len(views)])
}

// maximise gives the lower panes all the room beside the details, or restores the layout.
func (f *frame) maximise() {
	if was := f.before; was != 0 {
		f.before = 0
		f.arrange(was)
		return
	}
	f.before = f.show
	f.arrange(paneLower | paneDetails)
	f.d.Lower.FocusBottom()
}

// splitsMoved is the places of the splitters that the user moved.
func (f *frame) splitsMoved() map[int]float64 {
	moved := map[int]float64{}
	for i, s := range f.splits {
		if s.Offset != f.given[i] {
			moved[i] = s.Offset
		}
	}
	return moved
}

// Where panes are placed relative to the bytes: on either side, or below.
// movable are the panes that can be moved, in their order when they share a side.
var movable = []panes{paneTree, paneLower, paneDetails}

// paneNames are the names of panes in the window.
var paneNames = map[panes]string{paneTree: "Tree", paneBytes: "Bytes", paneLower: "Table and lists", paneDetails: "Details"}

// usualSides are the default sides of panes.
var usualSides = map[panes]string{paneTree: kit.SideLeft, paneLower: kit.SideBelow, paneDetails: kit.SideRight}

// sideNames are the sides and their names in commands.
var sideNames = []struct{ side, says string }{{kit.SideLeft, "on the left"}, {kit.SideRight, "on the right"}, {kit.SideBelow, "at the bottom"}}

// newSplits returns the splitters of a document: the first three separate the left, the right and the bottom from the rest, and the others the panes
// that share such a side.
func newSplits() []*container.Split {
	none := layout.NewSpacer
	return []*container.Split{container.NewHSplit(none(), none()), container.NewHSplit(none(), none()), container.NewVSplit(none(), none()),
		container.NewVSplit(none(), none()), container.NewVSplit(none(), none()), container.NewHSplit(none(), none())}
}

// placeKey is the key of the preference for the side of a pane.
func placeKey(one panes) string { return "place-" + paneNames[one] }

// placeOf is the side of a pane: the one chosen, or else the default.
func (f *frame) placeOf(one panes) string {
	at := f.d.Window.App.Preferences().String(placeKey(one))
	if slices.ContainsFunc(sideNames, func(x struct{ side, says string }) bool { return x.side == at }) {
		return at
	}
	if one == paneDetails && f.narrow {
		return kit.SideLeft
	}
	return usualSides[one]
}

// object is the content of a pane.
func (f *frame) object(one panes) fyne.CanvasObject {
	switch one {
	case paneTree:
		return f.d.left.Object
	case paneLower:
		return f.d.Lower.Bottom
	case paneDetails:
		return f.d.info.Object
	}
	return f.d.hex.Object
}

// move puts panes on a side, in every document and at the next start; "" restores the default sides.
func (wb *Workbench) move(side string, list ...panes) {
	for _, one := range list {
		wb.App.Preferences().SetString(placeKey(one), side)
	}
	for _, d := range wb.docs {
		d.frame.arrange(d.frame.show)
	}
}

// askMove asks which pane to move, and where to.
func (wb *Workbench) askMove(d *tab) {
	type choice struct {
		pane panes
		side string
	}
	var lines []string
	var list []choice
	for _, one := range movable {
		for _, x := range sideNames {
			if d.frame.placeOf(one) != x.side {
				lines, list = append(lines, paneNames[one]+" "+x.says), append(list, choice{one, x.side})
			}
		}
	}
	lines = append(lines, "Reset all panes")
	wb.Pick("Move a pane", "Move", lines, func(i int) {
		if i < len(list) {
			wb.move(list[i].side, list[i].pane)
			d.frame.reveal(list[i].pane)
			return
		}
		wb.move("", movable...)
	})
}

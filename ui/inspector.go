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
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// prefBigEndian is the preference for the byte order that stands first in the details.
const prefBigEndian = "big-endian"

// inspector explains the selection: what the field is, what it says, where one can go from it, and what its bytes would be as
// other types.
type inspector struct {
	rows.Grid
	d        *Document
	facts    []fact
	lines    []fact
	brokenAt float32 // the scale that lines are broken for
	path     string  // of the field that they are about
	load     loader[[]fact]
	value    *valueEditor // above the facts
	edit     *inPlace     // over a value of the bytes
	graph    *model.Graph // that the document holds; nil: none that is known
	object   fyne.CanvasObject
}

func newInspector(d *Document) *inspector {
	n := &inspector{d: d, value: newValueEditor(d)}
	n.Grid = rows.NewGrid(rows.Column{Width: 84}, rows.Column{Width: 60}, rows.Column{Width: 60})
	n.Headed, n.Stretch = false, true
	n.Cells = n.line
	n.View = rows.NewView(n)
	n.edit = newInPlace(d.wb, n.View, n.submit)
	n.value.relayout = func() { n.object.Refresh() }
	d.graphs = append(d.graphs, n.setGraph)
	d.causes.told = append(d.causes.told, func(found bool) {
		if found {
			n.changed()
		}
	})
	n.object = container.NewBorder(n.value.box, nil, nil, nil, container.NewStack(n.View, n.edit.box))
	return n
}

// Count is asked for before the lines are painted: at a new scale they break elsewhere.
func (n *inspector) Count() int64 {
	if n.brokenAt != n.View.Scale {
		n.Show(0, 0)
	}
	return int64(len(n.lines))
}

func (n *inspector) line(row int64) ([]rows.Cell, bool) {
	if row < 0 || row >= int64(len(n.lines)) {
		return nil, true
	}
	f := n.lines[row]
	if f.heading {
		head := paint.Look().Caret
		if f.text == "" {
			return []rows.Cell{{Text: f.label, Color: head, Wide: true}}, true
		}
		return []rows.Cell{{Text: f.label, Color: head}, {Text: f.text, Color: head}, {Text: f.other, Color: head}}, true
	}
	value := rows.Cell{Text: f.text, Mono: f.mono, Link: f.linked(), Mark: f.severity}
	if f.under {
		if value.Wide = true; f.severity == 0 { // a mark takes as much
			value.Indent = underIndent
		}
		return []rows.Cell{value}, true
	}
	return []rows.Cell{{Text: f.label, Dim: true}, value, {Text: f.other}}, true
}

// said is all of what a line is a part of: of two values, the chosen one.
func (f fact) said(k int) string {
	if k = max(k, 0); k < 2 && f.whole[k] != "" {
		return f.whole[k]
	}
	return f.text
}

func (f fact) linked() bool { return f.link != nil || f.to.Len > 0 || f.fix != nil || f.do != nil }

// Widths of the labels, in a narrow pane and in another, and of the narrowest pane there is.
const (
	narrowLabel = 78
	wideLabel   = 84
	narrowPane  = 400
	leastPane   = 56
)

// Show breaks long texts into lines of the width that there is.
func (n *inspector) Show(int64, int64) {
	n.brokenAt = n.View.Scale
	a := paint.AtlasAt(n.View.Scale)
	pane := max(leastPane, n.View.Size().Width-rows.BarSize) // it is narrower before it is laid out
	if n.Columns[0].Width = wideLabel; pane < narrowPane {
		n.Columns[0].Width = min(narrowLabel, pane/2)
	}
	both := pane - n.Columns[0].Width
	first := n.firstWidth(a, both)
	n.Columns[1].Width, n.Columns[2].Width = first, min(60, both-first)
	width := int((both - 2*rows.CellPad) * a.Scale)
	wide := int((n.Width() - 2*rows.CellPad - underIndent) * a.Scale)
	n.lines = n.lines[:0]
	for _, f := range n.facts {
		face, room := a.Text, width
		if f.mono {
			face = a.Mono
		}
		if f.severity != 0 {
			room -= int(14 * a.Scale) // for its mark
		}
		switch {
		case f.heading && f.text != "" && n.Columns[0].Width < narrowLabel: // its words would all be cut
			n.add(face, room, wide, fact{heading: true, label: f.label + ", " + f.text})
		case f.other == "" || f.heading:
			n.add(face, room, wide, f)
		default: // one byte order beside the other, each broken in its own column
			n.addPair(face, int((first-2*rows.CellPad)*a.Scale), int((both-first-2*rows.CellPad)*a.Scale), wide, f)
		}
	}
}

// firstWidth is how much of what both values of a fact have together the first of them gets: half, or as much more or less as keeps
// numbers of either in one piece, of the upper facts first where there is no room for all.
func (n *inspector) firstWidth(a *paint.Atlas, both float32) float32 {
	var first, second float32
	need := func(s string) float32 { return float32(longestWord(a.Text, s)+1)/a.Scale + 2*rows.CellPad }
	for _, f := range n.facts {
		if f.other == "" || f.heading {
			continue
		}
		if x, y := max(first, need(f.text)), max(second, need(f.other)); x+y <= both {
			first, second = x, y
		}
	}
	return min(max(both/2, first), both-second)
}

// otherOrder is the byte order that stands second.
func (n *inspector) otherOrder() string {
	for _, f := range n.facts {
		if f.heading && f.other != "" {
			return f.other
		}
	}
	return ""
}

// addPair appends the lines of a fact with two values, room and more pixels wide beside each other. Where a number would be broken the second stands below
// the first, called by its byte order.
func (n *inspector) addPair(face *paint.Typeface, room, more, wide int, f fact) {
	f.whole = [2]string{f.text, f.other}
	text, other := fewerDigits(face, f.text, room), fewerDigits(face, f.other, more)
	if longestWord(face, text) > room || longestWord(face, other) > more {
		second := f
		second.label, second.text, second.other = f.label+" "+n.otherOrder(), f.other, ""
		second.whole, second.write = [2]string{f.other}, [2]model.Codec{f.write[1]}
		f.other, f.whole[1], f.write[1] = "", "", nil
		n.add(face, room+more, wide, f)
		n.add(face, room+more, wide, second)
		return
	}
	first, second := wrap(face, text, room), wrap(face, other, more)
	for i := range max(len(first), len(second)) {
		l := f
		if i > 0 {
			l.label = ""
		}
		l.text, l.other = partOf(first, i), partOf(second, i)
		n.lines = append(n.lines, l)
	}
}

func partOf(list []string, i int) string {
	if i < len(list) {
		return strings.TrimRight(list[i], " ")
	}
	return ""
}

// underIndent is how far a text below its label stands to the right, in units.
const underIndent = 12

// add appends the lines of a fact: room pixels wide beside its label or, where a word of it would be broken or it
// would be a narrow column of many lines, wide below it.
func (n *inspector) add(face *paint.Typeface, room, wide int, f fact) {
	switch {
	case f.under:
		room = wide
	case f.text == "" && !f.heading:
		return
	case longestWord(face, f.text) > room, len(wrap(face, f.text, room)) > max(4, 1+len(wrap(face, f.text, wide))):
		n.lines = append(n.lines, fact{label: f.label, severity: f.severity})
		f.label, f.severity, f.under, room = "", 0, true, wide
	}
	for i, part := range wrap(face, f.text, room) {
		l := f
		l.whole = [2]string{f.text}
		l.text = strings.TrimRight(part, " ")
		if i > 0 {
			l.label, l.severity = "", 0
		}
		n.lines = append(n.lines, l)
	}
}

func (n *inspector) selected(s Selection) {
	n.value.selected(s)
	n.edit.close()
	if path := s.Span.Path(); path != n.path {
		n.path, n.Grid.Current, n.SelColumn = path, -1, -1 // a line of another field
	}
	bigFirst := n.bigFirst(s.Span)
	t, file, found := n.d.Tree(), n.d.Model.Path, n.d.found.all
	list, of, graph := n.d.causes.now(), n.d.causes.of, n.graph
	var advised [][]advice // made here, as a worker may not ask what the panes show
	for _, x := range list {
		advised = append(advised, n.d.causes.advice(x))
	}
	caret := model.Range{Space: s.Range.Space, Off: s.Range.Off}
	if caret.Space == model.NoSpace { // a folder: the bytes that are shown
		caret = model.Range{Space: n.d.shown().space, Off: n.d.shown().caret}
	}
	n.load.load(n.d.wb, func(ctx context.Context) ([]fact, error) {
		return slices.Concat(cellFacts(s.Cell), causeFacts(s, list, advised, of, found), problemFacts(ctx, t, s, found), graphFacts(graph, s.Span), fieldFacts(ctx, t, file, s), byteFacts(ctx, t, caret, bigFirst)), ctx.Err()
	}, func(facts []fact, err error) {
		if err == nil {
			n.facts = facts
		} else {
			n.facts = []fact{{label: "error", text: err.Error()}}
		}
		n.View.Update()
	})
}

func (n *inspector) hovered(model.Range) {}
func (n *inspector) changed()            { n.selected(n.d.sel.now) }

func (n *inspector) Hover(row int64, _ float32) {
	if row < 0 || row >= n.Count() || !n.lines[row].linked() {
		n.d.sel.light(model.Range{})
		return
	}
	f := n.lines[row]
	if f.link != nil {
		f.to = f.link.Range
	}
	n.d.sel.light(f.to)
}

func (n *inspector) Press(row int64, x float32, e rows.Press) {
	if n.Resize(row, x, e) || e.Drag || row < 0 || row >= n.Count() {
		return
	}
	n.edit.close()
	n.mark(row, n.ColumnAt(x))
	switch {
	case e.Button != desktop.MouseButtonPrimary:
	case e.Double:
		n.begin("")
	case x >= n.ColumnX(1) || n.lines[row].under:
		n.followLink(row)
	}
}

// mark chooses a line, and of one with values of the bytes one of them.
func (n *inspector) mark(row int64, column int) {
	if n.Grid.Current, n.SelColumn = row, -1; row >= 0 && row < n.Count() && n.lines[row].writable(column-1) {
		n.SelColumn = column
	}
	n.View.Redraw()
}

// writable tells whether a value of a line can be written into the bytes: the first one, or the one in the other byte order.
func (f *fact) writable(k int) bool { return k >= 0 && k < 2 && f.write[k] != nil && f.whole[k] != "" }

// begin opens a value of the bytes for editing, with what it says or with what was typed to begin.
func (n *inspector) begin(typed string) {
	row, k := n.Grid.Current, n.SelColumn-1
	if row < 0 || row >= n.Count() || !n.lines[row].writable(k) {
		return
	}
	text := typed
	if typed == "" {
		text, _, _ = strings.Cut(n.lines[row].whole[k], "  ") // behind it stand other ways to say it
	}
	n.d.editor.unlock()
	n.edit.open(row, n.ColumnX(k+1), n.ColumnWidth(k+1), text, typed == "")
}

// submit writes a value into the bytes.
func (n *inspector) submit(text string, _ int64, _ int) {
	row, k := n.Grid.Current, n.SelColumn-1
	if row < 0 || row >= n.Count() || !n.lines[row].writable(k) {
		return
	}
	f := n.lines[row]
	b, err := bytesOf(f.write[k], text)
	if err != nil {
		n.d.wb.say(fmt.Sprintf("this is no %s: %v", f.label, err))
		return
	}
	n.edit.close()
	n.d.wb.shell.focus(n.View)
	at := f.at
	at.Len = int64(len(b))
	n.d.editor.replace(func() model.Range { return at }, model.Memory(b), fmt.Sprintf("%s at 0x%x: %s → %s", f.write[k].Type(), at.Off, f.whole[k], text), nil)
}

// Typed begins to edit the chosen value with a character.
func (n *inspector) Typed(r rune) { n.begin(string(r)) }

func (n *inspector) followLink(row int64) {
	switch f := n.lines[row]; {
	case f.link != nil || f.to.Len > 0:
		n.d.lead(f.link, f.to)
	case f.fix != nil:
		n.d.causes.previewFix(*f.fix)
	case f.do != nil:
		f.do()
	}
}

func (n *inspector) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	row := n.Grid.Current
	ok := row >= 0 && row < n.Count()
	switch {
	case ok && name == fyne.KeyC && mod == fyne.KeyModifierShortcutDefault:
		n.d.wb.copy(n.lines[row].said(n.SelColumn - 1))
		return true
	case ok && mod == 0 && n.SelColumn > 0 && (name == fyne.KeyReturn || name == fyne.KeyF2):
		n.begin("")
		return true
	case ok && (name == fyne.KeyReturn || name == fyne.KeySpace):
		n.followLink(row)
		return true
	case ok && mod == 0 && (name == fyne.KeyLeft || name == fyne.KeyRight):
		n.mark(row, map[fyne.KeyName]int{fyne.KeyLeft: 1, fyne.KeyRight: 2}[name])
		return true
	case mod != 0:
		return false
	}
	return n.Moved(name, n.Count(), func(row int64) { n.mark(row, max(1, n.SelColumn)) })
}

func (n *inspector) Menu(row int64, _ float32) *fyne.Menu {
	if row < 0 || row >= n.Count() || n.lines[row].text == "" {
		return nil
	}
	text := n.lines[row].said(n.SelColumn - 1)
	return fyne.NewMenu("", fyne.NewMenuItem(strings.TrimSpace("Copy "+n.lines[row].label), func() { n.d.wb.copy(text) }))
}

func (n *inspector) setGraph(g *model.Graph) {
	n.graph = g
	n.selected(n.d.sel.now)
}

func (n *inspector) editValue() { n.value.editValue() }

// bigFirst tells whether values of the bytes of a field stand in big-endian order first: the order of the field, or where it has none
// the one of the preferences.
func (n *inspector) bigFirst(s *model.Span) bool {
	if s != nil && s.Shape == model.Leaf && s.Field.Codec != nil {
		switch s.Field.Codec.Endian() {
		case "be":
			return true
		case "le":
			return false
		}
	}
	return n.d.wb.app.Preferences().Bool(prefBigEndian)
}

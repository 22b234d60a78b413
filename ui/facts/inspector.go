package facts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// Pane explains the selection: its field, its value, where one can go from it, and its bytes as
// other types.
type Pane struct {
	rows.Grid
	d        *doc.Document
	Facts    []Fact
	Lines    []Fact
	brokenAt float32 // the scale that lines are broken for
	unfolded bool    // what is folded below a fact is shown
	path     string  // of the field that they are about
	load     kit.Loader[[]Fact]
	Value    *ValueEditor // above the facts
	Edit     *doc.InPlace // over a value of the bytes
	graph    *model.Graph // graph of the document; nil: none known
	Object   fyne.CanvasObject
}

// New makes the pane of the details.
func New(d *doc.Document) *Pane {
	n := &Pane{d: d, Value: newValueEditor(d)}
	n.Grid = rows.NewGrid(rows.Column{Width: 84}, rows.Column{Width: 60}, rows.Column{Width: 60})
	n.Headed, n.Stretch = false, true
	n.Cells = n.Line
	n.View = rows.NewView(n)
	n.Edit = doc.NewInPlace(d.Window, n.View, n.submit)
	n.Value.relayout = func() { n.Object.Refresh() }
	d.Graphs = append(d.Graphs, n.setGraph)
	d.Diagnoses = append(d.Diagnoses, func(bool) { n.Changed() })
	d.Checks = append(d.Checks, func(ended bool) {
		if ended && d.Sel.Now.Span == d.Tree().Root { // the card has more about the checks
			n.Changed()
		}
	})
	n.Object = container.NewBorder(n.Value.Box, nil, nil, nil, container.NewStack(n.View, n.Edit.Box))
	return n
}

// Count is called before the lines are painted: at a new scale they break elsewhere.
func (n *Pane) Count() int64 {
	if n.brokenAt != n.View.Scale {
		n.Show(0, 0)
	}
	return int64(len(n.Lines))
}

// Line is a row as drawn.
func (n *Pane) Line(row int64) ([]rows.Cell, bool) {
	if row < 0 || row >= int64(len(n.Lines)) {
		return nil, true
	}
	f := n.Lines[row]
	if f.Heading {
		head := paint.Look().Caret
		switch {
		case f.Text == "":
			return []rows.Cell{{Text: f.Label, Color: head, Wide: true}}, true
		case f.Other == "":
			return []rows.Cell{{Text: f.Label, Color: head}, {Text: f.Text, Color: head, Wide: true}}, true
		}
		return []rows.Cell{{Text: f.Label, Color: head}, {Text: f.Text, Color: head}, {Text: f.Other, Color: head}}, true
	}
	if f.bar > 0 {
		return []rows.Cell{{Text: f.Label, Dim: true, Right: true}, {Bar: f.bar, Wide: true}}, true
	}
	value := rows.Cell{Text: f.Text, Mono: f.mono, Link: f.linked(), Mark: f.severity}
	if f.under {
		if value.Wide = true; f.severity == 0 { // a mark takes as much
			value.Indent = underIndent
		}
		return []rows.Cell{value}, true
	}
	if f.Text == "" { // the text is below
		return []rows.Cell{{Text: f.Label, Dim: true, Mark: f.severity, Wide: true}}, true
	}
	return []rows.Cell{{Text: f.Label, Dim: true}, value, {Text: f.Other}}, true
}

// said is the whole text that a line is part of: of two values, the selected one.
func (f Fact) said(k int) string {
	if k = max(k, 0); k < 2 && f.Whole[k] != "" {
		return f.Whole[k]
	}
	return f.Text
}

func (f Fact) linked() bool {
	return f.fold != nil || f.Link != nil || f.to.Len > 0 || f.fix != nil || f.Do != nil
}

// Widths of the labels in a narrow and a wide pane, and of the narrowest pane. Longer labels get up to a share of the pane, and the longest
// are above their texts.
const (
	narrowLabel = 78
	wideLabel   = 84
	narrowPane  = 400
	leastPane   = 56
	labelShare  = 0.42
)

// labelWidth is the width of the column of labels: for the longest one that may be beside its text.
func (n *Pane) labelWidth(a *paint.Atlas, pane float32) float32 {
	width, most := float32(wideLabel), pane*labelShare
	if pane < narrowPane {
		width = min(narrowLabel, pane/2)
	}
	for _, f := range n.Facts {
		if f.Heading && f.Text == "" {
			continue
		}
		if need := float32(a.Text.Width(f.Label)+1)/a.Scale + 2*rows.CellPad; need <= most {
			width = max(width, need)
		}
	}
	return width
}

// Show breaks long texts into lines of the available width.
func (n *Pane) Show(int64, int64) {
	n.brokenAt = n.View.Scale
	a := paint.AtlasAt(n.View.Scale)
	pane := max(leastPane, n.View.Size().Width-rows.BarSize) // it is narrower before it is laid out
	n.Columns[0].Width = n.labelWidth(a, pane)
	both := pane - n.Columns[0].Width
	first := n.firstWidth(a, both)
	n.Columns[1].Width, n.Columns[2].Width = first, min(60, both-first)
	width := int((both - 2*rows.CellPad) * a.Scale)
	wide := int((n.Width() - 2*rows.CellPad - underIndent) * a.Scale)
	n.Lines = n.Lines[:0]
	for _, f := range n.Facts {
		face, room := a.Text, width
		if f.mono {
			face = a.Mono
		}
		if f.severity != 0 {
			room -= int(14 * a.Scale) // for its mark
		}
		switch {
		case f.Heading && f.Text != "" && !n.beside(f.Label): // its words would all be cut
			n.add(face, room, wide, Fact{Heading: true, Label: f.Label + ", " + f.Text})
		case f.Other == "" || f.Heading:
			n.add(face, room, wide, f)
			for i := 0; n.unfolded && i < len(f.fold); i++ {
				n.add(face, room, wide, Fact{under: true, Text: f.fold[i]})
			}
		default: // one byte order beside the other, each broken in its own column
			n.addPair(face, int((first-2*rows.CellPad)*a.Scale), int((both-first-2*rows.CellPad)*a.Scale), wide, f)
		}
	}
}

func (n *Pane) Selected(s doc.Selection) {
	n.Value.selected(s)
	n.Edit.Close()
	if path := s.Span.Path(); path != n.path {
		n.path, n.Grid.Current, n.SelColumn = path, -1, -1 // a line of another field
	}
	bigFirst := s.Span.Shape == model.Leaf && s.Span.Field.Codec != nil && s.Span.Field.Codec.Endian() == "be"
	t, file, found, checked := n.d.Tree(), n.d.Model.Path, n.d.Found.All, n.d.Check.Complete()
	list, of, graph, repairs := n.d.Causes.Now(), n.d.Causes.Of, n.graph, !n.d.Causes.Pending()
	advised := model.Map(list, n.d.Causes.Advice) // made here, because a worker may not access the panes
	caret := model.Range{Space: s.Range.Space, Off: s.Range.Off}
	if caret.Space == model.NoSpace { // a folder: the bytes that are shown
		caret = model.Range{Space: n.d.Shown().Space, Off: n.d.Shown().Caret}
	}
	n.load.Load(n.d.Window, func(ctx context.Context) ([]Fact, error) {
		if s.Span == t.Root && (s.Range == t.Root.Range || s.Range.Len == 0) && s.Cell == nil {
			return slices.Concat(causeFacts(s, list, advised, of, found), problemFacts(ctx, t, s, found, repairs), cardFacts(ctx, t, found, checked)), ctx.Err()
		}
		list := slices.Concat(causeFacts(s, list, advised, of, found), problemFacts(ctx, t, s, found, repairs), cellFacts(s.Cell), graphFacts(graph, s.Span), fieldFacts(ctx, t, file, s))
		if s.Span.Shape == model.Leaf || s.Range != s.Span.Range || s.Range.Len <= mostRead { // of a whole column or tensor, the first bytes say nothing
			list = append(list, byteFacts(ctx, t, caret, bigFirst)...)
		}
		return list, ctx.Err()
	}, func(facts []Fact, err error) {
		if err == nil {
			n.Facts = facts
		} else {
			n.Facts = []Fact{{Label: "error", Text: err.Error()}}
		}
		n.View.Update()
	})
}

func (n *Pane) Hovered(model.Range) {}
func (n *Pane) Changed()            { n.Selected(n.d.Sel.Now) }

func (n *Pane) Hover(row int64, _ float32) {
	if row < 0 || row >= n.Count() || !n.Lines[row].linked() {
		n.d.Sel.Light(model.Range{})
		return
	}
	f := n.Lines[row]
	if f.Link != nil {
		f.to = f.Link.Range
	}
	n.d.Sel.Light(f.to)
}

func (n *Pane) Press(row int64, x float32, e rows.Press) {
	if n.Resize(row, x, e) || e.Drag || row < 0 || row >= n.Count() {
		return
	}
	n.Edit.Close()
	n.Mark(row, n.ColumnAt(x))
	switch {
	case e.Button != desktop.MouseButtonPrimary:
	case e.Double:
		n.begin("")
	case x >= n.ColumnX(1) || n.Lines[row].under:
		n.followLink(row)
	}
}

// Mark selects a line, and one of its values if it has several.
func (n *Pane) Mark(row int64, column int) {
	if n.Grid.Current, n.SelColumn = row, -1; row >= 0 && row < n.Count() && n.Lines[row].writable(column-1) {
		n.SelColumn = column
	}
	n.View.Redraw()
}

// writable tells whether a value of a line can be written into the bytes: the first one, or the one in the other byte order.
func (f *Fact) writable(k int) bool { return k >= 0 && k < 2 && f.write[k] != nil && f.Whole[k] != "" }

// begin opens a value of the bytes for editing, with its text or with what was typed.
func (n *Pane) begin(typed string) {
	row, k := n.Grid.Current, n.SelColumn-1
	if row < 0 || row >= n.Count() || !n.Lines[row].writable(k) {
		return
	}
	text := typed
	if typed == "" {
		text, _, _ = strings.Cut(n.Lines[row].Whole[k], "  ") // other representations follow it
	}
	n.d.Editor.Unlock()
	n.Edit.Open(row, n.ColumnX(k+1), n.ColumnWidth(k+1), text, typed == "")
}

// submit writes a value into the bytes.
func (n *Pane) submit(text string, _ int64, _ int) {
	row, k := n.Grid.Current, n.SelColumn-1
	if row < 0 || row >= n.Count() || !n.Lines[row].writable(k) {
		return
	}
	f := n.Lines[row]
	b, err := show.BytesOf(f.write[k], text)
	if err != nil {
		n.d.Window.Say(fmt.Sprintf("not a valid %s: %v", f.Label, err))
		return
	}
	n.Edit.Close()
	n.d.Window.Shell.Focus(n.View)
	at := f.at
	at.Len = int64(len(b))
	n.d.Editor.Replace(func() model.Range { return at }, model.Memory(b), fmt.Sprintf("%s at 0x%x: %s → %s", f.write[k].Type(), at.Off, f.Whole[k], text), nil)
}

// Typed starts editing the selected value with a character.
func (n *Pane) Typed(r rune) { n.begin(string(r)) }

func (n *Pane) followLink(row int64) {
	switch f := n.Lines[row]; {
	case f.Link != nil || f.to.Len > 0:
		n.d.Lead(f.Link, f.to)
	case f.fix != nil:
		n.d.Causes.PreviewFix(*f.fix)
	case f.Do != nil:
		f.Do()
	case f.fold != nil:
		n.unfolded = !n.unfolded
		n.Show(0, 0)
		n.View.Update()
	}
}

func (n *Pane) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	row := n.Grid.Current
	ok := row >= 0 && row < n.Count()
	switch {
	case ok && name == fyne.KeyC && mod == fyne.KeyModifierShortcutDefault:
		n.d.Window.Copy(n.Lines[row].said(n.SelColumn - 1))
		return true
	case ok && mod == 0 && n.SelColumn > 0 && (name == fyne.KeyReturn || name == fyne.KeyF2):
		n.begin("")
		return true
	case ok && mod == 0 && (name == fyne.KeyReturn || name == fyne.KeySpace):
		n.followLink(row)
		return true
	case ok && mod == 0 && (name == fyne.KeyLeft || name == fyne.KeyRight):
		n.Mark(row, map[fyne.KeyName]int{fyne.KeyLeft: 1, fyne.KeyRight: 2}[name])
		return true
	case mod != 0:
		return false
	}
	return n.Moved(name, n.Count(), func(row int64) { n.Mark(row, max(1, n.SelColumn)) })
}

func (n *Pane) Menu(row int64, _ float32) *fyne.Menu {
	if row < 0 || row >= n.Count() || n.Lines[row].Text == "" {
		return nil
	}
	text := n.Lines[row].said(n.SelColumn - 1)
	return fyne.NewMenu("", fyne.NewMenuItem(strings.TrimSpace("Copy "+n.Lines[row].Label), func() { n.d.Window.Copy(text) }))
}

func (n *Pane) setGraph(g *model.Graph) {
	n.graph = g
	n.Selected(n.d.Sel.Now)
}

// EditValue gives the focus to the value of the selected field.
func (n *Pane) EditValue() { n.Value.editValue() }

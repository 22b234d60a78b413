package facts

import (
	"strings"

	"spandrel/model"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// firstWidth is the share of the first value in the room for both: half, or as much more or less as keeps
// numbers unbroken, for the upper facts first if there is not enough room.
func (n *Pane) firstWidth(a *paint.Atlas, both float32) float32 {
	var first, second float32
	need := func(s string) float32 { return float32(kit.LongestWord(a.Text, s)+1)/a.Scale + 2*rows.CellPad }
	for _, f := range n.Facts {
		if f.Other == "" || f.Heading {
			continue
		}
		if x, y := max(first, need(f.Text)), max(second, need(f.Other)); x+y <= both {
			first, second = x, y
		}
	}
	return min(max(both/2, first), both-second)
}

// otherOrder is the byte order shown second.
func (n *Pane) otherOrder() string {
	for _, f := range n.Facts {
		if f.Heading && f.Other != "" {
			return f.Other
		}
	}
	return ""
}

// addPair appends the lines of a fact with two values, room and more pixels wide side by side. If a number would be broken the second is below
// the first, labelled with its byte order.
func (n *Pane) addPair(face *paint.Typeface, room, more, wide int, f Fact) {
	f.Whole = [2]string{f.Text, f.Other}
	if kit.LongestWord(face, f.Text) > room || kit.LongestWord(face, f.Other) > more {
		second := f
		second.Label, second.Text, second.Other = f.Label+" "+n.otherOrder(), f.Other, ""
		second.Whole, second.write = [2]string{f.Other}, [2]model.Codec{f.write[1]}
		f.Other, f.Whole[1], f.write[1] = "", "", nil
		n.add(face, room+more, wide, f)
		n.add(face, room+more, wide, second)
		return
	}
	first, second := kit.Wrap(face, f.Text, room), kit.Wrap(face, f.Other, more)
	for i := range max(len(first), len(second)) {
		l := f
		if i > 0 {
			l.Label = ""
		}
		l.Text, l.Other = partOf(first, i), partOf(second, i)
		n.Lines = append(n.Lines, l)
	}
}

func partOf(list []string, i int) string {
	if i < len(list) {
		return strings.TrimRight(list[i], " ")
	}
	return ""
}

// beside tells whether a label fits beside its text.
func (n *Pane) beside(label string) bool {
	a := paint.AtlasAt(n.View.Scale)
	return float32(a.Text.Width(label))/a.Scale <= n.Columns[0].Width-2*rows.CellPad
}

// underIndent is the indent of a text below its label, in units.
const underIndent = 12

// add appends the lines of a fact: room pixels wide beside its label or, if a word would be broken or that takes more lines than the label and the
// text below it, below it.
func (n *Pane) add(face *paint.Typeface, room, wide int, f Fact) {
	if f.Heading && len(n.Lines) > 0 { // apart from what is above it
		n.Lines = append(n.Lines, Fact{})
	}
	if f.Label == "" && !f.Heading && len(n.Lines) > 0 && n.Lines[len(n.Lines)-1].under { // it goes on with what is below its label
		f.under = true
	}
	switch {
	case f.under:
		room = wide
	case f.bar > 0:
		n.Lines = append(n.Lines, f)
		return
	case f.Text == "" && !f.Heading:
		return
	case !f.Heading && !n.beside(f.Label), kit.LongestWord(face, f.Text) > room, len(kit.Wrap(face, f.Text, room)) > 1+len(kit.Wrap(face, f.Text, wide)):
		if f.Label != "" {
			n.Lines = append(n.Lines, Fact{Label: f.Label, severity: f.severity})
		}
		f.Label, f.severity, f.under, room = "", 0, true, wide
	}
	for i, part := range kit.Wrap(face, f.Text, room) {
		l := f
		l.Whole = [2]string{f.Text}
		l.Text = strings.TrimRight(part, " ")
		if i > 0 {
			l.Label, l.severity = "", 0
		}
		n.Lines = append(n.Lines, l)
	}
}

package kit

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// Pick asks for one of some names; verb is what is done with it. Typing words narrows the list, Up and Down move in it, Enter takes the selected one, a click any.
func (h *Host) Pick(title, verb string, names []string, then func(i int)) {
	h.among(title, verb, names, true, then)
}

// Offer is Pick with nothing selected at first: Enter alone chooses nothing.
func (h *Host) Offer(title, verb string, names []string, then func(i int)) {
	h.among(title, verb, names, false, then)
}

func (h *Host) among(title, verb string, names []string, first bool, then func(i int)) {
	var shown []int
	var b *Dialog
	at, moving := 0, false
	none := NewLine("Nothing here contains that")
	none.Importance, none.Hidden = widget.LowImportance, true
	list := widget.NewList(func() int { return len(shown) }, func() fyne.CanvasObject { return widget.NewLabel("") },
		func(i widget.ListItemID, o fyne.CanvasObject) { o.(*widget.Label).SetText(names[shown[i]]) })
	take := func(i int) {
		if i >= 0 && i < len(shown) {
			b.close()
			then(shown[i])
		}
	}
	mark := func(i int) {
		if at = max(0, min(i, len(shown)-1)); len(shown) > 0 {
			moving = true
			list.Select(at)
			moving = false
		}
	}
	filter := func(s string) {
		shown = withWords(names, s)
		list.UnselectAll()
		list.Refresh()
		none.Hidden = len(shown) > 0
		none.Refresh()
		if at = -1; first {
			mark(0)
		}
	}
	list.OnSelected = func(i widget.ListItemID) {
		if !moving {
			take(i)
		}
	}
	e := NewEntry(h)
	e.SetPlaceHolder("type to filter")
	e.OnChanged = filter
	e.On = map[fyne.KeyName]func(){fyne.KeyDown: func() { mark(at + 1) }, fyne.KeyUp: func() { mark(at - 1) }}
	b = h.Shell.Box(title, container.NewBorder(e, nil, nil, nil, container.NewStack(list, container.NewVBox(none))), fyne.NewSize(560, 460), "Cancel", nil, verb, func() bool {
		take(at)
		return false
	})
	if b != nil {
		filter("")
		h.Shell.Focus(e)
	}
}

// withWords returns the indices of names that contain all words of a text, ignoring case: first those that begin with it, after their menu, then those
// that contain it as it is written.
func withWords(names []string, text string) []int {
	text = strings.ToLower(strings.TrimSpace(text))
	words := strings.Fields(text)
	var begin, contain, others []int
	for i, name := range names {
		name = strings.ToLower(name)
		_, label, in := strings.Cut(name, ": ")
		switch {
		case strings.HasPrefix(name, text), in && strings.HasPrefix(label, text):
			begin = append(begin, i)
		case strings.Contains(name, text):
			contain = append(contain, i)
		case !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(name, word) }):
			others = append(others, i)
		}
	}
	return slices.Concat(begin, contain, others)
}

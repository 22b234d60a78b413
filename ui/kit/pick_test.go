package kit

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

// Of names that have the words, those come first that begin with them: the command is meant that is called so, not one that speaks of it.
func TestPickedNames(t *testing.T) {
	names := []string{"View: Pane: Table and lists", "View: Table", "Tools: Export table…", "File: Open…   Ctrl+O", "table of tensors", "Save the selected bytes by format", "Compare byte by byte"}
	for text, want := range map[string][]int{"table": {1, 4, 0, 2}, "": {0, 1, 2, 3, 4, 5, 6}, "byte by byte": {6, 5}, "Export  TABLE": {2}, "open": {3}, "view": {0, 1}, "nothing": nil} {
		if got := withWords(names, text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// A long label of a form is above its value, which keeps the width of the dialog.
func TestFormLeavesRoomForValues(t *testing.T) {
	test.NewTempApp(t)
	for _, label := range []string{"Name", "Which cells (name=value, with =, !=, <, <=, > or >=; separated by commas; all must match)"} {
		e := widget.NewEntry()
		f := formOf([]*widget.FormItem{widget.NewFormItem(label, e)})
		w := test.NewTempWindow(t, f)
		w.Resize(fyne.NewSize(520, 300))
		if e.Size().Width < 300 {
			t.Errorf("%s: the value is %v wide", label, e.Size().Width)
		}
	}
}

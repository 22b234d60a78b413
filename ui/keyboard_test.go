package ui

import (
	"maps"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/ui/rows"
)

// The value of a field, the panes and the other documents are reached without a mouse.
func TestKeyboardReachesEverything(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	focused := func() fyne.Focusable { return b.win.Canvas().Focused() }
	d.sel.path("count", nil)
	b.settle(t)
	b.menus.run("edit-value")
	b.settle(t)
	if d.editor.locked || focused() != fyne.Focusable(d.info.value.entry) {
		t.Errorf("locked: %v, the keyboard is at %T", d.editor.locked, focused())
	}
	d.sel.path("rows", nil)
	b.settle(t)
	b.menus.run("edit-value")
	b.settle(t)
	if b.line.running.Text != "this field cannot be edited: no single value" {
		t.Errorf("of a list it is said: %q", b.line.running.Text)
	}
	for name, view := range map[string]*rows.View{"problems": d.problem.View, "table": d.table.View, "coverage": d.cover.View, "changes": d.changes.View} {
		b.menus.run(name)
		if focused() != fyne.Focusable(view) {
			t.Errorf("%s: the keyboard is at %T", name, focused())
		}
	}
	b.files.show(toyFile(t, 20))
	b.settle(t)
	b.menus.run("next-document")
	if b.current != d {
		t.Error("the next document behind the last is not the first")
	}
	b.menus.run("previous-document")
	if b.current == d {
		t.Error("the previous document is not the last")
	}
}

// A button that has the keyboard is pressed by Enter, and leaves the function keys to the window.
func TestButtonsLeaveKeysToTheWindow(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	d.lower.open(tabProblems)
	b.shell.focus(d.problem.deep)
	b.press(fyne.KeyF8)
	b.settle(t)
	if d.problem.Current != 0 {
		t.Error("F8 did not go to the problem")
	}
	d.check.done = false
	b.shell.focus(d.problem.deep)
	b.press(fyne.KeyReturn)
	b.settle(t)
	if !d.check.done {
		t.Error("Enter did not press the button")
	}
}

// Where the lower panes have all of the room, the keyboard goes to what is in sight: never to a pane that is not.
func TestKeyboardStaysInSight(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	b.shell.focus(d.hex.view)
	b.menus.run("full-pane")
	for range 5 {
		if has := b.shell.focused(); has == fyne.Focusable(d.hex.view) || has == fyne.Focusable(d.left.view()) {
			t.Error("a pane out of sight has the keyboard")
		}
		b.menus.run("next-pane")
	}
	b.win.Canvas().Capture()
	if !d.info.object.Visible() || d.info.object.Size().Width < 100 {
		t.Error("no details beside the lower panes")
	}
	places := d.frame.splitsMoved()
	b.menus.run("full-pane")
	b.win.Canvas().Capture()
	if got := d.frame.splitsMoved(); !maps.Equal(got, places) || d.hex.view.Size().Height < 100 {
		t.Errorf("splitters at %v, they were at %v", got, places)
	}
}

// What is typed goes to a pane in sight also when another takes the place of the one that had the keyboard: below, where something leads
// to a problem, and beside, where a comparison ends.
func TestKeyboardLeavesWhatGoesOutOfSight(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	d.lower.show(tabTable)
	b.shell.focus(d.table.View)
	b.menus.run("next-problem")
	if has := b.shell.focused(); has != fyne.Focusable(d.problem.View) {
		t.Errorf("%T has the keyboard, that of the table: %v", has, has == fyne.Focusable(d.table.View))
	}
	other := b.open(t, toyFile(t, 3))
	b.show(d)
	d.hex.beside(other.Document, false)
	b.settle(t)
	b.win.Canvas().Capture()
	b.shell.focus(d.hex.twin.other.view)
	if b.shell.focused() != fyne.Focusable(d.hex.twin.other.view) {
		t.Fatal("the bytes beside do not take the keyboard")
	}
	d.hex.apart(nil)
	if has := b.shell.focused(); has != fyne.Focusable(d.hex.view) {
		t.Errorf("%T has the keyboard, and not the bytes that stay", has)
	}
}

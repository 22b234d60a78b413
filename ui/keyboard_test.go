package ui

import (
	"maps"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// The value of a field, the panes and the other documents are reached without a mouse.
func TestKeyboardReachesEverything(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	focused := func() fyne.Focusable { return b.win.Canvas().Focused() }
	d.Sel.Path("count", nil)
	b.settle(t)
	b.menus.run("edit-value")
	b.settle(t)
	if d.Editor.Locked || focused() != fyne.Focusable(d.info.Value.Entry) {
		t.Errorf("locked: %v, the keyboard is at %T", d.Editor.Locked, focused())
	}
	d.Sel.Path("rows", nil)
	b.settle(t)
	b.menus.run("edit-value")
	b.settle(t)
	if b.Line.Running.Text != "This field cannot be edited: not a single value" {
		t.Errorf("of a list it is said: %q", b.Line.Running.Text)
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
	d.Lower.Open(kit.TabProblems)
	b.Shell.Focus(d.problem.Deep)
	b.press(fyne.KeyF8)
	b.settle(t)
	if d.problem.Current != 0 {
		t.Error("F8 did not go to the problem")
	}
	d.Check.Done = false
	b.Shell.Focus(d.problem.Deep)
	b.press(fyne.KeyReturn)
	b.settle(t)
	if !d.Check.Done {
		t.Error("Enter did not press the button")
	}
}

// Where the lower panes have all of the room, the keyboard goes to what is in sight: never to a pane that is not.
func TestKeyboardStaysInSight(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	b.Shell.Focus(d.hex.View)
	b.menus.run("full-pane")
	for range 5 {
		if has := b.Shell.Focused(); has == fyne.Focusable(d.hex.View) || has == fyne.Focusable(d.left.View()) {
			t.Error("a pane out of sight has the keyboard")
		}
		b.menus.run("next-pane")
	}
	b.win.Canvas().Capture()
	if !d.info.Object.Visible() || d.info.Object.Size().Width < 100 {
		t.Error("no details beside the lower panes")
	}
	places := d.frame.splitsMoved()
	b.menus.run("full-pane")
	b.win.Canvas().Capture()
	if got := d.frame.splitsMoved(); !maps.Equal(got, places) || d.hex.View.Size().Height < 100 {
		t.Errorf("splitters at %v, they were at %v", got, places)
	}
}

// What is typed goes to a pane in sight also when another takes the place of the one that had the keyboard: below, where something leads
// to a problem, and beside, where a comparison ends.
func TestKeyboardLeavesWhatGoesOutOfSight(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	d.Lower.Show(kit.TabTable)
	b.Shell.Focus(d.table.View)
	b.menus.run("next-problem")
	if has := b.Shell.Focused(); has != fyne.Focusable(d.problem.View) {
		t.Errorf("%T has the keyboard, that of the table: %v", has, has == fyne.Focusable(d.table.View))
	}
	other := b.open(t, toyFile(t, 3))
	b.show(d)
	d.hex.Beside(other.Document, false)
	b.settle(t)
	b.win.Canvas().Capture()
	b.Shell.Focus(d.hex.Twin.Other.View)
	if b.Shell.Focused() != fyne.Focusable(d.hex.Twin.Other.View) {
		t.Fatal("the bytes beside do not take the keyboard")
	}
	d.hex.Apart(nil)
	if has := b.Shell.Focused(); has != fyne.Focusable(d.hex.View) {
		t.Errorf("%T has the keyboard, and not the bytes that stay", has)
	}
}

// What is typed over a plot is not for the table that it covers.
func TestPlotTakesNoKeys(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	b.menus.run("table")
	d.table.Choose(3, 2)
	b.settle(t)
	d.table.Plot.Draw(1, -1)
	b.settle(t)
	if has := b.win.Canvas().Focused(); has == fyne.Focusable(d.table.View) {
		t.Error("the table has the keyboard")
	}
	b.press(fyne.KeyReturn)
	b.settle(t)
	if d.table.Editor.Ref != nil || !d.Editor.Locked {
		t.Error("Enter edits a cell that is out of sight")
	}
}

// The keys of a command with Ctrl or Alt reach it from every pane: no pane takes them for keys of its own.
func TestPanesLeaveKeysToCommands(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	d.Sel.Path("count", nil)
	b.settle(t)
	for _, v := range d.frame.views() {
		view, ok := v.(*rows.View)
		if !ok {
			continue
		}
		for _, c := range b.menus.commands {
			if c.mod&(ctrl|alt) != 0 && view.Rows.Key(c.key, c.mod) {
				t.Errorf("%T takes the keys of “%s”", view.Rows, c.label)
			}
		}
	}
}

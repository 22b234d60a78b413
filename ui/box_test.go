package ui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/parsers"
	"spandrel/ui/bench"
	"spandrel/ui/kit"
)

// newWindowBench is newBench with dialogs.
func newWindowBench(t testing.TB, path string) (*testBench, *tab) {
	t.Helper()
	b, d := newBench(t, path)
	b.Shell = kit.NewWindowShell(b.Host, b.win)
	b.win.Canvas().SetOnTypedKey(b.menus.typedKey)
	return b, d
}

// press gives keys to what has the keyboard, as the driver does.
func (b *testBench) press(keys ...fyne.KeyName) {
	for _, k := range keys {
		if f := b.win.Canvas().Focused(); f != nil {
			f.TypedKey(&fyne.KeyEvent{Name: k})
		} else {
			b.menus.typedKey(&fyne.KeyEvent{Name: k})
		}
	}
}

// TestBoxKeys opens every dialog that the window has: Esc closes each, whatever has the keyboard in it, and Enter confirms.
func TestBoxKeys(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	for name, open := range map[string]func(){
		"tell":        func() { b.Tell("Title", "text") },
		"fail":        func() { b.Fail("Reading", errors.New("it is broken")) },
		"preferences": b.prefs.ask,
		"palette":     b.menus.askCommand,
		"about":       b.menus.about,
		"goto":        func() { b.askGoTo(d) },
		"range":       func() { b.askRange(d) },
		"copy as":     d.AskCopyAs,
	} {
		open()
		if !b.Shell.Modal() {
			t.Errorf("%s: no dialog", name)
		}
		focused := b.win.Canvas().Focused()
		for range 12 { // Esc works from every widget
			b.win.Canvas().FocusNext()
			if b.win.Canvas().Focused() == focused {
				break
			}
			b.press(fyne.KeyEscape)
			if b.Shell.Modal() {
				t.Errorf("%s: Esc does not close it from %T", name, b.win.Canvas().Focused())
			}
			if open(); b.win.Canvas().Focused() != nil {
				focused = b.win.Canvas().Focused()
			}
		}
		b.press(fyne.KeyEscape)
		if b.Shell.Modal() || len(b.Shell.(*kit.WindowShell).Boxes) != 0 {
			t.Fatalf("%s: Esc does not close it", name)
		}
	}
	for _, ask := range []func(){b.files.fileHere, func() { b.files.folderHere(b.files.show) }} { // Fyne's: Esc as long as no widget in it has the keyboard
		if ask(); !b.Shell.Modal() {
			t.Error("no file dialog")
		}
		if b.press(fyne.KeyEscape); b.Shell.Modal() {
			t.Error("Esc does not close the file dialog")
		}
	}
	pressed := 0
	b.Shell.Box("Question", kit.TextOf("?"), kit.Question, "No", func() { t.Error("no") }, "Yes", func() { pressed++ })
	b.press(fyne.KeyReturn)
	b.Shell.Box("Question", kit.TextOf("?"), kit.Question, "No", func() { pressed++ }, "Yes", func() { t.Error("yes") })
	b.press(fyne.KeyLeft, fyne.KeyReturn)
	b.Shell.Box("Question", kit.TextOf("?"), kit.Question, "No", nil, "Yes", func() { pressed++ })
	b.win.Canvas().Unfocus()
	b.press(fyne.KeyReturn)
	if pressed != 3 || b.Shell.Modal() {
		t.Errorf("%d of 3 answers, dialog open: %v", pressed, b.Shell.Modal())
	}
}

// A box stays in the middle of a window that becomes smaller, with what was typed in it and the keyboard.
func TestBoxFollowsTheWindow(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	b.askGoTo(d)
	b.win.Canvas().Focused().(*kit.Entry).SetText("rows[3]")
	for _, size := range []fyne.Size{fyne.NewSize(1024, 700), fyne.NewSize(1600, 1000)} {
		b.win.Resize(size)
		b.settle(t)
		entry, ok := b.win.Canvas().Focused().(*kit.Entry)
		if !ok || entry.Text != "rows[3]" || len(b.win.Canvas().Overlays().List()) != 1 {
			t.Fatalf("%v: %T has the keyboard, %d boxes", size, b.win.Canvas().Focused(), len(b.win.Canvas().Overlays().List()))
		}
		at := fyne.CurrentApp().Driver().AbsolutePositionForObject(entry)
		if middle := at.X + entry.Size().Width/2; middle < size.Width/2-20 || middle > size.Width/2+20 {
			t.Errorf("%v: the line is around %v", size, middle)
		}
	}
	b.press(fyne.KeyReturn)
	b.settle(t)
	if b.Shell.Modal() || d.Sel.Now.Span.Path() != "rows[3]" {
		t.Errorf("selected %s, dialog open: %v", d.Sel.Now.Span.Path(), b.Shell.Modal())
	}
}

// TestAskStaysUntilAnswered types a place that does not exist and then one that does.
func TestAskStaysUntilAnswered(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	b.askGoTo(d)
	entry := b.win.Canvas().Focused().(*kit.Entry)
	entry.SetText("nothing/here")
	b.press(fyne.KeyReturn)
	b.settle(t)
	if !b.Shell.Modal() {
		t.Fatal("closed although the answer is wrong")
	}
	entry.SetText("rows[3]")
	b.press(fyne.KeyReturn)
	b.settle(t)
	if b.Shell.Modal() || d.Sel.Now.Span.Path() != "rows[3]" {
		t.Errorf("selected %s, dialog open: %v", d.Sel.Now.Span.Path(), b.Shell.Modal())
	}
}

// TestPickByKeys chooses with the arrows in a narrowed list.
func TestPickByKeys(t *testing.T) {
	b, _ := newWindowBench(t, toyFile(t, 1))
	got := -1
	b.Pick("Fruit", "Eat", []string{"apple", "pear", "grape", "plum"}, func(i int) { got = i })
	b.win.Canvas().Focused().(*kit.Entry).SetText("ap")
	b.press(fyne.KeyDown, fyne.KeyReturn)
	if got != 2 || b.Shell.Modal() {
		t.Errorf("took %d", got)
	}
	b.Pick("Commands", "Run", []string{"Edit: Select all bytes", "Edit: Select a range… Ctrl+E"}, func(i int) { got = i })
	b.win.Canvas().Focused().(*kit.Entry).SetText("select range")
	if b.press(fyne.KeyReturn); got != 1 {
		t.Errorf("took %d, which has not both words", got)
	}
	b.Pick("Fruit", "Eat", []string{"apple", "pear"}, func(int) {})
	for text, none := range map[string]bool{"zzz": true, "": false} {
		b.win.Canvas().Focused().(*kit.Entry).SetText(text)
		said := false
		eachVisible(b.win.Canvas().Overlays().Top(), func(o fyne.CanvasObject) {
			l, ok := o.(*widget.Label)
			said = said || ok && l.Text == "Nothing here contains that"
		})
		if said != none {
			t.Errorf("%q: says that there is nothing: %v", text, said)
		}
	}
}

// TestNoCommandBehindDialog presses keys of the menu while a dialog is open.
func TestNoCommandBehindDialog(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 1))
	b.askGoTo(d)
	for _, c := range b.menus.commands {
		if c.name != "" && c.name != "quit" {
			c.invoke(b.Workbench)
		}
	}
	b.settle(t)
	if len(b.Shell.(*kit.WindowShell).Boxes) != 1 || len(b.docs) != 1 || !d.Editor.Locked {
		t.Error("a command ran behind the dialog")
	}
	entry := b.win.Canvas().Focused().(*kit.Entry)
	test.Type(entry, "12")
	entry.TypedShortcut(&fyne.ShortcutUndo{})
	if entry.Text != "" {
		t.Errorf("undo left %q in the entry", entry.Text)
	}
	b.press(fyne.KeyEscape)
	b.menus.run("unlock")
	if d.Editor.Locked {
		t.Error("commands stay off when the dialog is closed")
	}
}

// TestEscClearsTheSelection keeps the caret and selects no byte.
func TestEscClearsTheSelection(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 100))
	d.Sel.Bytes(model.Range{Space: d.hex.Space, Off: 40, Len: 16}, nil)
	b.settle(t)
	b.menus.typedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	b.settle(t)
	if d.Sel.Now.Range.Len != 0 || d.hex.Caret != 40 || d.Sel.Now.Span != d.Tree().Root {
		t.Errorf("selected %v of %q, caret at %d", d.Sel.Now.Range, d.Sel.Now.Span.Path(), d.hex.Caret)
	}
}

// TestKeysOfTheWindow checks that no two commands share keys, and that each of the table in the documentation has a command.
func TestKeysOfTheWindow(t *testing.T) {
	b, _ := newBench(t, toyFile(t, 1))
	at := map[chord]string{}
	for _, c := range b.menus.commands {
		for _, k := range append(c.also, chord{c.key, c.mod}) {
			if k.key == "" {
				continue
			}
			if at[k] != "" {
				t.Errorf("%v is the key of %s and of %s", k, at[k], c.name)
			}
			at[k] = c.name
		}
	}
	for k, name := range map[chord]string{
		{fyne.KeyO, ctrl}: "open", {fyne.KeyO, ctrl | shift}: "open-folder", {fyne.KeyS, ctrl}: "save", {fyne.KeyS, ctrl | shift}: "save-as",
		{fyne.KeyW, ctrl}: "close", {fyne.KeyQ, ctrl}: "quit", {fyne.KeyR, ctrl}: "reload", {fyne.KeyF5, 0}: "reload",
		{fyne.KeyZ, ctrl}: "undo", {fyne.KeyY, ctrl}: "redo", {fyne.KeyZ, ctrl | shift}: "redo", {fyne.KeyC, ctrl | alt}: "copy-as",
		{fyne.KeyE, ctrl}: "select-range", {fyne.KeyF6, 0}: "next-pane", {fyne.KeyG, ctrl}: "goto", {fyne.KeyF, ctrl}: "find",
		{fyne.KeyF3, 0}: "find-next", {fyne.KeyF3, shift}: "find-previous", {fyne.KeyH, ctrl}: "replace", {fyne.KeyLeft, alt}: "back",
		{fyne.KeyRight, alt}: "forward", {fyne.KeyF8, 0}: "next-problem", {fyne.KeyF8, shift}: "previous-problem",
		{fyne.KeyF7, 0}: "next-difference", {fyne.KeyF7, shift}: "previous-difference", {fyne.KeyB, ctrl}: "bookmark",
		{fyne.KeyPageDown, alt}: "next-bookmark", {fyne.KeyPageUp, alt}: "previous-bookmark", {fyne.KeyP, ctrl | shift}: "palette",
		{fyne.KeyComma, ctrl}: "preferences", {fyne.KeyEqual, ctrl}: "zoom-in", {fyne.KeyMinus, ctrl}: "zoom-out", {fyne.Key0, ctrl}: "zoom-reset",
	} {
		if at[k] != name {
			t.Errorf("%v is the key of %q, not of %s", k, at[k], name)
		}
	}
	b.menus.bar()
	for _, c := range b.menus.commands {
		if c.key != "" && !strings.HasSuffix(c.item.Label, " "+c.keyText()+menuEnd) {
			t.Errorf("the menu does not show the keys of %s: %q", c.name, c.item.Label)
		}
		if strings.HasSuffix(c.keyText(), "Prior") || strings.HasSuffix(c.keyText(), "Next") {
			t.Errorf("the menu calls a key %s", c.keyText())
		}
	}
}

// emptyBench is newWindowBench with every format known and no document.
func emptyBench(t testing.TB) *testBench {
	t.Helper()
	b, first := newWindowBench(t, toyFile(t, 1))
	b.formats = parsers.All()
	b.close(first)
	return b
}

// open opens a path in a tab of its own.
func (b *testBench) open(t testing.TB, path string) *tab {
	t.Helper()
	b.files.show(path)
	b.settle(t)
	d := b.current
	if d == nil {
		t.Fatal("not opened")
	}
	return d
}

// sampleBench opens a copy of a sample, with every format known. A folder is copied whole; inside names what of it is opened.
func sampleBench(t testing.TB, path string, inside ...string) (*testBench, *tab) {
	t.Helper()
	b := emptyBench(t)
	d := b.open(t, filepath.Join(bench.CopySample(t, path), filepath.Join(inside...)))
	b.win.Canvas().Capture()
	b.settle(t)
	return b, d
}

// The size of the window and the places of its splitters are noted when something is selected: a program that is killed comes back as it was.
func TestPlacesSurviveAKill(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	b.win.Resize(fyne.NewSize(1111, 777))
	d.frame.splits[1].SetOffset(0.66)
	d.Sel.Path("rows[3]/size", nil)
	b.settle(t)
	p := b.App.Preferences()
	if w, s := p.Float("width"), p.Float("split1"); w != float64(b.win.Canvas().Size().Width) || s != 0.66 {
		t.Errorf("noted: width %v, splitter %v", w, s)
	}
}

// A box that closes below another leaves that one in sight: what keeps every command from running can be seen, and closed.
func TestBoxClosesBelowAnother(t *testing.T) {
	b, _ := newWindowBench(t, toyFile(t, 1))
	var late func(error)
	b.Ask("Below", "Go", "answered late", "", func(_ string, done func(error)) { late = done })
	b.press(fyne.KeyReturn)
	b.Tell("Above", "a job ended meanwhile")
	late(nil)
	if n := len(b.Shell.(*kit.WindowShell).Boxes); n != 1 || b.win.Canvas().Overlays().Top() == nil {
		t.Fatalf("%d boxes, and what is seen is %v", n, b.win.Canvas().Overlays().Top())
	}
	if b.press(fyne.KeyEscape); b.Shell.Modal() {
		t.Error("Esc does not close it")
	}
}

// The buttons above the panes are dim where they would do nothing, as their entries in the menus are.
func TestButtonsAreDim(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 3))
	dim := func(names ...string) (out []string) {
		for _, n := range names {
			if d.path.buttons[n].Disabled() {
				out = append(out, n)
			}
		}
		return out
	}
	all := []string{"open", "save", "undo", "redo", "back", "forward", "copy-path", "find"}
	if got := strings.Join(dim(all...), " "); got != "save undo redo back forward" {
		t.Errorf("dim: %s", got)
	}
	d.Editor.SetLocked(false)
	d.Editor.SetValue(d.Tree().Root.Get("rows").Child(1).Child(0), model.U(9), nil)
	for _, path := range []string{"rows[2]/id", "magic"} {
		d.Sel.Path(path, nil)
		b.settle(t)
	}
	if got := strings.Join(dim(all...), " "); got != "redo forward" {
		t.Errorf("dim behind an edit: %s", got)
	}
}

// What loses data has to be chosen: Enter alone does not reload over unsaved edits, and does not replace a file.
func TestLosingIsNoDefault(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	d.Editor.SetLocked(false)
	d.Editor.SetValue(d.Tree().Root.Get("rows").Child(0).Child(1), model.U(5000), nil)
	b.settle(t)
	b.disk.reload(d)
	b.press(fyne.KeyReturn)
	b.settle(t)
	if b.Shell.Modal() || b.current != d || !d.Editor.Dirty {
		t.Error("Enter reloaded over an edit")
	}
	path, replaced := filepath.Join(t.TempDir(), "there"), false
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	b.saver.replacing(path, func() { replaced = true })
	b.press(fyne.KeyReturn)
	if replaced {
		t.Error("Enter replaced a file")
	}
	b.saver.replacing(path, func() { replaced = true })
	b.win.Canvas().FocusNext()
	b.press(fyne.KeyReturn)
	if !replaced {
		t.Error("the button that was chosen replaced nothing")
	}
}

// What is typed after Go to is meant for the bytes that were gone to.
func TestGoToGivesTheBytesTheKeyboard(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	d.Editor.Unlock()
	for _, ask := range []func(*tab){b.askGoTo, b.askRange} {
		b.Shell.Focus(d.find.Entry)
		ask(d)
		b.win.Canvas().Focused().(*kit.Entry).SetText("0x4")
		b.press(fyne.KeyReturn)
		b.settle(t)
		if b.Shell.Focused() != fyne.Focusable(d.hex.View) || d.hex.Caret != 4 {
			t.Errorf("%T has the keyboard, the caret is at %d", b.Shell.Focused(), d.hex.Caret)
		}
	}
}

// Edits that are typed one after the other and all fail say so once: as many boxes would darken the window until nothing of it is seen.
func TestWhatFailsIsToldOnce(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	d.Editor.SetLocked(false)
	past := func() model.Range { return model.Range{Space: d.Tree().Root.Range.Space, Off: 1 << 20, Len: 1} }
	for range 5 {
		d.Editor.Replace(past, model.Memory([]byte{1}), "edit bytes", nil)
	}
	b.settle(t)
	shell := b.Shell.(*kit.WindowShell)
	if n := len(shell.Boxes); n != 1 {
		t.Fatalf("%d boxes", n)
	}
	b.press(fyne.KeyEscape)
	b.Tell("Not edited", "again")
	if len(shell.Boxes) != 1 {
		t.Error("what fails after the box was closed is not told")
	}
}

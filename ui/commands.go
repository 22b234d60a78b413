package ui

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/ui/rows"
)

// command is something that can be asked for: from a menu, with a key, from the palette, by its name from a script of the
// tests. A command that needs a document does nothing without one.
type command struct {
	name  string // for run
	menu  string // the menu it is in
	label string
	key   fyne.KeyName
	mod   fyne.KeyModifier
	also  []chord // other keys that do the same
	do    func()
	doc   func(d *Document) // instead of do: needs a document
}

// chord is a key with what is held.
type chord struct {
	key fyne.KeyName
	mod fyne.KeyModifier
}

const (
	ctrl  = fyne.KeyModifierShortcutDefault
	shift = fyne.KeyModifierShift
	alt   = fyne.KeyModifierAlt
)

// separator is a line between commands of a menu.
func separator(menu string) *command { return &command{menu: menu} }

// menus are the commands, by menu, key and name.
type menus struct {
	wb       *Workbench
	commands []*command
}

// make lists the commands in the order of the menus.
func (m *menus) make() {
	m.commands = []*command{
		{name: "open", menu: "File", label: "Open…", key: fyne.KeyO, mod: ctrl, do: func() { m.wb.files.ask(false) }},
		{name: "open-folder", menu: "File", label: "Open folder…", key: fyne.KeyO, mod: ctrl | shift, do: func() { m.wb.files.ask(true) }},
		{name: "reload", menu: "File", label: "Reload", key: fyne.KeyR, mod: ctrl, also: []chord{{fyne.KeyF5, 0}}, doc: m.wb.files.reload},
		{name: "save", menu: "File", label: "Save…", key: fyne.KeyS, mod: ctrl, doc: m.wb.saver.ask},
		{name: "save-as", menu: "File", label: "Save as…", key: fyne.KeyS, mod: ctrl | shift, doc: m.wb.saver.askAs},
		separator("File"),
		{name: "preferences", menu: "File", label: "Preferences…", key: fyne.KeyComma, mod: ctrl, do: m.wb.prefs.ask},
		separator("File"),
		{name: "close", menu: "File", label: "Close", key: fyne.KeyW, mod: ctrl, doc: m.wb.saver.askClose},
		{name: "quit", menu: "File", label: "Quit", key: fyne.KeyQ, mod: ctrl, do: m.wb.saver.askQuit},

		{name: "undo", menu: "Edit", label: "Undo", key: fyne.KeyZ, mod: ctrl, doc: func(d *Document) { d.editor.undo() }},
		{name: "redo", menu: "Edit", label: "Redo", key: fyne.KeyY, mod: ctrl, also: []chord{{fyne.KeyZ, ctrl | shift}}, doc: func(d *Document) { d.editor.redo() }},
		{name: "unlock", menu: "Edit", label: "Unlock or lock", key: fyne.KeyL, mod: ctrl, doc: func(d *Document) { d.editor.setLocked(!d.editor.locked) }},
		{name: "edit-value", menu: "Edit", label: "Edit the value", key: fyne.KeyF2, doc: (*Document).editValue},
		{name: "repair-links", menu: "Edit", label: "Raw edits repair links: on or off", doc: func(d *Document) {
			d.editor.repairLinks = !d.editor.repairLinks
			m.wb.status.say(map[bool]string{true: "raw edits carry lengths, offsets and checksums along", false: "raw edits change the bytes alone"}[d.editor.repairLinks])
		}},
		{name: "fill", menu: "Edit", label: "Fill the selection with…", doc: m.wb.askFill},
		separator("Edit"),
		{name: "copy", menu: "Edit", label: "Copy bytes as hexadecimal", doc: func(d *Document) { d.copyAs(copyHex) }},
		{name: "copy-as", menu: "Edit", label: "Copy as…", key: fyne.KeyC, mod: ctrl | alt, doc: (*Document).askCopyAs},
		{name: "copy-path", menu: "Edit", label: "Copy path", key: fyne.KeyC, mod: ctrl | shift, doc: func(d *Document) { m.wb.copy(d.sel.now.Span.Path()) }},
		{name: "copy-value", menu: "Edit", label: "Copy value", doc: func(d *Document) { d.copyValue() }},
		separator("Edit"),
		{name: "select-all", menu: "Edit", label: "Select all bytes  (Ctrl+A)", doc: func(d *Document) { d.hex.Key(fyne.KeyA, ctrl) }},
		{name: "select-range", menu: "Edit", label: "Select a range…", key: fyne.KeyE, mod: ctrl, doc: m.wb.askRange},
		{name: "find", menu: "Edit", label: "Find…", key: fyne.KeyF, mod: ctrl, doc: func(d *Document) { d.frame.show(tabFind); m.wb.shell.focus(d.find.entry) }},
		{name: "find-next", menu: "Edit", label: "Find next", key: fyne.KeyF3, doc: func(d *Document) { d.find.next(false) }},
		{name: "find-previous", menu: "Edit", label: "Find previous", key: fyne.KeyF3, mod: shift, doc: func(d *Document) { d.find.next(true) }},
		{name: "replace", menu: "Edit", label: "Replace…", key: fyne.KeyH, mod: ctrl, doc: func(d *Document) { d.find.with.show() }},

		{name: "zoom-in", menu: "View", label: "Zoom in", key: fyne.KeyEqual, mod: ctrl, also: []chord{{fyne.KeyEqual, ctrl | shift}, {fyne.KeyPlus, ctrl}, {fyne.KeyPlus, ctrl | shift}}, do: func() { m.wb.prefs.zoomBy(1) }},
		{name: "zoom-out", menu: "View", label: "Zoom out", key: fyne.KeyMinus, mod: ctrl, do: func() { m.wb.prefs.zoomBy(-1) }},
		{name: "zoom-reset", menu: "View", label: "Actual size", key: fyne.Key0, mod: ctrl, do: func() { m.wb.prefs.setZoom(100) }},
		separator("View"),
		{name: "theme", menu: "View", label: "Light or dark", key: fyne.KeyT, mod: ctrl | alt, do: m.wb.prefs.switchTheme},
		{name: "problems", menu: "View", label: "Problems", doc: func(d *Document) { d.frame.open(tabProblems) }},
		{name: "table", menu: "View", label: "Table", doc: func(d *Document) { d.frame.open(tabTable) }},
		{name: "coverage", menu: "View", label: "Coverage", doc: func(d *Document) { d.frame.open(tabCoverage) }},
		{name: "changes", menu: "View", label: "Changes", doc: func(d *Document) { d.frame.open(tabChanges) }},
		{name: "graph", menu: "View", label: "Graph", doc: func(d *Document) { d.frame.openGraph() }},
		{name: "wider", menu: "View", label: "More bytes a row", key: fyne.KeyPeriod, mod: ctrl, doc: func(d *Document) { m.wb.prefs.setBytesARow(min(mostWidth, d.hex.perRow*2)) }},
		{name: "narrower", menu: "View", label: "Fewer bytes a row", key: fyne.KeyComma, mod: ctrl | alt, doc: func(d *Document) { m.wb.prefs.setBytesARow(max(leastWidth, d.hex.perRow/2)) }},

		{name: "goto", menu: "Go", label: "Go to offset or path…", key: fyne.KeyG, mod: ctrl, doc: m.wb.askGoTo},
		{name: "back", menu: "Go", label: "Back", key: fyne.KeyLeft, mod: alt, doc: func(d *Document) { d.sel.back() }},
		{name: "forward", menu: "Go", label: "Forward", key: fyne.KeyRight, mod: alt, doc: func(d *Document) { d.sel.forward() }},
		separator("Go"),
		{name: "next-problem", menu: "Go", label: "Next problem", key: fyne.KeyF8, doc: func(d *Document) { d.frame.show(tabProblems); d.problem.step(1) }},
		{name: "previous-problem", menu: "Go", label: "Previous problem", key: fyne.KeyF8, mod: shift, doc: func(d *Document) { d.frame.show(tabProblems); d.problem.step(-1) }},
		{name: "next-difference", menu: "Go", label: "Next difference", key: fyne.KeyF7, doc: func(d *Document) { d.StepDifference(false) }},
		{name: "previous-difference", menu: "Go", label: "Previous difference", key: fyne.KeyF7, mod: shift, doc: func(d *Document) { d.StepDifference(true) }},
		separator("Go"),
		{name: "bookmark", menu: "Go", label: "Set or remove a bookmark", key: fyne.KeyB, mod: ctrl, doc: func(d *Document) { d.marks.toggle() }},
		{name: "name-bookmark", menu: "Go", label: "Name the bookmark…", key: fyne.KeyB, mod: ctrl | shift, doc: m.wb.askMark},
		{name: "next-bookmark", menu: "Go", label: "Next bookmark", key: fyne.KeyPageDown, mod: alt, doc: func(d *Document) { d.marks.step(1) }},
		{name: "previous-bookmark", menu: "Go", label: "Previous bookmark", key: fyne.KeyPageUp, mod: alt, doc: func(d *Document) { d.marks.step(-1) }},
		{name: "bookmarks", menu: "Go", label: "List the bookmarks", doc: func(d *Document) { d.frame.show(tabFind); d.find.kind.SetSelected(findMarks); d.find.run() }},
		separator("Go"),
		{name: "next-document", menu: "Go", label: "Next document", key: fyne.KeyTab, mod: ctrl, do: func() { m.wb.stepTab(1) }},
		{name: "previous-document", menu: "Go", label: "Previous document", key: fyne.KeyTab, mod: ctrl | shift, do: func() { m.wb.stepTab(-1) }},
		{name: "next-pane", menu: "Go", label: "Next pane", key: fyne.KeyF6, doc: func(d *Document) { d.frame.next() }},

		{name: "palette", menu: "Tools", label: "Commands…", key: fyne.KeyP, mod: ctrl | shift, do: m.askCommand},
		{name: "preview", menu: "Tools", label: "Preview the repair of the problem", key: fyne.KeyReturn, mod: ctrl, doc: func(d *Document) { d.problem.fixes.previewFirst() }},
		{name: "fix-all", menu: "Tools", label: "Apply all safe fixes", doc: func(d *Document) { d.frame.show(tabProblems); d.problem.fixes.applyAll() }},
		{name: "action", menu: "Tools", label: "Structural edit…", key: fyne.KeyE, mod: ctrl | shift, doc: m.wb.askAction},
		{name: "statistics", menu: "Tools", label: "Statistics of the table's column", doc: func(d *Document) { d.table.statisticsHere() }},
		{name: "export", menu: "Tools", label: "Export table…", doc: m.wb.askExport},
		{name: "compare", menu: "Tools", label: "Compare with another open document…", doc: m.wb.askCompare},
		{name: "export-rows", menu: "Tools", label: "Export the selected rows…", doc: func(d *Document) { d.table.exportRows() }},
		{name: "check", menu: "Tools", label: "Check everything", doc: func(d *Document) { d.frame.show(tabProblems); d.problem.checkAll() }},

		{name: "about", menu: "Help", label: "About Spandrel", do: m.about},
	}
}

// run carries out a command by its name.
func (m *menus) run(name string) {
	for _, c := range m.commands {
		if c.name == name && name != "" {
			c.run(m.wb)
		}
	}
}

// run carries the command out; not while a dialog is open, where its keys are those of what has the keyboard.
func (c *command) run(wb *Workbench) {
	switch {
	case wb.shell.modal():
	case c.do != nil:
		c.do()
	case c.doc != nil && wb.current != nil:
		c.doc(wb.current)
	}
}

// typed is run for keys of the menu. They come here before they come to what has the keyboard: a text that is being typed into
// keeps its undo and redo.
func (c *command) typed(wb *Workbench) {
	at, _ := wb.shell.focused().(fyne.Shortcutable)
	_, text := at.(interface{ SelectedText() string })
	if at != nil && (wb.shell.modal() || text && (c.name == "undo" || c.name == "redo")) {
		at.TypedShortcut(c.shortcut())
		return
	}
	c.run(wb)
}

// plainKey tells that the key cannot be a shortcut of a menu: Fyne gives those without Ctrl or Alt to the window.
func (c *command) plainKey() bool { return c.mod&^shift == 0 }

// bar makes the menu of the window.
func (m *menus) bar() *fyne.MainMenu {
	var menus []*fyne.Menu
	for _, c := range m.commands {
		if len(menus) == 0 || menus[len(menus)-1].Label != c.menu {
			menus = append(menus, fyne.NewMenu(c.menu))
		}
		menu := menus[len(menus)-1]
		if c.name == "" {
			menu.Items = append(menu.Items, fyne.NewMenuItemSeparator())
			continue
		}
		item := fyne.NewMenuItem(c.label, func() { c.typed(m.wb) })
		item.IsQuit = c.name == "quit"
		if c.key != "" && !c.plainKey() {
			item.Shortcut = c.shortcut()
		} else if c.key != "" {
			item.Label += "  (" + c.keyText() + ")"
		}
		menu.Items = append(menu.Items, item)
	}
	return fyne.NewMainMenu(menus...)
}

// shortcut is the keys as Fyne reports them: some pairs have names of their own.
func (c *command) shortcut() fyne.Shortcut {
	switch {
	case c.key == fyne.KeyZ && c.mod == ctrl:
		return &fyne.ShortcutUndo{}
	case c.key == fyne.KeyY && c.mod == ctrl:
		return &fyne.ShortcutRedo{}
	}
	return &desktop.CustomShortcut{KeyName: c.key, Modifier: c.mod}
}

// keyText names the keys of a command.
func (c *command) keyText() string {
	if c.key == "" {
		return ""
	}
	var parts []string
	for _, m := range []struct {
		mod  fyne.KeyModifier
		name string
	}{{ctrl, "Ctrl"}, {alt, "Alt"}, {shift, "Shift"}} {
		if c.mod&m.mod != 0 {
			parts = append(parts, m.name)
		}
	}
	return strings.Join(append(parts, string(c.key)), "+")
}

// addShortcuts gives the window the keys that no menu shows.
func (m *menus) addShortcuts(at fyne.Canvas) {
	for _, c := range m.commands {
		for _, k := range c.also {
			if k.mod&^shift != 0 {
				at.AddShortcut(&desktop.CustomShortcut{KeyName: k.key, Modifier: k.mod}, func(fyne.Shortcut) { c.run(m.wb) })
			}
		}
	}
}

// typedKey handles the keys that no focused widget takes.
func (m *menus) typedKey(e *fyne.KeyEvent) {
	if m.wb.shell.key(e.Name) || m.wb.shell.modal() {
		return
	}
	mod := fyne.KeyModifier(0)
	if rows.ShiftHeld() {
		mod = shift
	}
	for _, c := range m.commands {
		if c.name != "" && (chord{c.key, c.mod}) == (chord{e.Name, mod}) || slices.Contains(c.also, chord{e.Name, mod}) {
			c.run(m.wb)
			return
		}
	}
	if e.Name == fyne.KeyEscape && m.wb.current != nil {
		m.wb.current.sel.clear()
	}
}

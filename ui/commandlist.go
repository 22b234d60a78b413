package ui

import (
	"strings"

	"fyne.io/fyne/v2"

	"spandrel/ui/paint"
)

// isDirty tells whether there is something to save, what is being typed or worked out included.
func isDirty(d *tab) bool {
	return d.editor.dirty || d.editor.busy || d.table.editor.ref != nil || d.info.value.typing()
}

func hasTable(d *tab) bool  { return d.table.table != nil }
func hasBytes(d *tab) bool  { return d.sel.now.Range.Len > 0 }
func hasFormat(d *tab) bool { return d.Model.Format != nil }

func hasProblems(d *tab) bool { return d.Model.Format != nil && len(d.found.all) > 0 }

func (m *menus) fileCommands() []*command {
	wb := m.wb
	several := func(*tab) bool { return len(wb.docs) > 1 }
	return []*command{
		{name: "open", menu: "File", label: "Open…", key: fyne.KeyO, mod: ctrl, do: func() { wb.files.ask(false) }},
		{name: "open-folder", menu: "File", label: "Open folder…", key: fyne.KeyO, mod: ctrl | shift, do: func() { wb.files.ask(true) }},
		{name: "open-recent", menu: "File", label: "Open recent…", do: wb.files.askRecent},
		{name: "open-as", menu: "File", label: "Open as another format…", doc: wb.files.askFormat},
		{name: "reload", menu: "File", label: "Reload", key: fyne.KeyR, mod: ctrl, also: []chord{{fyne.KeyF5, 0}}, doc: wb.files.reload},
		separator("File"),
		{name: "save", menu: "File", label: "Save…", key: fyne.KeyS, mod: ctrl, doc: func(d *tab) { d.take(func() { wb.saver.ask(d) }) }, can: isDirty},
		{name: "save-as", menu: "File", label: "Save as…", key: fyne.KeyS, mod: ctrl | shift, doc: wb.saver.askAs},
		{name: "save-all", menu: "File", label: "Save all", doc: func(*tab) { wb.saver.all(nil) }, can: func(*tab) bool { return wb.saver.unsaved() != nil }},
		{name: "save-bytes", menu: "File", label: "Save the selected bytes to a file…", doc: wb.saver.askBytes, can: hasBytes},
		separator("File"),
		{name: "preferences", menu: "File", label: "Preferences…", key: fyne.KeyComma, mod: ctrl, do: wb.prefs.ask},
		separator("File"),
		{name: "close", menu: "File", label: "Close", key: fyne.KeyW, mod: ctrl, doc: wb.saver.askClose},
		{name: "close-others", menu: "File", label: "Close the others", doc: wb.saver.closeOthers, can: several},
		{name: "quit", menu: "File", label: "Quit", key: fyne.KeyQ, mod: ctrl, do: wb.saver.askQuit},
	}
}

func (m *menus) editCommands() []*command {
	wb := m.wb
	unlocked := func(d *tab) bool { return d != nil && !d.editor.locked }
	return []*command{
		{name: "undo", menu: "Edit", label: "Undo", key: fyne.KeyZ, mod: ctrl, doc: func(d *tab) { d.editor.undo() }, can: func(d *tab) bool { return d.editor.canUndo || d.editor.busy }},
		{name: "redo", menu: "Edit", label: "Redo", key: fyne.KeyY, mod: ctrl, also: []chord{{fyne.KeyZ, ctrl | shift}}, doc: func(d *tab) { d.editor.redo() }, can: func(d *tab) bool { return d.editor.canRedo || d.editor.busy }},
		{name: "unlock", menu: "Edit", label: "Unlocked for editing", key: fyne.KeyL, mod: ctrl, on: unlocked, doc: func(d *tab) { d.editor.setLocked(!d.editor.locked) }},
		{name: "edit-value", menu: "Edit", label: "Edit the value", key: fyne.KeyF2, doc: func(d *tab) { d.info.editValue() }},
		{name: "insert", menu: "Edit", label: "Typing inserts bytes", key: fyne.KeyInsert, on: func(d *tab) bool { return d != nil && d.editor.inserting }, doc: func(d *tab) { d.hex.edit.key(fyne.KeyInsert, 0) }},
		{name: "repair-links", menu: "Edit", label: "Typed bytes carry lengths and checksums along", on: func(d *tab) bool { return d != nil && d.editor.repairLinks }, doc: func(d *tab) {
			d.editor.repairLinks = !d.editor.repairLinks
			wb.say(map[bool]string{true: "raw edits carry lengths, offsets and checksums along", false: "raw edits change the bytes alone"}[d.editor.repairLinks])
			wb.changed()
		}},
		separator("Edit"),
		{name: "cut", menu: "Edit", label: "Cut bytes", doc: func(d *tab) { d.hex.edit.cut() }, can: hasBytes},
		{name: "copy", menu: "Edit", label: "Copy bytes as hexadecimal", doc: func(d *tab) { d.copyAs(copyHex) }, can: hasBytes},
		{name: "copy-as", menu: "Edit", label: "Copy as…", key: fyne.KeyC, mod: ctrl | alt, doc: func(d *tab) { d.askCopyAs() }},
		{name: "copy-path", menu: "Edit", label: "Copy path", key: fyne.KeyC, mod: ctrl | shift, doc: func(d *tab) { wb.copy(d.sel.now.Span.Path()) }},
		{name: "copy-value", menu: "Edit", label: "Copy value", doc: func(d *tab) { d.copyValue() }},
		{name: "paste", menu: "Edit", label: "Paste bytes", doc: func(d *tab) { d.hex.edit.paste() }},
		{name: "delete", menu: "Edit", label: "Delete bytes", doc: func(d *tab) { d.hex.edit.remove(false) }, can: hasBytes},
		{name: "fill", menu: "Edit", label: "Fill the selection with…", doc: wb.askFill, can: hasBytes},
		separator("Edit"),
		{name: "select-all", menu: "Edit", label: "Select all bytes", doc: func(d *tab) { d.hex.Key(fyne.KeyA, ctrl) }},
		{name: "select-range", menu: "Edit", label: "Select a range…", key: fyne.KeyE, mod: ctrl, doc: wb.askRange},
		{name: "find", menu: "Edit", label: "Find…", key: fyne.KeyF, mod: ctrl, doc: func(d *tab) { d.lower.show(tabFind); wb.shell.focus(d.find.entry) }},
		{name: "find-next", menu: "Edit", label: "Find next", key: fyne.KeyF3, doc: func(d *tab) { d.find.next(false) }},
		{name: "find-previous", menu: "Edit", label: "Find previous", key: fyne.KeyF3, mod: shift, doc: func(d *tab) { d.find.next(true) }},
		{name: "replace", menu: "Edit", label: "Replace…", key: fyne.KeyH, mod: ctrl, doc: func(d *tab) { d.find.with.show() }},
	}
}

func (m *menus) viewCommands() []*command {
	wb := m.wb
	return []*command{
		{name: "zoom-in", menu: "View", label: "Zoom in", key: fyne.KeyEqual, mod: ctrl, also: []chord{{fyne.KeyEqual, ctrl | shift}, {fyne.KeyPlus, ctrl}, {fyne.KeyPlus, ctrl | shift}}, do: func() { wb.prefs.zoomBy(1) }},
		{name: "zoom-out", menu: "View", label: "Zoom out", key: fyne.KeyMinus, mod: ctrl, do: func() { wb.prefs.zoomBy(-1) }},
		{name: "zoom-reset", menu: "View", label: "Actual size", key: fyne.Key0, mod: ctrl, do: func() { wb.prefs.setZoom(100) }},
		separator("View"),
		{name: "theme", menu: "View", label: "Dark colours", key: fyne.KeyT, mod: ctrl | alt, do: wb.prefs.switchTheme, on: func(*tab) bool { return paint.Look() == paint.Dark }},
		{name: "full-pane", menu: "View", label: "Lower panes alone", key: fyne.KeyF11, doc: func(d *tab) { d.frame.maximise() }, on: func(d *tab) bool { return d != nil && d.frame.alone }},
		{name: "logical", menu: "View", label: "What it means, instead of its bytes in order", key: fyne.KeyM, mod: ctrl | shift, doc: func(d *tab) { d.left.show(d.left.meaning()) },
			can: func(d *tab) bool { return d.left.there }, on: func(d *tab) bool { return d != nil && d.left.meaning() }},
		{name: "problems", menu: "View", label: "Problems", doc: func(d *tab) { d.lower.open(tabProblems) }},
		{name: "table", menu: "View", label: "Table", doc: func(d *tab) { d.lower.open(tabTable) }},
		{name: "coverage", menu: "View", label: "Coverage", doc: func(d *tab) { d.lower.open(tabCoverage) }},
		{name: "changes", menu: "View", label: "Changes", doc: func(d *tab) { d.lower.open(tabChanges) }},
		{name: "graph", menu: "View", label: "Graph", doc: func(d *tab) { d.lower.openGraph() }, can: func(d *tab) bool { return d.graph != nil }},
		{name: "wider", menu: "View", label: "More bytes a row", key: fyne.KeyPeriod, mod: ctrl, doc: func(d *tab) { wb.prefs.setBytesARow(min(mostWidth, d.hex.perRow+4)) }},
		{name: "narrower", menu: "View", label: "Fewer bytes a row", key: fyne.KeyComma, mod: ctrl | alt, doc: func(d *tab) { wb.prefs.setBytesARow(max(leastWidth, d.hex.perRow-4)) }},
	}
}

func (m *menus) goCommands() []*command {
	wb := m.wb
	return []*command{
		{name: "goto", menu: "Go", label: "Go to offset or path…", key: fyne.KeyG, mod: ctrl, doc: wb.askGoTo},
		{name: "goto-row", menu: "Go", label: "Go to row of the table…", key: fyne.KeyG, mod: ctrl | shift, doc: wb.askRow, can: hasTable},
		{name: "back", menu: "Go", label: "Back", key: fyne.KeyLeft, mod: alt, doc: func(d *tab) { d.sel.back() }, can: func(d *tab) bool { return d.sel.at > 0 }},
		{name: "forward", menu: "Go", label: "Forward", key: fyne.KeyRight, mod: alt, doc: func(d *tab) { d.sel.forward() }, can: func(d *tab) bool { return d.sel.at < len(d.sel.past)-1 }},
		separator("Go"),
		{name: "next-problem", menu: "Go", label: "Next problem", key: fyne.KeyF8, doc: func(d *tab) { d.lower.show(tabProblems); d.problem.step(1) }},
		{name: "previous-problem", menu: "Go", label: "Previous problem", key: fyne.KeyF8, mod: shift, doc: func(d *tab) { d.lower.show(tabProblems); d.problem.step(-1) }},
		{name: "next-difference", menu: "Go", label: "Next difference", key: fyne.KeyF7, doc: func(d *tab) { d.find.StepDifference(false) }},
		{name: "previous-difference", menu: "Go", label: "Previous difference", key: fyne.KeyF7, mod: shift, doc: func(d *tab) { d.find.StepDifference(true) }},
		separator("Go"),
		{name: "bookmark", menu: "Go", label: "Set or remove a bookmark", key: fyne.KeyB, mod: ctrl, doc: func(d *tab) { d.marks.toggle() }},
		{name: "name-bookmark", menu: "Go", label: "Name the bookmark…", key: fyne.KeyB, mod: ctrl | shift, doc: wb.askMark},
		{name: "next-bookmark", menu: "Go", label: "Next bookmark", key: fyne.KeyPageDown, mod: alt, doc: func(d *tab) { d.marks.step(1) }},
		{name: "previous-bookmark", menu: "Go", label: "Previous bookmark", key: fyne.KeyPageUp, mod: alt, doc: func(d *tab) { d.marks.step(-1) }},
		{name: "bookmarks", menu: "Go", label: "List the bookmarks", doc: func(d *tab) { d.lower.show(tabFind); d.find.kind.SetSelected(findMarks); d.find.run() }},
		separator("Go"),
		{name: "next-document", menu: "Go", label: "Next document", key: fyne.KeyTab, mod: ctrl, do: func() { wb.stepTab(1) }},
		{name: "previous-document", menu: "Go", label: "Previous document", key: fyne.KeyTab, mod: ctrl | shift, do: func() { wb.stepTab(-1) }},
		{name: "next-pane", menu: "Go", label: "Next pane", key: fyne.KeyF6, doc: func(d *tab) { d.frame.next() }},
		{name: "menu", menu: "Go", label: "Menus", key: fyne.KeyF10, do: func() { m.open(0) }},
	}
}

func (m *menus) toolCommands() []*command {
	wb := m.wb
	several := func(*tab) bool { return len(wb.docs) > 1 }
	return []*command{
		{name: "palette", menu: "Tools", label: "Commands…", key: fyne.KeyP, mod: ctrl | shift, do: m.askCommand},
		{name: "preview", menu: "Tools", label: "Preview the repair of the problem", key: fyne.KeyReturn, mod: ctrl, doc: func(d *tab) { d.problem.fixes.previewFirst() }},
		{name: "fix-all", menu: "Tools", label: "Make all proven repairs", doc: func(d *tab) { d.lower.show(tabProblems); d.problem.fixes.applyAll() }},
		{name: "locate", menu: "Tools", label: locateText("the missing file"), doc: adviseDo(isLocate), can: adviseCan(isLocate)},
		{name: "replace-copy", menu: "Tools", label: replaceText, doc: adviseDo(isReplace), can: adviseCan(isReplace)},
		{name: "repairs", menu: "Tools", label: "Possible repairs…", doc: adviseDo(isGuesses), can: adviseCan(isGuesses)},
		{name: "salvage", menu: "Tools", label: salvageText, doc: wb.askSalvage, can: func(d *tab) bool { return salvageable(d.Document) }},
		{name: "action", menu: "Tools", label: "Structural edit…", key: fyne.KeyE, mod: ctrl | shift, doc: wb.askAction, can: hasFormat},
		separator("Tools"),
		{name: "statistics", menu: "Tools", label: "Statistics of the table's column", doc: func(d *tab) { d.table.statisticsHere() }, can: hasTable},
		{name: "filter-rows", menu: "Tools", label: "Filter the rows of the table…", doc: func(d *tab) { d.lower.show(tabTable); wb.shell.focus(d.table.narrow) }, can: hasTable},
		{name: "sort", menu: "Tools", label: "Sort by the column: up, down, as it stands", doc: func(d *tab) { d.table.sortBy(max(1, d.table.SelColumn) - 1) }, can: hasTable},
		{name: "export", menu: "Tools", label: "Export table…", doc: func(d *tab) { d.table.askExport() }, can: hasTable},
		{name: "export-rows", menu: "Tools", label: "Export the selected rows…", doc: func(d *tab) { d.table.chosen.exportRows() }, can: hasTable},
		{name: "compare", menu: "Tools", label: "Compare with another open document…", doc: func(d *tab) { wb.askCompare(d, true) }, can: several},
		{name: "compare-bytes", menu: "Tools", label: "Compare byte by byte with another open document…", doc: func(d *tab) { wb.askCompare(d, false) }, can: several},
		{name: "report", menu: "Tools", label: "Write a report of what is wrong…", doc: wb.askReport, can: hasFormat},
		{name: "slice", menu: "Tools", label: "Write the smallest file with these problems…", doc: wb.askSlice, can: hasProblems},
		{name: "check", menu: "Tools", label: "Check everything", doc: func(d *tab) { d.lower.show(tabProblems); d.check.all() }},
	}
}

func (m *menus) helpCommands() []*command {
	return []*command{
		{name: "keys", menu: "Help", label: "Keys", key: fyne.KeyF1, do: m.showKeys},
		{name: "formats", menu: "Help", label: "Formats", do: m.showFormats},
		{name: "rules", menu: "Help", label: "Rules of this format", doc: m.showRules, can: hasFormat},
		{name: "about", menu: "Help", label: "About Spandrel", do: m.about},
	}
}

// Which advice a command follows: the menu and the palette have one for each kind.
func isLocate(a advice) bool  { return strings.HasPrefix(a.label, "Locate ") }
func isReplace(a advice) bool { return a.label == replaceText }
func isGuesses(a advice) bool {
	return strings.HasSuffix(a.label, "possible repair…") || strings.HasSuffix(a.label, "possible repairs…")
}

func adviseDo(kind func(advice) bool) func(*tab) {
	return func(d *tab) {
		if a, ok := d.causes.advised(kind); ok {
			a.do()
		}
	}
}

func adviseCan(kind func(advice) bool) func(*tab) bool {
	return func(d *tab) bool { _, ok := d.causes.advised(kind); return ok }
}

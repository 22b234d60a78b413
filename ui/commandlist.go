package ui

import (
	"fyne.io/fyne/v2"

	"spandrel/ui/paint"
)

// isDirty tells whether there is something to save, what is being typed or worked out included.
func isDirty(d *sides) bool {
	return d.editor.dirty || d.editor.busy || d.table.editor.ref != nil || d.info.value.typing()
}

func hasTable(d *sides) bool  { return d.table.table != nil }
func hasBytes(d *sides) bool  { return d.sel.now.Range.Len > 0 }
func hasFormat(d *sides) bool { return d.Model.Format != nil }

func hasProblems(d *sides) bool { return d.Model.Format != nil && len(d.found.all) > 0 }

func (m *menus) fileCommands() []*command {
	wb := m.parts
	several := func(*sides) bool { return len(wb.docs) > 1 }
	return []*command{
		{name: "open", menu: "File", label: "Open…", key: fyne.KeyO, mod: ctrl, do: func() { wb.files.ask(false) }},
		{name: "open-folder", menu: "File", label: "Open folder…", key: fyne.KeyO, mod: ctrl | shift, do: func() { wb.files.ask(true) }},
		{name: "open-recent", menu: "File", label: "Open recent…", do: wb.files.askRecent},
		{name: "open-as", menu: "File", label: "Open as another format…", doc: of(wb.files.askFormat)},
		{name: "reload", menu: "File", label: "Reload", key: fyne.KeyR, mod: ctrl, also: []chord{{fyne.KeyF5, 0}}, doc: of(wb.files.reload)},
		separator("File"),
		{name: "save", menu: "File", label: "Save…", key: fyne.KeyS, mod: ctrl, doc: func(d *sides) { d.take(func() { wb.saver.ask(d.Document) }) }, can: isDirty},
		{name: "save-as", menu: "File", label: "Save as…", key: fyne.KeyS, mod: ctrl | shift, doc: of(wb.saver.askAs)},
		{name: "save-all", menu: "File", label: "Save all", doc: func(*sides) { wb.saver.all(nil) }, can: func(*sides) bool { return wb.saver.unsaved() != nil }},
		{name: "save-bytes", menu: "File", label: "Save the selected bytes to a file…", doc: of(wb.saver.askBytes), can: hasBytes},
		separator("File"),
		{name: "preferences", menu: "File", label: "Preferences…", key: fyne.KeyComma, mod: ctrl, do: wb.prefs.ask},
		separator("File"),
		{name: "close", menu: "File", label: "Close", key: fyne.KeyW, mod: ctrl, doc: of(wb.saver.askClose)},
		{name: "close-others", menu: "File", label: "Close the others", doc: of(wb.saver.closeOthers), can: several},
		{name: "quit", menu: "File", label: "Quit", key: fyne.KeyQ, mod: ctrl, do: wb.saver.askQuit},
	}
}

func (m *menus) editCommands() []*command {
	wb := m.parts
	unlocked := func(d *sides) bool { return d != nil && !d.editor.locked }
	return []*command{
		{name: "undo", menu: "Edit", label: "Undo", key: fyne.KeyZ, mod: ctrl, doc: func(d *sides) { d.editor.undo() }, can: func(d *sides) bool { return d.editor.canUndo || d.editor.busy }},
		{name: "redo", menu: "Edit", label: "Redo", key: fyne.KeyY, mod: ctrl, also: []chord{{fyne.KeyZ, ctrl | shift}}, doc: func(d *sides) { d.editor.redo() }, can: func(d *sides) bool { return d.editor.canRedo || d.editor.busy }},
		{name: "unlock", menu: "Edit", label: "Unlocked for editing", key: fyne.KeyL, mod: ctrl, on: unlocked, doc: func(d *sides) { d.editor.setLocked(!d.editor.locked) }},
		{name: "edit-value", menu: "Edit", label: "Edit the value", key: fyne.KeyF2, doc: func(d *sides) { d.info.editValue() }},
		{name: "insert", menu: "Edit", label: "Typing inserts bytes", key: fyne.KeyInsert, on: func(d *sides) bool { return d != nil && d.editor.inserting }, doc: func(d *sides) { d.hex.edit.key(fyne.KeyInsert, 0) }},
		{name: "repair-links", menu: "Edit", label: "Typed bytes carry lengths and checksums along", on: func(d *sides) bool { return d != nil && d.editor.repairLinks }, doc: func(d *sides) {
			d.editor.repairLinks = !d.editor.repairLinks
			wb.status.say(map[bool]string{true: "raw edits carry lengths, offsets and checksums along", false: "raw edits change the bytes alone"}[d.editor.repairLinks])
			wb.changed()
		}},
		separator("Edit"),
		{name: "cut", menu: "Edit", label: "Cut bytes", doc: func(d *sides) { d.hex.edit.cut() }, can: hasBytes},
		{name: "copy", menu: "Edit", label: "Copy bytes as hexadecimal", doc: func(d *sides) { d.copyAs(copyHex) }, can: hasBytes},
		{name: "copy-as", menu: "Edit", label: "Copy as…", key: fyne.KeyC, mod: ctrl | alt, doc: of((*Document).askCopyAs)},
		{name: "copy-path", menu: "Edit", label: "Copy path", key: fyne.KeyC, mod: ctrl | shift, doc: func(d *sides) { wb.copy(d.sel.now.Span.Path()) }},
		{name: "copy-value", menu: "Edit", label: "Copy value", doc: func(d *sides) { d.copyValue() }},
		{name: "paste", menu: "Edit", label: "Paste bytes", doc: func(d *sides) { d.hex.edit.paste() }},
		{name: "delete", menu: "Edit", label: "Delete bytes", doc: func(d *sides) { d.hex.edit.remove(false) }, can: hasBytes},
		{name: "fill", menu: "Edit", label: "Fill the selection with…", doc: of(wb.askFill), can: hasBytes},
		separator("Edit"),
		{name: "select-all", menu: "Edit", label: "Select all bytes", doc: func(d *sides) { d.hex.Key(fyne.KeyA, ctrl) }},
		{name: "select-range", menu: "Edit", label: "Select a range…", key: fyne.KeyE, mod: ctrl, doc: of(wb.askRange)},
		{name: "find", menu: "Edit", label: "Find…", key: fyne.KeyF, mod: ctrl, doc: func(d *sides) { d.frame.show(tabFind); wb.shell.focus(d.find.entry) }},
		{name: "find-next", menu: "Edit", label: "Find next", key: fyne.KeyF3, doc: func(d *sides) { d.find.next(false) }},
		{name: "find-previous", menu: "Edit", label: "Find previous", key: fyne.KeyF3, mod: shift, doc: func(d *sides) { d.find.next(true) }},
		{name: "replace", menu: "Edit", label: "Replace…", key: fyne.KeyH, mod: ctrl, doc: func(d *sides) { d.find.with.show() }},
	}
}

func (m *menus) viewCommands() []*command {
	wb := m.parts
	return []*command{
		{name: "zoom-in", menu: "View", label: "Zoom in", key: fyne.KeyEqual, mod: ctrl, also: []chord{{fyne.KeyEqual, ctrl | shift}, {fyne.KeyPlus, ctrl}, {fyne.KeyPlus, ctrl | shift}}, do: func() { wb.prefs.zoomBy(1) }},
		{name: "zoom-out", menu: "View", label: "Zoom out", key: fyne.KeyMinus, mod: ctrl, do: func() { wb.prefs.zoomBy(-1) }},
		{name: "zoom-reset", menu: "View", label: "Actual size", key: fyne.Key0, mod: ctrl, do: func() { wb.prefs.setZoom(100) }},
		separator("View"),
		{name: "theme", menu: "View", label: "Dark colours", key: fyne.KeyT, mod: ctrl | alt, do: wb.prefs.switchTheme, on: func(*sides) bool { return paint.Look() == paint.Dark }},
		{name: "full-pane", menu: "View", label: "Lower panes alone", key: fyne.KeyF11, doc: func(d *sides) { d.frame.maximise() }, on: func(d *sides) bool { return d != nil && d.frame.alone }},
		{name: "logical", menu: "View", label: "What it means, instead of its bytes in order", key: fyne.KeyM, mod: ctrl | shift, doc: func(d *sides) { d.left.show(d.left.meaning()) },
			can: func(d *sides) bool { return d.left.there }, on: func(d *sides) bool { return d != nil && d.left.meaning() }},
		{name: "problems", menu: "View", label: "Problems", doc: func(d *sides) { d.frame.open(tabProblems) }},
		{name: "table", menu: "View", label: "Table", doc: func(d *sides) { d.frame.open(tabTable) }},
		{name: "coverage", menu: "View", label: "Coverage", doc: func(d *sides) { d.frame.open(tabCoverage) }},
		{name: "changes", menu: "View", label: "Changes", doc: func(d *sides) { d.frame.open(tabChanges) }},
		{name: "graph", menu: "View", label: "Graph", doc: func(d *sides) { d.frame.openGraph() }, can: func(d *sides) bool { return d.graph != nil }},
		{name: "wider", menu: "View", label: "More bytes a row", key: fyne.KeyPeriod, mod: ctrl, doc: func(d *sides) { wb.prefs.setBytesARow(min(mostWidth, d.hex.perRow+4)) }},
		{name: "narrower", menu: "View", label: "Fewer bytes a row", key: fyne.KeyComma, mod: ctrl | alt, doc: func(d *sides) { wb.prefs.setBytesARow(max(leastWidth, d.hex.perRow-4)) }},
	}
}

func (m *menus) goCommands() []*command {
	wb := m.parts
	return []*command{
		{name: "goto", menu: "Go", label: "Go to offset or path…", key: fyne.KeyG, mod: ctrl, doc: of(wb.askGoTo)},
		{name: "goto-row", menu: "Go", label: "Go to row of the table…", key: fyne.KeyG, mod: ctrl | shift, doc: of(wb.askRow), can: hasTable},
		{name: "back", menu: "Go", label: "Back", key: fyne.KeyLeft, mod: alt, doc: func(d *sides) { d.sel.back() }, can: func(d *sides) bool { return d.sel.at > 0 }},
		{name: "forward", menu: "Go", label: "Forward", key: fyne.KeyRight, mod: alt, doc: func(d *sides) { d.sel.forward() }, can: func(d *sides) bool { return d.sel.at < len(d.sel.past)-1 }},
		separator("Go"),
		{name: "next-problem", menu: "Go", label: "Next problem", key: fyne.KeyF8, doc: func(d *sides) { d.frame.show(tabProblems); d.problem.step(1) }},
		{name: "previous-problem", menu: "Go", label: "Previous problem", key: fyne.KeyF8, mod: shift, doc: func(d *sides) { d.frame.show(tabProblems); d.problem.step(-1) }},
		{name: "next-difference", menu: "Go", label: "Next difference", key: fyne.KeyF7, doc: func(d *sides) { d.StepDifference(false) }},
		{name: "previous-difference", menu: "Go", label: "Previous difference", key: fyne.KeyF7, mod: shift, doc: func(d *sides) { d.StepDifference(true) }},
		separator("Go"),
		{name: "bookmark", menu: "Go", label: "Set or remove a bookmark", key: fyne.KeyB, mod: ctrl, doc: func(d *sides) { d.marks.toggle() }},
		{name: "name-bookmark", menu: "Go", label: "Name the bookmark…", key: fyne.KeyB, mod: ctrl | shift, doc: of(wb.askMark)},
		{name: "next-bookmark", menu: "Go", label: "Next bookmark", key: fyne.KeyPageDown, mod: alt, doc: func(d *sides) { d.marks.step(1) }},
		{name: "previous-bookmark", menu: "Go", label: "Previous bookmark", key: fyne.KeyPageUp, mod: alt, doc: func(d *sides) { d.marks.step(-1) }},
		{name: "bookmarks", menu: "Go", label: "List the bookmarks", doc: func(d *sides) { d.frame.show(tabFind); d.find.kind.SetSelected(findMarks); d.find.run() }},
		separator("Go"),
		{name: "next-document", menu: "Go", label: "Next document", key: fyne.KeyTab, mod: ctrl, do: func() { wb.stepTab(1) }},
		{name: "previous-document", menu: "Go", label: "Previous document", key: fyne.KeyTab, mod: ctrl | shift, do: func() { wb.stepTab(-1) }},
		{name: "next-pane", menu: "Go", label: "Next pane", key: fyne.KeyF6, doc: func(d *sides) { d.frame.next() }},
		{name: "menu", menu: "Go", label: "Menus", key: fyne.KeyF10, do: func() { m.open(0) }},
	}
}

func (m *menus) toolCommands() []*command {
	wb := m.parts
	several := func(*sides) bool { return len(wb.docs) > 1 }
	return []*command{
		{name: "palette", menu: "Tools", label: "Commands…", key: fyne.KeyP, mod: ctrl | shift, do: m.askCommand},
		{name: "preview", menu: "Tools", label: "Preview the repair of the problem", key: fyne.KeyReturn, mod: ctrl, doc: func(d *sides) { d.problem.fixes.previewFirst() }},
		{name: "fix-all", menu: "Tools", label: "Make all proven repairs", doc: func(d *sides) { d.frame.show(tabProblems); d.problem.fixes.applyAll() }},
		{name: "locate", menu: "Tools", label: locateText("the missing file"), doc: adviseDo(isLocate), can: adviseCan(isLocate)},
		{name: "replace-copy", menu: "Tools", label: replaceText, doc: adviseDo(isReplace), can: adviseCan(isReplace)},
		{name: "repairs", menu: "Tools", label: "Possible repairs…", doc: adviseDo(isGuesses), can: adviseCan(isGuesses)},
		{name: "salvage", menu: "Tools", label: salvageText, doc: of(wb.askSalvage), can: func(d *sides) bool { return salvageable(d.Document) }},
		{name: "action", menu: "Tools", label: "Structural edit…", key: fyne.KeyE, mod: ctrl | shift, doc: of(wb.askAction), can: hasFormat},
		separator("Tools"),
		{name: "statistics", menu: "Tools", label: "Statistics of the table's column", doc: func(d *sides) { d.table.statisticsHere() }, can: hasTable},
		{name: "filter-rows", menu: "Tools", label: "Filter the rows of the table…", doc: func(d *sides) { d.frame.show(tabTable); wb.shell.focus(d.table.narrow) }, can: hasTable},
		{name: "sort", menu: "Tools", label: "Sort by the column: up, down, as it stands", doc: func(d *sides) { d.table.sortBy(max(1, d.table.SelColumn) - 1) }, can: hasTable},
		{name: "export", menu: "Tools", label: "Export table…", doc: of(wb.askExport), can: hasTable},
		{name: "export-rows", menu: "Tools", label: "Export the selected rows…", doc: func(d *sides) { d.table.chosen.exportRows() }, can: hasTable},
		{name: "compare", menu: "Tools", label: "Compare with another open document…", doc: func(d *sides) { wb.askCompare(d.Document, true) }, can: several},
		{name: "compare-bytes", menu: "Tools", label: "Compare byte by byte with another open document…", doc: func(d *sides) { wb.askCompare(d.Document, false) }, can: several},
		{name: "report", menu: "Tools", label: "Write a report of what is wrong…", doc: of(wb.askReport), can: hasFormat},
		{name: "slice", menu: "Tools", label: "Write the smallest file with these problems…", doc: of(wb.askSlice), can: hasProblems},
		{name: "check", menu: "Tools", label: "Check everything", doc: func(d *sides) { d.frame.show(tabProblems); d.problem.checkAll() }},
	}
}

func (m *menus) helpCommands() []*command {
	return []*command{
		{name: "keys", menu: "Help", label: "Keys", key: fyne.KeyF1, do: m.showKeys},
		{name: "formats", menu: "Help", label: "Formats", do: m.showFormats},
		{name: "rules", menu: "Help", label: "Rules of this format", doc: of(m.showRules), can: hasFormat},
		{name: "about", menu: "Help", label: "About Spandrel", do: m.about},
	}
}

// of makes a command for documents of what needs no panes.
func of(do func(*Document)) func(*sides) { return func(d *sides) { do(d.Document) } }

package ui

import (
	"slices"

	"fyne.io/fyne/v2"

	"spandrel/ui/bytes"
	"spandrel/ui/compare"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

// isDirty tells whether there is something to save, including text being typed and edits being computed.
func isDirty(d *tab) bool {
	return d.Editor.Dirty || d.Editor.Busy || d.table.Editor.Ref != nil || d.info.Value.Typing()
}

func hasTable(d *tab) bool  { return d.table.Table != nil }
func hasBytes(d *tab) bool  { return d.Sel.Now.Range.Len > 0 }
func hasFormat(d *tab) bool { return d.Model.Format != nil }

func hasProblems(d *tab) bool { return d.Model.Format != nil && len(d.Found.All) > 0 }

// What is said where a command has nothing to work on.
const (
	noTable  = "No table is shown"
	noRows   = "The number of rows of this table cannot be changed"
	noBytes  = "No bytes are selected"
	noFormat = "The format of this file is not known"
)

// canProtect tells whether a document is stored on disk in its present state.
func canProtect(d *tab) bool { return !d.Model.InMemory() && !isDirty(d) && !d.Editor.Saving }

// commandList are all commands, in the order of the menus.
func commandList(m *menus) []*command {
	return slices.Concat(fileCommands(m), editCommands(m), viewCommands(m), goCommands(m), dataCommands(m), toolCommands(m), windowCommands(m), helpCommands(m))
}

func fileCommands(m *menus) []*command {
	wb := m.wb
	several := func(*tab) bool { return len(wb.documents()) > 1 }
	return []*command{
		{name: "open", menu: "File", label: "Open…", key: fyne.KeyO, mod: ctrl, free: true, run: func(*tab) { wb.files.askFile() }},
		{name: "open-folder", menu: "File", label: "Open folder…", key: fyne.KeyO, mod: ctrl | shift, free: true, run: func(*tab) { wb.files.askFolder("Open a folder", wb.files.show) }},
		{name: "catalogue", menu: "File", label: "Catalogue of a folder…", free: true, run: func(*tab) { wb.files.askFolder("Catalogue of a folder", wb.catalogue) }},
		{name: "open-address", menu: "File", label: "Open address…", key: fyne.KeyL, mod: ctrl | shift, free: true, run: func(*tab) { wb.files.askAddress() }},
		{name: "open-recent", menu: "File", label: "Open recent…", free: true, run: func(*tab) { wb.files.askRecent() }},
		{name: "open-as", menu: "File", label: "Open as another format…", run: wb.files.askFormat},
		{name: "reload", menu: "File", label: "Reload", key: fyne.KeyR, mod: ctrl, also: []chord{{fyne.KeyF5, 0}}, run: func(d *tab) { wb.disk.reload(wb.opened(d)) }},
		separator("File"),
		{name: "save", menu: "File", label: "Save…", key: fyne.KeyS, mod: ctrl, run: func(d *tab) { d.take(func() { wb.saver.ask(wb.opened(d)) }) }, can: isDirty, cannot: "There is nothing to save"},
		{name: "save-as", menu: "File", label: "Save as…", key: fyne.KeyS, mod: ctrl | shift, run: func(d *tab) { wb.saver.askAs(wb.opened(d)) }},
		{name: "save-all", menu: "File", label: "Save all", run: func(*tab) { wb.saver.all(nil) }, can: func(*tab) bool { return wb.saver.unsaved() != nil }, cannot: "There is nothing to save"},
		{name: "protect", menu: "File", label: "Write protection data", run: wb.saver.protect, can: canProtect, cannot: "Save the document first: protection data describes its files"},
		{name: "save-bytes", menu: "File", label: "Save the selected bytes to a file…", run: wb.saver.askBytes, can: hasBytes, cannot: noBytes},
		separator("File"),
		{name: "change-keys", menu: "File", label: "Keys of commands…", free: true, run: func(*tab) { m.askKeys() }},
		{name: "preferences", menu: "File", label: "Preferences…", key: fyne.KeyComma, mod: ctrl, free: true, run: func(*tab) { wb.prefs.ask() }},
		separator("File"),
		{name: "close", menu: "File", label: "Close", key: fyne.KeyW, mod: ctrl, free: true, run: wb.closeShown},
		{name: "close-others", menu: "File", label: "Close others", run: wb.saver.closeOthers, can: several, cannot: "No other document is open"},
		{name: "quit", menu: "File", label: "Quit", key: fyne.KeyQ, mod: ctrl, free: true, run: func(*tab) { wb.saver.askQuit() }},
	}
}

func editCommands(m *menus) []*command {
	wb := m.wb
	unlocked := func(d *tab) bool { return d != nil && !d.Editor.Locked }
	return []*command{
		{name: "undo", menu: "Edit", label: "Undo", key: fyne.KeyZ, mod: ctrl, run: func(d *tab) { d.Editor.Undo() }, can: func(d *tab) bool { return d.Editor.CanUndo || d.Editor.Busy }, cannot: "There is nothing to undo"},
		{name: "redo", menu: "Edit", label: "Redo", key: fyne.KeyY, mod: ctrl, also: []chord{{fyne.KeyZ, ctrl | shift}}, run: func(d *tab) { d.Editor.Redo() }, can: func(d *tab) bool { return d.Editor.CanRedo || d.Editor.Busy }, cannot: "There is nothing to redo"},
		{name: "unlock", menu: "Edit", label: "Unlocked for editing", key: fyne.KeyL, mod: ctrl, on: unlocked, run: func(d *tab) { d.Editor.SetLocked(!d.Editor.Locked) }},
		{name: "edit-value", menu: "Edit", label: "Edit the value", key: fyne.KeyF2, run: func(d *tab) { d.info.EditValue() }},
		{name: "insert", menu: "Edit", label: "Typing inserts bytes", key: fyne.KeyInsert, on: func(d *tab) bool { return d != nil && d.Editor.Inserting }, run: func(d *tab) { d.hex.Edit.Key(fyne.KeyInsert, 0) }},
		{name: "repair-links", menu: "Edit", label: "Update lengths and checksums while typing", on: func(d *tab) bool { return d != nil && d.Editor.RepairLinks }, run: func(d *tab) {
			d.Editor.RepairLinks = !d.Editor.RepairLinks
			wb.Say(map[bool]string{true: "typed bytes update lengths, offsets and checksums", false: "typed bytes do not change anything else"}[d.Editor.RepairLinks])
			wb.changed()
		}},
		separator("Edit"),
		{name: "cut", menu: "Edit", label: "Cut bytes", run: func(d *tab) { d.hex.Edit.Cut() }, can: hasBytes, cannot: noBytes},
		{name: "copy", menu: "Edit", label: "Copy bytes as hexadecimal", run: func(d *tab) { d.CopyAs(doc.CopyHex) }, can: hasBytes, cannot: noBytes},
		{name: "copy-as", menu: "Edit", label: "Copy as…", key: fyne.KeyC, mod: ctrl | alt, run: func(d *tab) { d.AskCopyAs() }},
		{name: "copy-path", menu: "Edit", label: "Copy path", key: fyne.KeyC, mod: ctrl | shift, run: func(d *tab) { wb.Copy(d.Sel.Now.Span.Path()) }},
		{name: "copy-value", menu: "Edit", label: "Copy value", run: func(d *tab) { d.CopyValue() }},
		{name: "paste", menu: "Edit", label: "Paste bytes", run: func(d *tab) { d.hex.Edit.Paste() }},
		{name: "delete", menu: "Edit", label: "Delete bytes", run: func(d *tab) { d.hex.Edit.Remove(false) }, can: hasBytes, cannot: noBytes},
		{name: "fill", menu: "Edit", label: "Fill the selection with…", run: wb.askFill, can: hasBytes, cannot: noBytes},
		separator("Edit"),
		{name: "select-all", menu: "Edit", label: "Select all bytes", run: func(d *tab) { d.hex.Key(fyne.KeyA, ctrl) }},
		{name: "select-range", menu: "Edit", label: "Select a range…", key: fyne.KeyE, mod: ctrl, run: wb.askRange},
		{name: "find", menu: "Edit", label: "Find…", key: fyne.KeyF, mod: ctrl, run: func(d *tab) { d.find.Begin() }},
		{name: "find-next", menu: "Edit", label: "Find next", key: fyne.KeyF3, run: func(d *tab) { d.find.Next(false) }},
		{name: "find-previous", menu: "Edit", label: "Find previous", key: fyne.KeyF3, mod: shift, run: func(d *tab) { d.find.Next(true) }},
		{name: "replace", menu: "Edit", label: "Replace…", key: fyne.KeyH, mod: ctrl, run: func(d *tab) { d.find.With.Show() }},
	}
}

func viewCommands(m *menus) []*command {
	wb := m.wb
	return []*command{
		{name: "zoom-in", menu: "View", label: "Zoom in", key: fyne.KeyEqual, mod: ctrl, also: []chord{{fyne.KeyEqual, ctrl | shift}, {fyne.KeyPlus, ctrl}, {fyne.KeyPlus, ctrl | shift}}, free: true, run: func(*tab) { wb.prefs.zoomBy(1) }},
		{name: "zoom-out", menu: "View", label: "Zoom out", key: fyne.KeyMinus, mod: ctrl, free: true, run: func(*tab) { wb.prefs.zoomBy(-1) }},
		{name: "zoom-reset", menu: "View", label: "Actual size", key: fyne.Key0, mod: ctrl, free: true, run: func(*tab) { wb.prefs.setZoom(100) }},
		{name: "theme", menu: "View", label: "Dark colours", key: fyne.KeyT, mod: ctrl | alt, free: true, run: func(*tab) { wb.prefs.switchTheme() }, on: func(*tab) bool { return paint.Look() == paint.Dark }},
		separator("View"),
		{name: "logical", menu: "View", label: "Logical view", key: fyne.KeyM, mod: ctrl | shift, run: func(d *tab) { d.left.Show(d.left.Meaning()) },
			can: func(d *tab) bool { return d.left.There }, cannot: "This document has no logical view", on: func(d *tab) bool { return d != nil && d.left.Meaning() }},
		separator("View"),
		{name: "table", menu: "View", label: "Table", run: func(d *tab) { d.Lower.Open(kit.TabTable) }},
		{name: "problems", menu: "View", label: "Problems", run: func(d *tab) { d.Lower.Open(kit.TabProblems) }},
		{name: "coverage", menu: "View", label: "Coverage", run: func(d *tab) { d.Lower.Open(kit.TabCoverage) }},
		{name: "changes", menu: "View", label: "Changes", run: func(d *tab) { d.Lower.Open(kit.TabChanges) }},
		{name: "graph", menu: "View", label: "Graph", run: func(d *tab) { d.Lower.OpenGraph() }, can: func(d *tab) bool { return d.graph != nil }, cannot: "This format has no graph"},
		separator("View"),
		{name: "records", menu: "View", label: "One record per row", run: func(d *tab) { d.hex.Records.Switch(); m.changed() }, on: func(d *tab) bool { return d != nil && d.hex.Records.On }},
		{name: "words", menu: "View", label: "Numbers beside the bytes…", run: func(d *tab) { d.frame.reveal(paneBytes); d.hex.Words.Ask() }},
		{name: "wider", menu: "View", label: "More bytes per row", key: fyne.KeyPeriod, mod: ctrl, run: func(d *tab) { wb.prefs.setBytesARow(min(bytes.MostWidth, d.hex.PerRow+4)) }},
		{name: "narrower", menu: "View", label: "Fewer bytes per row", key: fyne.KeyComma, mod: ctrl | alt, run: func(d *tab) { wb.prefs.setBytesARow(max(bytes.LeastWidth, d.hex.PerRow-4)) }},
	}
}

// layoutCommand is the command that shows the panes of a layout.
func layoutCommand(name, label string, key fyne.KeyName, p panes) *command {
	return &command{name: name, menu: "Window", label: "Layout: " + label, key: key, mod: ctrl, run: func(d *tab) { d.frame.choose(p) },
		on: func(d *tab) bool { return d != nil && d.frame.show == p }}
}

// paneCommand is the command that shows or closes a pane.
func paneCommand(name string, p panes) *command {
	return &command{name: name, menu: "Window", label: "Pane: " + paneNames[p], run: func(d *tab) { d.frame.toggle(p) },
		on: func(d *tab) bool { return d != nil && d.frame.show&p != 0 }}
}

func goCommands(m *menus) []*command {
	wb := m.wb
	return []*command{
		{name: "goto", menu: "Go", label: "Go to offset or path…", key: fyne.KeyG, mod: ctrl, run: wb.askGoTo},
		{name: "back", menu: "Go", label: "Back", key: fyne.KeyLeft, mod: alt, run: func(d *tab) { d.Sel.Back() }, can: func(d *tab) bool { return d.Sel.At > 0 }, cannot: "There is no earlier selection"},
		{name: "forward", menu: "Go", label: "Forward", key: fyne.KeyRight, mod: alt, run: func(d *tab) { d.Sel.Forward() }, can: func(d *tab) bool { return d.Sel.At < len(d.Sel.Past)-1 }, cannot: "There is no later selection"},
		separator("Go"),
		{name: "next-problem", menu: "Go", label: "Next problem", key: fyne.KeyF8, run: func(d *tab) { d.Lower.Show(kit.TabProblems); d.problem.Step(1) }},
		{name: "previous-problem", menu: "Go", label: "Previous problem", key: fyne.KeyF8, mod: shift, run: func(d *tab) { d.Lower.Show(kit.TabProblems); d.problem.Step(-1) }},
		{name: "next-difference", menu: "Go", label: "Next difference", key: fyne.KeyF7, run: func(d *tab) { d.find.StepDifference(false) }},
		{name: "previous-difference", menu: "Go", label: "Previous difference", key: fyne.KeyF7, mod: shift, run: func(d *tab) { d.find.StepDifference(true) }},
		separator("Go"),
		{name: "bookmark", menu: "Go", label: "Set or remove a bookmark", key: fyne.KeyB, mod: ctrl, run: func(d *tab) { d.Marks.Toggle() }},
		{name: "name-bookmark", menu: "Go", label: "Name the bookmark…", key: fyne.KeyB, mod: ctrl | shift, run: wb.askMark},
		{name: "next-bookmark", menu: "Go", label: "Next bookmark", key: fyne.KeyPageDown, mod: alt, run: func(d *tab) { d.Marks.Step(1) }},
		{name: "previous-bookmark", menu: "Go", label: "Previous bookmark", key: fyne.KeyPageUp, mod: alt, run: func(d *tab) { d.Marks.Step(-1) }},
		{name: "bookmarks", menu: "Go", label: "List the bookmarks", run: func(d *tab) { d.Lower.Show(kit.TabFind); d.find.Kind.SetSelected(compare.FindMarks); d.find.Run() }},
		separator("Go"),
		{name: "menu", menu: "Go", label: "Menus", key: fyne.KeyF10, free: true, run: func(*tab) { m.open(0) }},
	}
}

func dataCommands(m *menus) []*command {
	wb := m.wb
	return []*command{
		{name: "tables", menu: "Data", label: "Choose a table…", key: fyne.KeyJ, mod: ctrl, run: func(d *tab) { d.Lower.Show(kit.TabTable); d.table.List.Ask() }, can: hasTable, cannot: noTable},
		{name: "heat", menu: "Data", label: "Colour arrays by value", run: func(d *tab) { d.table.SwitchHeat(); m.changed() }, can: hasTable, cannot: noTable, on: func(d *tab) bool { return d != nil && d.table.HeatShown() }},
		{name: "picture", menu: "Data", label: "Array as image", key: fyne.KeyI, mod: ctrl, run: func(d *tab) { d.Lower.Show(kit.TabTable); d.table.Array.Picture.Turn(); m.changed() },
			can: func(d *tab) bool { return d.table.Array.Picture.Possible() }, cannot: "Only an array with two or more dimensions can be shown as an image", on: func(d *tab) bool { return d != nil && d.table.Array.Picture.On }},
		{name: "goto-row", menu: "Data", label: "Go to row of the table…", key: fyne.KeyG, mod: ctrl | shift, run: wb.askRow, can: hasTable, cannot: noTable},
		separator("Data"),
		{name: "filter-rows", menu: "Data", label: "Filter the rows of the table…", run: func(d *tab) { d.Lower.Show(kit.TabTable); wb.Shell.Focus(d.table.Narrow) }, can: hasTable, cannot: noTable},
		{name: "filter-row", menu: "Data", label: "Filter row below the headers", run: func(d *tab) { d.Lower.Show(kit.TabTable); d.table.Filter.Turn(); m.changed() },
			can: hasTable, cannot: noTable, on: func(d *tab) bool { return d != nil && d.table.Filter.Shown() }},
		{name: "sort", menu: "Data", label: "Sort by the column: ascending, descending, unsorted", run: func(d *tab) { d.table.SortBy(max(1, d.table.SelColumn) - 1) }, can: hasTable, cannot: noTable},
		{name: "statistics", menu: "Data", label: "Statistics of the table's column", run: func(d *tab) { d.table.StatisticsHere() }, can: hasTable, cannot: noTable},
		{name: "overview", menu: "Data", label: "Statistics of all columns", run: func(d *tab) { d.table.Overview() }, can: hasTable, cannot: noTable},
		{name: "group", menu: "Data", label: "Group by the table's column…", run: func(d *tab) { d.table.GroupHere() }, can: hasTable, cannot: noTable},
		{name: "plot", menu: "Data", label: "Plot a column of the table…", run: func(d *tab) { d.table.Plot.Ask() }, can: hasTable, cannot: noTable},
		separator("Data"),
		{name: "fill-down", menu: "Data", label: "Fill the selected cells down", key: fyne.KeyD, mod: ctrl, run: func(d *tab) { d.table.FillDown() }, can: hasTable, cannot: noTable},
		{name: "delete-rows", menu: "Data", label: "Delete the selected rows", run: func(d *tab) { d.table.DeleteRows() }, can: func(d *tab) bool { return d.table.Grows() }, cannot: noRows},
		{name: "paste-rows", menu: "Data", label: "Paste as new rows", run: func(d *tab) { d.table.PasteRows(wb.App.Clipboard().Content()) }, can: func(d *tab) bool { return d.table.Grows() }, cannot: noRows},
		separator("Data"),
		{name: "import", menu: "Data", label: "Import rows into the table…", run: func(d *tab) { d.table.AskImport() }, can: hasTable, cannot: noTable},
		{name: "export", menu: "Data", label: "Export table…", run: func(d *tab) { d.table.AskExport() }, can: hasTable, cannot: noTable},
		{name: "export-rows", menu: "Data", label: "Export the selected rows…", run: func(d *tab) { d.table.ExportRows() }, can: hasTable, cannot: noTable},
	}
}

func toolCommands(m *menus) []*command {
	wb := m.wb
	several := func(*tab) bool { return len(wb.documents()) > 1 }
	return []*command{
		{name: "palette", menu: "Tools", label: "Commands…", key: fyne.KeyP, mod: ctrl | shift, free: true, run: func(*tab) { m.askCommand() }},
		{name: "preview", menu: "Tools", label: "Preview the repair of the problem", key: fyne.KeyReturn, mod: ctrl, run: func(d *tab) { d.problem.Fixes.PreviewFirst() }},
		{name: "fix-all", menu: "Tools", label: "Apply all proven repairs", run: func(d *tab) { d.Lower.Show(kit.TabProblems); d.problem.Fixes.ApplyAll() },
			can: hasProblems, cannot: "There is nothing to repair"},
		{name: "locate", menu: "Tools", label: doc.LocateText("the missing file"), run: adviseDo(doc.Locate), can: adviseCan(doc.Locate)},
		{name: "replace-copy", menu: "Tools", label: doc.ReplaceText, run: adviseDo(doc.Replace), can: adviseCan(doc.Replace)},
		{name: "repairs", menu: "Tools", label: "Possible repairs…", run: adviseDo(doc.Guesses), can: adviseCan(doc.Guesses)},
		{name: "salvage", menu: "Tools", label: doc.SalvageText, run: wb.askSalvage, can: func(d *tab) bool { return doc.Salvageable(d.Document) }},
		{name: "action", menu: "Tools", label: "Structural edit…", key: fyne.KeyE, mod: ctrl | shift, run: wb.askAction, can: hasFormat, cannot: noFormat},
		separator("Tools"),
		{name: "hashes", menu: "Tools", label: "Hashes and frequency of bytes", run: func(d *tab) { d.sums.Show() }, can: func(d *tab) bool { return d.Shown().Size > 0 }},
		{name: "compare", menu: "Tools", label: "Compare with another open document…", run: func(d *tab) { wb.askCompare(d, true) }, can: several, cannot: "No other document is open"},
		{name: "compare-bytes", menu: "Tools", label: "Compare byte by byte with another open document…", run: func(d *tab) { wb.askCompare(d, false) }, can: several, cannot: "No other document is open"},
		{name: "merge", menu: "Tools", label: "Merge changes of another open document…", run: wb.askMerge, can: func(d *tab) bool { alike, _ := wb.others(d); return len(alike) > 1 }, cannot: "Open the other document, and the one from which both were made"},
		{name: "report", menu: "Tools", label: "Write a report of problems…", run: wb.askReport, can: hasFormat, cannot: noFormat},
		{name: "slice", menu: "Tools", label: "Write the smallest file with these problems…", run: wb.askSlice, can: hasProblems},
		{name: "explain", menu: "Tools", label: "Explain the copied message", free: true, run: wb.explain},
		{name: "check", menu: "Tools", label: "Check everything", run: func(d *tab) { d.Lower.Show(kit.TabProblems); d.Check.All() }},
	}
}

func windowCommands(m *menus) []*command {
	wb := m.wb
	several := func(*tab) bool { return len(wb.docs) > 1 }
	return []*command{
		{name: "second-view", menu: "Window", label: "Open a second view", key: fyne.KeyD, mod: ctrl | shift, run: wb.openView},
		{name: "next-document", menu: "Window", label: "Next document", key: fyne.KeyTab, mod: ctrl, run: func(*tab) { wb.stepTab(1) }, can: several, cannot: "No other document is open"},
		{name: "previous-document", menu: "Window", label: "Previous document", key: fyne.KeyTab, mod: ctrl | shift, run: func(*tab) { wb.stepTab(-1) }, can: several, cannot: "No other document is open"},
		separator("Window"),
		{name: "next-pane", menu: "Window", label: "Next pane", key: fyne.KeyF6, run: func(d *tab) { d.frame.next() }},
		layoutCommand("layout-data", "Data", fyne.Key1, layoutData),
		layoutCommand("layout-bytes", "Bytes", fyne.Key2, layoutBytes),
		layoutCommand("layout-both", "Data and bytes", fyne.Key3, layoutBoth),
		separator("Window"),
		paneCommand("pane-tree", paneTree),
		paneCommand("pane-bytes", paneBytes),
		paneCommand("pane-lower", paneLower),
		paneCommand("pane-details", paneDetails),
		{name: "move-pane", menu: "Window", label: "Move a pane…", run: wb.askMove},
		{name: "full-pane", menu: "Window", label: "Lower panes only", key: fyne.KeyF11, run: func(d *tab) { d.frame.maximise() }, on: func(d *tab) bool { return d != nil && d.frame.before != 0 }},
	}
}

func helpCommands(m *menus) []*command {
	return []*command{
		{name: "keys", menu: "Help", label: "Keys", key: fyne.KeyF1, free: true, run: func(*tab) { m.showKeys() }},
		{name: "formats", menu: "Help", label: "Formats", free: true, run: func(*tab) { m.showFormats() }},
		{name: "rules", menu: "Help", label: "Rules of this format", run: m.showRules, can: hasFormat, cannot: noFormat},
		{name: "about", menu: "Help", label: "About Spandrel", free: true, run: func(*tab) { m.about() }},
	}
}

// adviseDo follows the first advice of a kind.
func adviseDo(kind doc.AdviceKind) func(*tab) {
	return func(d *tab) {
		if a, ok := d.Causes.Advised(kind); ok {
			a.Do()
		}
	}
}

func adviseCan(kind doc.AdviceKind) func(*tab) bool {
	return func(d *tab) bool { _, ok := d.Causes.Advised(kind); return ok }
}

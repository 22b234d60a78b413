package table

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2/widget"
	native "github.com/sqweek/dialog"

	"spandrel/model"
	"spandrel/ui/headless"
	"spandrel/ui/kit"
)

// Rows of a file replace all rows, are appended, or replace those with the same value in a key column, of which so many are offered.
const mostKeys = 20

// AskImport asks for a file to import into the table.
func (t *Pane) AskImport() {
	switch {
	case t.Table == nil:
		t.d.Window.Fail("Nothing to import into", errors.New("the document has no table"))
		return
	case t.Repaired.Shows() != nil:
		t.Repaired.offer(t.Repaired.Shows())
		return
	}
	wb, table := t.d.Window.Host, &t.tables[t.Array.at]
	ways, keys := []string{"in place of all rows", "after the last row"}, []string{"", ""}
	for i := range table.Columns {
		if c := &table.Columns[i]; !c.IsVector() && len(keys) < mostKeys+2 {
			ways, keys = append(ways, "into the rows with the same "+kit.InWidget(c.Name)), append(keys, c.Name)
		}
	}
	path := kit.NewEntry(wb)
	path.SetPlaceHolder("a file in CSV, JSON lines, Parquet or Arrow")
	way := kit.NewSelect(wb, ways, 0, func(int) {})
	about := fmt.Sprintf("The columns of the file are matched by name to those of the table “%s”. You can review the changes first.", table.Name)
	t.ask(fileQuestion{title: "Import", about: about, verb: "Continue", path: path, system: func() (string, error) {
		return native.File().Title("Import into "+table.Name).SetStartDir(t.d.Nearby()).
			Filter("Tables", "csv", "jsonl", "ndjson", "parquet", "arrow").Filter("All files", "*").Load()
	}, chosen: path.SetText, more: widget.NewFormItem("Rows go", way), done: func() string {
		if strings.TrimSpace(path.Text) == "" {
			return "Choose a file."
		}
		i := max(0, way.SelectedIndex())
		t.Import(path.Text, keys[i], i == 1)
		return ""
	}})
}

// linesShown is how many changed cells are listed before an import.
const linesShown = 12

// Import reads what the rows of a file change, shows it, and applies it as one edit.
func (t *Pane) Import(path, key string, add bool) {
	tree, table, base := t.tree, t.tables[t.Array.at], filepath.Base(path)
	fail := func(err error) {
		if !errors.Is(err, context.Canceled) {
			t.d.Window.Fail("Cannot import "+base, err)
		}
	}
	kit.Work(t.d.Window, "reading "+base, model.Selected, func(ctx context.Context) (*headless.Import, error) {
		x, err := headless.PlanImport(ctx, &table, path, key, add)
		if err == nil && x.Count > 0 {
			x.Rows, err = table.Edits(ctx, tree, x.Cells, x.Runs...)
		}
		return x, err
	}, func(x *headless.Import, err error) {
		switch {
		case err != nil:
			fail(err)
		case tree != t.d.Tree():
			t.d.Window.Say("the document has changed: import again")
		case len(x.Rows) == 0:
			t.d.Window.Say(base + " changes nothing: the table already has these rows")
		default:
			t.confirm(base, x, fail)
		}
	})
}

// confirm shows what an import changes, and applies it.
func (t *Pane) confirm(base string, x *headless.Import, fail func(error)) {
	text, verb := kit.Sentence(x.Says)+".", "Import"
	if x.Fewer > 0 {
		verb = "Import and remove " + model.Count(x.Fewer, "rows")
	}
	for i, line := range x.Lines {
		if i == linesShown {
			text += fmt.Sprintf("\nand %s more", model.Count(x.Count-int64(i), "cells"))
			break
		}
		text += "\n" + kit.InWidget(line)
	}
	t.d.Window.Shell.Box("Import "+base, kit.TextOf(text), kit.Question, "Cancel", nil, verb, func() {
		t.d.Editor.Unlock()
		t.d.Editor.Edit("import "+base, "", x.Rows, func(err error) {
			if err != nil {
				fail(err)
				return
			}
			t.d.Window.Say(base + " was imported; Undo removes it again")
		})
	})
}

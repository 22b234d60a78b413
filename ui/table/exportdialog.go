package table

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
	native "github.com/sqweek/dialog"

	"spandrel/model"
	"spandrel/ui/headless"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// rowsKind is a type of files of rows.
type rowsKind struct{ kind, title string }

// exportKinds are the file types of an export, in the order in which they are offered.
var exportKinds = []rowsKind{{"csv", "CSV"}, {"jsonl", "JSON lines"}, {"parquet", "Parquet"}, {"arrow", "Arrow"}}

// exportKind returns the file type of a path's extension, or "".
func exportKind(path string) string {
	for _, k := range exportKinds {
		if strings.EqualFold(filepath.Ext(path), "."+k.kind) {
			return k.kind
		}
	}
	return ""
}

// AskExport asks where and how to write the current table.
func (t *Pane) AskExport() {
	if t.Table == nil {
		t.d.Window.Fail("Nothing to export", errors.New("the document has no table"))
		return
	}
	t.askExportOf(t.Table)
}

// askExportOf asks for the file type and the path of an export. An existing file is replaced only if the user agrees.
func (p *Pane) askExportOf(t *model.Table) {
	d, wb := p.d, p.d.Window.Host
	titles := model.Map(exportKinds, func(k rowsKind) string { return fmt.Sprintf("%s (.%s)", k.title, k.kind) })
	dir, base := d.Nearby(), strings.TrimSuffix(d.TabName(), filepath.Ext(d.TabName()))
	path := kit.NewEntry(wb)
	path.SetText(filepath.Join(dir, base+"-"+fileName(t.Name)+".csv"))
	agreed := "" // the path that may be replaced
	kind := kit.NewSelect(wb, titles, 0, func(i int) {
		path.SetText(strings.TrimSuffix(path.Text, filepath.Ext(path.Text)) + "." + exportKinds[i].kind)
	})
	about := fmt.Sprintf("The table “%s”: %s in %s.", t.Name, show.Counted(t.Rows, "row"), show.Counted(int64(len(t.Columns)), "column"))
	if m := p.AfterRepair(); m != nil {
		about += fmt.Sprintf(" They are shown after the repair “%s”.", m.Repair.Label)
	}
	p.ask(fileQuestion{title: "Export", about: about, verb: "Export", path: path, system: func() (string, error) {
		return native.File().Title("Export " + t.Name).SetStartDir(filepath.Dir(path.Text)).SetStartFile(filepath.Base(path.Text)).Save()
	}, chosen: func(chosen string) {
		path.SetText(chosen)
		if agreed = chosen; exportKind(chosen) == "" {
			agreed = "" // the name changes: the dialog asked about another
			path.SetText(chosen + "." + exportKinds[max(0, kind.SelectedIndex())].kind)
		}
	}, more: widget.NewFormItem("Format", kind), done: func() string {
		switch _, err := os.Lstat(path.Text); {
		case exportKind(path.Text) == "":
			return "The name must end in .csv, .jsonl, .parquet or .arrow."
		case err == nil && agreed != path.Text:
			agreed = path.Text
			return "This file exists: Export again replaces it."
		}
		p.Export(t, path.Text)
		return ""
	}})
}

// fileQuestion asks for the path of a file, which the system's dialog can choose, and for one more thing.
type fileQuestion struct {
	title, about, verb string
	path               *kit.Entry
	system             func() (string, error) // shows the system's dialog
	chosen             func(path string)      // gets what was chosen there
	more               *widget.FormItem
	done               func() string // acts on the answers, or returns what is wrong with them
}

func (p *Pane) ask(q fileQuestion) {
	wb, trouble := p.d.Window.Host, widget.NewLabel("")
	trouble.Wrapping, trouble.Importance = fyne.TextWrapWord, widget.DangerImportance
	browse := kit.NewButton(wb, "Browse…", func() {
		wb.Choose(q.system, q.chosen, func() { trouble.SetText("no system dialog is available: type the path") })
	})
	form := widget.NewForm(widget.NewFormItem("File", container.NewBorder(nil, nil, nil, browse, q.path)), q.more)
	if wb.Shell.Box(q.title, container.NewVBox(kit.TextOf(q.about), form, trouble), fyne.NewSize(680, 260), "Cancel", nil, q.verb, func() bool {
		trouble.SetText(q.done())
		return trouble.Text == ""
	}) != nil {
		wb.Shell.Focus(q.path)
	}
}

// wholeArray is the index of all elements of an array.
var wholeArray = regexp.MustCompile(`\[:(, :)*\]$`)

// fileName turns the name of a table into one that is valid for a file.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) {
			return '-'
		}
		return r
	}, wholeArray.ReplaceAllString(s, ""))
}

// Export writes all rows of a table, including edits, in the background. It replaces an existing file.
func (p *Pane) Export(t *model.Table, path string) {
	d := p.d
	kit.Watched(d.Window, "exporting "+t.Name, model.Index, func(ctx context.Context, progress kit.Progress) (any, error) {
		watched := *t
		watched.Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
			progress(first, t.Rows)
			return t.Read(ctx, first, n)
		}
		return nil, headless.Export(ctx, path, watched, exportKind(path))
	}, kit.OrFail(d.Window.Host, "The export stopped", func(any) {
		d.Window.Say(fmt.Sprintf("%s of “%s” written to %s", show.Counted(t.Rows, "row"), t.Name, path))
	}))
}

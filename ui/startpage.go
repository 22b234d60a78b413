package ui

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/testdata"
)

// recentMost is how many files the start page remembers.
const recentMost = 12

// remember puts a path at the front of the recent files.
func (wb *Workbench) remember(path string) {
	list := []string{path}
	for _, p := range wb.app.Preferences().StringList("recent") {
		if p != path && len(list) < recentMost {
			list = append(list, p)
		}
	}
	wb.app.Preferences().SetStringList("recent", list)
}

// startPage is what the window shows when nothing is open.
func (wb *Workbench) startPage() fyne.CanvasObject {
	title := widget.NewRichTextFromMarkdown("# Spandrel\n\nOpen a data file, or drop it here: every byte is shown as what it is, and what is wrong can be repaired.")
	title.Wrapping = fyne.TextWrapWord
	open := widget.NewButtonWithIcon("Open file…", theme.FileIcon(), func() { wb.run("open") })
	open.Importance = widget.HighImportance
	folder := widget.NewButtonWithIcon("Open folder…", theme.FolderOpenIcon(), func() { wb.run("open-folder") })
	recent := container.NewVBox(widget.NewLabelWithStyle("Recent", fyne.TextAlignLeading, fyne.TextStyle{Bold: true}))
	for _, path := range wb.app.Preferences().StringList("recent") {
		b := widget.NewButton(shorten(path, 70), func() { wb.Open(path) })
		b.Alignment, b.Importance = widget.ButtonAlignLeading, widget.LowImportance
		recent.Add(b)
	}
	if len(recent.Objects) == 1 {
		recent.Add(widget.NewLabel("nothing yet"))
	}
	formats := container.NewVBox(widget.NewLabelWithStyle("Formats", fyne.TextAlignLeading, fyne.TextStyle{Bold: true}))
	for _, f := range wb.formats {
		text := widget.NewLabel(f.Title + "  " + strings.Join(f.Exts, " ") + "\n" + f.Doc)
		text.Wrapping = fyne.TextWrapWord
		formats.Add(text)
		if s, ok := testdata.SampleOf(f.Name); ok {
			b := widget.NewButtonWithIcon("Open the sample "+s.Name(), theme.DocumentIcon(), func() { wb.openSample(s) })
			b.Importance = widget.LowImportance
			formats.Add(container.NewHBox(b))
		}
	}
	columns := container.NewGridWithColumns(2, recent, formats)
	return container.NewVScroll(container.NewPadded(container.NewVBox(title, container.NewHBox(open, folder), columns)))
}

// shorten keeps the end of a path, which tells more than its start.
func shorten(path string, n int) string {
	if r := []rune(path); len(r) > n {
		return "…" + string(r[len(r)-n:])
	}
	return path
}

// openSample opens a copy of a sample that is part of the program: it can be edited and saved like any file.
func (wb *Workbench) openSample(s testdata.Sample) {
	wb.submit(model.Job{Title: "copying " + s.Name(), Priority: model.Selected,
		Run: func(context.Context, func(done, total int64)) (any, error) {
			dir, err := os.UserCacheDir()
			if err != nil {
				dir = os.TempDir()
			}
			return s.Copy(filepath.Join(dir, "spandrel", "samples"))
		},
		Done: func(v any, err error) {
			if err != nil {
				wb.fail("Cannot copy the sample", err)
				return
			}
			wb.Open(v.(string))
		}})
}

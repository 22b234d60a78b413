package ui

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"spandrel/model"
	"spandrel/ui/headless"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

// askReport asks where to write an HTML report on the document's problems.
func (wb *Workbench) askReport(d *tab) {
	stem := strings.TrimSuffix(d.TabName(), filepath.Ext(d.TabName()))
	wb.askTool(d, "Write a report", stem+"-report.html", func(path string) { wb.tool(d, "report", path, nil) })
}

// askSlice asks where to write the smallest document that shows the same problems, with its content blanked.
func (wb *Workbench) askSlice(d *tab) {
	wb.askTool(d, "Write the smallest file with these problems", "small-"+d.TabName(), func(path string) { wb.tool(d, "slice", path, nil) })
}

// askSalvage says what can still be read of a document, asks where to write it as a new one, and then says what was written. If nothing
// is left it does not ask.
func (wb *Workbench) askSalvage(d *tab) {
	if left := d.Causes.Left; left != nil && d.Causes.Tree == d.Tree() {
		wb.askIntact(d, left)
		return
	}
	t := d.Tree()
	kit.Work(wb, "looking for intact data", model.Index, func(ctx context.Context) (*model.Salvaged, error) {
		return model.Salvage(ctx, t)
	}, func(left *model.Salvaged, err error) {
		if err == nil && left != nil {
			wb.askIntact(d, left)
		} else if !errors.Is(err, context.Canceled) {
			wb.Fail("Nothing can be saved", err)
		}
	})
}

func (wb *Workbench) askIntact(d *tab, left *model.Salvaged) {
	title := "Save intact data: " + paint.Shorten(left.Contents(), 100)
	if !left.Valid() {
		title += " (not valid)"
	}
	wb.askTool(d, title, "saved-"+d.TabName(), func(path string) {
		wb.tool(d, "salvage", path, func(said string) {
			wb.Shell.Box("Intact data saved", kit.TextOf(path+" contains:\n\n"+paint.ClipText(said, 600)), kit.Question,
				"Close", nil, "Open it", func() { wb.files.show(path) })
		})
	})
}

// askTool asks for the output path of a command, by default beside the document.
func (wb *Workbench) askTool(d *tab, title, name string, write func(path string)) {
	wb.askPath(title, d.Nearby(), name, write)
}

// tool runs a command on the file of a document, in the background, and reports its messages; if told is nil, in the status bar. It reads
// the file on disk.
func (wb *Workbench) tool(d *tab, name, path string, tell func(said string)) {
	env := headless.Env{Formats: wb.formats, Version: wb.version}
	from := d.Model.Path
	kit.Work(d.Window, "writing "+filepath.Base(path), model.Index, func(ctx context.Context) (string, error) {
		var out, wrong bytes.Buffer
		env.In, env.Out, env.Err = &bytes.Buffer{}, &out, &wrong
		if headless.RunIn(ctx, env, []string{name, "-o", path, "--", from}) == headless.Failed {
			return "", errors.New(strings.TrimPrefix(strings.TrimSpace(wrong.String()), "spandrel: "))
		}
		return strings.TrimSpace(out.String()), ctx.Err()
	}, func(text string, err error) {
		switch {
		case err != nil:
			wb.Fail("Not written", err)
			return
		case text == "":
			text = path + " is written"
		}
		if d.Editor.Dirty {
			text = strings.TrimSuffix(text, ".") + "; it does not include unsaved edits"
		}
		if tell == nil {
			tell = wb.Say
		}
		tell(text)
	})
}

package ui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	native "github.com/sqweek/dialog"

	"spandrel/model"
	"spandrel/ui/headless"
)

// exportKinds are the file types of an export, by extension.
var exportKinds = map[string]string{".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet", ".arrow": "arrow"}

// askExport asks where the table that is shown shall be written. The name's extension says how.
func (wb *Workbench) askExport(d *Document) {
	if d.table.table == nil {
		wb.talk.fail("Nothing to export", errors.New("the document has no table"))
		return
	}
	wb.askExportOf(d, d.table.table)
}

func (wb *Workbench) askExportOf(d *Document, t *model.Table) {
	browse := func() (string, error) {
		return native.File().Title("Export table").Filter("Tables", "csv", "jsonl", "parquet", "arrow").Save()
	}
	wb.talk.choose(browse, func(path string) { d.export(t, path) }, func() {
		wb.talk.ask("Export "+t.Name, "a path that ends in .csv, .jsonl, .parquet or .arrow", "", func(s string, done func(error)) {
			if exportKinds[strings.ToLower(filepath.Ext(s))] == "" {
				done(fmt.Errorf("%q has no such extension", s))
				return
			}
			done(nil)
			d.export(t, s)
		})
	})
}

// export writes all rows of a table, as they are edited, in the background.
func (d *Document) export(t *model.Table, path string) {
	kind := exportKinds[strings.ToLower(filepath.Ext(path))]
	if kind == "" {
		path, kind = path+".csv", "csv"
	}
	d.wb.submit(model.Job{Title: "exporting " + t.Name, Priority: model.Index,
		Run: func(ctx context.Context, progress func(done, total int64)) (any, error) {
			watched := *t
			watched.Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
				progress(first, t.Rows)
				return t.Read(ctx, first, n)
			}
			return nil, headless.Export(ctx, path, watched, kind)
		},
		Done: func(_ any, err error) {
			if err != nil {
				d.wb.talk.fail("The export stopped", err)
				return
			}
			d.wb.talk.tell("Exported", fmt.Sprintf("%s of %s are in\n%s", counted(t.Rows, "row"), t.Name, path))
		}})
}

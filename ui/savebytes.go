package ui

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"spandrel/model"
	"spandrel/ui/headless"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// askBytes writes the selected bytes to a file.
func (s *saver) askBytes(d *tab) {
	r, t := d.Sel.Now.Range, d.Tree()
	name := fmt.Sprintf("%s-0x%x-%d.bin", strings.TrimSuffix(d.TabName(), filepath.Ext(d.TabName())), r.Off, r.Len)
	s.wb.askTool(d, "Save the selected bytes", name, func(path string) {
		kit.Watched(d.Window, "writing "+filepath.Base(path), model.Edited, func(ctx context.Context, progress kit.Progress) (any, error) {
			return nil, headless.WriteFile(path, d.Model.Path, func(w io.Writer) error { return writeBytes(ctx, t, r, w, progress) })
		}, kit.OrFail(s.wb.Host, "Not written", func(any) { s.wb.Say(show.Counted(r.Len, "byte") + " written to " + path) }))
	})
}

// writeBytes copies a range of a document.
func writeBytes(ctx context.Context, t *model.Tree, r model.Range, w io.Writer, progress func(done, total int64)) error {
	return t.Stream(ctx, r, 1<<20, func(off int64, b []byte) error {
		_, err := w.Write(b)
		progress(off-r.Off, r.Len)
		return err
	})
}

package ui

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	native "github.com/sqweek/dialog"

	"spandrel/model"
	"spandrel/ui/headless"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// askBytes writes the selected bytes to a file.
func (s *saver) askBytes(d *tab) {
	r, t := d.Sel.Now.Range, d.Tree()
	name := fmt.Sprintf("%s-0x%x-%d.bin", strings.TrimSuffix(d.TabName(), filepath.Ext(d.TabName())), r.Off, r.Len)
	dir, document := filepath.Dir(d.Model.Path), d.Model.Path
	write := func(path string) {
		kit.Watched(d.Window, "writing "+filepath.Base(path), model.Edited, func(ctx context.Context, progress kit.Progress) (any, error) {
			return nil, writeBytes(ctx, t, r, path, document, progress)
		}, func(_ any, err error) {
			if err != nil {
				s.wb.Fail("Not written", err)
				return
			}
			s.wb.Say(show.Counted(r.Len, "byte") + " written to " + path)
		})
	}
	s.wb.Choose(func() (string, error) {
		return native.File().Title("Save the selected bytes").SetStartDir(dir).SetStartFile(name).Save()
	}, write, func() {
		s.wb.Ask("Save the selected bytes", "the path of the new file", filepath.Join(dir, name), newFile(write))
	})
}

// writeBytes copies a range of a document to a file.
func writeBytes(ctx context.Context, t *model.Tree, r model.Range, path, document string, progress func(done, total int64)) error {
	const step = 1 << 20
	return headless.WriteFile(path, document, func(w io.Writer) error {
		for at := r.Off; at < r.End(); at += step {
			b, err := t.Bytes(ctx, model.Range{Space: r.Space, Off: at, Len: min(step, r.End()-at)})
			if err == nil {
				_, err = w.Write(b)
			}
			if err != nil {
				return err
			}
			progress(at-r.Off, r.Len)
		}
		return nil
	})
}

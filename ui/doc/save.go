package doc

import (
	"context"

	"spandrel/model"
	"spandrel/model/protected"
)

// Save saves the document in the background. Nothing changes it meanwhile.
func (e *Editor) Save(o model.SaveOptions, then func([]model.Saved, error)) {
	if e.d.Preview != nil {
		then(nil, ErrPreview)
		return
	}
	e.InTurn(func() {
		e.Saving = true
		stale := ""
		e.d.Window.Submit(model.Job{Title: "saving", Priority: model.Edited,
			Run: func(ctx context.Context, progress func(done, total int64)) (saved any, err error) {
				o.Progress = progress
				saved, stale, err = save(ctx, e.d.Model, o)
				return saved, err
			},
			Done: func(v any, err error) {
				e.Saving = false
				e.Look()
				e.record()
				e.d.all(Pane.Changed)
				e.Next()
				e.d.Window.Update()
				saved, _ := v.([]model.Saved)
				then(saved, err)
				if stale != "" {
					e.d.Window.Say(stale)
				}
			}})
	})
}

// save saves a document, and keeps protection data that are beside it up with it.
func save(ctx context.Context, d *model.Document, o model.SaveOptions) (saved []model.Saved, stale string, err error) {
	write := func() (err error) {
		saved, err = d.Save(ctx, o)
		return err
	}
	if o.Out != "" || d.InMemory() {
		err = write()
		return saved, "", err
	}
	stale, err = protected.Saving(ctx, d.Path, write)
	return saved, stale, err
}

package doc

import (
	"context"

	"spandrel/model"
	"spandrel/model/protected"
	"spandrel/ui/kit"
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
		kit.Watched(e.d.Window, "saving", model.Edited, func(ctx context.Context, progress kit.Progress) (saved []model.Saved, err error) {
			o.Progress = progress
			saved, stale, err = protected.Save(ctx, e.d.Model, o)
			return saved, err
		}, func(saved []model.Saved, err error) {
			e.Saving = false
			e.Look()
			e.d.Recorder.keep(e.d.Model)
			e.d.all(Pane.Changed)
			e.Next()
			e.d.Window.Update()
			then(saved, err)
			if stale != "" {
				e.d.Window.Say(stale)
			}
		})
	})
}

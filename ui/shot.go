package ui

import (
	"errors"
	"fmt"
	"image/png"
	"io"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/driver/software"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/headless"
	"spandrel/ui/paint"
)

// shotWait is how long a screenshot waits for decoding.
const shotWait = 60 * time.Second

// Shot draws the window with a document and writes it as PNG. It needs no display.
func Shot(formats []*model.Format, path string, o headless.ShotOptions, w io.Writer) error {
	app.SetMetadata(fyne.AppMetadata{ID: appID + ".shot", Name: "Spandrel", Migrations: map[string]bool{"fyneDo": true}})
	a := app.NewWithID(appID + ".shot")
	return shot(a, formats, path, o, w)
}

func shot(a fyne.App, formats []*model.Format, path string, o headless.ShotOptions, w io.Writer) error {
	if o.Width <= 0 || o.Height <= 0 {
		o.Width, o.Height = 1600, 1000
	}
	if o.Scale <= 0 {
		o.Scale = 1
	}
	a.Settings().SetTheme(paint.NewTheme(paletteNamed(o.Theme, a.Settings().ThemeVariant())))
	queue := make(chan func(), 1<<16)
	wb := newWorkbench(a, formats, func(f func()) { queue <- f })
	wb.width, wb.pane = float32(o.Width), o.Pane
	wb.causeTime = doc.CauseTime
	wb.build()
	c := software.NewCanvas()
	c.SetPadded(false)
	c.SetScale(float32(o.Scale))
	c.SetContent(wb.content())
	c.Resize(fyne.NewSize(float32(o.Width), float32(o.Height)))
	var failed error
	wb.files.open(path, nil)
	if err := settle(wb, queue, path); err != nil {
		return err
	}
	if wb.current == nil {
		return fmt.Errorf("%s: cannot be opened", path)
	}
	if o.Select != "" {
		wb.current.frame.reveal(paneBytes) // a field is asked for to see its bytes
		wb.current.Sel.Path(o.Select, func(err error) { failed = err })
	}
	if o.Pane != "" {
		if err := wb.current.Lower.ShowNamed(o.Pane); err != nil {
			return err
		}
	}
	for range 3 { // drawing may ask for more
		if err := settle(wb, queue, path); err != nil {
			return err
		}
		c.Capture()
	}
	if failed = errors.Join(failed, wb.current.Model.Unread()); failed != nil {
		return failed
	}
	return png.Encode(w, c.Capture())
}

// settle runs what workers hand to the window, until none of them is at work.
func settle(wb *Workbench, queue <-chan func(), path string) error {
	limit := time.After(shotWait)
	for wb.Pending > 0 || len(queue) > 0 {
		select {
		case f := <-queue:
			f()
		case <-limit:
			return fmt.Errorf("%s: not decoded within %v", path, shotWait)
		}
	}
	return nil
}

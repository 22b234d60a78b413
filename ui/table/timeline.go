package table

import (
	"context"
	"image"
	"image/draw"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

// timeline shows a table at an earlier time: a slider with a step for each write. It is hidden for a table without a history.
type timeline struct {
	t      *Pane
	slider *kit.Slider
	line   *widget.Label
	Object fyne.CanvasObject
	marks  *canvas.Raster // of the times at which rows were written
	times  []model.Moment
	back   map[string]past // the tables that are shown as they were, by name
	read   kit.Running     // of another time
}

// past is the time at which a table is shown, and its present state.
type past struct {
	ms  int64
	now model.Table
}

func newTimeline(t *Pane) *timeline {
	l := &timeline{t: t, slider: kit.NewSlider(t.d.Window.Host), line: kit.NewLine(""), back: map[string]past{}}
	l.marks = canvas.NewRaster(guard.Pixels("the times of writes", l.draw))
	l.slider.OnChanged = func(at float64) { l.say(int(at)) }
	l.slider.OnChangeEnded = func(at float64) { l.Go(int(at)) }
	l.Object = container.NewGridWithColumns(2, container.NewStack(l.marks, l.slider), l.line)
	l.Object.Hide()
	return l
}

// now forgets which tables are shown at an earlier time, because they were listed again.
func (l *timeline) now() {
	l.read.Stop()
	clear(l.back)
}

// follow shows the times of the current table.
func (l *timeline) follow() {
	l.read.Stop()
	table := l.t.tables[l.t.Array.at]
	then, old := l.back[table.Name]
	if old {
		table = then.now
	}
	if l.times = nil; table.Times != nil && table.At != nil {
		l.times = table.Times()
	}
	if l.Object.Show(); len(l.times) < 2 {
		l.Object.Hide()
	}
	at := len(l.times) - 1
	if i := slices.IndexFunc(l.times, func(m model.Moment) bool { return m.MS == then.ms }); old && i >= 0 {
		at = i
	}
	l.slider.Max, l.slider.Value = float64(max(1, len(l.times)-1)), float64(max(0, at))
	l.slider.Refresh()
	l.marks.Refresh()
	l.say(at)
}

// draw draws a mark for each time at which rows were written, where the slider has it.
func (l *timeline) draw(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	scale := float32(w) / max(1, l.marks.Size().Width)
	wide := max(1, int(scale))
	for i, m := range l.times {
		if x := int(l.slider.At(i, l.marks.Size().Width) * scale); m.Write {
			draw.Draw(img, image.Rect(x-wide, h/4, x+wide, h-h/4), image.NewUniform(paint.Look().Link), image.Point{}, draw.Src)
		}
	}
	return img
}

// say says which time a position of the slider is.
func (l *timeline) say(at int) {
	switch n := len(l.times); {
	case at < 0 || at >= n:
		l.line.SetText("")
	case at == n-1:
		l.line.SetText("now, after " + model.Count(int64(n), "changes"))
	default:
		l.line.SetText("as of " + l.times[at].Text)
	}
}

// Go shows the table after one of the changes.
func (l *timeline) Go(at int) {
	l.read.Stop()
	i := l.t.Array.at
	if i < 0 || at < 0 || at >= len(l.times) {
		return
	}
	name, ms, now := l.t.tables[i].Name, l.times[at].MS, l.t.tables[i]
	if then, old := l.back[name]; old {
		now = then.now
	}
	if at == len(l.times)-1 {
		delete(l.back, name)
		l.take(i, now)
		return
	}
	l.read = kit.Work(l.t.d.Window, "the table at an earlier time", model.Selected, func(ctx context.Context) (model.Table, error) {
		return now.At(ctx, ms), ctx.Err()
	}, func(then model.Table, err error) {
		l.read = nil
		if err == nil {
			then.Name = name
			l.back[name] = past{ms, now}
			l.take(i, then)
		}
	})
}

// take replaces the current table by another, with the same row at the top.
func (l *timeline) take(i int, table model.Table) {
	top := l.t.View.Top
	l.t.tables[i] = table
	l.t.show(i, firstIndex(&l.t.tables[i]))
	l.t.View.Top = max(0, min(top, table.Rows-1))
	l.t.View.Update()
}

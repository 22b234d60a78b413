package ui

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
)

// Every button that is an icon alone says beside it what it does, where all of it can be read.
func TestIconsSayWhatTheyDo(t *testing.T) {
	b, d := sampleBench(t, "samediff/good/inline.fb")
	d.table.statistics(0)
	b.settle(t)
	b.bubble = newTooltip()
	b.win.SetContent(container.NewStack(b.content(), b.bubble.object))
	b.win.Resize(fyne.NewSize(1024, 700))
	icons := 0
	each(b.win.Content(), func(o fyne.CanvasObject) {
		button, ok := o.(*keyButton)
		if !ok || button.Text != "" || button.Icon == nil {
			return
		}
		if icons++; button.tip == "" {
			t.Errorf("the button with %s says nothing", button.Icon.Name())
		}
		b.bubble.show(button)
		if at, size := b.bubble.back.Position(), b.bubble.back.Size(); b.bubble.text.Text != button.tip || at.X < 0 || at.X+size.Width > 1024 ||
			at.Y < 0 || at.Y+size.Height > 700 || size.Width < b.bubble.text.MinSize().Width {
			t.Errorf("%q is at %v, %v large", b.bubble.text.Text, at, size)
		}
		button.MouseIn(&desktop.MouseEvent{})
		if b.bubble.wait == nil {
			t.Errorf("%q does not come while the pointer rests", button.tip)
		}
		if button.MouseOut(); b.bubble.wait != nil || b.bubble.object.Visible() {
			t.Errorf("%q stays when the pointer is gone", button.tip)
		}
	})
	if icons < 8 {
		t.Errorf("%d icons were looked at", icons)
	}
}

// each hands over an object and all that is in it.
func each(o fyne.CanvasObject, f func(fyne.CanvasObject)) {
	switch o := o.(type) {
	case *fyne.Container:
		for _, x := range o.Objects {
			each(x, f)
		}
	case *container.DocTabs:
		for _, x := range o.Items {
			each(x.Content, f)
		}
	case *container.AppTabs:
		for _, x := range o.Items {
			each(x.Content, f)
		}
	case *container.Split:
		each(o.Leading, f)
		each(o.Trailing, f)
	case *container.Scroll:
		each(o.Content, f)
	default:
		f(o)
	}
}

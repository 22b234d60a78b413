package ui

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/kit"
)

// Every button that is an icon alone says beside it what it does, where all of it can be read.
func TestIconsSayWhatTheyDo(t *testing.T) {
	b, d := sampleBench(t, "samediff/good/inline.fb")
	d.table.Statistics(0)
	b.settle(t)
	b.Bubble = kit.NewTooltip()
	b.win.SetContent(container.NewStack(b.content(), b.Bubble.Object))
	b.win.Resize(fyne.NewSize(1024, 700))
	icons := 0
	each(b.win.Content(), func(o fyne.CanvasObject) {
		button, ok := o.(*kit.Button)
		if !ok || button.Text != "" || button.Icon == nil {
			return
		}
		if icons++; button.Tip == "" {
			t.Errorf("the button with %s says nothing", button.Icon.Name())
		}
		b.Bubble.Show(button)
		if at, size := b.Bubble.Back.Position(), b.Bubble.Back.Size(); b.Bubble.Text.Text != button.Tip || at.X < 0 || at.X+size.Width > 1024 ||
			at.Y < 0 || at.Y+size.Height > 700 || size.Width < b.Bubble.Text.MinSize().Width {
			t.Errorf("%q is at %v, %v large", b.Bubble.Text.Text, at, size)
		}
		button.MouseIn(&desktop.MouseEvent{})
		if b.Bubble.Wait == nil {
			t.Errorf("%q does not come while the pointer rests", button.Tip)
		}
		if button.MouseOut(); b.Bubble.Wait != nil || b.Bubble.Object.Visible() {
			t.Errorf("%q stays when the pointer is gone", button.Tip)
		}
	})
	if icons < 8 {
		t.Errorf("%d icons were looked at", icons)
	}
}

// A button that is pressed no longer says what it does: it may disappear, or be covered by a dialog, without the pointer leaving it.
func TestPressedButtonSaysNothing(t *testing.T) {
	b, _ := newBench(t, toyFile(t, 10))
	button := kit.NewTool(b.Host, nil, "apply the change", nil)
	button.MouseIn(&desktop.MouseEvent{})
	if b.Line.Tip == "" {
		t.Fatal("nothing is said")
	}
	if button.Tapped(nil); b.Line.Tip != "" || b.Line.Running.Text != "" {
		t.Errorf("%q is still said", b.Line.Running.Text)
	}
}

// A hint ends when its button is gone, though the pointer has not moved.
func TestHintOfAButtonThatIsGone(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	b.Bubble = kit.NewTooltip()
	b.win.SetContent(container.NewStack(b.content(), b.Bubble.Object))
	b.win.Resize(fyne.NewSize(1024, 700))
	d.table.Statistics(0)
	b.settle(t)
	var cross *kit.Button
	each(d.table.Stats.Tab.Content, func(o fyne.CanvasObject) {
		if button, ok := o.(*kit.Button); ok {
			cross = button
		}
	})
	cross.MouseIn(&desktop.MouseEvent{})
	b.Bubble.Show(cross)
	if b.Bubble.Look(cross); !b.Bubble.Object.Visible() {
		t.Error("it ends while its button is there")
	}
	d.Lower.Open(kit.TabTable)
	if b.Bubble.Look(cross); b.Bubble.Object.Visible() || b.Line.Tip != "" {
		t.Errorf("“%s” is still said", cross.Tip)
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

// Of several running jobs, each can be stopped alone.
func TestStopOneJob(t *testing.T) {
	stopped := ""
	job := func(name string) model.Running { return model.Running{Title: name, Cancel: func() { stopped += name }} }
	menu := kit.StopMenu([]model.Running{job("a"), job("b")})
	menu.Items[1].Action()
	if stopped != "b" || menu.Items[1].Label != "Stop: b" {
		t.Errorf("%s stopped %q", menu.Items[1].Label, stopped)
	}
	if menu.Items[len(menu.Items)-1].Action(); stopped != "bab" {
		t.Errorf("all: %q", stopped)
	}
}

package ui

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
)

// A click shows the document of a tab, the middle button closes it, the right one has a menu.
func TestTabs(t *testing.T) {
	b, first := newWindowBench(t, toyFile(t, 10))
	second := b.open(t, toyFile(t, 20))
	third := b.open(t, toyFile(t, 30))
	heads := map[*tab]fyne.CanvasObject{}
	b.win.Canvas().Capture()
	var walk func(o fyne.CanvasObject)
	walk = func(o fyne.CanvasObject) {
		if fmt.Sprintf("%T", o) == "*kit.tabHead" {
			heads[b.docs[len(heads)]] = o
			return
		}
		switch o := o.(type) {
		case *fyne.Container:
			for _, k := range o.Objects {
				walk(k)
			}
		case fyne.Widget:
			for _, k := range test.WidgetRenderer(o).Objects() {
				walk(k)
			}
		}
	}
	walk(b.tabs.Object)
	if len(heads) != 3 {
		t.Fatalf("%d tabs", len(heads))
	}
	test.Tap(heads[first].(fyne.Tappable))
	if b.current != first || b.tabs.Selected() != first.item {
		t.Error("a click does not show the document")
	}
	heads[third].(desktop.Mouseable).MouseDown(&desktop.MouseEvent{Button: desktop.MouseButtonTertiary})
	b.settle(t)
	if !third.Window.Ended || len(b.docs) != 2 || b.current != first {
		t.Error("the middle button does not close")
	}
	m := b.tabMenu(first.item)
	if len(m.Items) != 6 || m.Items[1].Label != "Close others" || m.Items[1].Disabled {
		t.Errorf("%+v", m.Items)
	}
	m.Items[1].Action()
	b.settle(t)
	if !second.Window.Ended || first.Window.Ended || b.current != first {
		t.Error("the others are open, or it is not")
	}
	if m := b.tabMenu(first.item); !m.Items[1].Disabled {
		t.Error("there are no others")
	}
}

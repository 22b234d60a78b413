package kit

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/guard"
	"spandrel/ui/paint"
)

// Tabs shows one of several contents, with a tab for each: a click shows it, the middle button or the close button closes it, the right button opens a menu.
// Fyne's tabs have neither of the last two, and show the close button only under the pointer.
type Tabs struct {
	Items      []*container.TabItem
	Close      func(*container.TabItem)            // someone wants to close a tab
	Menu       func(*container.TabItem) *fyne.Menu // of a tab
	OnSelected func(*container.TabItem)
	Object     fyne.CanvasObject

	h        *Host
	selected *container.TabItem
	strip    *fyne.Container
	scroll   *container.Scroll
	content  *fyne.Container
}

// NewTabs makes an empty set of tabs.
func NewTabs(h *Host) *Tabs {
	t := &Tabs{h: h, strip: container.NewHBox(), content: container.NewStack()}
	t.scroll = container.NewHScroll(t.strip)
	all := NewTool(h, theme.MenuDropDownIcon(), "all open documents", t.askAll)
	top := container.NewBorder(nil, widget.NewSeparator(), nil, all, t.scroll)
	t.Object = container.NewBorder(top, nil, nil, nil, t.content)
	return t
}

// askAll lets the user choose one of all tabs.
func (t *Tabs) askAll() {
	names := model.Map(t.Items, func(item *container.TabItem) string { return item.Text })
	t.h.Pick("Open documents", "Show", names, t.SelectIndex)
}

// Append adds a tab at the end; the first is shown.
func (t *Tabs) Append(item *container.TabItem) { t.SetItems(append(slices.Clone(t.Items), item)) }

// Remove removes a tab; if it was shown, the one before it is shown.
func (t *Tabs) Remove(item *container.TabItem) {
	t.SetItems(slices.DeleteFunc(slices.Clone(t.Items), func(o *container.TabItem) bool { return o == item }))
}

// SetItems sets the tabs, in order.
func (t *Tabs) SetItems(items []*container.TabItem) {
	was := t.SelectedIndex()
	t.Items = items
	if !slices.Contains(items, t.selected) {
		t.selected = nil
		if len(items) > 0 {
			t.SelectIndex(max(0, min(was-1, len(items)-1)))
		}
	}
	t.Refresh()
}

// Select shows a tab.
func (t *Tabs) Select(item *container.TabItem) {
	if item == t.selected || !slices.Contains(t.Items, item) {
		return
	}
	t.selected = item
	t.Refresh()
	IntoView(t.scroll, t.strip.Objects[t.SelectedIndex()])
	if t.OnSelected != nil {
		t.OnSelected(item)
	}
}

// SelectIndex shows the tab with an index.
func (t *Tabs) SelectIndex(i int) {
	if i >= 0 && i < len(t.Items) {
		t.Select(t.Items[i])
	}
}

// Selected is the current tab, or nil.
func (t *Tabs) Selected() *container.TabItem { return t.selected }

// SelectedIndex is the index of the current tab, or -1.
func (t *Tabs) SelectedIndex() int { return slices.Index(t.Items, t.selected) }

// Refresh draws the tabs with their present names.
func (t *Tabs) Refresh() {
	for len(t.strip.Objects) > len(t.Items) {
		t.strip.Objects = t.strip.Objects[:len(t.strip.Objects)-1]
	}
	for i, item := range t.Items {
		if i == len(t.strip.Objects) {
			t.strip.Objects = append(t.strip.Objects, newTabHead(t))
		}
		head := t.strip.Objects[i].(*tabHead)
		head.item = item
		head.Refresh()
	}
	t.strip.Refresh()
	t.scroll.Refresh()
	t.content.Objects = nil
	if t.selected != nil {
		t.content.Objects = []fyne.CanvasObject{t.selected.Content}
	}
	t.content.Refresh()
}

// tabHead is the tab of one of the contents.
type tabHead struct {
	widget.BaseWidget
	t     *Tabs
	item  *container.TabItem
	name  *canvas.Text
	icon  *widget.Icon
	cross *Button
	under *canvas.Rectangle // of the one that is shown
	back  *canvas.Rectangle
	box   *fyne.Container
}

func newTabHead(t *Tabs) *tabHead {
	h := &tabHead{t: t, name: canvas.NewText("", paint.Look().Foreground), icon: widget.NewIcon(nil), under: canvas.NewRectangle(paint.Look().Caret), back: canvas.NewRectangle(paint.Look().Background)}
	h.name.TextSize = theme.TextSize()
	h.cross = NewTool(t.h, theme.CancelIcon(), "close this document", func() { t.close(h.item) })
	h.under.SetMinSize(fyne.NewSize(1, 2))
	room := canvas.NewRectangle(color.Transparent)
	room.SetMinSize(fyne.NewSize(4, 1))
	h.box = container.NewStack(h.back, container.NewBorder(nil, h.under, nil, nil, container.NewHBox(room, h.icon, container.NewCenter(h.name), h.cross)))
	h.ExtendBaseWidget(h)
	return h
}

func (h *tabHead) CreateRenderer() fyne.WidgetRenderer {
	return &tabHeadRenderer{widget.NewSimpleRenderer(h.box), h}
}

// tabHeadRenderer draws a tab in the colours of the current theme.
type tabHeadRenderer struct {
	fyne.WidgetRenderer
	h *tabHead
}

func (r *tabHeadRenderer) Refresh() {
	r.h.dress()
	r.WidgetRenderer.Refresh()
}

// dress sets the name and the colours of a tab.
func (h *tabHead) dress() {
	look := paint.Look()
	shown := h.item == h.t.selected
	h.name.Text, h.name.TextSize, h.name.TextStyle.Bold, h.name.Color = InWidget(h.item.Text), theme.TextSize(), shown, look.Dim
	h.back.FillColor, h.under.FillColor = look.Header, look.Header
	if shown {
		h.name.Color, h.under.FillColor, h.back.FillColor = look.Foreground, look.Caret, look.Background
	}
	h.icon.SetResource(h.item.Icon)
	h.icon.Hidden = h.item.Icon == nil
	h.name.Refresh()
	h.back.Refresh()
	h.under.Refresh()
}

func (t *Tabs) close(item *container.TabItem) {
	if t.Close != nil {
		t.Close(item)
	}
}

func (h *tabHead) Tapped(*fyne.PointEvent) { guard.Do("showing a tab", func() { h.t.Select(h.item) }) }

// MouseDown closes a tab with the middle button.
func (h *tabHead) MouseDown(e *desktop.MouseEvent) {
	if e.Button == desktop.MouseButtonTertiary {
		guard.Do("closing a tab", func() { h.t.close(h.item) })
	}
}

func (h *tabHead) MouseUp(*desktop.MouseEvent) {}

func (h *tabHead) TappedSecondary(e *fyne.PointEvent) {
	c := fyne.CurrentApp().Driver().CanvasForObject(h)
	if h.t.Menu == nil || c == nil {
		return
	}
	guard.Do("the menu of a tab", func() { widget.ShowPopUpMenuAtPosition(h.t.Menu(h.item), c, e.AbsolutePosition) })
}

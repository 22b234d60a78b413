package ui

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// doubleClick is the longest time between the presses of a double click.
const doubleClick = 400 * time.Millisecond

// clickTime remembers a press. Fyne's own double taps would delay every single click.
type clickTime struct {
	at  time.Time
	row int64
}

// Scrolled moves by whole rows. Fast mice send a thousand events a second, so it only changes numbers and asks for one frame.
func (v *rowView) Scrolled(e *fyne.ScrollEvent) {
	dx, dy := e.Scrolled.DX, e.Scrolled.DY
	if shiftHeld() && dx == 0 {
		dx, dy = dy, 0
	}
	if n := v.wheel.rows(dy, v.rowUnits()); n != 0 {
		v.scrollTo(v.top + n)
	}
	if n := v.sideways.rows(dx, 1); n != 0 {
		v.left += n
		v.clampLeft()
		v.redraw()
	}
}

func (v *rowView) MouseIn(e *desktop.MouseEvent)    { v.MouseMoved(e) }
func (v *rowView) MouseMoved(e *desktop.MouseEvent) { v.rows.hover(v.at(e.Position)) }
func (v *rowView) MouseOut()                        { v.rows.hover(noRow, 0) }

func (v *rowView) MouseDown(e *desktop.MouseEvent) {
	if c := v.canvas(); c != nil {
		c.Focus(v)
	}
	row, x := v.at(e.Position)
	now := time.Now()
	double := e.Button == desktop.MouseButtonPrimary && v.lastDown.row == row && now.Sub(v.lastDown.at) < doubleClick
	v.lastDown = clickTime{now, row}
	if double {
		v.lastDown = clickTime{}
	}
	v.dragging = e.Button == desktop.MouseButtonPrimary
	v.rows.press(row, x, press{double: double, button: e.Button, mod: e.Modifier})
}

func (v *rowView) MouseUp(*desktop.MouseEvent) { v.dragging = false }

// Dragged extends what MouseDown began; above and below the view it scrolls.
func (v *rowView) Dragged(e *fyne.DragEvent) {
	_, h := v.view()
	if v.lastDown.row >= 0 {
		switch {
		case e.Position.Y < 0:
			v.scrollTo(v.top - 1)
		case e.Position.Y > h:
			v.scrollTo(v.top + 1)
		}
	}
	row, x := v.at(e.Position)
	v.rows.press(row, x, press{drag: true, button: desktop.MouseButtonPrimary, mod: modifiers()})
}

func (v *rowView) DragEnd() { v.dragging = false }

func (v *rowView) TappedSecondary(e *fyne.PointEvent) {
	row, x := v.at(e.Position)
	v.showMenu(row, x, e.AbsolutePosition)
}

func (v *rowView) showMenu(row int64, x float32, at fyne.Position) {
	if m, c := v.rows.menu(row, x), v.canvas(); m != nil && c != nil {
		widget.ShowPopUpMenuAtPosition(m, c, at)
	}
}

// menuKey shows the menu of the current row below it.
func (v *rowView) menuKey() {
	row, x := v.rows.spot()
	if row < v.top || row > v.top+v.page() {
		return
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(v)
	v.showMenu(row, x, at.AddXY(x-float32(v.left), v.headerUnits()+float32(row-v.top+1)*v.rowUnits()))
}

func (v *rowView) FocusGained() {
	v.focused = true
	v.Refresh()
	if v.onFocus != nil {
		v.onFocus()
	}
}

func (v *rowView) FocusLost() {
	v.focused = false
	v.Refresh()
}

func (v *rowView) AcceptsTab() bool          { return v.rows.keepsTab() }
func (v *rowView) TypedRune(r rune)          { v.rows.typed(r) }
func (v *rowView) TypedKey(e *fyne.KeyEvent) { v.pressKey(e.Name, modifiers()) }
func (v *rowView) TypedShortcut(s fyne.Shortcut) {
	if c, ok := s.(*desktop.CustomShortcut); ok && v.pressKey(c.KeyName, c.Modifier) {
		return
	}
	named := fyne.KeyUnknown // Fyne has names of its own for some keys
	switch s.(type) {
	case *fyne.ShortcutSelectAll:
		named = fyne.KeyA
	case *fyne.ShortcutCopy:
		named = fyne.KeyC
	case *fyne.ShortcutPaste:
		named = fyne.KeyV
	}
	if named != fyne.KeyUnknown && v.rows.key(named, fyne.KeyModifierShortcutDefault) {
		return
	}
	// What the pane does not know may be the window's: a focused widget would swallow it.
	if c, ok := v.canvas().(fyne.Shortcutable); ok {
		c.TypedShortcut(s)
	}
}

// pressKey gives a key to the rows and, when they do not use it, scrolls.
func (v *rowView) pressKey(name fyne.KeyName, mod fyne.KeyModifier) bool {
	if v.rows.key(name, mod) {
		return true
	}
	if mod&fyne.KeyModifierAlt != 0 {
		return false
	}
	switch name {
	case desktop.KeyMenu:
		v.menuKey()
	case fyne.KeyF10:
		if mod == fyne.KeyModifierShift {
			v.menuKey()
		}
	case fyne.KeyUp:
		v.scrollTo(v.top - 1)
	case fyne.KeyDown:
		v.scrollTo(v.top + 1)
	case fyne.KeyPageUp:
		v.scrollTo(v.top - v.page())
	case fyne.KeyPageDown:
		v.scrollTo(v.top + v.page())
	case fyne.KeyHome:
		v.scrollTo(0)
	case fyne.KeyEnd:
		v.scrollTo(v.maxTop())
	default:
		if c := v.canvas(); c != nil && mod&^fyne.KeyModifierShift == 0 && c.OnTypedKey() != nil {
			c.OnTypedKey()(&fyne.KeyEvent{Name: name}) // F8, Esc and the like belong to the window
		}
		return false
	}
	return true
}

// moveRow returns where a key takes the current row of a list, or ok false when it is no such key.
func moveRow(name fyne.KeyName, row, page, count int64) (to int64, ok bool) {
	switch name {
	case fyne.KeyUp:
		row--
	case fyne.KeyDown:
		row++
	case fyne.KeyPageUp:
		row -= page
	case fyne.KeyPageDown:
		row += page
	case fyne.KeyHome:
		row = 0
	case fyne.KeyEnd:
		row = count - 1
	default:
		return row, false
	}
	return max(0, min(row, count-1)), count > 0
}

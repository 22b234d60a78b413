package rows

import (
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"spandrel/ui/guard"
)

// doubleClick is the longest time between the presses of a double click.
const doubleClick = 400 * time.Millisecond

// Twice detects double clicks. Fyne's own double taps would delay every single click.
type Twice struct {
	at  time.Time
	row int64
}

// Press notes a press on a row, or anything else with a number, and tells whether it is the second of a double click. A third is a first one again.
func (t *Twice) Press(row int64) bool {
	now := time.Now()
	if t.row == row && now.Sub(t.at) < doubleClick {
		*t = Twice{row: row}
		return true
	}
	*t = Twice{now, row}
	return false
}

// columnStep is how far the wheel turns per column, in units: a notch is at least 25.
const columnStep = 25

// Scrolled moves by whole rows. Fast mice send a thousand events a second, so it only changes numbers and asks for one frame.
func (v *View) Scrolled(e *fyne.ScrollEvent) { v.safely("scrolling", func() { v.scrolled(e) }) }

func (v *View) scrolled(e *fyne.ScrollEvent) {
	dx, dy := e.Scrolled.DX, e.Scrolled.DY
	if ShiftHeld() && dx == 0 {
		dx, dy = dy, 0
	}
	if n := v.wheel.Rows(dy, v.rowUnits()); n != 0 {
		v.ScrollTo(v.Top + n)
	}
	c, whole := v.Rows.(columnwise)
	step := map[bool]float32{true: columnStep, false: 1}[whole]
	if n := v.sideways.Rows(dx, step); n != 0 {
		if v.Left += n; whole {
			v.Left = c.Sideways(v.Left-n, n)
		}
		v.clampLeft()
		v.Redraw()
	}
}

func (v *View) MouseIn(e *desktop.MouseEvent) { v.MouseMoved(e) }
func (v *View) MouseMoved(e *desktop.MouseEvent) {
	v.safely("pointing", func() { v.Rows.Hover(v.at(e.Position)) })
}
func (v *View) MouseOut() { v.safely("pointing", func() { v.Rows.Hover(NoRow, 0) }) }

// safely handles an event: a panic ends only that.
func (v *View) safely(what string, f func()) { guard.Do(fmt.Sprintf("%s (%T)", what, v.Rows), f) }

func (v *View) MouseDown(e *desktop.MouseEvent) {
	v.safely("a press of the mouse", func() { v.mouseDown(e) })
}

func (v *View) mouseDown(e *desktop.MouseEvent) {
	if c := v.canvas(); c != nil {
		c.Focus(v)
	}
	row, x := v.at(e.Position)
	double := e.Button == desktop.MouseButtonPrimary && v.lastDown.Press(row)
	v.Rows.Press(row, x, Press{Double: double, Button: e.Button, Mod: e.Modifier})
}

func (v *View) MouseUp(*desktop.MouseEvent) { v.release() }

// release ends what a press started, for rows that wait for it.
func (v *View) release() {
	if r, ok := v.Rows.(interface{ Release() }); ok {
		v.safely("a release of the mouse", r.Release)
	}
}

// Dragged extends what MouseDown started; above and below the view it scrolls.
func (v *View) Dragged(e *fyne.DragEvent) { v.safely("dragging", func() { v.dragged(e) }) }

func (v *View) dragged(e *fyne.DragEvent) {
	_, h := v.View()
	if v.lastDown.row >= 0 {
		switch {
		case e.Position.Y < 0:
			v.ScrollTo(v.Top - 1)
		case e.Position.Y > h:
			v.ScrollTo(v.Top + 1)
		}
	}
	row, x := v.at(e.Position)
	v.Rows.Press(row, x, Press{Drag: true, Button: desktop.MouseButtonPrimary, Mod: modifiers()})
}

func (v *View) DragEnd() { v.release() }

func (v *View) TappedSecondary(e *fyne.PointEvent) {
	row, x := v.at(e.Position)
	v.safely("a menu", func() { v.showMenu(row, x, e.AbsolutePosition) })
}

func (v *View) showMenu(row int64, x float32, at fyne.Position) {
	if m, c := v.Rows.Menu(row, x), v.canvas(); m != nil && c != nil {
		for _, item := range m.Items {
			if do := item.Action; do != nil {
				item.Action = func() { v.safely("“"+item.Label+"”", do) }
			}
		}
		widget.ShowPopUpMenuAtPosition(m, c, at)
	}
}

// menuKey shows the context menu of the current row below it.
func (v *View) menuKey() {
	row, x := v.Rows.Spot()
	if row < v.Top || row > v.Top+v.Page() {
		return
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(v)
	v.showMenu(row, x, at.AddXY(x-float32(v.Left), v.headerUnits()+float32(row-v.Top+1)*v.rowUnits()))
}

func (v *View) FocusGained() {
	v.Focused = true
	v.Refresh()
	if v.onFocus != nil {
		v.safely("coming to a pane", v.onFocus)
	}
}

func (v *View) FocusLost() {
	v.Focused = false
	v.Refresh()
}

func (v *View) AcceptsTab() bool { return v.Rows.KeepsTab() }
func (v *View) TypedRune(r rune) { v.safely("typing", func() { v.Rows.Typed(r) }) }
func (v *View) TypedKey(e *fyne.KeyEvent) {
	v.safely("the key "+string(e.Name), func() { v.pressKey(e.Name, modifiers()) })
}
func (v *View) TypedShortcut(s fyne.Shortcut) {
	v.safely("a key", func() { v.shortcut(s) })
}

func (v *View) shortcut(s fyne.Shortcut) {
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
	if named != fyne.KeyUnknown && v.Rows.Key(named, fyne.KeyModifierShortcutDefault) {
		return
	}
	// A shortcut that the pane does not know may be the window's: a focused widget would swallow it.
	if c, ok := v.canvas().(fyne.Shortcutable); ok {
		c.TypedShortcut(s)
	}
}

// pressKey passes a key to the rows and, if they do not use it, scrolls.
func (v *View) pressKey(name fyne.KeyName, mod fyne.KeyModifier) bool {
	if v.Rows.Key(name, mod) {
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
		} else if c := v.canvas(); c != nil && c.OnTypedKey() != nil {
			c.OnTypedKey()(&fyne.KeyEvent{Name: name})
		}
	default:
		if top, ok := MoveRow(name, v.Top, v.Page(), v.Rows.Count()); ok {
			v.ScrollTo(top)
			return true
		}
		if c := v.canvas(); c != nil && mod&^fyne.KeyModifierShift == 0 && c.OnTypedKey() != nil {
			c.OnTypedKey()(&fyne.KeyEvent{Name: name}) // F8, Esc and the like belong to the window
		}
		return false
	}
	return true
}

// MoveRow returns where a key moves the current row of a list, or ok false for other keys.
func MoveRow(name fyne.KeyName, row, page, count int64) (to int64, ok bool) {
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

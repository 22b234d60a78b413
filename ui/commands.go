package ui

import (
	"cmp"
	"runtime"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"

	"spandrel/ui/guard"
	"spandrel/ui/rows"
)

// command can be run from a menu, with a key, from the palette, or by name from a test script. It runs only
// if it can.
type command struct {
	name   string // by which invoke finds it
	menu   string // the menu it is in
	label  string
	key    fyne.KeyName
	mod    fyne.KeyModifier
	also   []chord // other keys that do the same
	usual  chord   // default keys
	item   *fyne.MenuItem
	free   bool              // it needs no document
	can    func(d *tab) bool // whether it would do something to a document now; nil: to any
	cannot string            // what is said if it cannot; "": that it is not available
	on     func(d *tab) bool // state of a toggle; the document may be nil
	run    func(d *tab)      // the document is nil only if the command needs none
}

// tip describes a command and its keys.
func (m *menus) tip(name string) string {
	for _, c := range m.commands {
		if c.name == name {
			return strings.TrimSpace(c.title() + "  " + c.keyText())
		}
	}
	return ""
}

// able tells whether a command would do something now.
func (c *command) able(d *tab) bool {
	if d == nil {
		return c.free
	}
	return c.can == nil || c.can(d)
}

// chord is a key with modifiers.
type chord struct {
	key fyne.KeyName
	mod fyne.KeyModifier
}

const (
	ctrl  = fyne.KeyModifierShortcutDefault
	shift = fyne.KeyModifierShift
	alt   = fyne.KeyModifierAlt
)

// separator is a line between commands in a menu.
func separator(menu string) *command { return &command{menu: menu} }

// menus are the commands, by menu, key and name.
type menus struct {
	wb       *Workbench
	commands []*command
	shown    *fyne.MainMenu // nil before there is a window
	win      fyne.Window
	canvas   fyne.Canvas
}

// take sets the commands, in their order, with the keys that the user chose.
func (m *menus) take(list []*command) {
	m.commands = list
	m.choose()
}

// run runs a command by name.
func (m *menus) run(name string) {
	for _, c := range m.commands {
		if c.name == name && name != "" {
			c.invoke(m.wb)
		}
	}
}

// invoke runs the command if it would do something; not while a dialog is open, in which keys belong to the focused widget.
func (c *command) invoke(wb *Workbench) {
	if wb.Shell.Modal() {
		return
	}
	guard.Do("the command “"+c.title()+"”", func() {
		switch d := wb.current; {
		case !c.able(d):
			if d != nil {
				wb.Say(cmp.Or(c.cannot, "“"+c.title()+"” is not available now"))
			}
		default:
			c.run(d)
		}
	})
}

// title is the label without the ellipsis.
func (c *command) title() string { return strings.TrimSuffix(c.label, "…") }

// showKeysInMenus shows the keys of commands after their labels, aligned. A menu of the system shows them itself;
// Fyne's own display would be too dim to read.
func (m *menus) showKeysInMenus() {
	width := func(s string) float32 {
		return fyne.MeasureText(s, theme.TextSize(), fyne.TextStyle{}).Width
	}
	space := width("                    ") / 20
	widest := map[string]float32{}
	for _, c := range m.commands {
		widest[c.menu] = max(widest[c.menu], width(c.label))
	}
	for _, c := range m.commands {
		switch {
		case c.item == nil || c.key == "":
		case runtime.GOOS == "darwin":
			c.item.Shortcut = c.shortcut()
		default:
			c.item.Label += strings.Repeat(" ", 4+int((widest[c.menu]-width(c.label))/space+0.5)) + c.keyText() + menuEnd
		}
	}
}

// menuEnd is space after the keys in menus: spaces are drawn a little wider than they are measured.
const menuEnd = "    "

// bar makes the menu bar of the window.
func (m *menus) bar() *fyne.MainMenu {
	var list []*fyne.Menu
	for _, c := range m.commands {
		if len(list) == 0 || list[len(list)-1].Label != c.menu {
			list = append(list, fyne.NewMenu(c.menu))
		}
		menu := list[len(list)-1]
		if c.name == "" {
			menu.Items = append(menu.Items, fyne.NewMenuItemSeparator())
			continue
		}
		c.item = fyne.NewMenuItem(c.label, func() { c.invoke(m.wb) })
		c.item.IsQuit = c.name == "quit"
		menu.Items = append(menu.Items, c.item)
	}
	m.showKeysInMenus()
	m.shown = fyne.NewMainMenu(list...)
	m.changed()
	return m.shown
}

// changed updates which commands are enabled, and which are on.
func (m *menus) changed() {
	d, differs := m.wb.current, false
	for _, c := range m.commands {
		off := !c.able(d)
		if d != nil {
			d.path.able(c.name, !off)
		}
		if c.item == nil {
			continue
		}
		on := c.on != nil && c.on(d)
		differs = differs || c.item.Disabled != off || c.item.Checked != on
		c.item.Disabled, c.item.Checked = off, on
	}
	if differs {
		m.shown.Refresh()
	}
}

// open opens a menu of the bar by index from the keyboard, as a click would.
func (m *menus) open(i int) {
	bar, ok := m.canvas.(interface{ ToggleMenu() })
	if !ok || m.wb.Shell.Modal() {
		return
	}
	bar.ToggleMenu()
	for range i {
		m.canvas.FocusNext()
	}
}

// shortcut is the keys as Fyne reports them: some combinations have names of their own.
func (c *command) shortcut() fyne.Shortcut { return c.chord().shortcut() }

func (k chord) shortcut() fyne.Shortcut {
	switch k {
	case chord{fyne.KeyZ, ctrl}:
		return &fyne.ShortcutUndo{}
	case chord{fyne.KeyY, ctrl}:
		return &fyne.ShortcutRedo{}
	}
	return &desktop.CustomShortcut{KeyName: k.key, Modifier: k.mod}
}

// keyText names the keys of a command.
func (c *command) keyText() string { return c.chord().text() }

// place gives the window its menu bar and the keys of all commands.
func (m *menus) place(win fyne.Window) {
	m.win = win
	win.SetMainMenu(m.bar())
	m.addShortcuts(win.Canvas())
}

// addShortcuts gives a window the keys of all commands. Which command a chord belongs to is looked up when it is pressed, because that may change.
func (m *menus) addShortcuts(at fyne.Canvas) {
	m.canvas = at
	for i, menu := range m.shown.Items { // Alt and the first letter of a menu
		m.canvas.AddShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyName(menu.Label[:1]), Modifier: alt}, func(fyne.Shortcut) { m.open(i) })
	}
	for _, c := range m.commands {
		for _, k := range append([]chord{c.chord()}, c.also...) {
			if k.key != "" && k.mod&^shift != 0 {
				m.canvas.AddShortcut(k.shortcut(), func(fyne.Shortcut) { m.press(k) })
			}
		}
	}
}

// press runs the command of a chord, and tells whether there is one.
func (m *menus) press(k chord) bool {
	c := m.has(k)
	if c != nil {
		c.invoke(m.wb)
	}
	return c != nil
}

// typedKey handles keys that no focused widget takes.
func (m *menus) typedKey(e *fyne.KeyEvent) {
	guard.Do("the key "+string(e.Name), func() { m.keyTyped(e) })
}

func (m *menus) keyTyped(e *fyne.KeyEvent) {
	if m.wb.Shell.Key(e.Name) || m.wb.Shell.Modal() {
		return
	}
	mod := fyne.KeyModifier(0)
	if rows.ShiftHeld() {
		mod = shift
	}
	if m.press(chord{e.Name, mod}) {
		return
	}
	if e.Name == fyne.KeyEscape && m.wb.current != nil && m.wb.current.Preview != nil {
		m.wb.current.Preview.Decide(m.wb.current.Document, false)
		return
	}
	if e.Name == fyne.KeyEscape && m.wb.current != nil {
		m.wb.current.hex.Clear()
	}
}

// askCommand is the command palette.
func (m *menus) askCommand() { m.pick("Commands", "Run", func(c *command) { c.invoke(m.wb) }) }

// pick lists the commands with their keys, and calls do with the chosen one.
func (m *menus) pick(title, verb string, do func(*command)) {
	var lines []string
	var list []*command
	for _, c := range m.commands {
		if c.name != "" {
			list = append(list, c)
			lines = append(lines, strings.TrimSpace(c.menu+": "+c.label+"   "+c.keyText()))
		}
	}
	m.wb.Pick(title, verb, lines, func(i int) { do(list[i]) })
}

package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// prefKeys are the user's keys: a line per command, "save-all=Ctrl+Alt+S"; nothing after = means no key.
const prefKeys = "keys"

// modifiers are the modifier keys, in the order in which they are named.
var modifiers = []struct {
	mod  fyne.KeyModifier
	name string
}{{ctrl, "Ctrl"}, {alt, "Alt"}, {shift, "Shift"}}

// keyNames are keys whose Fyne names differ from those on keyboards.
var keyNames = map[fyne.KeyName]string{fyne.KeyPageUp: "PgUp", fyne.KeyPageDown: "PgDn", fyne.KeyReturn: "Enter"}

// typable are the keys that a command can have besides letters, digits and signs.
var typable = []fyne.KeyName{fyne.KeyF1, fyne.KeyF2, fyne.KeyF3, fyne.KeyF4, fyne.KeyF5, fyne.KeyF6, fyne.KeyF7, fyne.KeyF8, fyne.KeyF9, fyne.KeyF10, fyne.KeyF11, fyne.KeyF12,
	fyne.KeyInsert, fyne.KeyPageUp, fyne.KeyPageDown, fyne.KeyReturn, fyne.KeyTab, fyne.KeyLeft, fyne.KeyRight, fyne.KeyUp, fyne.KeyDown, fyne.KeyHome, fyne.KeyEnd}

// text names the keys of a chord: Ctrl+Shift+G.
func (k chord) text() string {
	if k.key == "" {
		return ""
	}
	var parts []string
	for _, m := range modifiers {
		if k.mod&m.mod != 0 {
			parts = append(parts, m.name)
		}
	}
	key := string(k.key)
	if name := keyNames[k.key]; name != "" {
		key = name
	}
	return strings.Join(append(parts, key), "+")
}

// parseChord parses the result of text. A letter or sign alone is an error, because it is typed.
func parseChord(s string) (k chord, err error) {
	rest := strings.TrimSpace(s)
	if rest == "" {
		return k, nil
	}
	for cut := true; cut; {
		cut = false
		for _, m := range modifiers {
			if n := len(m.name) + 1; len(rest) > n && strings.EqualFold(rest[:n], m.name+"+") {
				rest, k.mod, cut = rest[n:], k.mod|m.mod, true
			}
		}
	}
	named := slices.IndexFunc(typable, func(n fyne.KeyName) bool {
		return strings.EqualFold(rest, string(n)) || strings.EqualFold(rest, keyNames[n])
	})
	switch {
	case named >= 0:
		k.key = typable[named]
	case len(rest) != 1 || rest[0] <= ' ' || rest[0] > '~':
		return k, fmt.Errorf("%q is not a key: type one like Ctrl+Shift+K, Alt+PgDn or F9", s)
	default:
		k.key = fyne.KeyName(strings.ToUpper(rest))
	}
	function := strings.HasPrefix(string(k.key), "F") && len(k.key) > 1 || k.key == fyne.KeyInsert
	if k.mod&^shift == 0 && !function {
		return k, fmt.Errorf("%s alone types text or moves the selection: add Ctrl or Alt", s)
	}
	return k, nil
}

// reserved is the function of a chord that belongs to no command: "" for none.
func (m *menus) reserved(k chord) string {
	if k.mod == alt && m.shown != nil {
		for _, menu := range m.shown.Items {
			if string(k.key) == menu.Label[:1] {
				return "opens the menu " + menu.Label
			}
		}
	}
	if k.mod == ctrl && strings.Contains("ACVX", string(k.key)) {
		return "selects, copies, cuts or pastes"
	}
	return ""
}

// has is the command of a chord, or nil.
func (m *menus) has(k chord) *command {
	for _, c := range m.commands {
		if c.name != "" && k.key != "" && (c.chord() == k || slices.Contains(c.also, k)) {
			return c
		}
	}
	return nil
}

func (c *command) chord() chord { return chord{c.key, c.mod} }

// chosen are the user's keys, by command name.
func (m *menus) chosen() map[string]string {
	out := map[string]string{}
	for _, line := range m.wb.prefs.StringList(prefKeys) {
		if name, keys, ok := strings.Cut(line, "="); ok {
			out[name] = keys
		}
	}
	return out
}

// choose gives commands the user's keys. Unknown entries, from another version, are ignored.
func (m *menus) choose() {
	chosen := m.chosen()
	for _, c := range m.commands {
		c.usual = c.chord()
		if text, ok := chosen[c.name]; ok {
			if k, err := parseChord(text); err == nil {
				c.key, c.mod = k.key, k.mod
			}
		}
	}
}

// askKeys asks for a new key for a command.
func (m *menus) askKeys() { m.pick("Change the key of a command", "Choose", m.askKey) }

func (m *menus) askKey(c *command) {
	hint := "Type a key like Ctrl+Shift+K, Alt+PgDn or F9, or leave it empty for none."
	if c.usual.key != "" {
		hint += " The default is " + c.usual.text() + "."
	}
	m.wb.Ask("The key of “"+c.title()+"”", "Set", hint, c.keyText(), func(text string, done func(error)) {
		done(m.setKey(c, text))
	})
}

// setKey sets and stores the key of a command. An error says which command has it already.
func (m *menus) setKey(c *command, text string) error {
	k, err := parseChord(text)
	if err != nil {
		return err
	}
	if does := m.reserved(k); does != "" {
		return fmt.Errorf("%s %s", k.text(), does)
	}
	if other := m.has(k); other != nil && other != c {
		return fmt.Errorf("%s is already the key of “%s”: change that one first", k.text(), other.title())
	}
	c.key, c.mod = k.key, k.mod
	chosen := m.chosen()
	if chosen[c.name] = k.text(); k == c.usual {
		delete(chosen, c.name)
	}
	m.wb.prefs.SetStringList(prefKeys, model.Map(slices.Sorted(maps.Keys(chosen)), func(name string) string { return name + "=" + chosen[name] }))
	if m.win != nil {
		m.place(m.win)
	}
	return nil
}

package ui

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// Keys are read as they are written, and a letter alone is none.
func TestChords(t *testing.T) {
	for text, want := range map[string]chord{"": {}, "Ctrl+Shift+G": {fyne.KeyG, ctrl | shift}, " alt+pgdn": {fyne.KeyPageDown, alt}, "F9": {fyne.KeyF9, 0}, "Shift+F8": {fyne.KeyF8, shift},
		"Ctrl+=": {fyne.KeyEqual, ctrl}, "Ctrl++": {fyne.KeyPlus, ctrl}, "ctrl+enter": {fyne.KeyReturn, ctrl}, "Insert": {fyne.KeyInsert, 0}, "Ctrl+Alt+Tab": {fyne.KeyTab, ctrl | alt}} {
		if k, err := parseChord(text); err != nil || k != want {
			t.Errorf("%q is %v, %v", text, k, err)
		}
		if k, err := parseChord(want.text()); err != nil || k != want {
			t.Errorf("%v is written as %q and read as %v, %v", want, want.text(), k, err)
		}
	}
	for _, text := range []string{"k", "Shift+K", "Enter", "Ctrl+", "Ctrl+KK", "Ctrl+ä", "Hyper+K", "F13"} {
		if k, err := parseChord(text); err == nil {
			t.Errorf("%q is taken as %v", text, k)
		}
	}
	wb, _ := newBench(t, toyFile(t, 1))
	for _, c := range wb.menus.commands {
		if k, err := parseChord(c.keyText()); err != nil || k != c.chord() {
			t.Errorf("%s has %s, which is read as %v: %v", c.name, c.keyText(), k, err)
		}
	}
}

// A command gets another key, which the next start has too; a key that is taken is refused, and the usual one is not kept as a choice.
func TestChangeKeys(t *testing.T) {
	b, _ := newBench(t, toyFile(t, 10))
	m := b.menus
	check := m.find("check")
	for _, bad := range []string{"Ctrl+O", "Ctrl+Shift+=", "k", "Ctrl+C"} {
		if err := m.setKey(check, bad); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	if err := m.setKey(check, "F9"); err != nil || check.keyText() != "F9" || m.has(chord{fyne.KeyF9, 0}) != check {
		t.Fatal(err, check.keyText())
	}
	if err := m.setKey(m.find("undo"), ""); err != nil {
		t.Fatal(err)
	}
	m.take(commandList(m))
	check = m.find("check")
	if check.keyText() != "F9" || m.find("undo").keyText() != "" || check.usual.key != "" {
		t.Error("the next start has other keys")
	}
	if err := m.setKey(m.find("undo"), "Ctrl+Z"); err != nil {
		t.Fatal(err)
	}
	if kept := b.prefs.StringList(prefKeys); !slices.Equal(kept, []string{"check=F9"}) {
		t.Error(strings.Join(kept, ", "))
	}
	b.prefs.SetStringList(prefKeys, []string{"check=Hyper+9", "gone=F9", "nothing"})
	if m.take(commandList(m)); m.find("check").keyText() != "" {
		t.Error("a key that cannot be read is taken")
	}
}

func (m *menus) find(name string) *command {
	return m.commands[slices.IndexFunc(m.commands, func(c *command) bool { return c.name == name })]
}

// TestMenusFit: every menu of the bar fits a window of 700, because the arrow keys do not scroll one; and each opens with a letter of its own.
func TestMenusFit(t *testing.T) {
	wb, _ := newBench(t, toyFile(t, 1))
	letters := map[byte]string{}
	for _, menu := range wb.menus.bar().Items {
		if height := widget.NewMenu(menu).MinSize().Height; height > 700-30 {
			t.Errorf("%s is %v high", menu.Label, height)
		}
		if other := letters[menu.Label[0]]; other != "" {
			t.Errorf("%s and %s open with the same key", menu.Label, other)
		}
		letters[menu.Label[0]] = menu.Label
	}
}

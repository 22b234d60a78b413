package ui

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// page shows a text to read, in Markdown.
func (m *menus) page(title, markdown string) {
	text := widget.NewRichTextFromMarkdown(markdown)
	text.Wrapping = fyne.TextWrapWord
	m.wb.Shell.Box(title, container.NewVScroll(text), fyne.NewSize(760, 620), "Close", nil)
}

// showKeys lists every key, by menu.
func (m *menus) showKeys() {
	var b strings.Builder
	b.WriteString("Alt with the first letter of a menu opens it, F10 the first one. Arrows move in menus, lists and tables; the Menu key opens what the right button does.\n")
	menu := ""
	for _, c := range m.commands {
		if c.key == "" {
			continue
		}
		if c.menu != menu {
			menu = c.menu
			fmt.Fprintf(&b, "\n## %s\n\n", menu)
		}
		fmt.Fprintf(&b, "- **%s**  %s\n", c.keyText(), strings.TrimSuffix(c.label, "…"))
	}
	b.WriteString("\n## Panes\n\n- **Tab**  from the digits to the text of the bytes, and back\n- **Shift+Right**  open all below a field\n- **Backspace**  to the field around it\n- **Esc**  select nothing\n")
	m.page("Keys", b.String())
}

// showFormats says of each format what it is.
func (m *menus) showFormats() {
	var b strings.Builder
	for _, f := range m.wb.formats {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n%s\n\n", f.Title, strings.Join(f.Exts, "  "), f.Doc)
	}
	m.page("Formats", b.String())
}

// showRules lists what must hold in a file of the document's format, and why.
func (m *menus) showRules(d *tab) {
	var b strings.Builder
	for _, r := range d.Model.Format.Rules.All() {
		fmt.Fprintf(&b, "**%s** (%v, %s)\n\n%s\n\n", r.Title, r.Severity, r.ID, r.Doc)
	}
	m.page("What must hold in a file of "+d.Model.Format.Title, b.String())
}

func (m *menus) about() {
	var names []string
	for _, f := range m.wb.formats {
		names = append(names, f.Title)
	}
	m.wb.Tell("Spandrel "+m.wb.version, "Shows every byte of a data file as what it is, says why one is broken, and repairs it.\nFormats: "+strings.Join(names, ", ")+".")
}

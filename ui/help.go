package ui

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/kit"
)

// page shows a text in Markdown.
func (m *menus) page(title, markdown string) {
	text := widget.NewRichTextFromMarkdown(markdown)
	text.Wrapping = fyne.TextWrapWord
	m.wb.Shell.Box(title, container.NewVScroll(text), fyne.NewSize(760, 620), "Close", nil)
}

// showKeys lists every key, by menu.
func (m *menus) showKeys() {
	var b strings.Builder
	b.WriteString("Alt with the first letter of a menu opens it, F10 opens the first one. Arrow keys move in menus, lists and tables; the Menu key opens the context menu.\n")
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
	b.WriteString("\n## Panes\n\n- **Tab**  switch between the digits and the text of the bytes\n- **Shift+Right**  expand a field and everything below it\n- **Backspace**  go to the enclosing field\n- **Esc**  clear the selection\n")
	m.page("Keys", b.String())
}

// showFormats describes each format.
func (m *menus) showFormats() {
	var b strings.Builder
	for _, f := range m.wb.formats {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n%s\n\n", f.Title, strings.Join(f.Exts, "  "), f.Doc)
	}
	m.page("Formats", b.String())
}

// showRules lists the rules of the document's format, with their reasons.
func (m *menus) showRules(d *tab) {
	var b strings.Builder
	for _, r := range d.Model.Format.Rules.All() {
		fmt.Fprintf(&b, "**%s** (%v, %s)\n\n%s\n\n", kit.Sentence(r.Title), r.Severity, r.ID, r.Doc)
	}
	m.page("Rules for files of "+d.Model.Format.Title, b.String())
}

func (m *menus) about() {
	names := model.Map(m.wb.formats, func(f *model.Format) string { return f.Title })
	m.wb.Tell("Spandrel "+m.wb.version, "Shows what every byte of a data file means, finds out why a file is broken, and repairs it.\nFormats: "+strings.Join(names, ", ")+".")
}

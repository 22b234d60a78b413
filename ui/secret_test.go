package ui

import (
	"errors"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/kit"
)

// TestGiveSecret opens a file that asks for a key: the bar offers to give it, a wrong form is refused, and the right one is
// used at once, hides the bar, and is kept nowhere.
func TestGiveSecret(t *testing.T) {
	key := &model.Secret{Name: "TEST_KEY", Label: "Give the key…", Doc: "Four letters.", Check: func(s string) error {
		if len(s) != 4 {
			return errors.New("a key has four letters")
		}
		return nil
	}}
	rule := &model.Rule{ID: "toy.key", Title: "encrypted", Severity: model.Note}
	sealed := *toy
	sealed.Tables = nil
	sealed.Secrets = []*model.Secret{key}
	sealed.Parse = func(c *model.Cursor) {
		magic := c.Field(toyMagic)
		if key.Value() != "open" {
			c.Report(model.Finding{Rule: rule, Span: magic.Span, Needs: key})
			return
		}
		c.Field(toyCount)
	}
	b, plain := newWindowBench(t, toyFile(t, 4))
	b.close(plain)
	b.formats = []*model.Format{&sealed}
	b.files.show(toyFile(t, 5))
	b.settle(t)
	d := b.current
	bar := d.Panes[len(d.Panes)-1].(*secretBar)
	if !bar.object.Visible() || bar.give.Text != "Give the key…" || d.Tree().Root.Get("count") != nil {
		t.Fatal("the bar does not ask for the key")
	}
	if text := b.status.problem.Text; d.Check.Complete() || !strings.Contains(text, "without a key") {
		t.Errorf("the status bar says %q of a file that was not decrypted", text)
	}
	if text := d.table.Blank(); !strings.Contains(text, "without the key") {
		t.Errorf("the table says %q of a file that was not decrypted", text)
	}
	bar.give.OnTapped()
	entry := b.win.Canvas().Focused().(*kit.Entry)
	if !entry.Password {
		t.Error("the key is shown as it is typed")
	}
	entry.SetText("no")
	if b.press(fyne.KeyReturn); !b.Shell.Modal() || key.Value() != "" {
		t.Error("taken although it cannot be a key")
	}
	entry.SetText("open")
	b.press(fyne.KeyReturn)
	b.settle(t)
	if b.Shell.Modal() || bar.object.Visible() || d.Tree().Root.Get("count") == nil || len(d.Found.All) != 0 {
		t.Error("the key does not open the file")
	}
	b.prefs.keepOpen()
	for _, k := range []string{"open", "recent"} {
		if list := b.App.Preferences().StringList(k); len(list) == 0 || strings.Contains(strings.Join(list, "\n"), "open") {
			t.Errorf("the files of %s are %q", k, list)
		}
	}
	if strings.Contains(b.Line.Said, "open") {
		t.Errorf("said: %q", b.Line.Said)
	}
	for _, k := range []string{"open", "recent", "current", "theme"} {
		if v := b.App.Preferences().String(k); strings.Contains(v, "open") && k != "current" {
			t.Errorf("preference %s holds %q", k, v)
		}
	}
}

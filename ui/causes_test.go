package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/parsers"
)

// A broken file opens on what happened to it: the cause comes first with its repair, what it explains is folded below it, and the
// repair is an ordinary step that can be undone.
func TestCauseComesFirst(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../testdata/taridx/bad/022-n-rows")); err != nil {
		t.Fatal(err)
	}
	b, toyDoc := newWindowBench(t, toyFile(t, 1))
	b.formats, b.causeTime = parsers.All(), causeTime
	b.close(toyDoc.Document)
	b.files.show(filepath.Join(dir, "train.taridx"))
	b.settle(t)
	d := sidesOf(b.current)
	p := d.problem
	if len(d.causes.list) == 0 || p.line(0).cause != d.causes.list[0] {
		t.Fatalf("%d causes, the first row is %+v", len(d.causes.list), p.line(0))
	}
	if p.Grid.Current != 0 || p.fixes.cause == nil || d.sel.now.Span.Path() != "header/n_rows" {
		t.Errorf("row %d is chosen, %q selected", p.Grid.Current, d.sel.now.Span.Path())
	}
	if !strings.Contains(d.head.what.Text, d.causes.list[0].Text) || d.head.advice.Hidden {
		t.Errorf("the headline says %q", d.head.what.Text)
	}
	folded := p.Count()
	p.Key(fyne.KeyRight, 0)
	if p.Count() <= folded {
		t.Error("what the cause explains is not listed when it is opened")
	}
	p.Key(fyne.KeyLeft, 0)
	if p.Count() != folded {
		t.Error("closing the cause leaves its findings")
	}
	b.menus.run("preview")
	b.settle(t)
	b.press(fyne.KeyReturn)
	b.settle(t)
	if n := d.found.counts(); n[1] != 0 || !d.editor.dirty || len(d.causes.list) != 0 {
		t.Errorf("after the repair: %v findings, %d causes", n, len(d.causes.list))
	}
	d.editor.undo()
	b.settle(t)
	if len(d.causes.list) == 0 {
		t.Error("undo brings the damage back and not its cause")
	}
}

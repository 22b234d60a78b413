package ui

import (
	"testing"

	"spandrel/ui/kit"
)

// A copied stack trace is explained, with a document and without; then the problem that it is about is shown.
func TestExplainCopied(t *testing.T) {
	b, d := sampleBench(t, "npy/bad/003-cut.npy")
	shell := kit.NewWindowShell(b.Host, b.win)
	b.Shell = shell
	d.problem.Grid.Current = -1
	for _, c := range []struct {
		copied string
		on     *tab
		button int
	}{
		{"nothing that a reader says", d, 0},
		{"Traceback\n  File \"x.py\"\nValueError: mmap length is greater than file size\n", nil, 0},
		{"Object arrays cannot be loaded when allow_pickle=False", d, 0},
		{"Traceback\n  File \"x.py\"\nValueError: Failed to read all data for array. Expected (2, 3) = 6 elements, could only read 3 elements.", d, 1},
	} {
		if d.problem.Grid.Current >= 0 {
			t.Errorf("row %d is chosen before %q", d.problem.Grid.Current, c.copied)
		}
		b.App.Clipboard().SetContent(c.copied)
		b.explain(c.on)
		b.settle(t)
		if len(shell.Boxes) != 1 {
			t.Fatalf("%q: %d boxes", c.copied, len(shell.Boxes))
		}
		if shell.Boxes[0].Press(c.button); len(shell.Boxes) != 0 {
			t.Fatalf("%q: the box stays", c.copied)
		}
	}
	if l := d.problem.Line(d.problem.Grid.Current); l.Found == nil || l.Found.Rule.ID != "NPY-003" {
		t.Errorf("%+v is chosen", l)
	}
}

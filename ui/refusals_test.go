package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
)

// Why each format refused a file is shown to who asks: neither the rows of the problems nor the details say it before.
func TestRefusalsWait(t *testing.T) {
	b := emptyBench(t)
	path := filepath.Join(t.TempDir(), "weights.h5")
	if err := os.WriteFile(path, []byte("\x89HDF\r\n\x1a\n"+strings.Repeat("\x00", 4000)), 0o600); err != nil {
		t.Fatal(err)
	}
	d := b.open(t, path)
	b.settle(t)
	said := func() (all string, last int64) {
		p := d.problem
		for _, x := range p.Items {
			for _, c := range x.Cells {
				all += c.Text + "\n"
			}
		}
		for _, f := range d.info.Facts {
			all += f.Label + ": " + f.Text + "\n"
		}
		for i, l := range p.Items {
			if l.Fold == "refusals" {
				last = int64(i)
			}
		}
		return all, last
	}
	refusal := d.Declined()[0]
	all, row := said()
	if strings.Contains(all, refusal.Reason) || !strings.Contains(all, "Show why each format rejected it") {
		t.Errorf("before it was asked for: %s", all)
	}
	d.problem.Choose(row)
	d.problem.Key(fyne.KeyRight, 0)
	b.settle(t)
	if all, _ = said(); !strings.Contains(all, refusal.Format.Name+": "+refusal.Reason) {
		t.Errorf("%s does not say %q", all, refusal.Reason)
	}
}

package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/ui/bench"
	"spandrel/ui/doc"
)

// What follows the end of a file is said where it is told that something does: here the file a second time.
func TestSurplusIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "twice.idv")
	b, err := os.ReadFile(bench.CopySample(t, "idv/good/deflated.idv"))
	if err == nil {
		err = os.WriteFile(path, append(b, b...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	w := emptyBench(t)
	w.causeTime = doc.CauseTime
	d := w.open(t, path)
	const says = "a second copy of the file begins there"
	if !strings.Contains(d.head.What.Text, says) {
		t.Errorf("the headline says %q", d.head.What.Text)
	}
	if line, _ := d.problem.Cells(0); !strings.Contains(line[0].Text, says) {
		t.Errorf("the list says %q", line[0].Text)
	}
}

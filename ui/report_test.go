package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/ui/doc"
)

// A report and the smallest file with the same problems are written from the window, of what the disk holds, and it says so.
func TestReportAndSlice(t *testing.T) {
	b, d := sampleBench(t, "taridx/bad/022-n-rows", "train.taridx")
	dir := filepath.Dir(d.Model.Path)
	page, small := filepath.Join(dir, "page.html"), filepath.Join(dir, "small")
	b.tool(d, "report", page, nil)
	b.settle(t)
	raw, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(raw), "n_rows") || !strings.Contains(b.Line.Said, "page.html is written") {
		t.Errorf("%v; said %q", err, b.Line.Said)
	}
	d.Editor.SetLocked(false)
	d.Editor.SetValue(d.Tree().Root.Get("header").Get("minor"), model.U(1), nil)
	b.settle(t)
	b.tool(d, "slice", small, nil)
	b.settle(t)
	if !strings.Contains(b.Line.Said, "show the same problems") || !strings.HasSuffix(b.Line.Said, "it does not include unsaved edits") {
		t.Errorf("said %q", b.Line.Said)
	}
	if list, err := os.ReadDir(small); err != nil || len(list) == 0 {
		t.Errorf("%v, %v", list, err)
	}
	b.tool(d, "slice", filepath.Join(page, "small"), nil)
	b.settle(t)
	if !b.Shell.Modal() || !hasProblems(d) {
		t.Error("that it cannot be written is not said")
	}
}

// Of a file whose end is missing what is left is offered to be saved, as a new document; what that holds is said.
func TestSaveWhatIsLeft(t *testing.T) {
	raw, err := os.ReadFile("../testdata/idv/good/deflated.idv")
	if err != nil {
		t.Fatal(err)
	}
	from := filepath.Join(t.TempDir(), "cut.idv")
	if err := os.WriteFile(from, raw[:len(raw)-351], 0o600); err != nil {
		t.Fatal(err)
	}
	b := emptyBench(t)
	b.causeTime = doc.CauseTime
	d := b.open(t, from)
	b.settle(t)
	if len(d.Causes.Now()) == 0 || d.head.Advice.Hidden || !slices.ContainsFunc(d.Causes.Advice(d.Causes.Now()[0]), func(a doc.Advice) bool { return a.Label == "Save intact data (20 of 20 columns, 8 of 8 rows)…" }) {
		t.Fatalf("%q [%s]", d.head.What.Text, d.head.Advice.Text)
	}
	to := filepath.Join(filepath.Dir(from), "saved.idv")
	said := ""
	b.tool(d, "salvage", to, func(s string) { said = s })
	b.settle(t)
	if !strings.Contains(said, "8 of 8 rows") || !strings.Contains(said, "no errors (full check)") {
		t.Errorf("said %q", said)
	}
	if saved := b.open(t, to); saved.Found.Counts()[model.Error] != 0 || doc.Salvageable(saved.Document) || saved.table.Table.Rows != 8 {
		t.Error("what was saved is not whole")
	}
	if after, err := os.ReadFile(from); err != nil || string(after) != string(raw[:len(raw)-351]) {
		t.Error("the damaged file was changed")
	}
}

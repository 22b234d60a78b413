package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
)

// A report and the smallest file with the same problems are written from the window, of what the disk holds, and it says so.
func TestReportAndSlice(t *testing.T) {
	b, d := sampleBench(t, "taridx/bad/022-n-rows", "train.taridx")
	dir := filepath.Dir(d.Model.Path)
	page, small := filepath.Join(dir, "page.html"), filepath.Join(dir, "small")
	d.tool("report", page)
	b.settle(t)
	raw, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(raw), "n_rows") || !strings.Contains(b.status.said, "page.html is written") {
		t.Errorf("%v; said %q", err, b.status.said)
	}
	d.editor.setLocked(false)
	d.editor.setValue(d.Tree().Root.Get("header").Get("minor"), model.U(1), nil)
	b.settle(t)
	d.tool("slice", small)
	b.settle(t)
	if !strings.Contains(b.status.said, "show the same problems") || !strings.HasSuffix(b.status.said, "edits that are not saved are not in it") {
		t.Errorf("said %q", b.status.said)
	}
	if list, err := os.ReadDir(small); err != nil || len(list) == 0 {
		t.Errorf("%v, %v", list, err)
	}
	d.tool("slice", filepath.Join(page, "small"))
	b.settle(t)
	if !b.shell.modal() || !hasProblems(d) {
		t.Error("that it cannot be written is not said")
	}
}

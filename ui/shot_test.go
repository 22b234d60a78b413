package ui

import (
	"bytes"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"spandrel/model"
	"spandrel/parsers"
	"spandrel/ui/headless"
)

// A damaged file can be drawn without a window, with the rows after its repair.
func TestShotOfDamagedFile(t *testing.T) {
	var b bytes.Buffer
	if err := shot(test.NewTempApp(t), parsers.All(), "../testdata/taridx/bad/054-cut/train.taridx", headless.ShotOptions{Width: 1024, Height: 700, Pane: "table"}, &b); err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(&b); err != nil {
		t.Error(err)
	}
}

// A file that could not be read whole is not drawn: the command fails as others do, and leaves what was there.
func TestShotOfUnreadFile(t *testing.T) {
	a, path := test.NewTempApp(t), toyFile(t, 50)
	changing := *toy
	changing.Parse = func(c *model.Cursor) {
		toy.Parse(c)
		if err := os.Truncate(path, 100); err != nil {
			t.Error(err)
		}
	}
	out := filepath.Join(t.TempDir(), "old.png")
	if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	var printed, said bytes.Buffer
	env := headless.Env{Formats: []*model.Format{&changing}, Out: &printed, Err: &said, Shot: func(path string, _ headless.ShotOptions, w io.Writer) error {
		return shot(a, []*model.Format{&changing}, path, headless.ShotOptions{}, w)
	}}
	if status := headless.Run(env, []string{"shot", path, "-o", out}); status != headless.Failed || !strings.HasPrefix(said.String(), "spandrel: "+path+": another program changed") ||
		strings.Count(said.String(), "\n") != 1 || printed.Len() > 0 {
		t.Errorf("status %d, said %q, printed %q", status, said.String(), printed.String())
	}
	if b, err := os.ReadFile(out); string(b) != "old" {
		t.Errorf("%q was written, %v", b, err)
	}
}

package ui

import (
	"bytes"
	"image/png"
	"testing"

	"fyne.io/fyne/v2/test"

	"spandrel/parsers"
)

// A damaged file can be drawn without a window, with the rows after its repair.
func TestShotOfDamagedFile(t *testing.T) {
	var b bytes.Buffer
	if err := shot(test.NewTempApp(t), parsers.All(), "../testdata/taridx/bad/054-cut/train.taridx", ShotOptions{Width: 1024, Height: 700, Pane: "table"}, &b); err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(&b); err != nil {
		t.Error(err)
	}
}

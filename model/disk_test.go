package model

import (
	"path/filepath"
	"strings"
	"testing"
)

// The error of a file that cannot be created is about its folder: its name is made up.
func TestCreateBesideNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nowhere")
	if _, err := CreateBeside(filepath.Join(dir, "x")); err == nil || !strings.HasPrefix(err.Error(), "no file can be created in "+dir+": ") || strings.Contains(err.Error(), ".spandrel") {
		t.Error(err)
	}
}

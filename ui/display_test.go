package ui

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestNoDisplay(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no such variables")
	}
	dir := t.TempDir()
	for name, value := range map[string]string{"DISPLAY": "", "WAYLAND_DISPLAY": "", "XDG_RUNTIME_DIR": dir} {
		t.Setenv(name, value)
	}
	if NoDisplay() == "" {
		t.Error("without a display nothing is said")
	}
	if err := os.WriteFile(filepath.Join(dir, "wayland-0"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if why := NoDisplay(); why != "" {
		t.Errorf("with Wayland's default: %s", why)
	}
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("DISPLAY", ":3")
	if why := NoDisplay(); why != "" {
		t.Errorf("with X11: %s", why)
	}
}

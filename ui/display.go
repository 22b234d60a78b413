package ui

import (
	"os"
	"path/filepath"
	"runtime"
)

// NoDisplay returns why no window can be opened here, as a sentence that says what to do; "" if one can.
func NoDisplay() string {
	if runtime.GOOS != "linux" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "" {
		return ""
	}
	if _, err := os.Stat(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "wayland-0")); err == nil && os.Getenv("XDG_RUNTIME_DIR") != "" {
		return "" // where Wayland looks when nothing is set
	}
	return "There is no display for a window. Use the commands, such as “spandrel check FILE”; “spandrel help” lists them."
}

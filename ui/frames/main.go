// Command frames measures how long a frame of the window takes on a display: with no argument on a sparse file of 3.2 GB that
// no format knows. `xvfb-run -s "-screen 0 1920x1200x24" go run -tags migrated_fynedo,no_emoji ./ui/frames` measures software OpenGL.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"spandrel/parsers"
	"spandrel/ui"
)

func main() {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("spandrel-frames-%d", os.Getpid()))
	if len(os.Args) > 1 {
		path = os.Args[1]
	} else {
		if err := os.WriteFile(path, []byte("frames"), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		defer os.Remove(path)
		if err := os.Truncate(path, 3_200_000_000); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	ui.Measure(parsers.All(), path, os.Stdout)
}

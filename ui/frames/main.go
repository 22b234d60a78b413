// Command frames measures how long a frame of the window takes on a display: with no argument on a sparse file of 3.2 GB that
// no format knows, and then how long the window is busy at a time while an index of a shard of 1 GiB is checked, scrolled, edited and
// saved at once; the first argument is another file to scroll, the second one to check, edit and save. `xvfb-run -s "-screen 0 1920x1200x24" go run -tags migrated_fynedo,no_emoji ./ui/frames` measures software OpenGL.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"spandrel/parsers"
	"spandrel/ui"
)

func main() {
	if len(os.Args) > 1 {
		ui.Measure(parsers.All(), os.Args[1], strings.Join(os.Args[2:], ""), nil, nil, os.Stdout)
		return
	}
	dir, err := os.MkdirTemp("", "spandrel-frames")
	if err == nil {
		defer os.RemoveAll(dir)
		err = measure(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// members is how many the shard has that is checked: 1 GiB.
const members = 1 << 20

func measure(dir string) error {
	path := filepath.Join(dir, "sparse")
	if err := os.WriteFile(path, []byte("frames"), 0o600); err != nil {
		return err
	}
	if err := os.Truncate(path, 3_200_000_000); err != nil {
		return err
	}
	index, err := largeIndex(dir, members)
	if err != nil {
		return err
	}
	many, err := manySamples(filepath.Join(dir, "many"), 200)
	if err != nil {
		return err
	}
	crowds, err := crowdedSamples(filepath.Join(dir, "crowds"), 100_000)
	if err != nil {
		return err
	}
	ui.Measure(parsers.All(), path, index, many, crowds, os.Stdout)
	return nil
}

//go:build !headless

// Command spandrel opens binary data files of machine-learning tools and shows what every byte means. With the name of a command as its first argument it
// works without a display.
package main

import (
	"fmt"
	"io"
	"os"

	"spandrel/assets"
	"spandrel/parsers"
	"spandrel/ui"
	"spandrel/ui/headless"
)

func main() {
	formats, args := parsers.All(), os.Args[1:]
	if len(args) == 0 || !headless.Known(args[0]) {
		if len(args) > 0 && args[0] == "--new-window" {
			args = args[1:]
		} else if ui.HandOver(args) {
			return
		}
		if why := ui.NoDisplay(); why != "" {
			fmt.Fprintln(os.Stderr, "spandrel:", why)
			os.Exit(headless.Failed)
		}
		cache()
		ui.Run(formats, version, args)
		return
	}
	shot := func(path string, o headless.ShotOptions, w io.Writer) error {
		cache()
		return ui.Shot(formats, path, o, w)
	}
	env := headless.Env{Formats: formats, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: version, Icon: assets.Icon.StaticContent, Shot: shot}
	os.Exit(headless.Run(env, args))
}

// cache creates the user's cache folder, which a new user may not have: Fyne creates its own folder in it, and prints errors if it cannot.
func cache() {
	if dir, err := os.UserCacheDir(); err == nil {
		os.MkdirAll(dir, 0o700)
	}
}

//go:build headless

// Command spandrel, without the window: it needs no display, no C compiler and no system library.
package main

import (
	"fmt"
	"os"

	"spandrel/parsers"
	"spandrel/ui/headless"
)

func main() {
	env := headless.Env{Formats: parsers.All(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: version}
	args := os.Args[1:]
	if len(args) > 0 && !headless.Known(args[0]) {
		fmt.Fprintf(os.Stderr, "spandrel: this build has no window: %q is not a command%s\n", args[0], headless.Meant(args[0]))
		os.Exit(headless.Failed)
	}
	os.Exit(headless.Run(env, args))
}

//go:build !windows

package headless

import "os"

// understands tells whether a terminal knows the sequences for colours and for the line of progress.
func understands(*os.File) bool { return true }

// expand returns the arguments unchanged: the shell has expanded patterns.
func expand(args []string) []string { return args }

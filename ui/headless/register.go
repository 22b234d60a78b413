package headless

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// register and unregister tell this user's desktop which files the program opens, and undo that. Default programs
// do not change: the program only joins the list of those that can open a file.
func register(_ *flag.FlagSet, c *call) func() (int, error)   { return desktop{c}.registering(true) }
func unregister(_ *flag.FlagSet, c *call) func() (int, error) { return desktop{c}.registering(false) }

// desktop is a call that changes the desktop's settings.
type desktop struct{ *call }

func (c desktop) registering(on bool) func() (int, error) {
	return func() (int, error) {
		if c.Icon == nil {
			return Failed, errors.New("this build has no window to open files in")
		}
		program, err := os.Executable()
		if err == nil {
			program, err = filepath.EvalSymlinks(program)
		}
		if err != nil {
			return Failed, err
		}
		if on {
			if err := c.registerFor(program); err != nil {
				return Failed, err
			}
			_, err = fmt.Fprintf(c.Out, "%s is now offered for the files of %d formats; spandrel unregister undoes this\n", program, len(c.Formats))
			return Done, err
		}
		if err := c.unregisterAll(); err != nil {
			return Failed, err
		}
		_, err = fmt.Fprintln(c.Out, "the program is no longer offered for files")
		return Done, err
	}
}

//go:build !linux

// Package askfolder asks for a folder with the system's dialog.
package askfolder

import "github.com/sqweek/dialog"

// From returns the folder that somebody chooses in a dialog that begins in a folder, or dialog.ErrCancelled.
func From(start, title string) (string, error) {
	return dialog.Directory().Title(title).SetStartDir(start).Browse()
}

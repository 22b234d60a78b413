//go:build !linux

// Package askpath asks for a file or a folder with the system's dialog.
package askpath

import "github.com/sqweek/dialog"

// Colours does nothing: dialogs have the colours of the system.
func Colours(dark bool) {}

// Folder returns the folder chosen in a dialog that starts in a folder, or dialog.ErrCancelled.
func Folder(start, title string) (string, error) {
	return dialog.Directory().Title(title).SetStartDir(start).Browse()
}

// File returns the file chosen in a dialog that starts in a folder and lists the files of a kind, the first one unless
// the user picks another; or dialog.ErrCancelled.
func File(start, title string, kinds []Kind) (string, error) {
	b := dialog.File().Title(title).SetStartDir(start)
	for _, k := range kinds {
		exts := k.Exts
		if len(exts) == 0 {
			exts = []string{"*"}
		}
		b = b.Filter(k.Label(), exts...)
	}
	return b.Load()
}

// Package linux holds what a desktop of freedesktop.org has to know of the program.
package linux

import _ "embed"

// Entry is the entry of the desktop, MIME the types of files.
var (
	//go:embed org.spandrel.Spandrel.desktop
	Entry string
	//go:embed org.spandrel.Spandrel.xml
	MIME string
)

// ID is the name of the program for desktops.
const ID = "org.spandrel.Spandrel"

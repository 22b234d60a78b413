// Package linux contains the files that register the program with a freedesktop.org desktop.
package linux

import _ "embed"

// Entry is the desktop entry, MIME the definition of the file types.
var (
	//go:embed org.spandrel.Spandrel.desktop
	Entry string
	//go:embed org.spandrel.Spandrel.xml
	MIME string
)

// ID is the application ID on the desktop.
const ID = "org.spandrel.Spandrel"

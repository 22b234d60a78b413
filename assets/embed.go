// Package assets holds the icon of the program.
package assets

import (
	_ "embed"

	"fyne.io/fyne/v2"
)

//go:embed Icon.png
var icon []byte

// Icon is the icon of the program.
var Icon = fyne.NewStaticResource("Icon.png", icon)

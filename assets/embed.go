// Package assets holds what the program carries with it: its icon and one small sample of each format.
package assets

import (
	_ "embed"

	"fyne.io/fyne/v2"
)

//go:embed Icon.png
var icon []byte

// Icon is the icon of the program.
var Icon = fyne.NewStaticResource("Icon.png", icon)

// SampleFile is a small file of a format.
type SampleFile struct {
	Name  string
	Bytes []byte
}

var samples = map[string]*SampleFile{}

// Sample returns the sample of a format, or nil.
func Sample(format string) *SampleFile { return samples[format] }

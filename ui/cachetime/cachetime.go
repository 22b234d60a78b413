// Package cachetime shortens how long Fyne keeps textures and widgets that are no longer drawn: with its default of a minute, opening and closing twenty documents
// in a row costs 200 MB. A screenshot is drawn once, when everything has been read: what was laid out before
// must still exist then, so the default stays. Fyne reads the environment when its packages are initialised, so this package imports
// only os: it is initialised before them.
package cachetime

import "os"

func init() {
	picture := len(os.Args) > 1 && os.Args[1] == "shot"
	if os.Getenv("FYNE_CACHE") == "" && !picture {
		os.Setenv("FYNE_CACHE", "2s")
	}
}

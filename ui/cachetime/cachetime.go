// Package cachetime shortens how long Fyne keeps textures and widgets that are no longer drawn: with its minute, twenty documents
// that are opened and closed in a row cost 200 MB. A picture is drawn once, when everything has been read: what was laid out before
// that has to be there still, so Fyne's minute stays. Fyne reads the environment when its packages start, so this one imports
// nothing but os: it starts before them.
package cachetime

import "os"

func init() {
	picture := len(os.Args) > 1 && os.Args[1] == "shot"
	if os.Getenv("FYNE_CACHE") == "" && !picture {
		os.Setenv("FYNE_CACHE", "2s")
	}
}

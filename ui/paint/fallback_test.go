package paint

import (
	"testing"

	"fyne.io/fyne/v2/test"
	"github.com/go-text/typesetting/fontscan"
)

// TestEveryCharacterShows draws characters that the program's fonts have, that only a system's fonts may have, and that none has.
func TestEveryCharacterShows(t *testing.T) {
	test.NewTempApp(t)
	fonts := systemFonts
	defer func() {
		systemFonts = fonts
		clear(atlases)
	}()
	for _, scale := range []float32{1, 2} {
		for _, system := range []bool{true, false} {
			systemFonts = fonts
			if !system {
				systemFonts = func() []fontscan.Footprint { return nil }
			}
			clear(atlases)
			a := AtlasAt(scale)
			for _, f := range []*Typeface{a.Text, a.Mono} {
				for _, r := range "Aé漢字かなカ한글😀🚀ᚠ\U0001f9ff\U000f1234\ue000" {
					g := f.Glyph(r)
					ink := 0
					for _, v := range g.mask.Pix {
						if v > 60 {
							ink++
						}
					}
					if ink < 4 || g.Advance < 3 {
						t.Errorf("scale %v, system fonts %v: U+%04X has %d dark pixels and is %d wide", scale, system, r, ink, g.Advance)
					}
					if g.off.Y < -f.Height-2 || g.off.Y+g.mask.Rect.Dy() > f.Height {
						t.Errorf("U+%04X reaches out of its line: %v of %v", r, g.off, g.mask.Rect)
					}
				}
				if f.Glyph('\ufe0f').Advance != 0 {
					t.Error("a variation selector takes room")
				}
			}
		}
	}
}

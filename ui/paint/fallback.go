package paint

import (
	"fmt"
	"image"
	"image/color"
	compose "image/draw"
	"os"
	"slices"
	"sync"

	gotext "github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/fontscan"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Characters that the program's own fonts lack, such as Chinese ones, come from fonts of the system. If those lack them too, the
// code point is drawn instead.

// systemFonts lists the fonts of the system, upright and regular ones first. Fyne has read their index by the time that a
// pane is drawn, and shares it.
var systemFonts = sync.OnceValue(func() []fontscan.Footprint {
	all, err := fontscan.SystemFonts(silent{}, "")
	if err != nil {
		return nil
	}
	all = slices.Clone(all)
	plain := func(f *fontscan.Footprint) int {
		n := 0
		if f.Aspect.Style == gotext.StyleItalic {
			n += 1000
		}
		return n + max(int(f.Aspect.Weight)-400, 400-int(f.Aspect.Weight))
	}
	slices.SortStableFunc(all, func(a, b fontscan.Footprint) int { return plain(&a) - plain(&b) })
	return all
})

// silent ignores log messages about unreadable fonts, because there are others.
type silent struct{}

func (silent) Printf(string, ...any) {}

// systemFaces are the system fonts needed so far, by location; nil for unusable ones.
var systemFaces = map[fontscan.Location]*opentype.Font{}

// systemFont returns a system font that draws a character, or nil.
func systemFont(r rune, buf *sfnt.Buffer) *opentype.Font {
	list := systemFonts()
	for i := range list {
		at := list[i].Location
		if !list[i].Runes.Contains(r) {
			continue
		}
		f, known := systemFaces[at]
		if !known {
			f = openFont(at)
			systemFaces[at] = f
		}
		if f == nil {
			continue
		}
		if n, err := f.GlyphIndex(buf, r); err == nil && n != 0 {
			return f
		}
	}
	return nil
}

// openFont opens a font in a file. The file stays open, because glyphs are read on demand.
func openFont(at fontscan.Location) *opentype.Font {
	file, err := os.Open(at.File)
	if err != nil {
		return nil
	}
	if all, err := opentype.ParseCollectionReaderAt(file); err == nil && int(at.Index) < all.NumFonts() {
		if f, err := all.Font(int(at.Index)); err == nil {
			return f
		}
	}
	file.Close()
	return nil
}

// codePoint draws the number of a character that no font has: its digits in two rows in a frame.
func (t *Typeface) codePoint(r rune) glyph {
	digits := fmt.Sprintf("%04X", r)
	if len(digits) == 5 {
		digits = "0" + digits
	}
	half := len(digits) / 2
	side := max(1, t.Height/16)
	face, err := opentype.NewFace(t.digits, &opentype.FaceOptions{Size: float64(t.Height) * 0.5, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return glyph{}
	}
	defer face.Close()
	adv, _ := face.GlyphAdvance('0')
	cw, ch := adv.Ceil(), t.Height/2
	w, h := half*cw+4*side, t.Height
	g := glyph{mask: image.NewAlpha(image.Rect(0, 0, w-side, h)), off: image.Pt(0, -t.Ascent), Advance: w}
	compose.Draw(g.mask, g.mask.Rect, image.NewUniform(color.Alpha{110}), image.Point{}, compose.Src)
	compose.Draw(g.mask, g.mask.Rect.Inset(side), image.Transparent, image.Point{}, compose.Src)
	for i, d := range digits {
		dot := fixed.P(2*side+i%half*cw, ch-2*side+i/half*(ch-side))
		if at, mask, from, _, ok := face.Glyph(dot, d); ok {
			compose.DrawMask(g.mask, at, image.Opaque, image.Point{}, mask, from, compose.Over)
		}
	}
	return g
}

package ui

import (
	"image"
	"image/color"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Limits of what an atlas keeps; above them it starts anew. A page needs far fewer.
const (
	maxGlyphs = 4096
	maxTiles  = 8192
)

// atlas is the glyphs of data panes at one scale, in pixels: fixed tiles for hexadecimal cells and masks for other text. It
// belongs to the UI goroutine.
type atlas struct {
	scale  float32 // pixels a unit
	mono   *typeface
	text   *typeface
	cw, ch int // one cell of the fixed-width font
	tiles  map[tileKey][]uint8
}

// tileKey is a run of at most two characters in its colours. They are all as wide as their characters.
type tileKey struct {
	bg, fg color.RGBA
	text   [2]byte
}

// typeface is a font at a size, with the masks of the glyphs used so far.
type typeface struct {
	faces  []font.Face // the font and what to try next
	fonts  []*opentype.Font
	digits *opentype.Font // fixed-width, for code points
	px     float64        // pixels an em
	ascent int
	height int
	glyphs map[rune]glyph
	buf    sfnt.Buffer
}

type glyph struct {
	mask    *image.Alpha
	off     image.Point // of the mask, from the pen on the base line
	advance int         // pixels
}

var (
	fonts   = map[string]*opentype.Font{}
	atlases = map[float32]*atlas{}
)

// atlasAt returns the atlas for a scale. Only a few scales occur at a time: those of the screens.
func atlasAt(scale float32) *atlas {
	if a := atlases[scale]; a != nil {
		return a
	}
	if len(atlases) > 3 {
		clear(atlases)
	}
	px := float64(textSize * scale)
	a := &atlas{scale: scale, tiles: map[tileKey][]uint8{}}
	sources := []fyne.Resource{theme.DefaultTextMonospaceFont(), theme.DefaultSymbolFont(), theme.DefaultTextFont()}
	if e := theme.DefaultEmojiFont(); e != nil { // the program may be built without
		sources = append(sources, e)
	}
	a.mono = newTypeface(px, sources...)
	sources[0], sources[2] = sources[2], sources[0]
	a.text = newTypeface(px, sources...)
	a.mono.digits, a.text.digits = a.mono.fonts[0], a.mono.fonts[0]
	a.cw, a.ch = a.mono.glyph('0').advance, a.mono.height
	atlases[scale] = a
	return a
}

func newTypeface(px float64, sources ...fyne.Resource) *typeface {
	t := &typeface{glyphs: map[rune]glyph{}, px: px}
	for _, r := range sources {
		f := fonts[r.Name()]
		if f == nil {
			var err error
			if f, err = opentype.Parse(r.Content()); err != nil {
				continue // a font that x/image cannot read: the next one serves
			}
			fonts[r.Name()] = f
		}
		t.add(f)
	}
	m := t.faces[0].Metrics()
	t.ascent = m.Ascent.Ceil()
	t.height = t.ascent + m.Descent.Ceil()
	return t
}

// add appends a font to those that are tried.
func (t *typeface) add(f *opentype.Font) bool {
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: t.px, DPI: 72, Hinting: font.HintingFull})
	if err == nil {
		t.fonts, t.faces = append(t.fonts, f), append(t.faces, face)
	}
	return err == nil
}

// faceOf returns the face that draws a character: of the program's fonts, or of the system's; nil when there is none.
func (t *typeface) faceOf(r rune) font.Face {
	for i, f := range t.fonts {
		if n, err := f.GlyphIndex(&t.buf, r); err == nil && n != 0 {
			return t.faces[i]
		}
	}
	if f := systemFont(r, &t.buf); f != nil && t.add(f) {
		return t.faces[len(t.faces)-1]
	}
	return nil
}

// joins tells whether a character shows nothing of its own: marks that choose a form of their neighbours.
func joins(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f || r >= 0x200c && r <= 0x200d }

// glyph returns the mask of a character; one that no font has is its code point.
func (t *typeface) glyph(r rune) glyph {
	if g, ok := t.glyphs[r]; ok {
		return g
	}
	if len(t.glyphs) >= maxGlyphs {
		clear(t.glyphs)
	}
	var g glyph
	if joins(r) {
		t.glyphs[r] = g
		return g
	}
	if face := t.faceOf(r); face != nil {
		g = draw(face, r)
	}
	if g.mask == nil || g.mask.Rect.Empty() && unicode.IsGraphic(r) && !unicode.IsSpace(r) { // coloured glyphs may have no outline
		g = t.codePoint(r)
	}
	t.glyphs[r] = g
	return g
}

// draw returns the mask of a character in a face; without a mask when the face cannot draw it.
func draw(face font.Face, r rune) (g glyph) {
	dr, mask, mp, adv, ok := face.Glyph(fixed.Point26_6{}, r)
	if !ok {
		return g
	}
	g.advance, g.off = adv.Round(), dr.Min
	g.mask = image.NewAlpha(image.Rect(0, 0, dr.Dx(), dr.Dy()))
	for y := range dr.Dy() {
		for x := range dr.Dx() {
			_, _, _, a := mask.At(mp.X+x, mp.Y+y).RGBA()
			g.mask.Pix[y*g.mask.Stride+x] = uint8(a >> 8)
		}
	}
	return g
}

// width returns how many pixels a text takes.
func (t *typeface) width(s string) (w int) {
	for _, r := range s {
		w += t.glyph(r).advance
	}
	return w
}

// tile returns the pixels of one or two characters of the fixed-width font: rows of 4*cw bytes a character.
func (a *atlas) tile(k tileKey) []uint8 {
	if t := a.tiles[k]; t != nil {
		return t
	}
	if len(a.tiles) >= maxTiles {
		clear(a.tiles)
	}
	n := 1
	if k.text[1] != 0 {
		n = 2
	}
	p := pen{img: image.NewRGBA(image.Rect(0, 0, n*a.cw, a.ch)), at: a}
	p.clip = p.img.Rect
	p.fill(p.img.Rect, k.bg)
	for i := range n {
		p.glyph(a.mono.glyph(rune(k.text[i])), i*a.cw, a.mono.ascent, k.fg)
	}
	a.tiles[k] = p.img.Pix
	return p.img.Pix
}

package paint

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

// Limits of an atlas, beyond which it starts again. A page needs far fewer.
const (
	maxGlyphs = 4096
	maxTiles  = 8192
)

// Atlas is the glyphs of data panes at one scale, in pixels: fixed tiles for hexadecimal cells and masks for other text. It
// belongs to the UI goroutine.
type Atlas struct {
	Scale  float32 // pixels a unit
	Mono   *Typeface
	Text   *Typeface
	Cw, Ch int // one cell of the fixed-width font
	tiles  map[tileKey][]uint8
	wider  float32 // see Wider; 0: not measured yet
}

// tileKey is a run of at most two characters with its colours. All have the width of their characters.
type tileKey struct {
	bg, fg color.RGBA
	text   [2]byte
}

// Typeface is a font at a size, with the masks of the glyphs used so far.
type Typeface struct {
	faces  []font.Face // the font and what to try next
	fonts  []*opentype.Font
	digits *opentype.Font // fixed-width, for code points
	px     float64        // pixels an em
	Ascent int
	Height int
	glyphs map[rune]glyph
	buf    sfnt.Buffer
}

type glyph struct {
	mask    *image.Alpha
	off     image.Point // of the mask, from the pen on the base line
	Advance int         // pixels
}

var (
	fonts   = map[string]*opentype.Font{}
	atlases = map[float32]*Atlas{}
)

// AtlasAt returns the atlas for a scale. Only a few scales are used at a time: those of the screens.
func AtlasAt(scale float32) *Atlas {
	if a := atlases[scale]; a != nil {
		return a
	}
	if len(atlases) > 3 {
		clear(atlases)
	}
	px := float64(textSize * scale)
	a := &Atlas{Scale: scale, tiles: map[tileKey][]uint8{}}
	sources := []fyne.Resource{theme.DefaultTextMonospaceFont(), theme.DefaultSymbolFont(), theme.DefaultTextFont()}
	if e := theme.DefaultEmojiFont(); e != nil { // the program may be built without
		sources = append(sources, e)
	}
	a.Mono = newTypeface(px, sources...)
	sources[0], sources[2] = sources[2], sources[0]
	a.Text = newTypeface(px, sources...)
	a.Mono.digits, a.Text.digits = a.Mono.fonts[0], a.Mono.fonts[0]
	a.Cw, a.Ch = a.Mono.Glyph('0').Advance, a.Mono.Height
	atlases[scale] = a
	return a
}

func newTypeface(px float64, sources ...fyne.Resource) *Typeface {
	t := &Typeface{glyphs: map[rune]glyph{}, px: px}
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
	t.Ascent = m.Ascent.Ceil()
	t.Height = t.Ascent + m.Descent.Ceil()
	return t
}

// add appends a fallback font.
func (t *Typeface) add(f *opentype.Font) bool {
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: t.px, DPI: 72, Hinting: font.HintingFull})
	if err == nil {
		t.fonts, t.faces = append(t.fonts, f), append(t.faces, face)
	}
	return err == nil
}

// faceOf returns the face that draws a character: from the program's fonts or the system's; nil if there is none.
func (t *Typeface) faceOf(r rune) font.Face {
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

// joins tells whether a character is invisible: a mark that selects a form of its neighbours.
func joins(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f || r >= 0x200c && r <= 0x200d }

// Glyph returns the mask of a character; if no font has it, of its code point.
func (t *Typeface) Glyph(r rune) glyph {
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

// draw returns the mask of a character in a face; without a mask if the face cannot draw it.
func draw(face font.Face, r rune) (g glyph) {
	dr, mask, mp, adv, ok := face.Glyph(fixed.Point26_6{}, r)
	if !ok {
		return g
	}
	g.Advance, g.off = adv.Round(), dr.Min
	g.mask = image.NewAlpha(image.Rect(0, 0, dr.Dx(), dr.Dy()))
	for y := range dr.Dy() {
		for x := range dr.Dx() {
			_, _, _, a := mask.At(mp.X+x, mp.Y+y).RGBA()
			g.mask.Pix[y*g.mask.Stride+x] = uint8(a >> 8)
		}
	}
	return g
}

// Width returns the width of a text in pixels.
func (t *Typeface) Width(s string) (w int) {
	for _, r := range s {
		w += t.Glyph(r).Advance
	}
	return w
}

// Wider returns how much wider text is than at scale 1, in units: glyphs have widths of whole pixels. It is at least 1.
func (a *Atlas) Wider() float32 {
	if a.wider > 0 {
		return a.wider
	}
	a.wider = 1
	for _, s := range []string{"0123456789", "abcdefghijklmnopqrstuvwxyz_", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
		if usual := AtlasAt(1).Text.Width(s); usual > 0 {
			a.wider = max(a.wider, float32(a.Text.Width(s))/a.Scale/float32(usual))
		}
	}
	return a.wider
}

// tile returns the pixels of one or two characters of the fixed-width font: rows of 4*cw bytes per character.
func (a *Atlas) tile(k tileKey) []uint8 {
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
	p := Pen{Img: image.NewRGBA(image.Rect(0, 0, n*a.Cw, a.Ch)), At: a}
	p.Clip = p.Img.Rect
	p.Fill(p.Img.Rect, k.bg)
	for i := range n {
		p.glyph(a.Mono.Glyph(rune(k.text[i])), i*a.Cw, a.Mono.Ascent, k.fg)
	}
	a.tiles[k] = p.Img.Pix
	return p.Img.Pix
}

package paint

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"spandrel/model"
)

// textSize is the size of all text, in units.
const textSize = 13

// Palette is the colours of data panes. All are opaque except Gap and Bad, which are drawn over others.
type Palette struct {
	Name                              string
	Variant                           fyne.ThemeVariant
	Background, Foreground, Dim, Zero color.RGBA
	Header, Line, Stripe, Menu        color.RGBA
	Thumb                             color.RGBA // of a scroll bar
	Decoded                           color.RGBA // the page of bytes that are not in the file
	Selection, SelectionDim           color.RGBA // of the focused pane and of the others
	OnSelection                       color.RGBA // marks on them
	Hover                             color.RGBA // outline of the item under the pointer
	Caret, Link, Gap, Bad, Modified   color.RGBA
	Tried                             color.RGBA     // background of previewed changes
	hues                              [12]color.RGBA // backgrounds of neighbouring fields
	Severity                          [4]color.RGBA  // by model.Severity
	cold, hot                         color.RGBA     // background of the smallest and the largest number
}

func rgb(n uint32) color.RGBA { return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255} }

// Light and Dark are the palettes. A test measures the contrast of each pair of colours that is used.
var Light = &Palette{
	Name: "light", Variant: theme.VariantLight,
	Background: rgb(0xffffff), Foreground: rgb(0x1f2328), Dim: rgb(0x58616c), Zero: rgb(0x606a73),
	Header: rgb(0xf0f2f5), Line: rgb(0xd7dce2), Thumb: rgb(0x868f9a), Stripe: rgb(0xf7f8fa), Menu: rgb(0xdae0e7), Decoded: rgb(0xf6f1fb),
	Selection: rgb(0x9fc6ff), SelectionDim: rgb(0xcfe0f6), OnSelection: rgb(0x1f2328), Hover: rgb(0xa35200),
	Caret: rgb(0x0b57d0), Link: rgb(0x0b57d0), Gap: color.RGBA{0x50, 0x58, 0x60, 90}, Bad: color.RGBA{0xd0, 0x20, 0x20, 110}, Modified: rgb(0xa8410a), Tried: rgb(0xffe9a0),
	hues: [12]color.RGBA{rgb(0xe3eefb), rgb(0xfdeedd), rgb(0xe4f4e4), rgb(0xf3e6f7), rgb(0xfbf5d3), rgb(0xdff3f2),
		rgb(0xfbe6e8), rgb(0xe8e9fa), rgb(0xedf3d8), rgb(0xf6eae0), rgb(0xe0f0f8), rgb(0xf0ebe9)},
	Severity: [4]color.RGBA{rgb(0x6b7480), rgb(0xc6222b), rgb(0xb36b00), rgb(0x1769aa)},
	cold:     rgb(0x7fb2f0), hot: rgb(0xf59e57),
}

var Dark = &Palette{
	Name: "dark", Variant: theme.VariantDark,
	Background: rgb(0x17191d), Foreground: rgb(0xe2e5e9), Dim: rgb(0x98a1ac), Zero: rgb(0x98a0a8),
	Header: rgb(0x22252b), Line: rgb(0x363b43), Thumb: rgb(0x747d88), Stripe: rgb(0x1b1e23), Menu: rgb(0x31363f), Decoded: rgb(0x1e1a26),
	Selection: rgb(0x24558f), SelectionDim: rgb(0x2a3c55), OnSelection: rgb(0xe2e5e9), Hover: rgb(0xffb840),
	Caret: rgb(0x7fb4ff), Link: rgb(0x7fb4ff), Gap: color.RGBA{0xb0, 0xb8, 0xc0, 70}, Bad: color.RGBA{0xff, 0x50, 0x50, 110}, Modified: rgb(0xff9d3b), Tried: rgb(0x473300),
	hues: [12]color.RGBA{rgb(0x1d2c40), rgb(0x3a2d1e), rgb(0x1e3423), rgb(0x33243b), rgb(0x37331b), rgb(0x1a3535),
		rgb(0x3c2427), rgb(0x26284a), rgb(0x2b331b), rgb(0x372b22), rgb(0x1b3040), rgb(0x322d2b)},
	Severity: [4]color.RGBA{rgb(0x98a1ac), rgb(0xff6b6b), rgb(0xffb347), rgb(0x6cb6ff)},
	cold:     rgb(0x1f5494), hot: rgb(0x8f4310),
}

// Look returns the colours of the current theme.
func Look() *Palette {
	if t, ok := fyne.CurrentApp().Settings().Theme().(*Theme); ok {
		return t.Palette
	}
	return Light
}

// Glass converts a translucent colour of a palette for Fyne's rectangles. Palettes keep colour and alpha apart, as
// blending needs it; color.RGBA is premultiplied.
func Glass(c color.RGBA) color.Color { return color.NRGBA(c) }

// Mark returns the colour of a severity.
func (p *Palette) Mark(s model.Severity) color.RGBA { return p.Severity[s] }

// Hue returns the background of a field: neighbours differ, and a field has the same one in every run.
func (p *Palette) Hue(n uint32) color.RGBA { return p.hues[n%uint32(len(p.hues))] }

// Heat is the background of a number, from -1, the minimum, over 0, the page colour, to 1, the maximum.
func (p *Palette) Heat(f float64) color.RGBA {
	to := p.hot
	if f < 0 {
		to, f = p.cold, -f
	}
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*min(1, f)) }
	return color.RGBA{mix(p.Background.R, to.R), mix(p.Background.G, to.G), mix(p.Background.B, to.B), 255}
}

// Theme is Fyne's theme, denser, in the colours of a palette.
type Theme struct{ *Palette }

// NewTheme makes a theme from a palette.
func NewTheme(p *Palette) *Theme { return &Theme{p} }

func (t *Theme) Font(s fyne.TextStyle) fyne.Resource { return theme.DefaultTheme().Font(s) }

func (t *Theme) Icon(n fyne.ThemeIconName) fyne.Resource {
	if n == theme.IconNameCancel {
		return cross{}
	}
	return theme.DefaultTheme().Icon(n)
}

func (t *Theme) Color(n fyne.ThemeColorName, _ fyne.ThemeVariant) color.Color {
	switch n {
	case theme.ColorNameBackground, theme.ColorNameOverlayBackground:
		return t.Background
	case theme.ColorNameMenuBackground:
		return t.Menu
	case theme.ColorNameDisabled: // the keys in menus have it too
		return t.Dim
	case theme.ColorNamePlaceHolder:
		return t.Dim
	case theme.ColorNameForeground:
		return t.Foreground
	case theme.ColorNameForegroundOnPrimary:
		return t.Background
	case theme.ColorNamePrimary, theme.ColorNameHyperlink:
		return t.Link
	case theme.ColorNameSeparator, theme.ColorNameInputBorder:
		return t.Line
	case theme.ColorNameHeaderBackground, theme.ColorNameInputBackground, theme.ColorNameButton:
		return t.Header
	case theme.ColorNameShadow: // the bars between panes have it too: Fyne's is heavier on white than what they part
		return color.NRGBA{A: map[fyne.ThemeVariant]uint8{theme.VariantLight: 0x28, theme.VariantDark: 0x66}[t.Variant]}
	case theme.ColorNameSelection:
		return t.SelectionDim
	case theme.ColorNameFocus: // lies over buttons
		return color.NRGBA{t.Foreground.R, t.Foreground.G, t.Foreground.B, 60}
	case theme.ColorNameError:
		return t.Severity[model.Error]
	case theme.ColorNameWarning:
		return t.Severity[model.Warning]
	}
	return theme.DefaultTheme().Color(n, t.Variant)
}

func (t *Theme) Size(n fyne.ThemeSizeName) float32 {
	switch n {
	case theme.SizeNameText:
		return textSize
	case theme.SizeNamePadding:
		return 3
	case theme.SizeNameInnerPadding:
		return 5
	case theme.SizeNameInlineIcon:
		return 16
	case theme.SizeNameHeadingText:
		return 22
	case theme.SizeNameSubHeadingText:
		return 16
	case theme.SizeNameModalBlurRadius: // without a graphics card each letter typed in a box would wait for it
		return 0
	}
	return theme.DefaultTheme().Size(n)
}

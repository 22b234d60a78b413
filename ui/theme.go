package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"spandrel/model"
)

// textSize is the size of text everywhere, in units.
const textSize = 13

// palette is the colours of data panes. All are opaque but those that are laid over others.
type palette struct {
	name                              string
	variant                           fyne.ThemeVariant
	background, foreground, dim, zero color.RGBA
	header, line, stripe              color.RGBA
	selection, selectionDim, hover    color.RGBA // selection: of the focused pane and of the others; hover is translucent
	caret, link, gap, bad, modified   color.RGBA
	hues                              [12]color.RGBA // backgrounds of neighbouring fields
	severity                          [4]color.RGBA  // by model.Severity
}

func rgb(n uint32) color.RGBA { return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255} }

var light = &palette{
	name: "light", variant: theme.VariantLight,
	background: rgb(0xffffff), foreground: rgb(0x1f2328), dim: rgb(0x6b7480), zero: rgb(0xa9b1ba),
	header: rgb(0xf0f2f5), line: rgb(0xd7dce2), stripe: rgb(0xf7f8fa),
	selection: rgb(0x9fc6ff), selectionDim: rgb(0xcfe0f6), hover: color.RGBA{0xff, 0xa5, 0x00, 70},
	caret: rgb(0x0b57d0), link: rgb(0x0b57d0), gap: color.RGBA{0x50, 0x58, 0x60, 90}, bad: color.RGBA{0xd0, 0x20, 0x20, 110}, modified: rgb(0xffd8a8),
	hues: [12]color.RGBA{rgb(0xe3eefb), rgb(0xfdeedd), rgb(0xe4f4e4), rgb(0xf3e6f7), rgb(0xfbf5d3), rgb(0xdff3f2),
		rgb(0xfbe6e8), rgb(0xe8e9fa), rgb(0xedf3d8), rgb(0xf6eae0), rgb(0xe0f0f8), rgb(0xf0ebe9)},
	severity: [4]color.RGBA{rgb(0x6b7480), rgb(0xc6222b), rgb(0xb36b00), rgb(0x1769aa)},
}

var dark = &palette{
	name: "dark", variant: theme.VariantDark,
	background: rgb(0x17191d), foreground: rgb(0xe2e5e9), dim: rgb(0x98a1ac), zero: rgb(0x59626d),
	header: rgb(0x22252b), line: rgb(0x363b43), stripe: rgb(0x1b1e23),
	selection: rgb(0x24558f), selectionDim: rgb(0x2a3c55), hover: color.RGBA{0xff, 0xb8, 0x40, 60},
	caret: rgb(0x7fb4ff), link: rgb(0x7fb4ff), gap: color.RGBA{0xb0, 0xb8, 0xc0, 70}, bad: color.RGBA{0xff, 0x50, 0x50, 110}, modified: rgb(0x6b4a17),
	hues: [12]color.RGBA{rgb(0x1d2c40), rgb(0x3a2d1e), rgb(0x1e3423), rgb(0x33243b), rgb(0x37331b), rgb(0x1a3535),
		rgb(0x3c2427), rgb(0x26284a), rgb(0x2b331b), rgb(0x372b22), rgb(0x1b3040), rgb(0x322d2b)},
	severity: [4]color.RGBA{rgb(0x98a1ac), rgb(0xff6b6b), rgb(0xffb347), rgb(0x6cb6ff)},
}

// look returns the colours of the theme in use.
func look() *palette {
	if t, ok := fyne.CurrentApp().Settings().Theme().(*lookTheme); ok {
		return t.palette
	}
	return light
}

// glass makes a translucent colour of a palette one for Fyne's rectangles. Palettes keep the colour apart from its alpha, as
// blending wants it; color.RGBA means otherwise.
func glass(c color.RGBA) color.Color { return color.NRGBA(c) }

// mark returns the colour of a severity.
func (p *palette) mark(s model.Severity) color.RGBA { return p.severity[s] }

// hue returns the background of a field: neighbours differ, and the same field has the same one in every run.
func (p *palette) hue(n uint32) color.RGBA { return p.hues[n%uint32(len(p.hues))] }

// lookTheme is Fyne's theme, denser, in the colours of a palette.
type lookTheme struct{ *palette }

func (t *lookTheme) Font(s fyne.TextStyle) fyne.Resource     { return theme.DefaultTheme().Font(s) }
func (t *lookTheme) Icon(n fyne.ThemeIconName) fyne.Resource { return theme.DefaultTheme().Icon(n) }

func (t *lookTheme) Color(n fyne.ThemeColorName, _ fyne.ThemeVariant) color.Color {
	switch n {
	case theme.ColorNameBackground, theme.ColorNameMenuBackground, theme.ColorNameOverlayBackground:
		return t.background
	case theme.ColorNameDisabled:
		return t.zero
	case theme.ColorNamePlaceHolder:
		return t.dim
	case theme.ColorNameForeground:
		return t.foreground
	case theme.ColorNameForegroundOnPrimary:
		return t.background
	case theme.ColorNamePrimary, theme.ColorNameHyperlink:
		return t.link
	case theme.ColorNameSeparator, theme.ColorNameInputBorder:
		return t.line
	case theme.ColorNameHeaderBackground, theme.ColorNameInputBackground, theme.ColorNameButton:
		return t.header
	case theme.ColorNameSelection:
		return t.selectionDim
	case theme.ColorNameFocus: // lies over buttons
		return color.NRGBA{t.foreground.R, t.foreground.G, t.foreground.B, 60}
	case theme.ColorNameError:
		return t.severity[model.Error]
	case theme.ColorNameWarning:
		return t.severity[model.Warning]
	}
	return theme.DefaultTheme().Color(n, t.variant)
}

func (t *lookTheme) Size(n fyne.ThemeSizeName) float32 {
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
	}
	return theme.DefaultTheme().Size(n)
}

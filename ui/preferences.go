package ui

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/bytes"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

// The user's choices, as Fyne stores them.
const (
	prefTheme      = "theme"          // light, dark; "" as the system has it
	prefZoom       = "zoom"           // per cent
	prefNoBackup   = "no-backup"      // saving keeps no copy of the old file
	prefDecodedMiB = "decoded-memory" // how many MiB of decoded blocks each document keeps
)

var (
	themes     = []string{"", paint.Light.Name, paint.Dark.Name}
	zooms      = []int{70, 80, 90, 100, 110, 120, 130, 150, 170, 200, 250, 300} // whole tenths: Fyne rounds scales to them
	widths     = rowWidths()
	memories   = []int{64, 128, 256, 512, 1024, 2048}
	baseScale  = os.Getenv("FYNE_SCALE") // what the user's own setting is
	defaultMiB = model.CacheBudget >> 20
)

// rowWidths are the possible numbers of bytes per row in the hex pane, after 0 for automatic.
func rowWidths() []int {
	list := []int{0}
	for n := bytes.LeastWidth; n <= bytes.MostWidth; n += 4 {
		list = append(list, n)
	}
	return list
}

// preferences are the user's choices for all documents, and what the next start restores.
type preferences struct {
	wb *Workbench
	fyne.Preferences
}

// apply applies the choices that do not belong to a document, at the start of the program.
func (p *preferences) apply() {
	p.setScale(p.IntWithFallback(prefZoom, 100))
	model.SetCacheBudget(int64(p.IntWithFallback(prefDecodedMiB, defaultMiB)) << 20)
	p.applyTheme()
	p.wb.App.Settings().AddListener(func(s fyne.Settings) { // the system turned dark or light
		if p.String(prefTheme) == "" && paint.Look().Variant != s.ThemeVariant() {
			guard.Do("changing the theme", p.applyTheme)
		}
	})
}

// ask shows the choices. Each takes effect at once.
func (p *preferences) ask() {
	numbers := func(list []int, unit string, now int, set func(int)) *kit.Select {
		labels := make([]string, len(list))
		for i, n := range list {
			if labels[i] = fmt.Sprintf("%d%s", n, unit); n == 0 {
				labels[i] = "16, or 8 in a narrow pane"
			}
		}
		return kit.NewSelect(p.wb.Host, labels, slices.Index(list, now), func(i int) { set(list[i]) })
	}
	theme := kit.NewSelect(p.wb.Host, []string{"Same as the system", "Light", "Dark"}, slices.Index(themes, p.String(prefTheme)), func(i int) {
		p.SetString(prefTheme, themes[i])
		p.applyTheme()
	})
	memory := numbers(memories, " MiB", p.IntWithFallback(prefDecodedMiB, defaultMiB), func(n int) {
		p.SetInt(prefDecodedMiB, n)
		model.SetCacheBudget(int64(n) << 20)
	})
	p.wb.Form("Preferences", "", []*widget.FormItem{
		widget.NewFormItem("Theme", theme),
		widget.NewFormItem("Text size", numbers(zooms, " %", p.IntWithFallback(prefZoom, 100), p.setZoom)),
		widget.NewFormItem("Bytes per row", numbers(widths, "", int(bytes.BytesARow(p)), func(n int) { p.setBytesARow(int64(n)) })),
		widget.NewFormItem("Saving", kit.NewCheck(p.wb.Host, "Keep the old file beside the new one, with the date added to its name", !p.Bool(prefNoBackup),
			func(on bool) { p.SetBool(prefNoBackup, !on) })),
		widget.NewFormItem("Decoded blocks kept", memory),
	}, nil)
}

// applyTheme applies the chosen colours.
func (p *preferences) applyTheme() {
	p.wb.App.Settings().SetTheme(paint.NewTheme(p.themeOf()))
}

// switchTheme switches between light and dark.
func (p *preferences) switchTheme() {
	next := paint.Dark
	if paint.Look() == paint.Dark {
		next = paint.Light
	}
	p.SetString(prefTheme, next.Name)
	p.applyTheme()
	p.wb.menus.changed()
}

// themeOf returns the colours chosen last, or those of the system.
func (p *preferences) themeOf() *paint.Palette {
	return paletteNamed(p.String(prefTheme), p.wb.App.Settings().ThemeVariant())
}

// setBytesARow sets the number of bytes per row in every hex pane.
func (p *preferences) setBytesARow(n int64) {
	p.SetInt(bytes.PrefBytesARow, int(n))
	for _, d := range p.wb.docs {
		d.hex.SetWidth(n)
	}
}

// zoomBy moves up or down in the list of text sizes.
func (p *preferences) zoomBy(steps int) {
	i, found := slices.BinarySearch(zooms, p.IntWithFallback(prefZoom, 100))
	if !found && steps > 0 {
		i--
	}
	p.setZoom(zooms[max(0, min(i+steps, len(zooms)-1))])
}

// setZoom scales everything, in a window of the same size on the screen.
func (p *preferences) setZoom(percent int) {
	if percent == p.IntWithFallback(prefZoom, 100) {
		return
	}
	p.SetInt(prefZoom, percent)
	p.setScale(percent)
	p.wb.Say(fmt.Sprintf("%d %%", percent))
	p.wb.Shell.Rescale(func() { p.wb.App.Settings().SetTheme(p.wb.App.Settings().Theme()) }) // Fyne looks at the scale when settings change
}

// setScale tells Fyne the scale, on top of the user's setting for all programs.
func (p *preferences) setScale(percent int) {
	os.Setenv("FYNE_SCALE", scaleText(baseScale, p.wb.App.Settings().Scale(), percent))
}

// scaleText is the value of FYNE_SCALE for a text size: base is its previous value, system the scale in Fyne's settings, which
// is 0 for an account without one; Fyne treats that as 1.
func scaleText(base string, system float32, percent int) string {
	if percent == 100 {
		return base
	}
	scale, err := strconv.ParseFloat(base, 64)
	if err != nil || scale <= 0 {
		scale = float64(system)
	}
	if scale <= 0 {
		scale = 1
	}
	return strconv.FormatFloat(scale*float64(percent)/100, 'f', 2, 64)
}

func paletteNamed(name string, system fyne.ThemeVariant) *paint.Palette {
	if name == "dark" || name == "" && system == theme.VariantDark {
		return paint.Dark
	}
	return paint.Light
}

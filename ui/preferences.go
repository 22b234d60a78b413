package ui

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/paint"
)

// What the user chose, as Fyne keeps it between starts.
const (
	prefTheme      = "theme"          // light, dark; "" as the system has it
	prefZoom       = "zoom"           // per cent
	prefBytesARow  = "bytes-a-row"    // of the hex pane; 0: as many as fit
	prefNoBackup   = "no-backup"      // saving keeps no copy of the old file
	prefBigEndian  = "big-endian"     // the first of both byte orders in the inspector
	prefDecodedMiB = "decoded-memory" // how many MiB of decoded blocks each document keeps
)

var (
	themes     = []string{"", paint.Light.Name, paint.Dark.Name}
	zooms      = []int{70, 80, 90, 100, 110, 120, 130, 150, 170, 200, 250, 300} // whole tenths: Fyne rounds scales to them
	widths     = []int{0, 4, 8, 16, 24, 32, 48, 64}
	memories   = []int{64, 128, 256, 512, 1024, 2048}
	baseScale  = os.Getenv("FYNE_SCALE") // what the user's own setting is
	defaultMiB = model.CacheBudget >> 20
)

// applyPreferences brings what does not belong to a document in line with the choices, when the program starts.
func (wb *Workbench) applyPreferences() {
	p := wb.app.Preferences()
	wb.setScale(p.IntWithFallback(prefZoom, 100))
	model.SetCacheBudget(int64(p.IntWithFallback(prefDecodedMiB, defaultMiB)) << 20)
	wb.applyTheme()
	wb.app.Settings().AddListener(func(s fyne.Settings) { // the system turned dark or light
		if p.String(prefTheme) == "" && paint.Look().Variant != s.ThemeVariant() {
			wb.applyTheme()
		}
	})
}

// askPreferences shows the choices. Each takes effect at once.
func (wb *Workbench) askPreferences() {
	p := wb.app.Preferences()
	numbers := func(list []int, unit string, now int, set func(int)) *keySelect {
		labels := make([]string, len(list))
		for i, n := range list {
			if labels[i] = fmt.Sprintf("%d%s", n, unit); n == 0 {
				labels[i] = "as many as fit"
			}
		}
		return newKeySelect(wb, labels, slices.Index(list, now), func(i int) { set(list[i]) })
	}
	theme := newKeySelect(wb, []string{"as the system", "light", "dark"}, slices.Index(themes, p.String(prefTheme)), func(i int) {
		p.SetString(prefTheme, themes[i])
		wb.applyTheme()
	})
	memory := numbers(memories, " MiB", p.IntWithFallback(prefDecodedMiB, defaultMiB), func(n int) {
		p.SetInt(prefDecodedMiB, n)
		model.SetCacheBudget(int64(n) << 20)
	})
	order := 0
	if p.Bool(prefBigEndian) {
		order = 1
	}
	wb.form("Preferences", "", []*widget.FormItem{
		widget.NewFormItem("Theme", theme),
		widget.NewFormItem("Text size", numbers(zooms, " %", p.IntWithFallback(prefZoom, 100), wb.setZoom)),
		widget.NewFormItem("Bytes a row", numbers(widths, "", int(wb.bytesARow()), func(n int) { wb.setBytesARow(int64(n)) })),
		widget.NewFormItem("Byte order first", newKeySelect(wb, []string{"little-endian", "big-endian"}, order, func(i int) {
			p.SetBool(prefBigEndian, i == 1)
			for _, d := range wb.docs {
				d.info.selected(d.Sel)
			}
			wb.status.update()
		})),
		widget.NewFormItem("Saving", newKeyCheck(wb, "keep the old file beside the new one, under its name and the date", !p.Bool(prefNoBackup),
			func(on bool) { p.SetBool(prefNoBackup, !on) })),
		widget.NewFormItem("Decoded blocks kept", memory),
	}, nil)
}

// applyTheme sets the colours that were chosen.
func (wb *Workbench) applyTheme() {
	wb.app.Settings().SetTheme(paint.NewTheme(wb.themeOf()))
}

// switchTheme changes between light and dark.
func (wb *Workbench) switchTheme() {
	next := paint.Dark
	if paint.Look() == paint.Dark {
		next = paint.Light
	}
	wb.app.Preferences().SetString(prefTheme, next.Name)
	wb.applyTheme()
}

// themeOf returns the colours chosen the last time, or those of the system.
func (wb *Workbench) themeOf() *paint.Palette {
	return paletteNamed(wb.app.Preferences().String(prefTheme), wb.app.Settings().ThemeVariant())
}

// The least and the most bytes of a row of the hex pane.
const (
	leastWidth = 4
	mostWidth  = 64
)

// bytesARow is how many bytes a row of the hex pane has by the user's choice; 0: as many as fit.
func (wb *Workbench) bytesARow() int64 {
	n := int64(wb.app.Preferences().Int(prefBytesARow))
	if n == 0 {
		return 0
	}
	return max(leastWidth, min(mostWidth, n))
}

// setBytesARow shows another number of bytes a row in every hex pane.
func (wb *Workbench) setBytesARow(n int64) {
	wb.app.Preferences().SetInt(prefBytesARow, int(n))
	for _, d := range wb.docs {
		d.hex.setWidth(n)
	}
}

// zoomBy goes up or down in the list of text sizes.
func (wb *Workbench) zoomBy(steps int) {
	i, found := slices.BinarySearch(zooms, wb.app.Preferences().IntWithFallback(prefZoom, 100))
	if !found && steps > 0 {
		i--
	}
	wb.setZoom(zooms[max(0, min(i+steps, len(zooms)-1))])
}

// setZoom shows everything larger or smaller, in a window of the same size on the screen.
func (wb *Workbench) setZoom(percent int) {
	p := wb.app.Preferences()
	if percent == p.IntWithFallback(prefZoom, 100) {
		return
	}
	p.SetInt(prefZoom, percent)
	wb.setScale(percent)
	wb.status.say(fmt.Sprintf("%d %%", percent))
	if wb.win == nil {
		return
	}
	c := wb.win.Canvas()
	size, before := c.Size(), c.Scale()
	wb.app.Settings().SetTheme(wb.app.Settings().Theme())                                                  // Fyne looks at the scale when settings change
	whole := func(u float32) float32 { return (float32(math.Floor(float64(u*before))) - 0.1) / c.Scale() } // it rounds up
	wb.win.Resize(fyne.NewSize(whole(size.Width), whole(size.Height)))
}

// setScale tells Fyne the scale, on top of what the user set for all programs.
func (wb *Workbench) setScale(percent int) {
	if percent == 100 {
		os.Setenv("FYNE_SCALE", baseScale)
		return
	}
	base, err := strconv.ParseFloat(baseScale, 64)
	if err != nil || base <= 0 {
		base = max(float64(wb.app.Settings().Scale()), 0.1)
	}
	os.Setenv("FYNE_SCALE", strconv.FormatFloat(base*float64(percent)/100, 'f', 2, 64))
}

package paint

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"fyne.io/fyne/v2/theme"

	"spandrel/model"
)

// contrast is the ratio of WCAG 2: 1 for equal colours, 21 for black on white.
func contrast(a, b color.RGBA) float64 {
	light := func(c color.RGBA) float64 {
		part := func(v uint8) float64 {
			f := float64(v) / 255
			if f <= 0.03928 {
				return f / 12.92
			}
			return math.Pow((f+0.055)/1.055, 2.4)
		}
		return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B) + 0.05
	}
	x, y := light(a), light(b)
	return max(x, y) / min(x, y)
}

// TestContrast checks every pair of a colour and what it is drawn on: WCAG wants 4.5 of text, and 3 of marks and lines that mean
// something.
func TestContrast(t *testing.T) {
	if c := contrast(rgb(0), rgb(0xffffff)); math.Abs(c-21) > 0.01 {
		t.Fatal("black on white", c)
	}
	for _, p := range []*Palette{Light, Dark} {
		check := func(what string, fg, bg color.RGBA, least float64) {
			if c := contrast(fg, bg); c < least {
				t.Errorf("%s: %s: #%02x%02x%02x on #%02x%02x%02x is %.2f, want %.1f", p.Name, what, fg.R, fg.G, fg.B, bg.R, bg.G, bg.B, c, least)
			}
		}
		pages := map[string]color.RGBA{"page": p.Background, "header": p.Header, "stripe": p.Stripe, "menu": p.Menu, "what would change": p.Tried}
		for name, bg := range pages {
			check("text on "+name, p.Foreground, bg, 4.5)
			check("secondary text on "+name, p.Dim, bg, 4.5)
			check("link on "+name, p.Link, bg, 4.5)
			check("caret on "+name, p.Caret, bg, 4.5)
			check("pointer on "+name, p.Hover, bg, 3)
			for _, s := range []model.Severity{model.Error, model.Warning, model.Note} {
				check(fmt.Sprintf("%v on %s", s, name), p.Mark(s), bg, 3)
			}
		}
		for _, name := range []string{"page", "stripe"} {
			check("a menu over the "+name, p.Menu, pages[name], 1.25) // it has no border: over a table it would read as cells
		}
		bytes := map[string]color.RGBA{"page": p.Background, "decoded page": p.Decoded, "what would change": p.Tried}
		for i := range p.hues {
			bytes[fmt.Sprint("field ", i)] = p.hues[i]
		}
		for name, bg := range bytes {
			check("byte on "+name, p.Foreground, bg, 4.5)
			check("zero on "+name, p.Zero, bg, 4.5)
			check("modified on "+name, p.Modified, bg, 3)
			check("pointer on "+name, p.Hover, bg, 3)
			for _, s := range []model.Severity{model.Error, model.Warning, model.Note} {
				check(fmt.Sprintf("%v on %s", s, name), p.Mark(s), bg, 3)
			}
		}
		for name, bg := range map[string]color.RGBA{"selection": p.Selection, "selection elsewhere": p.SelectionDim} {
			check("text on "+name, p.Foreground, bg, 4.5)
			check("mark on "+name, p.OnSelection, bg, 3)
			check("pointer on "+name, p.Hover, bg, 3)
		}
		for f := -1.0; f <= 1; f += 0.125 {
			check(fmt.Sprint("a number as large as ", f), p.Foreground, p.Heat(f), 4.5)
		}
		th := NewTheme(p)
		if r := th.Size(theme.SizeNameModalBlurRadius); r != 0 {
			t.Errorf("what is behind a box is blurred by %v, again for each frame", r)
		}
		bar := uint8(int(p.Background.R) * (255 - int(th.Color(theme.ColorNameShadow, p.Variant).(color.NRGBA).A)) / 255)
		if c := contrast(color.RGBA{bar, bar, bar, 255}, p.Background); c > 1.5 {
			t.Errorf("%s: the bars between panes are %.2f against the page: more than what they part", p.Name, c)
		}
		for name, bg := range pages {
			off := th.Color(theme.ColorNameDisabled, p.Variant).(color.RGBA)
			check("shortcut of a menu on "+name, off, bg, 4.5)
			check("place holder on "+name, th.Color(theme.ColorNamePlaceHolder, p.Variant).(color.RGBA), bg, 4.5)
		}
	}
}

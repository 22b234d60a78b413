package paint

import (
	"image"
	"image/color"
	"io"
	"math"
	"sync"

	"fyne.io/fyne/v2"
)

// cross is the close icon. Fyne reads the icon of each tab several times whenever one of them changes, and its own icon is text that is
// parsed, coloured, written and parsed again: for two hundred tabs that takes a tenth of a second. The content of this one only identifies it.
type cross struct{}

var _ fyne.Resource = cross{}

const crossMagic = "spandrel cross "

func (cross) Name() string    { return "cross-" + Look().Name }
func (cross) Content() []byte { return []byte(crossMagic + Look().Name) }

func init() {
	image.RegisterFormat("cross", crossMagic, readCross, func(r io.Reader) (image.Config, error) {
		m, err := readCross(r)
		if err != nil {
			return image.Config{}, err
		}
		return image.Config{ColorModel: m.ColorModel(), Width: m.Bounds().Dx(), Height: m.Bounds().Dy()}, nil
	})
}

var crosses = map[string]func() image.Image{
	Light.Name: sync.OnceValue(func() image.Image { return crossOf(Light.Foreground) }),
	Dark.Name:  sync.OnceValue(func() image.Image { return crossOf(Dark.Foreground) }),
}

func readCross(r io.Reader) (image.Image, error) {
	b, err := io.ReadAll(io.LimitReader(r, 64))
	if draw, ok := crosses[string(b[min(len(b), len(crossMagic)):])]; ok && err == nil {
		return draw(), nil
	}
	return nil, image.ErrFormat
}

// crossOf draws two diagonals of the same size as in Fyne's icon, for a scale of up to 2.
func crossOf(c color.RGBA) image.Image {
	const size, half, long = 40, 1.65, 11.7
	m := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			a, b := math.Abs(float64(x-y))/math.Sqrt2, math.Abs(float64(x+y-size+1))/math.Sqrt2
			on := min(half-min(a, b), long*math.Sqrt2-max(a, b)) + 0.5
			m.SetNRGBA(x, y, color.NRGBA{c.R, c.G, c.B, uint8(255 * max(0, min(on, 1)))})
		}
	}
	return m
}

package ui

import (
	"testing"

	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/ui/rows"
)

// The pointer and the keyboard may be anywhere: on the header, behind the last row, outside.
func TestPointerAnywhere(t *testing.T) {
	for _, n := range []uint32{0, 5, 1000} {
		b, d := newBench(t, toyFile(t, n))
		for i := range d.Lower.Bottom.Items {
			d.Lower.Show(i)
			b.settle(t)
			rows.EachView(d.item.Content, func(v *rows.View) {
				for _, row := range []int64{rows.NoRow, -1, 0, 1, v.Rows.Count() - 1, v.Rows.Count(), v.Rows.Count() + 1000, 1 << 40} {
					for _, x := range []float32{-5, 0, 3, 40, 75, 100, 250, 500, 2000} {
						v.Rows.Hover(row, x)
						v.Rows.Press(row, x, rows.Press{Button: desktop.MouseButtonPrimary})
						v.Rows.Press(row, x+9, rows.Press{Button: desktop.MouseButtonPrimary, Drag: true})
						v.Rows.Press(row, x, rows.Press{Button: desktop.MouseButtonPrimary, Double: true})
						v.Rows.Press(row, x, rows.Press{Button: desktop.MouseButtonSecondary})
						v.Rows.Menu(row, x)
					}
				}
			})
			b.settle(t)
		}
	}
}

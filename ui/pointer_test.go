package ui

import (
	"testing"

	"fyne.io/fyne/v2/driver/desktop"
)

// The pointer and the keyboard may be anywhere: on the header, behind the last row, outside.
func TestPointerAnywhere(t *testing.T) {
	for _, rows := range []uint32{0, 5, 1000} {
		b, d := newBench(t, toyFile(t, rows))
		for i := range d.bottom.Items {
			d.showTab(i)
			b.settle(t)
			eachView(d.tab.Content, func(v *rowView) {
				for _, row := range []int64{noRow, -1, 0, 1, v.rows.count() - 1, v.rows.count(), v.rows.count() + 1000, 1 << 40} {
					for _, x := range []float32{-5, 0, 3, 40, 75, 100, 250, 500, 2000} {
						v.rows.hover(row, x)
						v.rows.press(row, x, press{button: desktop.MouseButtonPrimary})
						v.rows.press(row, x+9, press{button: desktop.MouseButtonPrimary, drag: true})
						v.rows.press(row, x, press{button: desktop.MouseButtonPrimary, double: true})
						v.rows.press(row, x, press{button: desktop.MouseButtonSecondary})
						v.rows.menu(row, x)
					}
				}
			})
			b.settle(t)
		}
	}
}

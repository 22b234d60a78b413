package table

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/ui/bench"
	"spandrel/ui/paint"
)

// npyFile writes an array of bytes in the format of numpy 1.0.
func npyFile(t *testing.T, shape string, data []byte) string {
	t.Helper()
	head := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': %s, }", shape)
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := os.WriteFile(path, append([]byte("\x93NUMPY\x01\x00"+string(rune(len(head)))+"\x00"+head), data...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// An array is shown as a picture, a point for each element; a click on one chooses its cell. Of values that are no numbers it says so in colour.
func TestPicture(t *testing.T) {
	b, d, p := sample(t, "npy/good/matrix.npy")
	x := p.Array.Picture
	if !x.Possible() || !x.Switch.Visible() {
		t.Fatal("a matrix can be no picture")
	}
	x.Turn()
	b.Settle(t)
	x.Resize(fyne.NewSize(300, 300))
	img := x.Image.Image
	if img.Bounds().Dx() != 3 || img.Bounds().Dy() != 2 || x.Hidden {
		t.Fatalf("a picture of %v", img.Bounds())
	}
	if img.At(0, 0) != color.Color(paint.Look().Background) || img.At(2, 1) == img.At(1, 0) {
		t.Errorf("its colours: %v %v %v", img.At(0, 0), img.At(1, 0), img.At(2, 1))
	}
	x.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(150, 160)}}) // of 100 units a point, below the middle
	b.Settle(t)
	if d.Sel.Now.Span.Path() != "data[4]" || p.Current != 1 || p.SelColumn != 2 || !x.mark.Visible() {
		t.Errorf("chosen: %s, row %d, column %d", d.Sel.Now.Span.Path(), p.Current, p.SelColumn)
	}
	x.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(150, 20)}}) // above it
	b.Settle(t)
	if p.Current != 1 {
		t.Errorf("beside the picture row %d is chosen", p.Current)
	}
	x.Turn()
	if b.Settle(t); !x.Hidden || grid(p) != "0 0 0.5 1 | 1 1.5 2 2.5" {
		t.Errorf("the numbers do not come back: %q", grid(p))
	}
}

// Bytes whose last axis is red, green and blue are a photograph, of which an index picks one.
func TestPhotograph(t *testing.T) {
	data := make([]byte, 2*4*5*3)
	for i := range data {
		data[i] = byte(i)
	}
	bn := bench.At(t, npyFile(t, "(2, 4, 5, 3)", data))
	p := New(bn.Doc)
	bn.Show(t, p, p.Object)
	p.Array.Show("[1, 2, :, :]")
	bn.Settle(t)
	p.Array.Picture.Turn()
	bn.Settle(t)
	img := p.Array.Picture.Image.Image
	if p.Array.shown != "[1, :, :, 0]" || img.Bounds().Dx() != 5 || img.Bounds().Dy() != 4 {
		t.Fatalf("%s, a picture of %v", p.Array.shown, img.Bounds())
	}
	if p.About.Text != "4 × 5 red, green and blue of [2, 4, 5, 3] u8" || !strings.HasPrefix(p.Array.Line.Text, "red: min 60") {
		t.Errorf("of all colours it says %q and %q", p.About.Text, p.Array.Line.Text)
	}
	first := uint8(4*5*3 + (2*5+3)*3) // of the second picture, the third line and the fourth point
	if c := img.At(3, 2); c != color.Color(color.RGBA{first, first + 1, first + 2, 255}) {
		t.Errorf("the colours are %v", c)
	}
}

// An array of more elements than a picture has points shows every so many of them, and reads no others.
func TestLargePicture(t *testing.T) {
	bn := bench.At(t, npyFile(t, "(3000, 40)", make([]byte, 3000*40)))
	p := New(bn.Doc)
	bn.Show(t, p, p.Object)
	p.Array.Picture.Turn()
	bn.Settle(t)
	x := p.Array.Picture
	if x.points == nil || x.points.stepY != 3 || x.points.h != 1000 || x.points.w != 40 {
		t.Fatalf("%+v", x.points)
	}
	x.Resize(fyne.NewSize(400, 1000))
	if row, col, ok := x.elementAt(fyne.NewPos(200, 999.5)); !ok || row != 2997 || col != 20 {
		t.Errorf("the last line is row %d, column %d", row, col)
	}
}

//go:build !ci

package kit

import "github.com/go-gl/glfw/v3.4/glfw"

// outside is far from every window.
const outside = -1e6

// WatchPointer makes widgets notice when the pointer leaves the window being painted: Fyne does not report
// it, so a move to a place outside is reported instead. A drag continues out there.
func WatchPointer() {
	win := glfw.GetCurrentContext()
	if win == nil {
		return
	}
	win.SetCursorEnterCallback(func(w *glfw.Window, entered bool) {
		if w.GetMouseButton(glfw.MouseButtonLeft) == glfw.Press {
			return
		}
		x, y := float64(outside), float64(outside)
		if entered { // where it left, GLFW sees no move
			x, y = w.GetCursorPos()
		}
		moved := w.SetCursorPosCallback(nil)
		w.SetCursorPosCallback(moved)
		if moved != nil {
			moved(w, x, y)
		}
	})
}

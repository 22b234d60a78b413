//go:build !ci

package ui

import (
	"github.com/go-gl/glfw/v3.4/glfw"

	"spandrel/ui/guard"
)

// guardInput guards the handling of every event that enters the window being painted: in whichever widget, ours or
// Fyne's with a function of ours. A widget that can describe the action better has its own guard inside this one.
func guardInput() {
	win := glfw.GetCurrentContext()
	if win == nil {
		return
	}
	if f := win.SetMouseButtonCallback(nil); f != nil {
		win.SetMouseButtonCallback(func(w *glfw.Window, b glfw.MouseButton, a glfw.Action, m glfw.ModifierKey) {
			guard.Do("a click", func() { f(w, b, a, m) })
		})
	}
	if f := win.SetCursorPosCallback(nil); f != nil {
		win.SetCursorPosCallback(func(w *glfw.Window, x, y float64) { guard.Do("a move of the pointer", func() { f(w, x, y) }) })
	}
	if f := win.SetScrollCallback(nil); f != nil {
		win.SetScrollCallback(func(w *glfw.Window, x, y float64) { guard.Do("scrolling", func() { f(w, x, y) }) })
	}
	if f := win.SetKeyCallback(nil); f != nil {
		win.SetKeyCallback(func(w *glfw.Window, k glfw.Key, code int, a glfw.Action, m glfw.ModifierKey) {
			guard.Do("a key", func() { f(w, k, code, a, m) })
		})
	}
	if f := win.SetCharCallback(nil); f != nil {
		win.SetCharCallback(func(w *glfw.Window, r rune) { guard.Do("typing", func() { f(w, r) }) })
	}
	if f := win.SetFocusCallback(nil); f != nil {
		win.SetFocusCallback(func(w *glfw.Window, on bool) { guard.Do("turning to the window", func() { f(w, on) }) })
	}
	if f := win.SetSizeCallback(nil); f != nil {
		win.SetSizeCallback(func(w *glfw.Window, x, y int) { guard.Do("resizing the window", func() { f(w, x, y) }) })
	}
	if f := win.SetFramebufferSizeCallback(nil); f != nil {
		win.SetFramebufferSizeCallback(func(w *glfw.Window, x, y int) { guard.Do("resizing the window", func() { f(w, x, y) }) })
	}
	if f := win.SetContentScaleCallback(nil); f != nil {
		win.SetContentScaleCallback(func(w *glfw.Window, x, y float32) { guard.Do("scaling the window", func() { f(w, x, y) }) })
	}
	if f := win.SetCloseCallback(nil); f != nil {
		win.SetCloseCallback(func(w *glfw.Window) { guard.Do("closing the window", func() { f(w) }) })
	}
}

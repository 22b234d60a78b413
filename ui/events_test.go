package ui

import (
	stdbytes "bytes"
	"fmt"
	"image"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/test"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/bytes"
	"spandrel/ui/guard"
	"spandrel/ui/rows"
)

// hand gives widgets the events that a driver gives them, from a seed: whatever is visible, with a place on it or beside it.
type hand struct {
	*rand.Rand
	b    *testBench
	done []string
}

// targets are the visible objects of the window that take events of a kind: those of what lies on top, where something does.
func targets[T any](h *hand) (list []T) {
	c := h.b.win.Canvas()
	root := c.Overlays().Top()
	if root == nil {
		root = c.Content()
	}
	eachVisible(root, func(o fyne.CanvasObject) {
		if x, ok := o.(T); ok && !o.Size().IsZero() {
			list = append(list, x)
		}
	})
	return list
}

// eachVisible calls f for an object and what is in it, as far as it is visible.
func eachVisible(o fyne.CanvasObject, f func(fyne.CanvasObject)) {
	if !o.Visible() {
		return
	}
	f(o)
	var inside []fyne.CanvasObject
	switch o := o.(type) {
	case *fyne.Container:
		inside = o.Objects
	case fyne.Widget:
		inside = test.WidgetRenderer(o).Objects()
	}
	for _, child := range inside {
		eachVisible(child, f)
	}
}

func pickOf[T any](h *hand, what string, do func(o T, at fyne.PointEvent)) {
	list := targets[T](h)
	if len(list) == 0 {
		return
	}
	o := list[h.Intn(len(list))]
	size := any(o).(fyne.CanvasObject).Size()
	at := fyne.NewPos((h.Float32()*1.2-0.1)*size.Width, (h.Float32()*1.2-0.1)*size.Height)
	h.done = append(h.done, fmt.Sprintf("%s %T at %v", what, o, at))
	do(o, fyne.PointEvent{Position: at, AbsolutePosition: fyne.CurrentApp().Driver().AbsolutePositionForObject(any(o).(fyne.CanvasObject)).Add(at)})
}

func (h *hand) act() {
	button := []desktop.MouseButton{desktop.MouseButtonPrimary, desktop.MouseButtonPrimary, desktop.MouseButtonSecondary, desktop.MouseButtonTertiary}[h.Intn(4)]
	mod := []fyne.KeyModifier{0, 0, 0, fyne.KeyModifierShift, fyne.KeyModifierControl, fyne.KeyModifierAlt}[h.Intn(6)]
	far := func() float32 { return (h.Float32() - 0.5) * []float32{1, 20, 400, 1e7}[h.Intn(4)] }
	switch h.Intn(10) {
	case 0:
		pickOf(h, "tap", func(o fyne.Tappable, at fyne.PointEvent) { o.Tapped(&at) })
	case 1:
		pickOf(h, "second button", func(o fyne.SecondaryTappable, at fyne.PointEvent) { o.TappedSecondary(&at) })
	case 2:
		pickOf(h, "double tap", func(o fyne.DoubleTappable, at fyne.PointEvent) { o.DoubleTapped(&at) })
	case 3, 4:
		pickOf(h, "press", func(o desktop.Mouseable, at fyne.PointEvent) {
			e := &desktop.MouseEvent{PointEvent: at, Button: button, Modifier: mod}
			o.MouseDown(e)
			o.MouseUp(e)
		})
	case 5:
		pickOf(h, "drag", func(o fyne.Draggable, at fyne.PointEvent) {
			if m, ok := o.(desktop.Mouseable); ok {
				m.MouseDown(&desktop.MouseEvent{PointEvent: at, Button: desktop.MouseButtonPrimary, Modifier: mod})
			}
			for range 1 + h.Intn(3) {
				by := fyne.Delta{DX: far(), DY: far()}
				at.Position = at.Position.AddXY(by.DX, by.DY)
				o.Dragged(&fyne.DragEvent{PointEvent: at, Dragged: by})
			}
			o.DragEnd()
		})
	case 6:
		pickOf(h, "wheel", func(o fyne.Scrollable, at fyne.PointEvent) {
			o.Scrolled(&fyne.ScrollEvent{PointEvent: at, Scrolled: fyne.Delta{DX: far(), DY: far()}})
		})
	case 7:
		pickOf(h, "pointer", func(o desktop.Hoverable, at fyne.PointEvent) {
			e := &desktop.MouseEvent{PointEvent: at}
			o.MouseIn(e)
			o.MouseMoved(e)
			o.MouseOut()
		})
	case 8:
		f := h.b.win.Canvas().Focused()
		if f == nil || h.Intn(4) == 0 {
			pickOf(h, "focus", func(o fyne.Focusable, _ fyne.PointEvent) { h.b.win.Canvas().Focus(o) })
		}
		if f = h.b.win.Canvas().Focused(); f != nil {
			r := []rune("0123456789abcdefXYZ+-.,/ \u00e9\u05d0\U0001f600")[h.Intn(28)]
			h.done = append(h.done, "type "+string(r)+" in "+fmt.Sprintf("%T", f))
			f.TypedRune(r)
		}
	default:
		k := randomKeys[h.Intn(len(randomKeys))]
		h.done = append(h.done, "key "+string(k)+" in "+fmt.Sprintf("%T", h.b.win.Canvas().Focused()))
		h.b.press(k)
	}
}

// TestRandomEvents gives every widget of the window events that no one would think of, over several documents, one of which has no table and one
// no format: nothing panics.
func TestRandomEvents(t *testing.T) {
	steps, most := 4000, 30*time.Second
	if testing.Short() {
		steps, most = 800, 10*time.Second
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir() // nothing that is saved by chance lands elsewhere
	t.Setenv("HOME", home)
	begin := time.Now()
	for seed := int64(0); seed < 2 && time.Since(begin) < most; seed++ {
		b := emptyBench(t)
		unknown := filepath.Join(t.TempDir(), "unknown")
		if err := os.WriteFile(unknown, []byte("\x00\x01 nothing that is known \xff\xfe"), 0o600); err != nil {
			t.Fatal(err)
		}
		paths := []string{unknown, bench.CopySample(t, "tiledb/good/metadata.tdb"), bench.CopySample(t, "taridx/bad/022-n-rows"), bench.CopySample(t, "npy/good/"+anySample(t, "npy/good")),
			bench.CopySample(t, "samediff/good/"+anySample(t, "samediff/good"))}
		t.Chdir(home)
		h := &hand{Rand: rand.New(rand.NewSource(seed)), b: b}
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("after %d events, the last of them: %q", len(h.done), h.done[max(0, len(h.done)-8):])
					panic(r)
				}
			}()
			for i := 0; i < steps && time.Since(begin) < most; i++ {
				if i%100 == 0 {
					b.open(t, paths[i/100%len(paths)]).Editor.SetLocked(h.Intn(2) == 0)
					b.win.Canvas().Capture()
				}
				h.act()
				b.settle(t)
				if h.Intn(4) == 0 { // a box stays for some events, as a menu does
					for range 3 {
						if b.Shell.Modal() {
							b.press(fyne.KeyEscape)
							b.settle(t)
						}
					}
					for o := b.win.Canvas().Overlays().Top(); o != nil; o = b.win.Canvas().Overlays().Top() {
						b.win.Canvas().Overlays().Remove(o)
					}
				}
			}
		}()
		t.Chdir(wd)
		t.Logf("%d events of seed %d", len(h.done), seed)
	}
}

// sick is a layout and a renderer that fail while they are told to.
type sick struct {
	fyne.Layout
	fyne.WidgetRenderer
	fails *bool
}

func (s sick) panics() {
	if *s.fails {
		panic("sick on purpose")
	}
}

type sickLayout struct{ sick }

func (s sickLayout) MinSize(list []fyne.CanvasObject) fyne.Size {
	s.panics()
	return s.sick.Layout.MinSize(list)
}

func (s sickLayout) Layout(list []fyne.CanvasObject, size fyne.Size) {
	s.panics()
	s.sick.Layout.Layout(list, size)
}

// Rows that fail while they are drawn, and a layout that fails, leave the window as it was; the edit that was made before is still there.
func TestDefectInWhatIsDrawn(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	log := filepath.Join(t.TempDir(), "defects.log")
	var also stdbytes.Buffer
	b.saver.recorder.Records, b.defects.log, b.defects.also = t.TempDir(), log, &also
	guard.Told = b.defects.caught
	t.Cleanup(func() { guard.Told = nil })
	d.Editor.SetLocked(false)
	span, err := d.Tree().Find(t.Context(), "rows[3]/size")
	if err != nil {
		t.Fatal(err)
	}
	d.Editor.SetValue(span, model.U(7), nil)
	b.settle(t)

	fails := false
	drawn := func(w, h int) image.Image {
		if fails {
			panic("sick raster")
		}
		return image.NewRGBA(image.Rect(0, 0, w, h))
	}
	raster := canvas.NewRaster(guard.Pixels("a picture", drawn))
	raster.SetMinSize(fyne.NewSize(20, 20))
	box := container.New(guard.Layout(sickLayout{sick{Layout: layout.NewStackLayout(), fails: &fails}}), raster)
	whole := b.win.Content()
	all := container.NewBorder(nil, box, nil, nil, whole)
	b.win.SetContent(all)
	b.win.Canvas().Capture()
	size := box.MinSize()
	fails = true
	d.hex.View.Rows = broken{d.hex.View.Rows}
	for range 3 {
		b.win.Resize(b.win.Canvas().Size().AddWidthHeight(10, 10))
		d.hex.View.Refresh()
		raster.Refresh()
		all.Refresh()
		b.win.Canvas().Capture()
		b.settle(t)
	}
	if got := box.MinSize(); got != size || size.IsZero() {
		t.Errorf("the size is %v, was %v", got, size)
	}
	raw, err := os.ReadFile(log)
	for _, want := range []string{"sick on purpose", "sick raster", "laying out rows (*bytes.Pane): show"} {
		if err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("the log (%v) has no %q", err, want)
		}
	}
	if !strings.HasPrefix(b.Line.Said, "Internal error in: ") || strings.Count(string(raw), "sick raster") != 1 {
		t.Errorf("said %q, logged %d times", b.Line.Said, strings.Count(string(raw), "sick raster"))
	}
	if list, _ := os.ReadDir(b.saver.recorder.Records); !d.Editor.Dirty || len(list) == 0 {
		t.Error("the unsaved edit is gone")
	}
}

// Every renderer and layout of the window is guarded: what Fyne calls outside an event has nothing else below it.
func TestEverythingDrawnIsGuarded(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	b.win.Canvas().Capture()
	eachVisible(b.win.Content(), func(o fyne.CanvasObject) {
		switch o := o.(type) {
		case *rows.View, *bytes.Minimap:
			if r := fmt.Sprintf("%T", test.WidgetRenderer(o.(fyne.Widget))); r != "*guard.renderer" {
				t.Errorf("the renderer of %s is %s", fmt.Sprintf("%T", o), r)
			}
		case *fyne.Container:
			if l := fmt.Sprintf("%T", o.Layout); strings.HasPrefix(l, "ui.") || strings.HasPrefix(l, "*ui.") {
				t.Errorf("a layout is %s, unguarded", l)
			}
		}
	})
	if d.hex == nil {
		t.Fatal("no hex pane")
	}
}

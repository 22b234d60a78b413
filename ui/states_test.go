package ui

import (
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/software"

	"spandrel/ui/paint"
)

var updateStates = flag.Bool("states", false, "rewrite the pictures of the window's states")

// A picture of a state is kept a sixteenth as large: what it is compared for is where things are and in which colours, not each letter.
const (
	stateShrink = 16
	stateFar    = 40   // of 255: how much a point may differ before it counts
	stateMost   = 0.01 // how many of the points may
)

// state is a way the window may look.
type state struct {
	name  string
	file  string // in testdata; "": none, or made by do
	size  fyne.Size
	scale float32
	dark  bool
	do    func(t *testing.T, b *testBench)
}

var states = []state{
	{name: "nothing-open"},
	{name: "rows", file: "taridx/good/three-shards/train.taridx"},
	{name: "rows-dark", file: "taridx/good/three-shards/train.taridx", dark: true},
	{name: "small", file: "idv/good/deflated.idv", size: fyne.NewSize(1024, 700)},
	{name: "twice-as-large", file: "idv/good/deflated.idv", size: fyne.NewSize(1024, 700), scale: 2},
	{name: "broken", file: "taridx/bad/022-n-rows/train.taridx"},
	{name: "model", file: "samediff/good/inline.fb", do: func(_ *testing.T, b *testBench) { b.menus.run("graph") }},
	{name: "folder", file: "tiledb/good/sparse-v23", dark: true},
	{name: "empty-file", do: func(t *testing.T, b *testBench) { openNew(t, b, "empty.bin", "") }},
	{name: "no-format", do: func(t *testing.T, b *testBench) { openNew(t, b, "notes.txt", "neither a header\nnor a table\n") }},
	{name: "array", file: "npy/good/matrix.npy"},
	{name: "array-small-dark", file: "npy/good/matrix.npy", dark: true, size: fyne.NewSize(1024, 700)},
	{name: "picture", file: "npy/good/matrix.npy", do: func(_ *testing.T, b *testBench) { b.menus.run("picture") }},
	{name: "bytes", file: "npy/good/matrix.npy", do: func(_ *testing.T, b *testBench) { b.menus.run("layout-bytes") }},
	{name: "numbers", file: "npy/good/matrix.npy", do: func(_ *testing.T, b *testBench) {
		b.menus.run("layout-bytes")
		b.current.hex.Words.Show("f32 LE")
	}},
	{name: "filter-row", file: "idv/good/deflated.idv", do: func(_ *testing.T, b *testBench) { b.menus.run("filter-row") }},
	{name: "plot-dark", file: "idv/good/deflated.idv", dark: true, do: func(_ *testing.T, b *testBench) { b.current.table.Plot.Draw(0, -1) }},
	{name: "hashes-small", file: "npy/good/matrix.npy", size: fyne.NewSize(1024, 700), do: func(_ *testing.T, b *testBench) { b.menus.run("hashes") }},
	{name: "statistics", file: "idv/good/deflated.idv", do: func(_ *testing.T, b *testBench) { b.current.table.Statistics(0) }},
	{name: "checkpoint-dark", file: "safetensors/good/checkpoint", dark: true, size: fyne.NewSize(1024, 700), scale: 2},
	{name: "gone", do: func(t *testing.T, b *testBench) {
		path := openNew(t, b, "gone.bin", string(make([]byte, 5000)))
		if err := os.Truncate(path, 100); err != nil {
			t.Fatal(err)
		}
		b.disk.lookAtDisk()
	}},
}

func openNew(t *testing.T, b *testBench, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	b.files.show(path)
	b.settle(t)
	return path
}

// TestStates compares what the window looks like in each state with a picture of it. `go test ./ui -run States -states` draws them again.
func TestStates(t *testing.T) {
	for _, s := range states {
		t.Run(s.name, func(t *testing.T) {
			got := shrunk(s.draw(t))
			path := filepath.Join("testdata", "states", s.name+".png")
			if *updateStates {
				writePicture(t, path, got)
				return
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			want, err := png.Decode(f)
			if err != nil {
				t.Fatal(err)
			}
			if want.Bounds() != got.Rect {
				t.Fatalf("%v instead of %v", got.Rect, want.Bounds())
			}
			if share := differingShare(got, want); share > stateMost {
				seen := filepath.Join(os.TempDir(), "spandrel-state-"+s.name+".png")
				writePicture(t, seen, got)
				t.Errorf("%.1f %% of the picture differ from %s: it looks like %s now", 100*share, path, seen)
			}
		})
	}
}

// draw brings the window into the state and draws it.
func (s state) draw(t *testing.T) image.Image {
	b := emptyBench(t)
	t.Cleanup(func() {
		if t.Failed() && b.current != nil {
			found, _ := b.current.Tree().Findings()
			for i := range found {
				t.Logf("%s %s: %s; found %s", found[i].Rule.ID, found[i].Path(), found[i].Text(), found[i].Found)
			}
		}
	})
	b.prefs.SetInt(prefPanes, 0) // as someone sees it who has chosen nothing yet
	if s.dark {
		b.App.Settings().SetTheme(paint.NewTheme(paint.Dark))
	}
	if s.size.Width > 0 {
		b.win.Resize(s.size)
	}
	if s.scale > 0 {
		b.win.Canvas().(software.WindowlessCanvas).SetScale(s.scale)
	}
	b.settle(t)
	if s.file != "" {
		b.files.show(filepath.Join("..", "testdata", filepath.FromSlash(s.file)))
		b.settle(t)
	}
	if s.do != nil {
		s.do(t, b)
		b.settle(t)
	}
	for range 3 { // drawing asks for what is not there yet
		b.win.Content().Refresh() // as the window does when something came or went
		b.win.Canvas().Capture()
		b.settle(t)
	}
	return b.win.Canvas().Capture()
}

// shrunk is a picture in fewer points, each the mean of those that it stands for.
func shrunk(m image.Image) *image.RGBA {
	r := m.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, r.Dx()/stateShrink, r.Dy()/stateShrink))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			var sum [3]uint32
			for i := range stateShrink * stateShrink {
				cr, cg, cb, _ := m.At(r.Min.X+x*stateShrink+i%stateShrink, r.Min.Y+y*stateShrink+i/stateShrink).RGBA()
				sum[0], sum[1], sum[2] = sum[0]+cr>>8, sum[1]+cg>>8, sum[2]+cb>>8
			}
			const n = stateShrink * stateShrink
			out.SetRGBA(x, y, color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255})
		}
	}
	return out
}

// differingShare is how many of the points are far from each other.
func differingShare(a, b image.Image) float64 {
	r, far := a.Bounds(), 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			ar, ag, ab, _ := a.At(x, y).RGBA()
			br, bg, bb, _ := b.At(x, y).RGBA()
			for _, d := range []int{int(ar>>8) - int(br>>8), int(ag>>8) - int(bg>>8), int(ab>>8) - int(bb>>8)} {
				if max(d, -d) > stateFar {
					far++
					break
				}
			}
		}
	}
	return float64(far) / float64(r.Dx()*r.Dy())
}

func writePicture(t *testing.T, path string, m image.Image) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, m); err != nil {
		t.Fatal(err)
	}
}

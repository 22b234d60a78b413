package bytes

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// open shows the pane alone, of a file.
func open(t testing.TB, path string) (*bench.Bench, *doc.Document, *Pane) {
	t.Helper()
	return shown(t, bench.Open(t, path))
}

// sample shows the pane alone, of a copy of a sample.
func sample(t testing.TB, path string, inside ...string) (*bench.Bench, *doc.Document, *Pane) {
	t.Helper()
	return shown(t, bench.Sample(t, path, inside...))
}

func shown(t testing.TB, b *bench.Bench) (*bench.Bench, *doc.Document, *Pane) {
	t.Helper()
	p := New(b.Doc)
	b.Show(t, p, p.Object)
	return b, b.Doc, p
}

// Of a document of many files it is said which one's bytes are shown, also before another was looked at.
func TestFileOfAFolderIsNamed(t *testing.T) {
	_, _, p := sample(t, "tiledb/good/dense-v22")
	if !p.Spaces.Strip.Visible() {
		t.Error("nothing names the file")
	}
	if _, _, p = sample(t, "idv/good/stored.idv"); p.Spaces.Strip.Visible() {
		t.Error("a tab says what the document's own says")
	}
}

// However many problems a file has, its map stays one: their marks are as long as much is wrong, and leave what is there to be seen.
func TestMapOfManyProblems(t *testing.T) {
	_, d, p := open(t, bench.ToyFile(t, 400))
	tree, root := d.Tree(), d.Tree().Root.Range
	var found []model.Finding
	for off := int64(0); off < root.Len; off++ {
		found = append(found, model.Finding{Severity: model.Error, Range: model.Range{Space: root.Space, Off: off, Len: 1}})
	}
	m := p.overview
	for _, every := range []int{1, 8} {
		var some []model.Finding
		for i := 0; i < len(found); i += every {
			some = append(some, found[i])
		}
		lines, err := mapOf(t.Context(), tree, root, some, nil)
		if err != nil {
			t.Fatal(err)
		}
		m.lines = lines
		const w, h = 24, 512
		img, red := m.generate(w, h), 0
		mark := paint.Look().Mark(model.Error)
		for i := range w * h {
			if r, g, b, _ := img.At(i%w, i/w).RGBA(); uint8(r>>8) == mark.R && uint8(g>>8) == mark.G && uint8(b>>8) == mark.B {
				red++
			}
		}
		if most := map[int]int{1: 70, 8: 30}[every]; red*100 > most*w*h || red == 0 {
			t.Errorf("%d problems in %d bytes: %d %% of the map are marks", len(some), root.Len, red*100/(w*h))
		}
	}
}

// TestMapOfAShrunkFile: what is left of a file that shrank while it is open stays on its map, and the rest is marked.
func TestMapOfAShrunkFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bin")
	if err := os.WriteFile(path, bytes.Repeat([]byte("spandrel"), 1<<18), 0o600); err != nil {
		t.Fatal(err)
	}
	_, d, _ := open(t, path)
	if err := os.Truncate(path, 1<<20); err != nil {
		t.Fatal(err)
	}
	lines, err := mapOf(t.Context(), d.Tree(), d.Tree().Root.Range, nil, nil)
	if err != nil || lines[10].entropy == 0 || lines[len(lines)-1].state != model.Bad {
		t.Fatalf("%v, %d lines", err, len(lines))
	}
}

func TestHexKeysAndSelection(t *testing.T) {
	b, d, p := open(t, bench.ToyFile(t, 100))
	h := p
	h.SetWidth(16)
	h.Key(fyne.KeyEnd, fyne.KeyModifierShortcutDefault)
	if h.Caret != h.Size-1 || h.View.Top != h.View.MaxTop() {
		t.Error("end", h.Caret, h.View.Top)
	}
	h.Key(fyne.KeyHome, fyne.KeyModifierShortcutDefault)
	h.Key(fyne.KeyDown, fyne.KeyModifierShift)
	h.Key(fyne.KeyRight, fyne.KeyModifierShift)
	b.Settle(t)
	if r := d.Sel.Now.Range; r.Off != 0 || r.Len != 18 {
		t.Error("selection by keys", r)
	}
	h.Press(2, h.At.textX(3)+1, rows.Press{Button: 1})
	h.Press(3, h.At.textX(0)+1, rows.Press{Button: 1, Drag: true})
	if r := d.Sel.Now.Range; r.Off != 35 || r.Len != 14 || !h.InText {
		t.Error("selection by dragging", r)
	}
}

package bytes

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

func listed(l *doc.List) string {
	var lines []string
	for _, x := range l.Items {
		lines = append(lines, doc.RowText(x))
	}
	return strings.Join(lines, "\n")
}

// The hashes are those of the selected bytes, or of all where one byte is selected, and those of the bytes after an edit.
func TestSums(t *testing.T) {
	path := bench.ToyFile(t, 5000)
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b := bench.Open(t, path)
	d := b.Doc
	h, s := New(d), NewSums(d)
	d.Panes = append(d.Panes, s)
	b.Show(t, h, h.Object)
	d.Lower.Lay()
	want := func(what string, of []byte) {
		t.Helper()
		b.Settle(t)
		if text := listed(&s.Facts); !strings.Contains(text, fmt.Sprintf("SHA-256\t%x", sha256.Sum256(of))) {
			t.Errorf("%s: %s\n%s", what, s.about.Text, text)
		}
	}
	s.Show()
	want("the whole", all)
	if text := listed(&s.Values); !strings.HasPrefix(text, "00\t'\\x00'\t") {
		t.Errorf("the most frequent: %s", text[:40])
	}
	d.Editor.SetLocked(false)
	d.Editor.SetValue(d.Tree().Root.Get("rows").Child(0).Child(0), model.U(0x01020304), nil)
	copy(all[8:], []byte{4, 3, 2, 1})
	want("after an edit", all)
	d.Sel.Bytes(model.Range{Space: h.Space, Off: 8, Len: 4}, nil)
	b.Settle(t)
	s.Show()
	want("four bytes", all[8:12])
	if text := listed(&s.Facts); !strings.Contains(text, "entropy\t2.000 of 8 bits") || !strings.Contains(text, "values\t4 of 256") {
		t.Errorf("four different bytes:\n%s", text)
	}
	for _, width := range []float32{556, 900} { // the lower pane in a window of 1024 units, and in a wide one
		s.Facts.View.Resize(fyne.NewSize(width*0.64, 200))
		s.Values.View.Resize(fyne.NewSize(width*0.36, 200))
		for _, l := range []*doc.List{&s.Facts, &s.Values} {
			for _, x := range l.Items {
				for i, c := range x.Cells {
					face := map[bool]*paint.Typeface{true: paint.AtlasAt(1).Mono, false: paint.AtlasAt(1).Text}[c.Mono]
					if c.Text != "" && float32(face.Width(c.Text)) > l.ColumnWidth(i)-2*rows.CellPad {
						t.Errorf("%g units: %q is cut", width, c.Text)
					}
				}
			}
		}
	}
	if s.Close(); len(d.Lower.Bottom.Items) != 0 {
		t.Error("it stays")
	}
}

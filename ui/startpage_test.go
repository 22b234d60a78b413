package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/parsers"
	"spandrel/testdata"
)

// TestSamplesOpen opens the sample of each format from the start page: it is of that format, sound, and may be saved.
func TestSamplesOpen(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	b := emptyBench(t)
	for _, f := range b.formats {
		s, ok := testdata.SampleOf(f.Name)
		if !ok {
			t.Errorf("no sample of %s", f.Name)
			continue
		}
		b.files.sample(s.Name(), s.Copy)
		b.settle(t)
		d := b.current
		if d == nil || d.Model.Format != f {
			t.Errorf("%s: the sample is not of this format", f.Name)
			continue
		}
		if n := d.Found.Counts(); n[model.Error] != 0 || n[model.Warning] != 0 {
			t.Errorf("%s: the sample has problems: %v", f.Name, d.Found.All)
		}
		if _, err := d.Model.SavePlan(model.SaveOptions{}); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	if len(b.docs) != len(b.formats) {
		t.Errorf("%d tabs of %d samples", len(b.docs), len(b.formats))
	}
}

// TestSampleCopies takes a fresh copy of a sample when the one that is there was edited.
func TestSampleCopies(t *testing.T) {
	dir := t.TempDir()
	for _, s := range testdata.Samples {
		open := func() string {
			path, err := s.Copy(dir)
			if err != nil {
				t.Fatal(err)
			}
			return path
		}
		first := open()
		if again := open(); again != first || filepath.Base(first) != s.Name() {
			t.Errorf("%s: %s is called %s", first, again, s.Name())
		}
		edited := first
		if st, err := os.Stat(first); err == nil && st.IsDir() {
			edited = filepath.Join(first, "more")
		}
		if err := os.WriteFile(edited, []byte("edited"), 0o600); err != nil {
			t.Fatal(err)
		}
		if again := open(); again == first {
			t.Errorf("%s was edited, and is taken again", first)
		}
	}
}

// Each damaged sample of the start page has a cause that is proven, and a repair that loses nothing.
func TestBrokenSamples(t *testing.T) {
	dir := t.TempDir()
	for _, x := range testdata.Broken {
		path, err := x.Copy(dir)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := x.Copy(dir); err != nil || again != path {
			t.Errorf("%s: the next copy is %s, %v", x.Title, again, err)
		}
		d, err := model.Open(t.Context(), path, parsers.All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: parsers.All(), Tree: d.Tree})
		if err != nil || len(g.Causes) == 0 || g.Causes[0].Grade != cause.Proven || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%s: %+v %v", x.Title, g, err)
		}
		d.Close()
	}
}

// The start page says what a recent file was when it was last open.
func TestRecentFilesHaveAState(t *testing.T) {
	b, d := sampleBench(t, "npy/good/matrix.npy")
	b.settle(t)
	b.saver.askClose(d)
	b.settle(t)
	b.refreshBody()
	said := ""
	each(b.files.startPage(), func(o fyne.CanvasObject) {
		if l, ok := o.(*widget.Label); ok {
			said += l.Text + "\n"
		}
	})
	if !strings.Contains(said, "NumPy array · no problems found · ") {
		t.Errorf("it says %q", said)
	}
}

// The start page fits into the narrowest window that is promised.
func TestStartPageIsNarrow(t *testing.T) {
	b := emptyBench(t)
	b.refreshBody()
	if w := b.win.Content().MinSize().Width; w > 683 || len(b.body.Objects) != 1 {
		t.Errorf("%v wide", w)
	}
}

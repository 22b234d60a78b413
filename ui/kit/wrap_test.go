package kit

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"spandrel/ui/paint"
)

func TestWrapFits(t *testing.T) {
	f := paint.AtlasAt(1).Text
	text := "a text of several words and/a/long/path/without_any_space_in_it_at_all_so_that_it_must_be_cut"
	lines := Wrap(f, text, 120)
	if len(lines) < 4 {
		t.Fatal(lines)
	}
	for _, l := range lines {
		if f.Width(strings.TrimRight(l, " ")) > 120 {
			t.Errorf("%q is wider than 120", l)
		}
	}
	if got := strings.ReplaceAll(strings.Join(lines, ""), " ", ""); got != strings.ReplaceAll(text, " ", "") {
		t.Error("text is lost:", got)
	}
	if n := len(Wrap(f, strings.Repeat("x", 1<<20), 100)); n != wrapMost {
		t.Error("a huge text takes", n)
	}
}

// A path that is wider than a dialog is broken behind a slash; other words, and paths that fit, are not.
func TestPathsBreakAtSlashes(t *testing.T) {
	test.NewTempApp(t)
	const room = 200
	text := "Saved /a/folder/with/several/long_names_in_it/and/one_more_at_its_end/train.taridx\n    backup: /a/b " + strings.Repeat("x", 100)
	got := atSlashes(text, room)
	if strings.ReplaceAll(got, "\n", "") != strings.ReplaceAll(text, "\n", "") {
		t.Errorf("text is lost: %q", got)
	}
	for _, w := range strings.Fields(got)[:5] {
		if width := fyne.MeasureText(w, theme.TextSize(), fyne.TextStyle{}).Width; width > room {
			t.Errorf("%q is %v wide", w, width)
		}
	}
	if !strings.Contains(got, "/train.taridx\n    backup: /a/b x") && !strings.Contains(got, "\ntrain.taridx\n    backup: /a/b x") {
		t.Errorf("broken elsewhere: %q", got)
	}
}

// A sentence begins with a capital letter, but a name stays as it is.
func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"the checksum is wrong": "The checksum is wrong", "likely": "Likely", "saved, and read back": "Saved, and read back",
		"header_size is 440": "header_size is 440", "toc[0]/name is empty": "toc[0]/name is empty", "data.npy is truncated": "data.npy is truncated",
		"w: a small array": "w: a small array", "Already": "Already", "2 errors": "2 errors", "": "",
	} {
		if got := Sentence(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

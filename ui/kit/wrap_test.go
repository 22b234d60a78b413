package kit

import (
	"strings"
	"testing"

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

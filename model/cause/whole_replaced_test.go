package cause

import (
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// A shorter text that is in a file as often as bytes are missing gets blanks for its letters.
func TestTextReplacedBack(t *testing.T) {
	b := []byte(strings.Repeat("\x04Feats\x00\x01", 4))
	if list := textsSoOften(b, 12); !slices.Contains(list, "Feats") {
		t.Errorf("of these texts 4 are replaced: %q", list)
	}
	if lists := unlikeLengths([]byte("\x03\x00\x00\x00one\x00" + strings.Repeat("\x08\x00\x00\x00Feats\x00", 4))); len(lists) != 1 || string(lists[-3]) != strings.Repeat("Feats\x00", 4) {
		t.Errorf("texts that are not as long as said: %v", lists)
	}
	snap := &model.Snapshot{Primary: "a"}
	snap = snap.With("a", model.BytesContent(b))
	x := replacedBack(&subject{r: &search{base: &verdict{snap: snap}}, name: "a", b: b}, "Feat", 4, -3)
	c, err := x.snap.Content("a")
	if err != nil || string(bytesAt(c, 0, c.Len())) != strings.ReplaceAll(string(b), "Feat", "Feat___") || x.loses == "" {
		t.Errorf("%v: %q", err, x.text)
	}
}

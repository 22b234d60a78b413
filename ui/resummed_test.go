package ui

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// A change that gives damaged bytes a new checksum is not made before someone has read what that hides.
func TestNewChecksumOverDamageIsAsked(t *testing.T) {
	raw, err := os.ReadFile("../testdata/samediff/good/plain.sdc")
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []bool{false, true} {
		if damaged {
			raw[bytes.Index(raw, []byte("tiny"))] ^= 1 // a character of a value in the metadata
		}
		path := filepath.Join(t.TempDir(), "m.sdc")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		b := emptyBench(t)
		d := b.open(t, path)
		d.Editor.Locked = false
		actions := d.Format().Actions
		set := actions[slices.IndexFunc(actions, func(a model.Action) bool { return a.Name == "set-metadata" })]
		edits, err := set.Plan(t.Context(), d.Tree(), d.Tree().Root, map[string]string{"key": "k", "value": "v"})
		if err != nil {
			t.Fatal(err)
		}
		d.Editor.Edit(set.Label, "", edits, nil)
		b.settle(t)
		if asked := d.Preview != nil; asked != damaged || d.Editor.Dirty == damaged {
			t.Errorf("damaged %t: asked %t, edited %t", damaged, asked, d.Editor.Dirty)
		}
		if damaged && !strings.Contains(d.trialBar.text.Text, "a new checksum") {
			t.Errorf("%q", d.trialBar.text.Text)
		}
	}
}

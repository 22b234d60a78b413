package flat

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestRestored wipes the descriptions of the fields of tables, one after the other: what variables and operations are called, and what leads to
// them, reads as before.
func TestRestored(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/samediff/good/*.fb")
	tried := 0
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sound := Open(b, "FlatGraph", nil)
		if sound.Gen == "" || len(sound.Issues) > 0 && sound.perKind[NoVtable] > 0 {
			continue
		}
		want := namesOf(b)
		for i, l := range sound.Layouts {
			typ := ""
			for _, o := range sound.Objs {
				if o.Kind == TableObject && o.Layout == int32(i) {
					typ = sound.TableOf(o).Name
				}
			}
			if typ != "FlatVariable" && typ != "FlatNode" || len(want) < 2 {
				continue
			}
			tried++
			wiped := Buffer(bytes.Clone(b))
			clear(wiped[l.Vtable : l.Vtable+4+2*int64(l.Slots)])
			got := namesOf(Open(wiped, "FlatGraph", nil).Settled(wiped, "FlatGraph", nil).Restored(wiped))
			if got != want {
				t.Errorf("%s without the description of %s: %q, not %q", filepath.Base(name), typ, got, want)
			}
		}
	}
	if tried < 3 {
		t.Errorf("only %d descriptions were wiped", tried)
	}
}

// namesOf lists the names of the variables and operations of a graph.
func namesOf(b Buffer) (out string) {
	for _, slot := range []int{GraphVariables, GraphNodes} {
		for _, t := range b.Tables(b.Root(), slot) {
			s, _ := b.Str(t, VarName)
			out += s + "\n"
		}
	}
	return out
}

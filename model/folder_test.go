package model

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Of files that end alike some are listed; they hide no file of another kind, and never the one that was opened.
func TestListOfManyHidesNothingAsked(t *testing.T) {
	defer func(n int) { mostAlike = n }(mostAlike)
	mostAlike = 20
	dir, names := t.TempDir(), []string{"a.taridx", "z.taridx"}
	for i := range 100 {
		names = append(names, fmt.Sprintf("train_%02d.tar", i))
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for _, primary := range names {
		list, more, err := (&Snapshot{Primary: primary, folder: folder}).List(".")
		has := func(name string) bool {
			return slices.ContainsFunc(list, func(e Entry) bool { return e.Name == name && e.Regular })
		}
		if err != nil || !more || len(list) < 22 || len(list) > 23 || !has(primary) || !has("a.taridx") || !has("z.taridx") {
			t.Fatalf("%s opened: %d are listed of %d, more %v, %v", primary, len(list), len(names), more, err)
		}
	}
	if list, more, err := folder.List("."); err != nil || !more || len(list) != 22 {
		t.Errorf("the folder alone: %d, more %v, %v", len(list), more, err)
	}
	mostAlike = 50
	if list, more, _ := folder.List("."); !more || len(list) != 52 {
		t.Errorf("up to 50 alike: %d, more %v", len(list), more)
	}
	mostAlike = 100
	if list, more, _ := folder.List("."); more || len(list) != len(names) {
		t.Errorf("up to 100 alike: %d, more %v", len(list), more)
	}
}

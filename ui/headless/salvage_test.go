package headless_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/ui/headless"
)

// TestSalvage saves a sound index, one without its end, and one of which nothing is left, never in place.
func TestSalvage(t *testing.T) {
	path := copyOf(t, "good/three-shards")
	out := filepath.Join(t.TempDir(), "saved.taridx")
	if status, said, err := run(nil, "salvage", path, "-o", out); status != headless.Done || !strings.Contains(said, "rows") {
		t.Fatalf("status %d: %s %s", status, said, err)
	}
	if status, said, _ := run(nil, "check", out); status == headless.Failed {
		t.Errorf("what was saved cannot be read: %s", said)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"salvage", path}, {"salvage", path, "-o", path}} {
		if status, _, err := run(nil, args...); status != headless.Failed || strings.Count(err, "\n") != 1 {
			t.Errorf("%v: status %d, %s", args, status, err)
		}
	}
	if now, _ := os.ReadFile(path); string(now) != string(before) {
		t.Error("salvage changed the file itself")
	}
	gone := filepath.Join(t.TempDir(), "gone.taridx")
	if err := os.WriteFile(gone, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if status, _, err := run(nil, "salvage", gone, "-o", out+"2"); status != headless.Failed || !strings.Contains(err, "nothing could be saved") {
		t.Errorf("status %d: %s", status, err)
	}
}

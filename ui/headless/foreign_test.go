package headless_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/ui/headless"
)

// A folder that other software wrote is named in one line, a folder without documents is said to have none, and what is of another kind gets no
// advice that leads nowhere.
func TestWhatIsOfAnotherKind(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"lm/data.mdb": "", "lm/lock.mdb": "", "hf/dataset_info.json": "{}", "hf/state.json": "{}", "hf/data.arrow": "ARROW1\x00\x00",
		"sm/saved_model.pb": "", "none/notes": "of no one", "x.h5": "\x89HDF\r\n\x1a\n" + strings.Repeat("\x00", 4000)} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		command, path, want string
		status              int
	}{
		{"check", "lm", "it is an LMDB database, and the Python package lmdb opens it", headless.Failed},
		{"check", "hf", "it is a Hugging Face dataset, and datasets.load_from_disk opens it", headless.Failed},
		{"check", "sm", "it is a TensorFlow SavedModel", headless.Failed},
		{"check", "none", "no file of a known format was found", headless.Done},
		{"fix", "x.h5", "an HDF5 file", headless.Found},
	} {
		status, out, err := run(nil, x.command, filepath.Join(dir, x.path))
		if status != x.status || !strings.Contains(err, x.want) || strings.Contains(err, "salvage") || strings.Count(err, "\n") > 1 {
			t.Errorf("%s %s: status %d, printed %q and %q", x.command, x.path, status, out, err)
		}
	}
}

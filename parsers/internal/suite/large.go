package suite

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"spandrel/model"
)

// Large is an empty folder for a document of the returned size: by default four mebibytes, deleted after the test. With
// SPANDREL_LARGE=FOLDER or FOLDER,BYTES it is a gibibyte, or BYTES, and is kept in the folder, so that commands can be measured on it.
func Large(t *testing.T, name string) (dir string, size int64) {
	t.Helper()
	folder, bytes, given := strings.Cut(os.Getenv("SPANDREL_LARGE"), ",")
	if folder == "" {
		return t.TempDir(), 4 << 20
	}
	size = 1 << 30
	if given {
		var err error
		if size, err = strconv.ParseInt(bytes, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	dir = filepath.Join(folder, name)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir, size
}

// SetAndSave sets cells of a table as a user does in the window, and saves.
func SetAndSave(t *testing.T, d *model.Document, table model.Table, typed ...model.Typed) error {
	edits, err := table.Set(t.Context(), typed)
	if err != nil {
		return err
	}
	p, err := d.Plan(t.Context(), "edit", edits...)
	if err != nil {
		return err
	}
	d.Apply(t.Context(), p, nil)
	_, err = d.Save(t.Context(), model.SaveOptions{})
	return err
}

// Cost prints the time and peak memory of an operation.
func Cost(t *testing.T, what string, do func() error) {
	t.Helper()
	debug.FreeOSMemory()
	heap, began := watchHeap(), time.Now()
	err := do()
	took, most := time.Since(began), heap()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	t.Logf("%s: %.2f s, %d MB", what, took.Seconds(), most>>20)
}

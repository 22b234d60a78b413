package suite

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Large is an empty folder for a document of so many bytes, a gibibyte unless it is said. The test is skipped unless SPANDREL_LARGE=FOLDER
// or FOLDER,BYTES says where there is room for it; the folder is left there, so that commands can be measured on it.
func Large(t *testing.T, name string) (dir string, size int64) {
	t.Helper()
	folder, bytes, _ := strings.Cut(os.Getenv("SPANDREL_LARGE"), ",")
	if folder == "" {
		t.Skip("SPANDREL_LARGE=FOLDER[,BYTES] runs it: documents of a gibibyte are made in the folder")
	}
	size = 1 << 30
	if bytes != "" {
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

// Cost prints what something costs of time and of memory at once.
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

package remote

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// TestWebFolder: the page that a web server shows for a folder is not taken for a file.
func TestWebFolder(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "x.npy"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.StripPrefix("/", http.FileServer(http.Dir(filepath.Dir(root)))))
	defer server.Close()
	for _, end := range []string{"", "/"} {
		s, name, err := find(t.Context(), server.URL+"/"+filepath.Base(root)+end)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Open(name); !errors.Is(err, errFolder) {
			t.Errorf("%q: %v", end, err)
		}
	}
}

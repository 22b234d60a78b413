package remote

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// fakeHub has the repositories of a folder, and answers as the hub does: three entries a page.
type fakeHub struct {
	dir   string
	lists int
	token string
}

func (h *fakeHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.token != "" && r.Header.Get("Authorization") != "Bearer "+h.token {
		http.Error(w, "Repository not found", http.StatusUnauthorized)
		return
	}
	at := strings.TrimPrefix(r.URL.Path, "/api/models/")
	if at == r.URL.Path { // a file: OWNER/REPO/resolve/REVISION/PATH
		p := strings.SplitN(r.URL.Path[1:], "/", 5)
		if len(p) < 5 || p[3] != "main" {
			http.NotFound(w, r)
			return
		}
		at := filepath.Join(h.dir, p[0], p[1], p[4])
		if is, err := os.Stat(at); err != nil || is.IsDir() { // the hub has no file where a folder is
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"1"`)
		http.ServeFile(w, r, at)
		return
	}
	h.lists++
	p := strings.SplitN(at, "/", 5) // OWNER/REPO/tree/REVISION/PATH
	repo := filepath.Join(h.dir, p[0], p[1])
	folder := filepath.Join(append([]string{repo}, p[4:]...)...)
	list := []hubEntry{}
	filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		st, _ := e.Info()
		name, _ := filepath.Rel(repo, path)
		x := hubEntry{Type: "file", Path: filepath.ToSlash(name), Size: st.Size()}
		if e.IsDir() {
			x = hubEntry{Type: "directory", Path: x.Path}
		} else if strings.HasSuffix(path, ".safetensors") {
			x.LFS.Size, x.Size = x.Size, 134
		}
		list = append(list, x)
		if e.IsDir() && r.URL.Query().Get("recursive") == "" {
			return filepath.SkipDir
		}
		return nil
	})
	if len(list) == 0 {
		http.NotFound(w, r)
		return
	}
	var from int
	fmt.Sscan(r.URL.Query().Get("cursor"), &from)
	if from+3 < len(list) {
		q := r.URL.Query()
		q.Set("cursor", fmt.Sprint(from+3))
		w.Header().Set("Link", "<http://"+r.Host+r.URL.Path+"?"+q.Encode()+`>; rel="next"`)
	}
	json.NewEncoder(w).Encode(list[from:min(from+3, len(list))])
}

const indexName = "model.safetensors.index.json"

// indexed is a format of folders that have an index.
var indexed = &model.Format{Name: "indexed", Title: "Folder with an index",
	Detect: func(name string, _, _ []byte, _ int64) (model.Confidence, string) {
		if path.Base(name) == indexName {
			return 90, ""
		}
		return 0, "is no index"
	},
	Parse: func(c *model.Cursor) { c.Rest(&model.Field{Name: "index", Codec: model.UTF8}) },
	Dataset: &model.Dataset{Beside: true, Detect: func(s *model.Snapshot) (string, model.Confidence) {
		list, _, _ := s.List(".")
		if !slices.ContainsFunc(list, func(e model.Entry) bool { return e.Name == indexName }) {
			return "", 0
		}
		return indexName, 90
	}}}

// TestHub: a repository of the hub is a folder of files, its sub-folders too; a file in it is opened with those beside it.
func TestHub(t *testing.T) {
	hub := &fakeHub{dir: t.TempDir(), token: "secret"}
	repo := filepath.Join(hub.dir, "lab", "net")
	if err := os.CopyFS(filepath.Join(repo, "ckpt"), os.DirFS("../../testdata/safetensors/good/checkpoint")); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		os.WriteFile(filepath.Join(repo, fmt.Sprintf("note%d.txt", i)), []byte("hello"), 0o600)
	}
	server := httptest.NewServer(hub)
	defer server.Close()
	t.Setenv("HF_ENDPOINT", server.URL)
	t.Setenv("HF_TOKEN", "secret")
	s, name, err := find(t.Context(), "hf://lab/net")
	if err != nil || name != "." || s.Writable() {
		t.Fatal(name, err)
	}
	list, more, err := s.List(".")
	names := slices.Collect(func(yield func(string) bool) {
		for _, e := range list {
			if !yield(fmt.Sprint(e.Name, " ", e.Dir)) {
				return
			}
		}
	})
	if want := []string{"ckpt true", "note0.txt false", "note1.txt false", "note2.txt false", "note3.txt false", "note4.txt false"}; more || err != nil || !slices.Equal(names, want) {
		t.Errorf("%q %v %v", names, more, err)
	}
	asked := hub.lists
	if list, _, err = s.List("ckpt"); err != nil || len(list) == 0 || hub.lists != asked {
		t.Errorf("%v, %v; %d more lists", list, err, hub.lists-asked)
	}
	for _, address := range []string{"hf://lab/net/ckpt", "hf://lab/net@main/ckpt/model.safetensors.index.json"} {
		d, err := Open(t.Context(), address, []*model.Format{indexed}, nil)
		if err != nil {
			t.Fatal(address, err)
		}
		if c, err := d.Tree.Snapshot.Content("model-00002-of-00003.safetensors"); err != nil || c.Len() == 0 || d.Tree.Snapshot.Primary != indexName {
			t.Errorf("%s: %q, %v", address, d.Tree.Snapshot.Primary, err)
		}
		d.Close()
	}
	t.Setenv("HF_TOKEN", "")
	if _, err := Open(t.Context(), "hf://lab/net/ckpt", []*model.Format{indexed}, nil); err == nil || !strings.Contains(err.Error(), "denies access") {
		t.Error(err)
	}
	if _, _, err := openHub(t.Context(), &url.URL{Scheme: "hf", Host: "lab"}); err == nil {
		t.Error("an owner alone is a repository")
	}
}

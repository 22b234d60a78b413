package ui

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/model/remote"
	"spandrel/ui/kit"
)

// A file of a server opens by its address, shows what that costs, and is saved to the disk alone.
func TestAddress(t *testing.T) {
	t.Setenv("SPANDREL_CACHE", "off")
	server := httptest.NewServer(http.FileServer(http.Dir("../testdata")))
	defer server.Close()
	b := emptyBench(t)
	d := b.open(t, server.URL+"/idv/good/stored.idv")
	b.settle(t)
	if d.Format() == nil || !d.Model.Remote() || d.Model.Path != server.URL+"/idv/good/stored.idv" {
		t.Fatalf("%v %q", d.Format(), d.Model.Path)
	}
	if d.Place() != server.URL+"/idv/good" || strings.Contains(d.Nearby(), "127.0.0.1") {
		t.Errorf("it is in %q, and dialogs start in %q", d.Place(), d.Nearby())
	}
	b.Shell = kit.Silent{}
	d.Check.All() // asks, and the answer is no
	b.settle(t)
	if d.Check.Running() || d.Check.Asked {
		t.Error("everything is read from a store without a question")
	}
	b.Shell = kit.Silent{Agree: true}
	d.Check.All()
	b.settle(t)
	if !d.Check.Asked || !d.Check.Done {
		t.Error("what was agreed to is not checked")
	}
	if said := whereabouts(d); !strings.Contains(said, "request") {
		t.Errorf("the status says %q", said)
	}
	if again := b.open(t, server.URL+"/idv/good/stored.idv"); again != d {
		t.Error("the same address has two tabs")
	}
	if d.Model.ChangedOnDisk() != nil || canProtect(d) {
		t.Error("it is taken for a file of the disk")
	}
	if _, err := d.Model.SavePlan(model.SaveOptions{}); err == nil || !strings.Contains(err.Error(), "store") {
		t.Errorf("saving in place: %v", err)
	}
}

// bucket is a store of Google with one object, as far as it is needed to replace it.
type bucket struct {
	mu         sync.Mutex
	object     []byte
	generation int
}

func (s *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := strconv.Itoa(s.generation)
	if want := r.URL.Query().Get("ifGenerationMatch"); want != "" && want != now {
		w.WriteHeader(http.StatusPreconditionFailed)
		return
	}
	switch {
	case r.Method == http.MethodPost:
		_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		parts := multipart.NewReader(r.Body, params["boundary"])
		parts.NextPart()
		content, _ := parts.NextPart()
		s.object, _ = io.ReadAll(content)
		s.generation++
	case !strings.HasSuffix(r.URL.Path, "/lab.idv"):
		http.NotFound(w, r)
	case r.URL.Query().Get("alt") == "media":
		w.Header().Set("X-Goog-Generation", now)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.object))
	default:
		io.WriteString(w, "{}")
	}
}

// A document of a store is saved into it, goes on as what the store has then, and never over what another wrote meanwhile.
func TestUpload(t *testing.T) {
	t.Setenv("SPANDREL_CACHE", "off")
	old, err := os.ReadFile("../testdata/idv/good/stored.idv")
	if err != nil {
		t.Fatal(err)
	}
	store := &bucket{object: old, generation: 7}
	server := httptest.NewServer(store)
	defer server.Close()
	t.Setenv("STORAGE_EMULATOR_HOST", server.URL)
	b := emptyBench(t)
	edit := func(to byte) *tab {
		d := b.open(t, "gs://bucket/lab.idv")
		d.Editor.SetLocked(false)
		d.Editor.Replace(func() model.Range { return model.Range{Space: d.hex.Space, Off: 8, Len: 1} }, model.Memory([]byte{to}), "edit", nil)
		b.settle(t)
		b.saver.ask(d)
		b.press(fyne.KeyReturn)
		b.settle(t)
		return b.current
	}
	for to := range byte(2) {
		if d := edit(to + 1); d == nil || d.Editor.Dirty || store.object[8] != to+1 || len(store.object) != len(old) {
			t.Fatalf("save %d: the store has %x; shown is %v", to+1, store.object[:10], d)
		}
	}
	b.open(t, "gs://bucket/lab.idv")
	store.mu.Lock()
	store.generation++
	store.mu.Unlock()
	if d := edit(9); !d.Editor.Dirty || store.object[8] == 9 {
		t.Errorf("what another wrote is written over")
	}
}

// What is large in a store is not read without being asked, although as a file of the disk it would be checked.
func TestLargeAddress(t *testing.T) {
	t.Setenv("SPANDREL_CACHE", "off")
	dir, size := t.TempDir(), 6<<20
	head := fmt.Sprintf("%-117s\n", fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }", size))
	if err := os.WriteFile(filepath.Join(dir, "x.npy"), append([]byte("\x93NUMPY\x01\x00\x76\x00"+head), make([]byte, size)...), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	b := emptyBench(t)
	_, before, _ := remote.Spent()
	d := b.open(t, server.URL+"/x.npy")
	b.settle(t)
	if _, now, _ := remote.Spent(); d.Format() == nil || d.Check.Done || now-before > 1<<20 {
		t.Errorf("checked %v, %d bytes read", d.Check.Done, now-before)
	}
}

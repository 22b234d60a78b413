package remote

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"spandrel/model"
)

// blobs is a store of Azure with one blob, as far as it is needed to put one together of itself, which azurite cannot.
type blobs struct {
	mu     sync.Mutex
	blob   []byte
	tag    int
	blocks map[string][]byte
	sent   int
	wrong  []string
}

func (s *blobs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tag := fmt.Sprintf(`"%d"`, s.tag)
	body, _ := io.ReadAll(r.Body)
	from := r.Header.Get("x-ms-copy-source")
	switch r.Method + r.URL.Query().Get("comp") {
	case "GET", "HEAD":
		w.Header().Set("ETag", tag)
		w.Header().Set("Last-Modified", "Sat, 28 Nov 2026 00:00:00 GMT")
		http.ServeContent(w, r, "", model.Stamp{}.ModTime, bytes.NewReader(s.blob))
	case "PUTblock":
		if from != "" {
			var a, b int
			fmt.Sscanf(r.Header.Get("x-ms-source-range"), "bytes=%d-%d", &a, &b)
			if r.Header.Get("x-ms-source-if-match") != tag || !strings.Contains(from, "sig=") || b >= len(s.blob) {
				s.wrong = append(s.wrong, fmt.Sprint(r.Header))
			}
			body = s.blob[a : b+1]
		} else {
			s.sent += len(body)
		}
		s.blocks[r.URL.Query().Get("blockid")] = body
		w.WriteHeader(http.StatusCreated)
	case "PUTblocklist":
		if r.Header.Get("If-Match") != tag {
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		var list struct{ Latest []string }
		xml.Unmarshal(body, &list)
		s.blob = nil
		for _, id := range list.Latest {
			s.blob = append(s.blob, s.blocks[id]...)
		}
		s.tag++
		w.WriteHeader(http.StatusCreated)
	}
}

// TestAzureParts: a blob is put together of itself and of what changed.
func TestAzureParts(t *testing.T) {
	old := bytes.Repeat([]byte("0123456789abcde"), 4<<20)
	s := &blobs{blob: old, blocks: map[string][]byte{}}
	server := httptest.NewServer(s)
	defer server.Close()
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "AccountName=me;AccountKey=c2VjcmV0;BlobEndpoint="+server.URL+"/me;")
	st, _, err := find(t.Context(), "az://c/x")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := st.Open("x"); err != nil {
		t.Fatal(err)
	}
	is := model.BytesContent(old).Splice(40<<20, 3, model.Memory([]byte("new")))
	u := model.Upload{Content: is, Kept: []model.Kept{{N: 40 << 20}, {Off: 40<<20 + 3, Was: 40<<20 + 3, N: 20<<20 - 3}}}
	if err := st.Put(t.Context(), "x", u); err != nil || len(s.wrong) > 0 {
		t.Fatal(err, s.wrong)
	}
	want := make([]byte, is.Len())
	is.ReadAt(want, 0)
	if !bytes.Equal(s.blob, want) || s.sent > partLeast+100 {
		t.Errorf("%d bytes sent", s.sent)
	}
	if err := st.Put(t.Context(), "x", u); err == nil {
		t.Error("what another wrote is written over")
	}
}

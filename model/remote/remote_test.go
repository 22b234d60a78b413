package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"spandrel/model"
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "remote")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CACHE_HOME", dir)
	firstWait, silence = time.Millisecond, 2*time.Second
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// server serves files by ranges, with faults.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	files  map[string][]byte
	fails  float64 // of requests
	cuts   float64 // of answers, in the middle
	whole  bool    // no ranges
	asked  int
	random *rand.Rand
}

func newServer(t *testing.T) *server {
	s := &server{files: map[string][]byte{}, random: rand.New(rand.NewPCG(1, 2))}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked++
	b, ok := s.files[r.URL.Path]
	fail, cut := s.random.Float64() < s.fails, s.random.Float64() < s.cuts
	s.mu.Unlock()
	switch {
	case fail:
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	case !ok:
		http.NotFound(w, r)
		return
	case s.whole:
		r.Header.Del("Range")
	}
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(b)))
	if cut {
		w = &cutting{w, int64(len(b)) / 3}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// cutting ends an answer early.
type cutting struct {
	http.ResponseWriter
	left int64
}

func (c *cutting) Write(p []byte) (int, error) {
	if c.left -= int64(len(p)); c.left < 0 {
		panic(http.ErrAbortHandler)
	}
	return c.ResponseWriter.Write(p)
}

func (s *server) put(name string, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(s.random.Uint32())
	}
	s.mu.Lock()
	s.files["/"+name] = b
	s.mu.Unlock()
	return b
}

func (s *server) open(t *testing.T, name string) *file {
	t.Helper()
	u := mustParse(t, s.URL+"/"+name)
	b, at, err := web(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := newStore(t.Context(), b, s.URL).Open(strings.TrimPrefix(at, "/"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r.(*file)
}

// TestReads: whatever is read, in whichever order and by how many at once, is what the file holds, though requests fail and connections are cut.
func TestReads(t *testing.T) {
	s := newServer(t)
	want := s.put("a.bin", 9<<20+123)
	s.fails, s.cuts = 0.05, 0.1
	f := s.open(t, "a.bin")
	var all sync.WaitGroup
	for g := range 4 {
		r := rand.New(rand.NewPCG(uint64(g), 7))
		all.Go(func() {
			for range 100 {
				off := r.Int64N(int64(len(want)))
				b := make([]byte, r.Int64N(1<<20))
				n, err := f.ReadAt(b, off)
				if err != nil && err != io.EOF || n < len(b) && off+int64(n) < int64(len(want)) || !bytes.Equal(b[:n], want[off:off+int64(n)]) {
					t.Errorf("%d at %d: %d, %v", len(b), off, n, err)
					return
				}
			}
		})
	}
	all.Wait()
	var sum bytes.Buffer
	if n, err := io.Copy(&sum, io.NewSectionReader(f, 0, int64(len(want)))); err != nil || !bytes.Equal(sum.Bytes(), want) {
		t.Errorf("%d bytes: %v", n, err)
	}
}

// TestFewRequests: reading on asks for much at once, a byte here and there for little, and what was read before is not asked for again, also by
// another run.
func TestFewRequests(t *testing.T) {
	s := newServer(t)
	want := s.put("b.bin", 40<<20)
	f := s.open(t, "b.bin")
	b := make([]byte, 64<<10)
	for off := int64(0); off < int64(len(want)); off += int64(len(b)) {
		if _, err := f.ReadAt(b, off); err != nil || !bytes.Equal(b, want[off:off+int64(len(b))]) {
			t.Fatal(off, err)
		}
	}
	if s.asked > 30 {
		t.Errorf("%d requests for 40 MiB from start to end", s.asked)
	}
	before := s.asked
	g := s.open(t, "b.bin")
	for _, off := range []int64{39 << 20, 5 << 20, 17 << 20} {
		if _, err := g.ReadAt(b[:8], off); err != nil || !bytes.Equal(b[:8], want[off:off+8]) {
			t.Fatal(off, err)
		}
	}
	if s.asked > before+1 {
		t.Errorf("%d more requests for what is on the disk", s.asked-before)
	}
	other := s.put("c.bin", 40<<20)
	_, was, _ := Spent()
	h := s.open(t, "c.bin")
	for _, off := range []int64{39 << 20, 5 << 20, 17 << 20} {
		if _, err := h.ReadAt(b[:8], off); err != nil || !bytes.Equal(b[:8], other[off:off+8]) {
			t.Fatal(off, err)
		}
	}
	if _, now, _ := Spent(); now-was > 4*blockSize {
		t.Errorf("%d bytes for 24", now-was)
	}
}

// TestReplaced: a file that is another than when it was opened is never read as if it was the same.
func TestReplaced(t *testing.T) {
	s := newServer(t)
	want := s.put("d.bin", 2<<20)
	f := s.open(t, "d.bin")
	b := make([]byte, 100)
	if _, err := f.ReadAt(b, 0); err != nil || !bytes.Equal(b, want[:100]) {
		t.Fatal(err)
	}
	s.put("d.bin", 2<<20)
	if n, err := f.ReadAt(b, 1<<20); !errors.Is(err, ErrReplaced) {
		t.Errorf("%d, %v", n, err)
	}
}

// TestServers: of servers that send no parts small files are read, and a file that is not there is an answer.
func TestServers(t *testing.T) {
	s := newServer(t)
	want := s.put("e.bin", 1<<20)
	s.put("empty", 0)
	s.whole = true
	f := s.open(t, "e.bin")
	b := make([]byte, 100)
	if _, err := f.ReadAt(b, 900_000); err != nil || !bytes.Equal(b, want[900_000:900_100]) {
		t.Error(err)
	}
	for _, s.whole = range []bool{true, false} {
		if f := s.open(t, "empty"); f.o.size != 0 {
			t.Errorf("%d bytes", f.o.size)
		}
	}
	s.whole = false
	u := mustParse(t, s.URL+"/none")
	w, _, _ := web(t.Context(), u)
	if _, _, err := newStore(t.Context(), w, s.URL).Open("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestDiskCache: blocks that changed on the disk are not taken, and the oldest go when there are too many.
func TestDiskCache(t *testing.T) {
	c := cacheOf("https://x/y", "tag")
	c.put(3, []byte("twelve bytes"))
	if b := c.get(3, 12); string(b) != "twelve bytes" {
		t.Fatalf("%q", b)
	}
	name := filepath.Join(c.dir, "3")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[4]++
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if b := c.get(3, 12); b != nil {
		t.Errorf("%q", b)
	}
	if cacheOf("https://x/y", "").dir != "" {
		t.Error("what has no tag is kept")
	}
}

// TestDiskLimit: the cache stays below its limit while a program reads more than that, without what was used long ago.
func TestDiskLimit(t *testing.T) {
	root, was := t.TempDir(), mostOnDisk
	mostOnDisk, room.left = 100<<10, 0
	t.Cleanup(func() { mostOnDisk, room.left = was, 0 })
	c := &diskCache{dir: filepath.Join(root, "a"), have: map[int64]bool{}}
	for b := range int64(1000) {
		c.put(b, make([]byte, 1<<10))
		if name := filepath.Join(c.dir, fmt.Sprint(b)); b < 999 {
			os.Chtimes(name, time.Time{}, time.Unix(1e9+b, 0))
		}
		c.get(0, 1<<10)
	}
	list, err := os.ReadDir(c.dir)
	if size := len(list) * (1<<10 + 8); err != nil || len(list) < 50 || int64(size) > mostOnDisk+2<<10 {
		t.Errorf("%d blocks, %d bytes: %v", len(list), size, err)
	}
	if c.get(0, 1<<10) == nil || c.get(999, 1<<10) == nil || c.get(500, 1<<10) != nil {
		t.Error("others than the least recently used blocks are gone")
	}
}

func TestShown(t *testing.T) {
	for address, want := range map[string]string{
		"https://name:secret@host/a.npy?X-Amz-Signature=abc": "https://host/a.npy", "s3://bucket/key": "s3://bucket/key", "https://h/%zz?sig=1": "https://h/%zz",
	} {
		if got := Shown(address); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
	if Is("/a/b") || Is("C:\\a") || !Is("s3://a/b") || !Is("HTTPS://a/b") {
		t.Error("Is")
	}
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestSilence: a server that stops in the middle of an answer is asked again, and one that never answers is left when the work is stopped.
func TestSilence(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	gone := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	var asked atomic.Int32
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/never" {
			stop()
			<-gone
		}
		if asked.Add(1) > 1 {
			http.ServeContent(w, r, "x", time.Time{}, strings.NewReader("all of it"))
			return
		}
		w.Header().Set("Content-Length", "9")
		io.WriteString(w, "all")
		http.NewResponseController(w).Flush()
		<-gone
	})
	server.Start()
	defer server.Close()
	defer close(gone)
	s, name, err := find(t.Context(), server.URL+"/x")
	if err != nil {
		t.Fatal(err)
	}
	r, stamp, err := s.Open(name)
	if err != nil || stamp.Size != 9 {
		t.Fatal(stamp, err)
	}
	p := make([]byte, 9)
	if _, err := r.ReadAt(p, 0); err != nil || string(p) != "all of it" {
		t.Errorf("%q: %v", p, err)
	}
	if _, err := Open(ctx, server.URL+"/never", nil, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestFilesAhead: files of a kind that are opened one after the other are requested ahead, each once, and others are not.
func TestFilesAhead(t *testing.T) {
	const files = 100
	var asked, busy, most atomic.Int32
	b := &memoryBucket{content: func(name string) []byte {
		asked.Add(1)
		most.Store(max(most.Load(), busy.Add(1)))
		time.Sleep(time.Millisecond)
		busy.Add(-1)
		return []byte(name)
	}}
	for i := range files {
		b.names = append(b.names, fmt.Sprintf("a/%03d/data", i), fmt.Sprintf("a/%03d/other", i))
	}
	s := newStore(t.Context(), b, "")
	if _, _, err := s.List("a"); err != nil {
		t.Fatal(err)
	}
	for i := range files {
		name := fmt.Sprintf("a/%03d/data", i)
		r, stamp, err := s.Open(name)
		if err != nil || stamp.Size != int64(len(name)) {
			t.Fatal(name, stamp, err)
		}
		p := make([]byte, len(name))
		if _, err := r.ReadAt(p, 0); err != nil || string(p) != name {
			t.Errorf("%q: %v", p, err)
		}
	}
	if asked.Load() != files || most.Load() < 4 {
		t.Errorf("%d requests for %d files, at most %d at a time", asked.Load(), files, most.Load())
	}
	if _, _, err := s.Open("a/050/other"); err != nil || asked.Load() != files+1 {
		t.Errorf("%d requests: %v", asked.Load(), err)
	}
}

// memoryBucket has files that can only be read.
type memoryBucket struct {
	bucket
	names   []string
	content func(name string) []byte
}

func (m *memoryBucket) get(_ context.Context, name string, _, _ int64, _ string) (io.ReadCloser, object, error) {
	b := m.content(name)
	return io.NopCloser(bytes.NewReader(b)), object{size: int64(len(b)), tag: "a"}, nil
}

func (m *memoryBucket) list(context.Context, string, bool, int) (list []model.Entry, more bool, err error) {
	for _, name := range m.names {
		list = append(list, model.Entry{Name: name, Size: int64(len(name)), Regular: true})
	}
	return list, false, nil
}

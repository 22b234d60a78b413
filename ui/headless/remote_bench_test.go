package headless_test

import (
	"archive/tar"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// slowly is a server as a store is: each request takes 80 ms, and each connection has 20 MB a second.
type slowly struct {
	dir     http.Handler
	latency time.Duration
	rate    float64
}

func (s *slowly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(s.latency)
	w.Header().Set("ETag", `"1"`)
	s.dir.ServeHTTP(&slowBody{w, s.rate, time.Now(), 0}, r)
}

type slowBody struct {
	http.ResponseWriter
	rate  float64
	start time.Time
	sent  int64
}

func (s *slowBody) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		var k int
		k, err = s.ResponseWriter.Write(p[:min(len(p), 64<<10)])
		n, s.sent, p = n+k, s.sent+int64(k), p[k:]
		time.Sleep(time.Duration(float64(s.sent)/s.rate*1e9) - time.Since(s.start))
	}
	return n, err
}

// BenchmarkRemoteDeep checks archives of a store deep, and downloads the same bytes by as many connections: ratio is the speed of the one to that of
// the other.
func BenchmarkRemoteDeep(b *testing.B) {
	b.Setenv("SPANDREL_CACHE", "off")
	dir := b.TempDir()
	size := someTar(b, filepath.Join(dir, "x.tar"), 4000)
	server := httptest.NewServer(&slowly{http.FileServer(http.Dir(dir)), 80 * time.Millisecond, 20e6})
	defer server.Close()
	var mine, plain time.Duration
	for b.Loop() {
		start := time.Now()
		if status, out, said := run(nil, "check", "--deep", server.URL+"/x.tar"); status != 0 {
			b.Fatal(out, said)
		}
		mine += time.Since(start)
		start = time.Now()
		download(b, server.URL+"/x.tar", size)
		plain += time.Since(start)
	}
	b.ReportMetric(plain.Seconds()/mine.Seconds(), "ratio")
}

// TestRemoteOnce: a deep check of more than the memory keeps reads each byte once, also where what is between headers is skipped.
func TestRemoteOnce(t *testing.T) {
	t.Setenv("SPANDREL_CACHE", "off")
	dir := t.TempDir()
	size := someTar(t, filepath.Join(dir, "x.tar"), 1200)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	status, out, said := run(nil, "check", "--deep", "--json", server.URL+"/x.tar")
	var traffic struct{ Bytes int64 }
	if _, last, ok := strings.Cut(out, `{"bytes":`); !ok || json.Unmarshal([]byte(`{"bytes":`+last), &traffic) != nil || status != 0 || traffic.Bytes > size+size/20 {
		t.Errorf("status %d, %d of %d bytes read: %.500s%.500s", status, traffic.Bytes, size, out, said)
	}
}

// someTar writes an archive of so many members of 100 KB.
func someTar(b testing.TB, path string, members int) int64 {
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w, random := tar.NewWriter(f), rand.NewChaCha8([32]byte{})
	data := make([]byte, 100_000)
	for i := range members {
		random.Read(data)
		w.WriteHeader(&tar.Header{Name: fmt.Sprintf("s%04d.jpg", i), Size: int64(len(data)), Mode: 0o644})
		w.Write(data)
	}
	w.Close()
	n, _ := f.Seek(0, io.SeekEnd)
	return n
}

// download reads a file in parts of 4 MiB by 8 connections.
func download(b *testing.B, at string, size int64) {
	const part = 4 << 20
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	parts := make(chan int64)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for off := range parts {
				r, _ := http.NewRequest(http.MethodGet, at, nil)
				r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, min(off+part, size)-1))
				a, err := client.Do(r)
				if err != nil {
					b.Error(err)
					continue
				}
				io.Copy(io.Discard, a.Body)
				a.Body.Close()
			}
		})
	}
	for off := int64(0); off < size; off += part {
		parts <- off
	}
	close(parts)
	all.Wait()
}

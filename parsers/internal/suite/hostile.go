package suite

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"spandrel/model"
)

// Hostile is documents that try to exhaust resources, by name: each function makes its files, of about n bytes in total. A file
// named "a -> b" is a symbolic link. The first name in alphabetic order with an extension of the format is opened; if there is
// none, the folder is.
type Hostile map[string]func(n int) map[string][]byte

const (
	hostileSize = 1 << 20
	hostileHeap = 300 << 20 // what a document of that size may need of memory at once
)

// Limits opens each document at a size of 64 KiB (1 MiB with SPANDREL_LIMITS=1, which takes ten minutes), reads, checks and
// salvages it, and fails if that needs more memory than a file may use. With SPANDREL_HOSTILE=FOLDER,BYTES it writes the documents there instead, and their paths into FOLDER/list: `make limits`
// measures every command on them.
func Limits(t *testing.T, format *model.Format, docs Hostile) {
	folder, bytes, write := strings.Cut(os.Getenv("SPANDREL_HOSTILE"), ",")
	n, err := strconv.Atoi(bytes)
	if write && err != nil {
		t.Fatalf("SPANDREL_HOSTILE=FOLDER,BYTES: %v", err)
	}
	for name, build := range docs {
		if write {
			path := putHostile(t, filepath.Join(folder, format.Name, name), format, build(n))
			list, err := os.OpenFile(filepath.Join(folder, "list"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err == nil {
				_, err = fmt.Fprintln(list, path)
				list.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Run(name, func(t *testing.T) {
			size := hostileSize
			if os.Getenv("SPANDREL_LIMITS") == "" {
				size /= 16
			}
			limited(t, format, putHostile(t, filepath.Join(t.TempDir(), name), format, build(size)))
		})
	}
}

// limited does everything that can be done with a document, and fails if that does not end or needs too much memory.
func limited(t *testing.T, format *model.Format, path string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	heap := watchHeap()
	d, err := model.Open(ctx, path, []*model.Format{format}, format)
	if err == nil {
		Check(ctx, t, d)
		Tables(ctx, t, d)
		if d.Format.Salvage != nil {
			Salvage(ctx, t, d)
		}
		d.Close()
	}
	if most := heap(); most > hostileHeap {
		t.Errorf("it needs %d MB of memory", most>>20)
	}
	if ctx.Err() != nil {
		t.Error("it does not end")
	}
}

// putHostile writes the files of a document, and returns the path to open.
func putHostile(t *testing.T, dir string, format *model.Format, files map[string][]byte) string {
	t.Helper()
	path := ""
	for name, b := range files {
		link, target, is := strings.Cut(name, " -> ")
		at := filepath.Join(dir, link)
		err := os.MkdirAll(filepath.Dir(at), 0o700)
		if err == nil && is {
			err = os.Symlink(target, at)
		} else if err == nil {
			err = os.WriteFile(at, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(format.Exts, filepath.Ext(link)) && !strings.Contains(link, "/") && (path == "" || at < path) {
			path = at
		}
	}
	if path == "" || format.Name == "tiledb" || files["row_ptr.npy"] != nil {
		return dir
	}
	return path
}

// watchHeap samples the live heap after garbage collections every few milliseconds; the returned function stops
// it, and returns the maximum increase.
func watchHeap() func() uint64 {
	stop, done := make(chan struct{}), sync.WaitGroup{}
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	often := debug.SetGCPercent(25)
	runtime.GC()
	metrics.Read(sample)
	least, most := sample[0].Value.Uint64(), uint64(0)
	done.Go(func() {
		for tick := time.NewTicker(2 * time.Millisecond); ; {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	})
	return func() uint64 {
		close(stop)
		done.Wait()
		debug.SetGCPercent(often)
		return max(most, least) - least
	}
}

// Zeros is a deflate stream of about n bytes that inflates to a thousand times as many zeros, and their number.
func Zeros(n int) (stream []byte, size int) {
	const piece = 1 << 22
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	zeros := make([]byte, piece)
	w.Write(zeros)
	w.Flush()
	first := b.Len()
	w.Write(zeros) // from here on all pieces are the same
	w.Flush()
	again := b.Bytes()[first:]
	count := max(1, (n-first)/len(again))
	out := append(bytes.Clone(b.Bytes()[:first]), bytes.Repeat(again, count-1)...)
	return append(out, 1, 0, 0, 0xff, 0xff), count * piece
}

// ZlibZeros is Zeros as zlib frames it.
func ZlibZeros(n int) (stream []byte, size int) {
	raw, size := Zeros(n)
	sum := adler32.Checksum(nil) | uint32(size%65521)<<16
	return binary.BigEndian.AppendUint32(append([]byte{0x78, 0xda}, raw...), sum), size
}

// ZipBomb is an archive with a member called name that inflates to a thousand times its size, and with many directory entries that
// all share the same bytes.
func ZipBomb(name string, n int) []byte {
	stream, size := Zeros(n / 2)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CompressedSize64: uint64(len(stream)), UncompressedSize64: uint64(size)})
	if err == nil {
		f.Write(stream)
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	whole := b.Bytes()
	at := bytes.LastIndex(whole, []byte("PK\x01\x02"))
	end := bytes.LastIndex(whole, []byte("PK\x05\x06"))
	entry, count := whole[at:end], min(n/2/(end-at), 0xfffe)
	out := append(bytes.Clone(whole[:at]), bytes.Repeat(entry, count)...)
	tail := bytes.Clone(whole[end:])
	binary.LittleEndian.PutUint16(tail[8:], uint16(count))
	binary.LittleEndian.PutUint16(tail[10:], uint16(count))
	binary.LittleEndian.PutUint32(tail[12:], uint32(count*len(entry)))
	return append(out, tail...)
}

// ZipNames is an archive of many small members whose names lead out of the folder.
func ZipNames(first string, content []byte, n int) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; b.Len() < n/2; i++ {
		name := [...]string{"../../../../etc/passwd", "/etc/passwd", `C:\Windows\win.ini`, "NUL", "CON.npy", "a/../../b", "..", "//host/share/x"}[i%8]
		if i == 0 {
			name = first
		}
		if f, err := w.CreateHeader(&zip.FileHeader{Name: name}); err == nil {
			f.Write(content)
		}
	}
	w.Close()
	return b.Bytes()
}

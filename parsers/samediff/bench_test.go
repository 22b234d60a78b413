package samediff

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zlib"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/samediff/manifest"
)

func openModel(t testing.TB, name string, b []byte) *model.Document {
	t.Helper()
	d, err := model.OpenBytes(context.Background(), name, b, formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.Format != Format {
		t.Fatalf("%s was not taken for SameDiff", name)
	}
	return d
}

// BenchmarkSameDiffGraph opens a graph of 100,000 nodes, which walks all of it.
func BenchmarkSameDiffGraph(b *testing.B) {
	file := big(100_000)
	b.SetBytes(int64(len(file)))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		d := openModel(b, "big.fb", file)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-kept")
		if d.Tree.Root.Child(0).Count() < 100_000 {
			b.Fatal("objects are missing")
		}
	}
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/1e6/float64(b.N), "MB-made")
}

// tenGB is the size of a file that is larger than any memory.
const tenGB = 10_000_000_000

// sparse writes an SDNB whose array is a hole of some bytes, or a container with one.
func sparse(t testing.TB, container bool, hole int64) string {
	file := filepath.Join(t.TempDir(), "sparse.sdnb")
	graph := smallGraph(stub(5, []int64{hole / 4}, 0, hole), shapeInfoOf([]int64{2}, 1, 2))
	g := fb(graph)
	head := nbOf(g, nil, nil)[:32+len(g)]
	tail := manifest.Write([]manifest.Entry{{Name: "w", Offset: int64(len(head)), Length: hole}})
	binary.BigEndian.PutUint64(head[8:], uint64(int64(len(head))+hole))
	binary.BigEndian.PutUint64(head[16:], uint64(len(tail)))
	if container {
		file = filepath.Join(filepath.Dir(file), "sparse.sdc")
		index := fb(tableSpec{0: []tableSpec{{0: "w", 1: stub(5, []int64{hole / 4}, 0, hole)}}})
		payload := append(binary.BigEndian.AppendUint64(nil, uint64(len(index))), index...)
		for len(payload)%64 != 0 {
			payload = append(payload, 0)
		}
		head = box(headOf(3), recordOf(2, fb(smallGraph(nil, shapeInfoOf([]int64{2}, 1, 2)))))
		head = append(binary.BigEndian.AppendUint64(append(head, 3), uint64(int64(len(payload))+hole)), 0)
		head, tail = append(head, payload...), nil
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(head); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(tail, int64(len(head))+hole); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(int64(len(head)+len(tail)) + hole); err != nil {
		t.Fatal(err)
	}
	return file
}

// BenchmarkSameDiffSparse opens files of 10 GB.
// Whatever length a text of the graph is said to have, opening a large file copies none of it.
func TestOpenTenGigabytes(t *testing.T) {
	for _, container := range []bool{false, true} {
		file := sparse(t, container, tenGB)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d, err := model.Open(context.Background(), file, formats, nil)
		if err != nil {
			t.Fatal(err)
		}
		d.Close()
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 16<<20 {
			t.Errorf("container %v: opening it took %d MiB", container, made>>20)
		}
	}
}

func BenchmarkSameDiffSparse(b *testing.B) {
	for name, container := range map[string]bool{"sdnb": false, "container": true} {
		b.Run(name, func(b *testing.B) {
			file := sparse(b, container, tenGB)
			b.ReportAllocs()
			for b.Loop() {
				d, err := model.Open(context.Background(), file, formats, nil)
				if err != nil {
					b.Fatal(err)
				}
				s := d.Tree.At(0, 5_000_000_000)
				if v, err := d.Tree.Value(context.Background(), s); err != nil || v.Float() != 0 || s.Range.Len != 4 {
					b.Fatal(s.Path(), v, err)
				}
				d.Close()
			}
		})
	}
}

// BenchmarkSameDiffInflate compares the inflating of a section with that of the library alone.
func BenchmarkSameDiffInflate(b *testing.B) {
	plain := big(20_000)
	z, err := inflate.Deflate(inflate.Zlib, 6, plain)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("library", func(b *testing.B) {
		b.SetBytes(int64(len(plain)))
		for b.Loop() {
			r, err := zlib.NewReader(bytes.NewReader(z))
			if err != nil {
				b.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, r); err != nil || n != int64(len(plain)) {
				b.Fatal(n, err)
			}
		}
	})
	b.Run("section", func(b *testing.B) {
		b.SetBytes(int64(len(plain)))
		tr := inflate.Transform(inflate.Zlib, 6, maxInflated, maxRatio)
		for b.Loop() {
			if out, err := tr.Decode(context.Background(), z, 1<<30); err != nil || len(out) != len(plain) {
				b.Fatal(len(out), err)
			}
		}
	})
}

// BenchmarkSameDiffDeep checks an array of 256 MB; `-cpu 1,2` compares one core with two.
func BenchmarkSameDiffDeep(b *testing.B) {
	file := sparse(b, false, 256<<20)
	b.SetBytes(256 << 20)
	for b.Loop() {
		d, err := model.Open(context.Background(), file, formats, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Deep(context.Background(), nil); err != nil {
			b.Fatal(err)
		}
		d.Close()
	}
}

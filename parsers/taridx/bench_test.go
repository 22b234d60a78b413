package taridx

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"spandrel/model"
)

// sparse makes an index of n rows that takes no room on disk: all rows are zero.
func sparse(b *testing.B, n int64) string {
	h := (&writer{exts: []string{"jpg"}}).bytes()
	binary.LittleEndian.PutUint64(h[24:], uint64(n))
	path := filepath.Join(b.TempDir(), "big.taridx")
	if err := os.WriteFile(path, h, 0o644); err != nil {
		b.Fatal(err)
	}
	if err := os.Truncate(path, int64(len(h))+32*n); err != nil {
		b.Fatal(err)
	}
	return path
}

func open(b *testing.B, path string) *model.Document {
	d, err := model.Open(context.Background(), path, formats, nil)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// BenchmarkTaridxOpen opens an index of 100,000,000 rows (3.2 GB), dumps its header and reads rows 0, middle and last.
func BenchmarkTaridxOpen(b *testing.B) {
	path := sparse(b, 100_000_000)
	b.ReportAllocs()
	for b.Loop() {
		d := open(b, path)
		if err := d.Tree.Dump(context.Background(), io.Discard, d.Tree.Root, model.DumpOptions{Depth: 2, Elements: 4}); err != nil {
			b.Fatal(err)
		}
		rows := d.Tree.Tables(context.Background())[0]
		for _, i := range []int64{0, 50_000_000, 99_999_999} {
			if r, err := rows.Read(context.Background(), i, 1); err != nil || len(r) != 1 {
				b.Fatal(err, len(r))
			}
		}
		d.Close()
	}
}

// BenchmarkTaridxRows compares the two passes over all rows, of rules about rows and about the places of members, with a plain loop that
// reads every field of the same rows.
func BenchmarkTaridxRows(b *testing.B) {
	const n = 5_000_000
	w := &writer{exts: []string{"jpg", "cls"}}
	for i := range uint64(n) {
		w.rows = append(w.rows, [6]uint64{0, i * 1024, 100, i % 2, 0, i / 2 * 0x9e3779b97f4a7c15})
	}
	data := w.bytes()
	d, err := model.OpenBytes(context.Background(), "big.taridx", data, formats, nil)
	if err != nil {
		b.Fatal(err)
	}
	x := d.Tree.State.(*index)
	rows := data[len(data)-n*32:]
	probe := &model.Probe{Report: func(model.Finding) {}, Progress: func(int64, int64, string) {}}
	for _, c := range []struct {
		name string
		pass func(*pass) error
	}{{"checks", (*pass).rowsPass}, {"places", (*pass).extents}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(n * 32)
			for b.Loop() {
				if err := c.pass(&pass{index: x, ctx: context.Background(), p: probe, hits: map[*model.Rule]int{}, seen: x.newScan(), blank: -1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("plain", func(b *testing.B) {
		b.SetBytes(n * 32)
		le, sum := binary.LittleEndian, uint64(0)
		for b.Loop() {
			for r := rows; len(r) >= 32; r = r[32:] {
				sum += uint64(le.Uint16(r)) + le.Uint64(r[2:]) + le.Uint64(r[10:]) + uint64(le.Uint16(r[18:])) + uint64(le.Uint32(r[20:])) +
					le.Uint64(r[24:])
			}
		}
		b.ReportMetric(float64(sum&1), "sum")
	})
}

// BenchmarkTaridxRename renames an extension of a 3.2 GB index, so that all rows move, and saves it; in turn with it the same bytes
// are copied as cp does. The ratio is the speed of the save to that of the copy, both until the bytes are on the disk.
func BenchmarkTaridxRename(b *testing.B) {
	if testing.Short() {
		b.Skip("writes 3.2 GB")
	}
	path := sparse(b, 100_000_000)
	out := filepath.Join(b.TempDir(), "out")
	d := open(b, path)
	defer d.Close()
	p, err := d.Plan(context.Background(), "rename", model.Set{Path: "ext[0]/name", Value: model.S("jpeg")})
	if err != nil {
		b.Fatal(err)
	}
	d.Apply(context.Background(), p, nil)
	copyTree(b, path, out) // the source is in the page cache for both
	var saves, copies time.Duration
	for b.Loop() {
		os.Remove(out)
		start := time.Now()
		if _, err := d.Save(context.Background(), model.SaveOptions{Out: out}); err != nil {
			b.Fatal(err)
		}
		saves += time.Since(start)
		os.Remove(out)
		start = time.Now()
		copyTree(b, path, out)
		copies += time.Since(start)
	}
	b.ReportMetric(saves.Seconds()/float64(b.N), "s/save")
	b.ReportMetric(copies.Seconds()/float64(b.N), "s/copy")
	b.ReportMetric(copies.Seconds()/saves.Seconds(), "ratio")
}

func copyTree(b *testing.B, from, to string) {
	in, err := os.Open(from)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	if _, err := io.CopyBuffer(struct{ io.Writer }{out}, struct{ io.Reader }{in}, make([]byte, 1<<20)); err != nil {
		b.Fatal(err)
	}
	if err := out.Sync(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkTaridxDeep checks an index of 200,000 rows against its eight shards; `-cpu 1,2` compares one core with two.
func BenchmarkTaridxDeep(b *testing.B) {
	var shards [][]byte
	for i := range 8 {
		var files []file
		for k := range 12_500 {
			files = append(files, file{name: fmt.Sprintf("s%06d.jpg", i*12_500+k), size: 400}, file{name: fmt.Sprintf("s%06d.cls", i*12_500+k), size: 1})
		}
		shards = append(shards, tarBytes(b, files...))
	}
	dir := b.TempDir()
	for name, data := range indexed(b, shards...) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	path := filepath.Join(dir, "train.taridx")
	for b.Loop() {
		d := open(b, path)
		if err := d.Deep(context.Background(), nil); err != nil {
			b.Fatal(err)
		}
		if found, _ := d.Tree.Findings(); len(found) > 0 {
			b.Fatal(found[0].Text())
		}
		d.Close()
	}
}

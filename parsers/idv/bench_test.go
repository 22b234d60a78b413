package idv

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/klauspost/compress/flate"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// benchBlocks is one block of floats and one of texts, as a data set has them.
func benchBlocks() map[string]benchBlock {
	const n = 1 << 16
	rnd := rand.New(rand.NewPCG(1, 2))
	floats, words := make([]any, n), make([]any, n)
	for i := range n {
		floats[i] = float64(rnd.IntN(4000)) / 16
		words[i] = fmt.Sprintf("row %d of text %d", i, rnd.IntN(1000))
	}
	one := func(typ typeSpec, kind block.Kind, values []any) benchBlock {
		b := typ.encode(values)
		return benchBlock{zip1(b), shape{codec: &block.Codec{Kind: kind}, compression: 1, rows: n, declared: int64(len(b)), col: &column{}}}
	}
	return map[string]benchBlock{
		"floats": one(typeSpec{load: "Single"}, block.R4, floats),
		"texts":  one(typeSpec{load: "TextSpan"}, block.Text, words),
	}
}

type benchBlock struct {
	in []byte
	sh shape
}

// BenchmarkIDVBlock compares decoding and checking a block with inflating its bytes alone.
func BenchmarkIDVBlock(b *testing.B) {
	for name, x := range benchBlocks() {
		in, sh := x.in, x.sh
		b.Run(name+"/inflate", func(b *testing.B) {
			b.SetBytes(sh.declared)
			out := make([]byte, sh.declared)
			z := flate.NewReader(bytes.NewReader(nil))
			for b.Loop() {
				z.(flate.Resetter).Reset(bytes.NewReader(in), nil)
				if _, err := io.ReadFull(z, out); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/decode", func(b *testing.B) {
			b.SetBytes(sh.declared)

			var buf []byte
			for b.Loop() {
				out, how := sh.decode(b.Context(), in, buf)
				inspect(versionBase+6, &sh, block.Read(sh.codec, out, sh.rows), how, func(f finding) { b.Fatal(f) })
				buf = out[:0]
			}
		})
	}
}

// big is a stream of many deflated blocks of floats.
func big() []byte {
	f := fileSpec{rpb: 1 << 15, rows: 64 << 15, deflate: true}
	for c := range 2 {
		col := columnSpec{name: fmt.Sprint("c", c), typ: typeSpec{load: "Single"}}
		rnd := rand.New(rand.NewPCG(3, uint64(c)))
		for range 64 {
			raw := make([]byte, 0, 4<<15)
			for range 1 << 15 {
				raw = append(raw, le(4, uint64(math.Float32bits(float32(rnd.IntN(4000))/16)))...)
			}
			col.raw = append(col.raw, raw)
		}
		f.cols = append(f.cols, col)
	}
	return f.encode()
}

// BenchmarkIDVDeep checks a stream; `-cpu 1,2` compares one core with two.
func BenchmarkIDVDeep(b *testing.B) {
	b.SetBytes(2 * 64 * 4 << 15)
	d := open(b, "x.idv", big())
	for b.Loop() {
		p := &model.Probe{Report: d.Tree.Report, Progress: func(int64, int64, string) {}}
		if err := deep(context.Background(), d.Tree, p); err != nil {
			b.Fatal(err)
		}
	}
}

// sparse writes a file of about ten gigabytes, stored and all holes but for its directories, and returns its path.
func sparse(t testing.TB) string {
	const rpb, rows, columns = 8192, 100_000_000, 25
	path := filepath.Join(t.TempDir(), "big.idv")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	write := func(at int64, b []byte) {
		if _, err := file.WriteAt(b, at); err != nil {
			t.Fatal(err)
		}
	}
	blocks := (rows-1)/rpb + 1
	at := int64(256)
	lookups := make([][]byte, columns)
	for k := range blocks {
		n := 4 * min(rpb, rows-k*rpb)
		for c := range lookups {
			lookups[c] = append(append(append(lookups[c], le(8, uint64(at))...), le(4, uint64(n))...), le(4, uint64(n))...)
			at += int64(n)
		}
	}
	var toc []byte
	for c, l := range lookups {
		write(at, l)
		toc = append(append(toc, lenText(fmt.Sprint("column ", c))...), typeSpec{load: "Single"}.def()...)
		toc = append(append(append(toc, 0, 0x80, 0x40), le(8, uint64(at))...), le(8, 0)...)
		at += int64(len(l))
	}
	write(at, append(toc, "\x00BVD\x00LMC"...))
	head := append([]byte("CML\x00DVB\x00"), le(8, 0x0001000100010006)...)
	head = append(append(append(head, le(8, 0x0001000100010006)...), le(8, uint64(at))...), le(8, uint64(at)+uint64(len(toc)))...)
	write(0, append(append(head, le(8, rows)...), le(4, columns)...))
	return path
}

// TestIDVTenGigabytes opens a file of ten gigabytes, scrolls to its last row and renames a column.
func TestIDVTenGigabytes(t *testing.T) {
	path := sparse(t)
	ctx := context.Background()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	d, err := model.Open(ctx, path, formats, nil)
	took := time.Since(start)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	runtime.ReadMemStats(&after)
	grew := (after.TotalAlloc - before.TotalAlloc) >> 20
	t.Logf("opened in %v, %d MiB allocated", took, grew)
	if grew > 200 {
		t.Errorf("opening allocates %d MiB", grew)
	}
	if f, _ := d.Tree.Findings(); len(f) > 0 {
		t.Errorf("%s %s", f[0].Rule.ID, f[0].Text())
	}
	start = time.Now()
	tab := format().Tables(context.Background(), d.Tree)[0]
	rows, err := tab.Read(ctx, tab.Rows-50, 50)
	if err != nil || len(rows) != 50 || rows[49][24].Value.Float() != 0 || rows[49][24].Trouble != "" {
		t.Fatalf("%v %v", rows[49], err)
	}
	t.Logf("last rows in %v", time.Since(start))
	start = time.Now()
	plan, err := d.Plan(ctx, "rename", model.Set{Path: "toc[3]/name/text", Value: model.S("a longer name than before")})
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	for _, p := range plan.Patches {
		size += p.With.Len()
	}
	d.Apply(ctx, plan, nil)
	t.Logf("renamed in %v: %d patches, %d bytes", time.Since(start), len(plan.Patches), size)
	if size > 4096 {
		t.Errorf("renaming writes %d bytes", size)
	}
	start = time.Now()
	if _, err := d.Save(ctx, model.SaveOptions{NoBackup: true}); err != nil {
		t.Fatal(err)
	}
	t.Logf("saved in %v", time.Since(start))
	again, err := model.Open(ctx, path, formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := format().Tables(context.Background(), again.Tree)[0].Columns[3].Name; got != "a longer name than before" {
		t.Errorf("the column is called %s", got)
	}
}

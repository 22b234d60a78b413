package model

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// sparse makes a file of n zero bytes that takes no room on disk.
func sparse(b *testing.B, n int64) string {
	path := filepath.Join(b.TempDir(), "sparse")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(n); err != nil {
		b.Fatal(err)
	}
	return path
}

var bigRows = &Format{Name: "rows", Parse: func(c *Cursor) { c.Array(toyRows, toyRow, c.Left()/6) }}

// BenchmarkOpenHuge opens a 3.2 GB file of rows and finds its last byte.
func BenchmarkOpenHuge(b *testing.B) {
	path := sparse(b, 3_200_000_000)
	b.ReportAllocs()
	for b.Loop() {
		d, err := Open(context.Background(), path, nil, bigRows)
		if err != nil {
			b.Fatal(err)
		}
		if s := d.Tree.At(0, 3_199_999_997); s.Index() >= 0 {
			b.Fatal(s.Path())
		}
		d.Close()
	}
}

// BenchmarkPlanHuge plans a change of one value in a 3.2 GB file, and saves it in place.
func BenchmarkPlanHuge(b *testing.B) {
	d, err := Open(context.Background(), sparse(b, 3_200_000_000), nil, bigRows)
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	b.Run("plan", func(b *testing.B) {
		for b.Loop() {
			if _, err := d.Plan(context.Background(), "", Set{Path: "rows[500000000]/b", Value: I(7)}); err != nil {
				b.Fatal(err)
			}
		}
	})
	i := int64(0)
	b.Run("save", func(b *testing.B) {
		for b.Loop() {
			i++
			p, _ := d.Plan(context.Background(), "", Set{Path: "rows[500000000]/b", Value: I(i)})
			d.Apply(context.Background(), p, nil)
			w := &saver{ctx: context.Background(), fs: osDisk{}, progress: func(int64) {}}
			c, _ := d.Tree.Snapshot.Content("sparse")
			d.shelter("sparse", c)
			if err := w.patch(Saved{File: "sparse", Path: d.Path, InPlace: true}, c, d.saved); err != nil {
				b.Fatal(err)
			}
			d.saved = d.Tree.Snapshot
		}
	})
}

// BenchmarkSequence finds the starts of a million elements.
func BenchmarkSequence(b *testing.B) {
	data := make([]byte, 2_000_000)
	f := &Format{Parse: func(c *Cursor) {
		c.Sequence(toyNames, toyText, c.Left(), func(c *Cursor) { c.FieldN(toyText, c.Field(toyLen).Int()) })
	}}
	b.ReportAllocs()
	for b.Loop() {
		t := parseBytes(b, f, data)
		if err := t.Open(context.Background(), t.Root.Child(0)); err != nil || t.Root.Child(0).Count() != 1_000_000 {
			b.Fatal(err, t.Root.Child(0).Count())
		}
	}
}

// BenchmarkStream compares a scan through the engine with a plain loop over the same mapped bytes.
func BenchmarkStream(b *testing.B) {
	d, err := Open(context.Background(), sparse(b, 256<<20), nil, bigRows)
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	sum := func(p []byte) (n int) {
		for _, x := range p {
			n += int(x)
		}
		return n
	}
	sum(d.file.data) // so that neither pays for the first touch
	b.Run("engine", func(b *testing.B) {
		b.SetBytes(256 << 20)
		for b.Loop() {
			n := 0
			d.Tree.Stream(context.Background(), d.Tree.Root.Range, 1<<20, func(_ int64, p []byte) error { n += sum(p); return nil })
		}
	})
	b.Run("plain", func(b *testing.B) {
		b.SetBytes(256 << 20)
		for b.Loop() {
			sum(d.file.data)
		}
	})
}

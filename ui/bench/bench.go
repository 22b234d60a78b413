// Package bench is for tests of single panes: a format whose every byte they know, and a document without a window, to which a test
// adds the pane under test.
package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"spandrel/model"
	"spandrel/parsers"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

// The fields of a toy file: a magic, a count, count records of two numbers, and a block whose bytes are stored inverted.
var (
	ToyMagic  = &model.Field{Name: "magic", Codec: model.BytesOf(4), Doc: "TOY and a version", Ref: "1"}
	ToyCount  = &model.Field{Name: "count", Codec: model.U32LE}
	ToyRows   = &model.Field{Name: "rows"}
	ToyRow    = &model.Field{Name: "row"}
	ToyRecord = model.NewRecord(&model.Field{Name: "id", Codec: model.U32LE}, &model.Field{Name: "size", Codec: model.U32LE})
	ToyBlock  = &model.Field{Name: "block", Codec: model.RawBytes}
	ToyInner  = &model.Field{Name: "inner"}
	ToyText   = &model.Field{Name: "text", Codec: model.UTF8}
	ToyRule   = &model.Rule{ID: "toy.id", Title: "an id repeats", Severity: model.Warning}
)

// Invert is how the block is stored.
var Invert = &model.Transform{Name: "invert", Decode: func(_ context.Context, in []byte, _ int64) ([]byte, error) {
	out := make([]byte, len(in))
	for i, b := range in {
		out[i] = ^b
	}
	return out, nil
}}

// Toy is a format whose first finding is that an id repeats.
var Toy = &model.Format{Name: "toy", Title: "Toy", Doc: "A format of the tests.", Exts: []string{".toy"},
	Detect: func(_ string, head, _ []byte, _ int64) (model.Confidence, string) {
		if bytes.HasPrefix(head, []byte("TOY")) {
			return 100, ""
		}
		return 0, ""
	},
	Parse: func(c *model.Cursor) {
		c.Field(ToyMagic)
		n := c.Field(ToyCount)
		rows := c.Array(ToyRows, ToyRecord, n.Int())
		c.CountOf(n, rows)
		c.Report(model.Finding{Rule: ToyRule, Span: rows.Span, Range: c.Range(16, 4), Found: "7", Expected: "8"})
		block := c.FieldN(ToyBlock, 8)
		c.Derive(ToyInner, model.Derived{Transform: Invert, From: block, Size: 8, Body: func(c *model.Cursor) { c.FieldN(ToyText, 8) }})
	},
	Tables: func(_ context.Context, t *model.Tree) []model.Table {
		return []model.Table{model.Records("rows", "Rows", t, t.Root.Get("rows"))}
	},
	Graph: ToyGraph}

// ToyGraph is a graph without operations, over the first rows of a toy file: 0 and 1 lead to 2, which leads to 3.
func ToyGraph(_ context.Context, t *model.Tree) (*model.Graph, error) {
	g := &model.Graph{Edges: []model.GraphEdge{{From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 3}}}
	rows := t.Root.Get("rows")
	if rows == nil || rows.Count() < 4 {
		return nil, nil
	}
	for i := range int64(4) {
		g.Nodes = append(g.Nodes, model.GraphNode{Label: fmt.Sprint("row ", i), Kind: []model.GraphKind{model.Input, model.Input, model.Stored, model.Output}[i], Span: rows.Child(i)})
	}
	return g, nil
}

// ToyFile writes a toy file of n rows, sparse if it is large, with four bytes after its end.
func ToyFile(t testing.TB, n uint32) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "sample.toy"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head := binary.LittleEndian.AppendUint32([]byte("TOY1"), n)
	for i := range min(n, 100) {
		head = binary.LittleEndian.AppendUint32(head, i)
		head = binary.LittleEndian.AppendUint32(head, 10*i)
	}
	tail := []byte{^byte('h'), ^byte('e'), ^byte('l'), ^byte('l'), ^byte('o'), ^byte('!'), ^byte('!'), ^byte('!'), 1, 2, 3, 4}
	if _, err := f.Write(head); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(tail, 8+8*int64(n)); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// CopySample copies a sample of testdata, a file or a folder, and returns the path of the copy.
func CopySample(t testing.TB, path string) string {
	t.Helper()
	from := "testdata"
	for range 4 { // packages lie at different depths
		if _, err := os.Stat(filepath.Join(from, "SOURCES.md")); err == nil {
			break
		}
		from = filepath.Join("..", from)
	}
	from = filepath.Join(from, path)
	to := filepath.Join(t.TempDir(), filepath.Base(path))
	if st, err := os.Stat(from); err != nil {
		t.Fatal(err)
	} else if st.IsDir() {
		if err = os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	} else if raw, err := os.ReadFile(from); err != nil || os.WriteFile(to, raw, 0o600) != nil {
		t.Fatal(err)
	}
	return to
}

// Bench is a document on Fyne's test driver. Results of workers wait until Settle runs them, because the test driver would run them on the workers.
type Bench struct {
	*kit.Host
	Doc   *doc.Document
	Win   fyne.Window
	queue chan func()
}

// Open opens a file as one of the toy format, if it is one.
func Open(t testing.TB, path string) *Bench { return open(t, path, []*model.Format{Toy}) }

// At opens a file with all formats.
func At(t testing.TB, path string) *Bench { return open(t, path, parsers.All()) }

// Sample opens a copy of a sample with all formats. A folder is copied completely; inside is the file to open in it.
func Sample(t testing.TB, path string, inside ...string) *Bench {
	t.Helper()
	return open(t, filepath.Join(CopySample(t, path), filepath.Join(inside...)), parsers.All())
}

func open(t testing.TB, path string, formats []*model.Format) *Bench {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(paint.NewTheme(paint.Light))
	b := &Bench{queue: make(chan func(), 1<<16)}
	b.Host = kit.NewHost(a, func(f func()) { b.queue <- f })
	b.Shell = kit.Silent{Agree: true}
	m, err := model.Open(t.Context(), path, formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Doc = doc.New(b.Host, m)
	b.Doc.Formats = formats
	t.Cleanup(func() {
		b.Settle(t)
		m.Close()
	})
	return b
}

// Show adds a pane to the document and shows it in a window.
func (b *Bench) Show(t testing.TB, p doc.Pane, o fyne.CanvasObject) {
	t.Helper()
	b.Doc.Panes = append(b.Doc.Panes, p)
	b.Doc.Begin()
	b.Win = test.NewTempWindow(t, o)
	b.Win.Resize(fyne.NewSize(1000, 700))
	b.Settle(t)
	b.Win.Canvas().Capture()
	b.Settle(t)
}

// Settle waits until nothing is in progress.
func (b *Bench) Settle(t testing.TB) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for b.Pending > 0 || len(b.queue) > 0 {
		select {
		case f := <-b.queue:
			f()
		case <-limit:
			t.Fatal("workers do not end")
		}
	}
}

// WantPath fails the test unless so many bytes from an offset on, of the field at a path, are selected.
func WantPath(t testing.TB, d *doc.Document, path string, off, n int64) {
	t.Helper()
	if p := d.Sel.Now.Span.Path(); p != path || d.Sel.Now.Range.Off != off || d.Sel.Now.Range.Len != n {
		t.Errorf("selected %s 0x%x+%d, want %s 0x%x+%d", p, d.Sel.Now.Range.Off, d.Sel.Now.Range.Len, path, off, n)
	}
}

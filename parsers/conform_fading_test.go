package parsers

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// fading is a file that another program truncates to nothing after some reads.
type fading struct {
	model.Source
	left atomic.Int64
}

func (f *fading) ReadAt(p []byte, off int64) (int, error) {
	if f.left.Add(-1) < 0 {
		return 0, model.ErrShrunk
	}
	return f.Source.ReadAt(p, off)
}

// fault is what a view of a mapped file panics with when its bytes are gone.
type fault struct{}

func (fault) Addr() uintptr { return 0 }

func (f *fading) View(off, n int64) []byte {
	b := make([]byte, n)
	if _, err := f.ReadAt(b, off); errors.Is(err, model.ErrShrunk) {
		panic(fault{})
	}
	return b
}

// TestFading truncates each sample after its first, second, … read: the parser stops in the middle, and everything else gets what
// it made until then.
func TestFading(t *testing.T) {
	inEachSample(t, func(t *testing.T, s sample) {
		b := s.mainBytes(t)
		if b == nil {
			return
		}
		ctx, f := context.Background(), s.format
		d, err := model.OpenBytes(ctx, "x", b, nil, f)
		if err != nil {
			t.Fatal(err)
		}
		for n := range int64(40) {
			src := &fading{Source: model.Memory(b)}
			src.left.Store(n)
			tree := model.Parse(ctx, d.Tree.Snapshot.With("x", model.NewContent(src)), f)
			uses := map[string]func() error{
				"deep check": func() error { return d.DeepOn(ctx, tree, nil) },
				"card":       func() error { f.Card(ctx, tree); return nil },
				"extents":    func() error { f.Extents(ctx, tree); return nil },
				"quantities": func() error { f.Quantities(ctx, tree); return nil },
				"outline":    func() error { _, err := f.Outline(ctx, tree); return err },
				"graph":      func() error { _, err := f.Graph(ctx, tree); return err },
				"apart":      func() error { f.Apart(ctx, tree); return nil },
				"salvage":    func() error { _, err := f.Salvage(ctx, tree); return err },
			}
			for name, missing := range map[string]bool{"card": f.Card == nil, "extents": f.Extents == nil, "quantities": f.Quantities == nil,
				"outline": f.Outline == nil, "graph": f.Graph == nil, "apart": f.Apart == nil, "salvage": f.Salvage == nil} {
				if missing {
					delete(uses, name)
				}
			}
			for _, x := range tree.Tables(ctx) {
				uses["table "+x.Name] = func() error { _, err := x.Read(ctx, 0, 100); return err }
			}
			for name, use := range uses {
				if defect := (*model.Defect)(nil); errors.As(model.Contain(use), &defect) { // other errors are right
					t.Fatalf("after %d reads, %s: %v\n%s", n, name, defect, defect.Stack)
				}
			}
			if suite.NoDefect(t, tree); t.Failed() {
				t.Fatalf("after %d reads", n)
			}
		}
	})
}

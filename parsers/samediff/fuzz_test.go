package samediff

import (
	"context"
	"io"
	"testing"

	"spandrel/model"
)

// FuzzSameDiff opens any bytes, looks at all of them and runs every check: nothing may panic, and every byte belongs to one leaf.
func FuzzSameDiff(f *testing.F) {
	for _, b := range good(f) {
		f.Add(b)
	}
	for _, b := range bad(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		ctx := context.Background()
		d, err := model.OpenBytes(ctx, "fuzz.sdc", b, nil, Format)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Tree.Dump(ctx, io.Discard, d.Tree.Root, model.DumpOptions{Depth: -1, Elements: 16, All: true}); err != nil {
			t.Fatal(err)
		}
		if err := d.Deep(ctx, nil); err != nil {
			t.Fatal(err)
		}
		for _, tab := range d.Tree.Tables(context.Background()) {
			if _, err := tab.Read(ctx, 0, 100); err != nil {
				t.Fatal(tab.Name, err)
			}
		}
		found, _ := d.Tree.Findings()
		for _, x := range found {
			if x.Rule == model.RuleInternal || x.Rule == model.RuleOverlap {
				t.Fatalf("%s: %s\n%s", x.Path(), x.Text(), x.Found)
			}
		}
		at := map[model.SpaceID]int64{}
		var walk func(s *model.Span)
		walk = func(s *model.Span) {
			if r := s.Range; s.Shape == model.Leaf && r.Len > 0 {
				if at[r.Space] != r.Off {
					t.Fatalf("%s starts at 0x%x, the one before ends at 0x%x", s.Path(), r.Off, at[r.Space])
				}
				at[r.Space] = r.End()
			}
			for i := range s.Count() {
				walk(s.Child(i))
			}
		}
		for _, x := range d.Tree.State.(*state).lazy {
			if err := d.Tree.Open(ctx, x); err != nil {
				t.Fatal(err)
			}
		}
		walk(d.Tree.Root)
		if n, err := d.Tree.Size(ctx, 0); err != nil || at[0] != n {
			t.Fatalf("the file is covered to 0x%x of 0x%x: %v", at[0], n, err)
		}
	})
}

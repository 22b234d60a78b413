package parsers

import (
	"context"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// FuzzFile puts bytes in place of a sample's main file, with what stands beside it, and reads all of it: nothing may panic, every
// byte belongs to one leaf, and a safe repair takes its finding away or says why it cannot be made.
func FuzzFile(f *testing.F) {
	var docs []*model.Document
	for _, format := range All() {
		for _, s := range samples(f, format) {
			if b := s.mainBytes(f); b != nil {
				f.Add(uint16(len(docs)), b)
				docs = append(docs, s.open(f))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, b []byte) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		d := docs[int(which)%len(docs)]
		snap := d.Tree.Snapshot
		tree := model.Parse(ctx, snap.With(snap.Primary, model.BytesContent(b)), d.Format)
		suite.ReadAll(ctx, t, d, tree)
		repaired(ctx, t, d.Format, snap.Primary, b)
	})
}

// repaired applies the safe repairs of a file that stands alone, one after the other.
func repaired(ctx context.Context, t *testing.T, format *model.Format, name string, b []byte) {
	d, err := model.OpenBytes(ctx, name[strings.LastIndexByte(name, '/')+1:], b, nil, format)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	mend(ctx, t, d, 20, func(before *model.Tree, fix *model.Fix, p *model.Plan) {
		if p.Empty() {
			t.Fatalf("%s changes nothing", fix.Label)
		}
		was, count := asked(ctx, before, fix), func(t *model.Tree, was model.Finding) (n int) {
			found, _ := t.Findings()
			for _, x := range found {
				if x.Rule == was.Rule && x.Path() == was.Path() && x.Found == was.Found {
					n++
				}
			}
			return n
		}
		if n := count(d.Tree, was); n > 0 && n >= count(before, was) {
			t.Fatalf("%s at %s (%s, found %s) is still there after %q", was.Rule.ID, was.Path(), was.Text(), was.Found, fix.Label)
		}
	})
}

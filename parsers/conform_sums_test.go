package parsers

import (
	"bytes"
	"context"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// A check of everything notices a wrong checksum, wherever the format declares one: the engine compares no links in the elements of a Sequence.
func TestChecksumsAreCompared(t *testing.T) {
	t.Parallel()
	inEachSample(t, func(t *testing.T, s sample) {
		if d := s.open(t); s.good {
			sums := map[string]*model.Span{} // one of each kind
			checksums(t.Context(), d.Tree, d.Tree.Root, sums)
			for _, sum := range sums {
				wrong := bytes.Clone(suite.Bytes(t, d))
				wrong[sum.Range.Off] ^= 1
				tree := model.Parse(t.Context(), d.Tree.Snapshot.With(d.Tree.Snapshot.Primary, model.BytesContent(wrong)), d.Format)
				if err := d.DeepOn(t.Context(), tree, nil); err != nil {
					t.Fatal(err)
				}
				if found, _ := tree.Findings(); len(found) == 0 {
					t.Errorf("%s: nothing is found if the first byte of %s differs", s.name, sum.Path())
				}
			}
		}
	})
}

// checksums are the leaves of the main file that are checksums of others, by their names.
func checksums(ctx context.Context, t *model.Tree, s *model.Span, sums map[string]*model.Span) {
	if t.Open(ctx, s) != nil || s.Range.Space != t.Root.Range.Space {
		return
	}
	for i := range min(s.Count(), 16) {
		checksums(ctx, t, s.Child(i), sums)
	}
	if s.Count() == 0 && sums[s.Field.Name] == nil {
		for _, x := range t.Relations(s) {
			if x.Text == model.ChecksumLink.String() {
				sums[s.Field.Name] = s
			}
		}
	}
}

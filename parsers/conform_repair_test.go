package parsers

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// repairAll applies the safe repairs of a document, at most so many, and hands each to made with the tree that asked for it. Every
// tree is checked deep, once.
func repairAll(ctx context.Context, t testing.TB, d *model.Document, most int, made func(before *model.Tree, fix *model.Fix, p *model.Plan)) {
	t.Helper()
	deep := func() {
		if err := d.Deep(ctx, nil); err != nil {
			t.Fatal(err)
		}
		suite.NoDefect(t, d.Tree)
	}
	deep()
	var run model.Repair
	for run.Made < most {
		fix := run.Next(ctx, d.Tree)
		if fix == nil {
			return
		}
		var p *model.Plan
		edits, err := fix.Make(ctx, d.Tree)
		if err == nil {
			p, err = d.Plan(ctx, fix.Label, edits...)
		}
		if run.Done(err); err == nil { // otherwise it says why
			before := d.Tree
			d.Apply(ctx, p, nil)
			deep()
			made(before, fix, p)
		}
	}
}

// normalised are the rules whose safe repairs write what the file need not have held before: a form that readers take, in place
// of one that some refuse.
var normalised = map[string]bool{"TDB-034": true, "SDF-032": true, "SDF-071": true, "SDF-086": true, "SDF-087": true, "SDF-157": true}

// TestRepairsHarmNothing damages one byte of a good sample. After all safe repairs either an error is left or the bytes are those of
// the sample, but for the one that was damaged, as far as what is left of a file can tell: for one file in a hundred it cannot.
func TestRepairsHarmNothing(t *testing.T) {
	per := 40
	if testing.Short() {
		per = 8
	}
	ctx := context.Background()
	t.Parallel()
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			harmed, all := 0, 0
			for _, s := range samples(t, f) {
				b := s.mainBytes(t)
				if !s.good || len(b) == 0 {
					continue
				}
				rnd := rand.New(rand.NewPCG(7, uint64(len(b))))
				for range per {
					m, at := bytes.Clone(b), rnd.IntN(min(len(b), 4096))
					m[at] = byte(rnd.Uint32())
					if all++; harms(ctx, t, f, s.name, b, m, at) {
						harmed++
					}
				}
			}
			if harmed*100 > all {
				t.Errorf("%d of %d damaged files were repaired to something else", harmed, all)
			}
		})
	}
}

// harms tells whether safe repairs of m, which is b but for a byte, end without an error in other bytes than b.
func harms(ctx context.Context, t *testing.T, f *model.Format, name string, b, m []byte, at int) bool {
	d, err := model.OpenBytes(ctx, name, m, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var rules []string
	repairAll(ctx, t, d, 20, func(before *model.Tree, fix *model.Fix, _ *model.Plan) {
		rules = append(rules, asked(ctx, before, fix).Rule.ID)
	})
	c, err := d.Tree.Snapshot.Content(d.Tree.Snapshot.Primary)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, c.Len())
	c.ReadAt(out, 0)
	if len(out) == len(b) {
		out[at] = b[at]
	}
	found, _ := d.Tree.Findings()
	for i := range found {
		if found[i].Grade() == model.Error {
			return false
		}
	}
	for _, r := range rules {
		if normalised[r] {
			return false
		}
	}
	if len(rules) > 0 && !bytes.Equal(out, b) {
		t.Logf("%s: byte 0x%x %02x for %02x: %v", name, at, m[at], b[at], rules)
		return true
	}
	return false
}

// asked returns the finding that a fix is for: the first that offers one of its name.
func asked(ctx context.Context, t *model.Tree, fix *model.Fix) model.Finding {
	found, _ := t.Findings()
	for _, x := range found {
		if slices.ContainsFunc(t.Fixes(ctx, &x), func(y model.Fix) bool { return y.Label == fix.Label }) {
			return x
		}
	}
	panic("a fix of no finding")
}
